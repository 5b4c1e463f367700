package reader_test

import (
	"context"
	"errors"
	"testing"

	"backsolve/internal/probe/probetest"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/internal/tabletest"
)

// Verifying reports all bytes of the file, whatever its form, and ends with its context.
func TestVerifyProgress(t *testing.T) {
	_, archive, _ := probetest.Archived(t, "quixo", 3)
	plain := tabletest.Write(t, tabletest.QuixoShape, tabletest.LargeTable(tabletest.QuixoShape))
	for form, path := range map[string]string{"plain": plain, "packed": tabletest.Pack(t, plain), "archive": archive} {
		table := tabletest.Open(t, path)
		var last tablebase.Event
		err := table.Verify(t.Context(), 2, func(e tablebase.Event) {
			if e.Done <= last.Done {
				t.Errorf("%s: %+v after %+v", form, e, last)
			}
			last = e
		})
		all := uint64(table.Bytes())
		if err != nil || last != (tablebase.Event{Stage: tablebase.Checksums, Unit: "bytes", Done: all, Total: all}) {
			t.Errorf("%s: %+v of %d bytes, %v", form, last, all, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		if err := table.Verify(ctx, 1, func(tablebase.Event) { calls++; cancel() }); !errors.Is(err, context.Canceled) || errors.Is(err, tablebase.ErrDamaged) || calls != 1 {
			t.Errorf("%s: %d runs after the end, %v", form, calls, err)
		}
	}
}

// What is known is not verified again, and all else is: damage is found in the other parts, in the header and in
// the footer.
func TestVerifyRest(t *testing.T) {
	path := tabletest.Write(t, tabletest.QuixoShape, tabletest.LargeTable(tabletest.QuixoShape))
	content := tabletest.ReadFile(t, path)
	_, classes := tabletest.Open(t, path).Layout()
	for i, r := range classes {
		for part, p := range r.Parts {
			if p.Padded() == 0 {
				continue
			}
			content[p.Offset+5] ^= 1
			damaged := tabletest.Save(t, content)
			content[p.Offset+5] ^= 1
			table := tabletest.Open(t, damaged)
			for _, other := range []format.Part{p, classes[1-i].Parts[part], r.Parts[(part+1)%format.PartCount]} {
				err := table.VerifyRest(t.Context(), 1, map[int64]bool{other.Offset: true}, nil)
				var about *tablebase.Error
				if other.Offset == p.Offset {
					if err != nil {
						t.Errorf("class %d, part %d is known: %v", r.Class, part, err)
					}
				} else if !errors.As(err, &about) || len(about.Damaged) != 1 || about.Damaged[0].Class != r.Class || about.Damaged[0].Part != r.Names[part] {
					t.Errorf("class %d, part %d: %v", r.Class, part, err)
				}
			}
		}
	}
}
