package reader_test

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/reader"
)

// openApart opens a packed table whose checksums stay in its footer.
func openApart(t testing.TB, path string) *reader.Table {
	t.Helper()
	table, err := reader.OpenHolding(path, 0, reader.SmallCache)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	for _, r := range records(table) {
		for i := range r.Sums {
			if r.Sums[i].Held != nil {
				t.Fatalf("the checksums of class %d are held", r.Class)
			}
		}
	}
	return table
}

// TestSumsApart has the same of a packed table, its footer held or not. That of the numbers
// has several frames.
func TestSumsApart(t *testing.T) {
	for _, shape := range tabletest.Shapes {
		for name, classes := range map[string][]tabletest.Sealed{"small": tabletest.SmallTable(shape), "large": tabletest.LargeTable(shape), "numbers": tabletest.NumbersTable(shape)} {
			t.Run(shape.String()+" "+name, func(t *testing.T) {
				if name != "small" && testing.Short() {
					t.Skip("takes long under the race detector")
				}
				path := tabletest.Pack(t, tabletest.Write(t, shape, classes))
				held, apart := tabletest.Open(t, path), openApart(t, path)
				for i, r := range records(held) {
					for p := range r.Parts {
						for chunk, want := range r.Sums[p].Held {
							if sum, err := records(apart)[i].Sums[p].At(chunk); err != nil || sum != want {
								t.Fatalf("class %d, part %d, chunk %d: %#x, %v; held %#x", r.Class, p, chunk, sum, err, want)
							}
						}
					}
				}
				checkAll(t, apart, shape, classes)
				if err := apart.Verify(context.Background(), 1, nil); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestForeignFooter has a whole frame with another table's checksums as a footer. If the footer
// is held, the identity shows it, else lookups and Verify.
func TestForeignFooter(t *testing.T) {
	classes := tabletest.LargeTable(tabletest.QuixoShape)
	path := tabletest.Write(t, tabletest.QuixoShape, classes)
	pieces := cutUp(t, path)
	footer := pieces[len(pieces)-1]
	sums := records(tabletest.Open(t, path))[0].Sums[format.Outcomes].Held
	at := len(footer)
	for ; binary.LittleEndian.Uint32(footer[at-4:]) != sums[1]; at -= 4 {
	}
	footer[at-1] ^= 1
	path = tabletest.Save(t, frame(t, pieces...))
	if _, err := reader.Open(path); !errors.Is(err, tablebase.ErrDamaged) {
		t.Errorf("it is opened: %v", err)
	}
	table := openApart(t, path)
	checkDamage(t, table, classes[0], 16, 32)
	if err := table.Planes(0, 16, 1, new(tablebase.Planes)); !errors.Is(err, tablebase.ErrDamaged) {
		t.Errorf("Planes: %v", err)
	}
	if err := table.Verify(context.Background(), 1, nil); !errors.Is(err, tablebase.ErrDamaged) {
		t.Errorf("Verify: %v", err)
	}
}
