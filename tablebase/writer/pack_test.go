package writer_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"backsolve/internal/durable"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/reader"
	"backsolve/tablebase/writer"
)

// records returns where the classes of a table lie.
func records(t *reader.Table) []*format.Record {
	_, r := t.Layout()
	return r
}

func TestPackedHoldsWhatWasSealed(t *testing.T) {
	for _, shape := range tabletest.Shapes {
		for name, classes := range map[string][]tabletest.Sealed{"small": tabletest.SmallTable(shape), "large": tabletest.LargeTable(shape), "numbers": tabletest.NumbersTable(shape)} {
			t.Run(shape.String()+" "+name, func(t *testing.T) {
				path := tabletest.Write(t, shape, classes)
				plain, packed := tabletest.Open(t, path), tabletest.Open(t, tabletest.Pack(t, path))
				if packed.Shape() != shape || packed.Identity() != plain.Identity() || packed.Bytes() != plain.Bytes() {
					t.Errorf("packed: %v, %x, %d bytes", packed.Shape(), packed.Identity(), packed.Bytes())
				}
				if size := int64(len(tabletest.ReadFile(t, path+tablebase.PackedSuffix))); packed.Packed() != size || plain.Packed() != 0 {
					t.Errorf("packed into %d bytes, not %d; the plain one into %d", packed.Packed(), size, plain.Packed())
				}
				tabletest.CheckStored(t, packed, classes)
				if err := packed.Verify(context.Background(), 1, nil); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestUnpackRestores unpacks a table with this package and with a plain decoder.
func TestUnpackRestores(t *testing.T) {
	for _, shape := range tabletest.Shapes {
		path := tabletest.Write(t, shape, tabletest.LargeTable(shape))
		valid := tabletest.ReadFile(t, path)
		packed := tabletest.Pack(t, path)
		plain, err := zstd.NewReader(bytes.NewReader(tabletest.ReadFile(t, packed)))
		if err != nil {
			t.Fatal(err)
		}
		defer plain.Close()
		if b, err := io.ReadAll(plain); err != nil || !bytes.Equal(b, valid) {
			t.Errorf("%v: a plain decoder restores %d bytes, %v", shape, len(b), err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		var last tablebase.Event
		got, err := writer.Unpack(context.Background(), packed, false, func(e tablebase.Event) { last = e })
		if err != nil || got != path || !bytes.Equal(tabletest.ReadFile(t, path), valid) {
			t.Errorf("%v: unpacked into %s: %v", shape, got, err)
		}
		if n := uint64(len(valid)); last != (tablebase.Event{Stage: "checking", Unit: "bytes", Done: n, Total: n}) {
			t.Errorf("the last event is %v", last)
		}
		checkFiles(t, filepath.Dir(path), "small.tb", "small.tb.zst")
	}
}

// checkFiles wants these files in a directory and no others.
func checkFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		if runtime.GOOS != "windows" || !strings.HasSuffix(e.Name(), durable.LockSuffix) {
			got = append(got, e.Name())
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("there are %v, want %v", got, want)
	}
}

func TestPackedBytesDoNotDependOnThreads(t *testing.T) {
	for name, classes := range map[string][]tabletest.Sealed{"digits": tabletest.LargeTable(tabletest.QuixoShape), "numbers": tabletest.NumbersTable(tabletest.QuixoShape)} {
		t.Run(name, func(t *testing.T) {
			path := tabletest.Write(t, tabletest.QuixoShape, classes)
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			want := tabletest.ReadFile(t, tabletest.Pack(t, path))
			for _, threads := range []int{2, 5} {
				runtime.GOMAXPROCS(threads)
				if !bytes.Equal(tabletest.ReadFile(t, tabletest.Pack(t, path)), want) {
					t.Errorf("%d threads pack another file", threads)
				}
			}
		})
	}
}

func TestPackRefuses(t *testing.T) {
	path := tabletest.Write(t, tabletest.QuixoShape, tabletest.SmallTable(tabletest.QuixoShape))
	packed := tabletest.Pack(t, path)
	before := tabletest.ReadFile(t, packed)
	ctx := context.Background()
	for _, test := range []struct {
		name string
		call func() (string, error)
		want error
		says string
	}{
		{"exists", func() (string, error) { return writer.Pack(ctx, path, false, nil) }, tablebase.ErrExists, "exists already"},
		{"exists unpacked", func() (string, error) { return writer.Unpack(ctx, packed, false, nil) }, tablebase.ErrExists, "exists already"},
		{"packed", func() (string, error) { return writer.Pack(ctx, packed, false, nil) }, tablebase.ErrInput, "packed already"},
		{"plain", func() (string, error) { return writer.Unpack(ctx, path, false, nil) }, tablebase.ErrInput, "not packed"},
		{"renamed", func() (string, error) { return writer.Unpack(ctx, tabletest.Save(t, before), false, nil) }, tablebase.ErrInput, "ends in .zst"},
		{"missing", func() (string, error) { return writer.Pack(ctx, path+"x", false, nil) }, os.ErrNotExist, ""},
	} {
		if _, err := test.call(); !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v, want %v that says %q", test.name, err, test.want, test.says)
		}
	}
	unlock, err := writer.LockTable(packed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := writer.Pack(ctx, path, true, nil); !errors.Is(err, tablebase.ErrBusy) {
		t.Errorf("while another process packs: %v", err)
	}
	unlock()
	if !bytes.Equal(tabletest.ReadFile(t, packed), before) {
		t.Error("the packed table changed")
	}
	checkFiles(t, filepath.Dir(path), "small.tb", "small.tb.zst")
}

// TestPackNoticesDamage: a damaged table is not packed, nor a damaged packed one
// unpacked, and nothing is left behind.
func TestPackNoticesDamage(t *testing.T) {
	path := tabletest.Write(t, tabletest.QuixoShape, tabletest.LargeTable(tabletest.QuixoShape))
	packed := tabletest.Pack(t, path)
	b := tabletest.ReadFile(t, path)
	b[records(tabletest.Open(t, path))[0].Parts[format.Steps].Offset+7] ^= 1
	bad := tabletest.Save(t, b)
	var e *tablebase.Error
	if _, err := writer.Pack(context.Background(), bad, false, nil); !errors.As(err, &e) || e.Path != bad || len(e.Damaged) != 1 {
		t.Errorf("a damaged table is packed: %v", err)
	}
	checkFiles(t, filepath.Dir(bad), "changed.tb")

	b = tabletest.ReadFile(t, packed)
	b[len(b)/2] ^= 1
	bad = filepath.Join(t.TempDir(), "bad.tb.zst")
	if err := os.WriteFile(bad, b, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := writer.Unpack(context.Background(), bad, false, nil); !errors.As(err, &e) || e.Path != bad || !errors.Is(err, tablebase.ErrDamaged) {
		t.Errorf("a damaged table is unpacked: %v", err)
	}
	checkFiles(t, filepath.Dir(bad), "bad.tb.zst")
}

// TestPackVerifies flips bits all over a table, also where packing leaves bytes out: in
// padding, in unused digits and in the header's page. Whatever Verify refuses is refused,
// and the table is left as it was.
func TestPackVerifies(t *testing.T) {
	valid := tabletest.ReadFile(t, tabletest.Write(t, tabletest.QuixoShape, tabletest.NumbersTable(tabletest.QuixoShape)))
	bad := filepath.Join(t.TempDir(), "bad.tb")
	table := tabletest.Open(t, tabletest.Save(t, valid))
	var at []int64 // of the bytes that are flipped
	for _, r := range records(table) {
		for _, p := range r.Parts {
			if p.Padded() > 0 {
				at = append(at, p.Offset+p.Padded()/2, p.Offset+p.Padded()-1)
			}
		}
	}
	r := rand.New(rand.NewPCG(5, 5))
	for range 8 {
		at = append(at, r.Int64N(int64(len(valid))))
	}
	for _, i := range at {
		b := bytes.Clone(valid)
		b[i] ^= 1 << r.IntN(8)
		if err := os.WriteFile(bad, b, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := writer.Pack(context.Background(), bad, false, nil); !errors.Is(err, tablebase.ErrDamaged) && !errors.Is(err, tablebase.ErrTruncated) && !errors.Is(err, tablebase.ErrForeign) && !errors.Is(err, tablebase.ErrNewer) {
			t.Errorf("with a bit of byte %d of %d flipped: %v", i, len(valid), err)
		}
		if !bytes.Equal(tabletest.ReadFile(t, bad), b) {
			t.Fatal("the table was changed")
		}
		checkFiles(t, filepath.Dir(bad), "bad.tb")
	}
}

// TestPackStops cancels both ways in both phases.
func TestPackStops(t *testing.T) {
	path := tabletest.Write(t, tabletest.QuixoShape, tabletest.LargeTable(tabletest.QuixoShape))
	packed := tabletest.Pack(t, path)
	for _, test := range []struct {
		work  func(context.Context, string, bool, func(tablebase.Event)) (string, error)
		from  string
		doing string
	}{{writer.Pack, path, "packing"}, {writer.Pack, path, "checking"}, {writer.Unpack, packed, "unpacking"}, {writer.Unpack, packed, "checking"}} {
		ctx, cancel := context.WithCancelCause(context.Background())
		_, err := test.work(ctx, test.from, true, func(e tablebase.Event) {
			if e.Stage == test.doing {
				cancel(errors.New("a signal"))
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("stopped while %s: %v", test.doing, err)
		}
		cancel(nil)
	}
	checkFiles(t, filepath.Dir(path), "small.tb", "small.tb.zst")
}

// TestGoldenPacked reads a packed table of format version 1. Another version of
// the encoder may pack otherwise; what was packed once must stay readable.
func TestGoldenPacked(t *testing.T) {
	table := tabletest.Open(t, tabletest.Golden("v1.tb"+tablebase.PackedSuffix))
	if table.Packed() == 0 || table.Identity() != tabletest.Open(t, tabletest.Golden("v1.tb")).Identity() {
		t.Errorf("identity %x, packed into %d bytes", table.Identity(), table.Packed())
	}
	tabletest.CheckStored(t, table, goldenTable(t))
	if err := table.Verify(context.Background(), 1, nil); err != nil {
		t.Error(err)
	}
}
