package tablebase

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
)

// pack packs a table and returns the path of the copy.
func pack(t testing.TB, path string) string {
	t.Helper()
	packed, err := Pack(context.Background(), path, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	return packed
}

// largeTable returns a table whose parts have several chunks and frames, and
// steps that straddle them.
func largeTable(s Shape) []sealed {
	r := rand.New(rand.NewPCG(6, 6))
	classes := []sealed{randomClass(r, s, 7, 14, 80, 0), randomClass(r, s, 2, 7, 1, 0)}
	if s.Steps {
		classes[0] = randomClass(r, s, 7, 14, 80, 3)
	}
	return classes
}

func TestPackedSaysWhatWasSealed(t *testing.T) {
	for _, shape := range shapes {
		for name, classes := range map[string][]sealed{"small": smallTable(shape), "large": largeTable(shape), "numbers": numbersTable(shape)} {
			t.Run(shape.String()+" "+name, func(t *testing.T) {
				path := write(t, shape, classes)
				plain, packed := open(t, path), open(t, pack(t, path))
				if packed.Shape() != shape || packed.Identity() != plain.Identity() || packed.Bytes() != plain.Bytes() {
					t.Errorf("packed: %v, %x, %d bytes", packed.Shape(), packed.Identity(), packed.Bytes())
				}
				if size := int64(len(read(t, path+PackedSuffix))); packed.Packed() != size || plain.Packed() != 0 {
					t.Errorf("packed into %d bytes, not %d; the plain one into %d", packed.Packed(), size, plain.Packed())
				}
				checkAll(t, packed, shape, classes)
				if err := packed.Verify(context.Background(), nil); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestUnpackRestores unpacks a table with this package and with a plain decoder.
func TestUnpackRestores(t *testing.T) {
	for _, shape := range shapes {
		path := write(t, shape, largeTable(shape))
		valid := read(t, path)
		packed := pack(t, path)
		plain, err := zstd.NewReader(bytes.NewReader(read(t, packed)))
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
		var last CopyEvent
		got, err := Unpack(context.Background(), packed, false, func(e CopyEvent) { last = e })
		if err != nil || got != path || !bytes.Equal(read(t, path), valid) {
			t.Errorf("%v: unpacked into %s: %v", shape, got, err)
		}
		if n := int64(len(valid)); last != (CopyEvent{"checking", n, n}) {
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
	for name, classes := range map[string][]sealed{"digits": largeTable(quixoShape), "numbers": numbersTable(quixoShape)} {
		t.Run(name, func(t *testing.T) {
			path := write(t, quixoShape, classes)
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			want := read(t, pack(t, path))
			for _, threads := range []int{2, 5} {
				runtime.GOMAXPROCS(threads)
				if !bytes.Equal(read(t, pack(t, path)), want) {
					t.Errorf("%d threads pack another file", threads)
				}
			}
		})
	}
}

func TestPackRefuses(t *testing.T) {
	path := write(t, quixoShape, smallTable(quixoShape))
	packed := pack(t, path)
	before := read(t, packed)
	ctx := context.Background()
	for _, test := range []struct {
		name string
		call func() (string, error)
		want error
		says string
	}{
		{"exists", func() (string, error) { return Pack(ctx, path, false, nil) }, ErrExists, "exists already"},
		{"exists unpacked", func() (string, error) { return Unpack(ctx, packed, false, nil) }, ErrExists, "exists already"},
		{"packed", func() (string, error) { return Pack(ctx, packed, false, nil) }, ErrInput, "packed already"},
		{"plain", func() (string, error) { return Unpack(ctx, path, false, nil) }, ErrInput, "not packed"},
		{"renamed", func() (string, error) { return Unpack(ctx, save(t, before), false, nil) }, ErrInput, "ends in .zst"},
		{"missing", func() (string, error) { return Pack(ctx, path+"x", false, nil) }, os.ErrNotExist, ""},
	} {
		if _, err := test.call(); !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v, want %v that says %q", test.name, err, test.want, test.says)
		}
	}
	l, err := lock(packed, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Pack(ctx, path, true, nil); !errors.Is(err, ErrBusy) {
		t.Errorf("while another process packs: %v", err)
	}
	l.Unlock()
	if !bytes.Equal(read(t, packed), before) {
		t.Error("the packed table changed")
	}
	checkFiles(t, filepath.Dir(path), "small.tb", "small.tb.zst")
}

// TestPackNoticesDamage: a damaged table is not packed, nor a damaged packed one
// unpacked, and nothing is left behind.
func TestPackNoticesDamage(t *testing.T) {
	path := write(t, quixoShape, largeTable(quixoShape))
	packed := pack(t, path)
	b := read(t, path)
	b[open(t, path).classes[0].parts[steps].offset+7] ^= 1
	bad := save(t, b)
	var e *Error
	if _, err := Pack(context.Background(), bad, false, nil); !errors.As(err, &e) || e.Path != bad || len(e.Damaged) != 1 {
		t.Errorf("a damaged table is packed: %v", err)
	}
	checkFiles(t, filepath.Dir(bad), "changed.tb")

	b = read(t, packed)
	b[len(b)/2] ^= 1
	bad = filepath.Join(t.TempDir(), "bad.tb.zst")
	if err := os.WriteFile(bad, b, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Unpack(context.Background(), bad, false, nil); !errors.As(err, &e) || e.Path != bad || !errors.Is(err, ErrDamaged) {
		t.Errorf("a damaged table is unpacked: %v", err)
	}
	checkFiles(t, filepath.Dir(bad), "bad.tb.zst")
}

// TestPackVerifies flips bits all over a table, also where packing leaves bytes out: in
// padding, in unused digits and in the header's page. Whatever Verify refuses is refused,
// and the table is left as it was.
func TestPackVerifies(t *testing.T) {
	valid := read(t, write(t, quixoShape, numbersTable(quixoShape)))
	bad := filepath.Join(t.TempDir(), "bad.tb")
	table := open(t, save(t, valid))
	var at []int64 // of the bytes that are flipped
	for _, r := range table.classes {
		for _, p := range r.parts {
			if p.padded() > 0 {
				at = append(at, p.offset+p.padded()/2, p.offset+p.padded()-1)
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
		if _, err := Pack(context.Background(), bad, false, nil); !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrTruncated) && !errors.Is(err, ErrForeign) && !errors.Is(err, ErrNewer) {
			t.Errorf("with a bit of byte %d of %d flipped: %v", i, len(valid), err)
		}
		if !bytes.Equal(read(t, bad), b) {
			t.Fatal("the table was changed")
		}
		checkFiles(t, filepath.Dir(bad), "bad.tb")
	}
}

// TestPackStops cancels both ways in both phases.
func TestPackStops(t *testing.T) {
	path := write(t, quixoShape, largeTable(quixoShape))
	packed := pack(t, path)
	for _, test := range []struct {
		work  func(context.Context, string, bool, func(CopyEvent)) (string, error)
		from  string
		doing string
	}{{Pack, path, "packing"}, {Pack, path, "checking"}, {Unpack, packed, "unpacking"}, {Unpack, packed, "checking"}} {
		ctx, cancel := context.WithCancelCause(context.Background())
		_, err := test.work(ctx, test.from, true, func(e CopyEvent) {
			if e.Doing == test.doing {
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
	table := open(t, filepath.Join("testdata", "v1.tb"+PackedSuffix))
	if table.Packed() == 0 || table.Identity() != open(t, filepath.Join("testdata", "v1.tb")).Identity() {
		t.Errorf("identity %x, packed into %d bytes", table.Identity(), table.Packed())
	}
	checkAll(t, table, quixoShape, goldenTable())
	if err := table.Verify(context.Background(), nil); err != nil {
		t.Error(err)
	}
}
