package tablebase

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// save puts bytes into a file of the test's own.
func save(t testing.TB, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "changed.tb")
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// sign makes header and end mark fit a table's changed contents again: what a
// program would write that has the format wrong.
func sign(b []byte) {
	h := header{footerOffset: int64(le.Uint64(b[72:]))}
	footer := b[h.footerOffset : len(b)-endMarkSize]
	h.identity = identity(b[:pageSize], footer)
	copy(b[88:], h.identity[:])
	sealHeader(b[:pageSize])
	copy(b[len(b)-endMarkSize:], h.endMark())
}

func TestOpenRefuses(t *testing.T) {
	valid := read(t, write(t, quixoShape, smallTable(quixoShape)))
	changed := func(f func(b []byte) []byte) []byte { return f(bytes.Clone(valid)) }
	for _, test := range []struct {
		name  string
		bytes []byte
		want  error
		says  string
	}{
		{"empty", nil, ErrTruncated, "0 bytes are less than a header"},
		{"text", []byte("hello\n"), ErrForeign, ""},
		{"long text", bytes.Repeat([]byte("hello\n"), 2000), ErrForeign, ""},
		{"zeros", make([]byte, 20000), ErrForeign, ""},
		{"half a header", valid[:pageSize/2], ErrTruncated, "2048 bytes"},
		{"only a header", valid[:pageSize], ErrTruncated, "4096 of"},
		{"last byte missing", valid[:len(valid)-1], ErrTruncated, "50731 of"},
		{"a byte too many", append(bytes.Clone(valid), 0), ErrDamaged, ""},
		{"newer", changed(func(b []byte) []byte { b[8] = 4; sign(b); return b }), ErrNewer, "version 4, while this program reads 3"},
		{"version 0", changed(func(b []byte) []byte { b[8] = 0; sign(b); return b }), ErrDamaged, ""},
		{"header flipped", changed(func(b []byte) []byte { b[3000] ^= 1; return b }), ErrDamaged, "header"},
		{"directory flipped", changed(func(b []byte) []byte { b[len(b)-20] ^= 1; return b }), ErrDamaged, "directory"},
		{"end mark zeroed", changed(func(b []byte) []byte { b[len(b)-1] = 0; return b }), ErrDamaged, "end mark"},
		{"no game", changed(func(b []byte) []byte { b[16] = 0; sign(b); return b }), ErrDamaged, "name"},
		{"size 9", changed(func(b []byte) []byte { b[48] = 9; sign(b); return b }), ErrDamaged, "9×9"},
		{"three planes", changed(func(b []byte) []byte { b[52] = 3; sign(b); return b }), ErrDamaged, "3 planes"},
		{"unknown flag", changed(func(b []byte) []byte { b[56] |= 8; sign(b); return b }), ErrDamaged, "flags"},
		{"an opening of version 1", changed(func(b []byte) []byte { b[56] |= 2; sign(b); return b }), ErrDamaged, "flags"},
		{"nimbers of version 1", changed(func(b []byte) []byte { b[52], b[56] = 1, 4; sign(b); return b }), ErrDamaged, "flags"},
		{"nimbers beside steps", changed(func(b []byte) []byte { b[8], b[52], b[56] = 3, 1, 5; sign(b); return b }), ErrDamaged, "no steps"},
		{"version 2 without an opening", changed(func(b []byte) []byte { b[8] = 2; sign(b); return b }), ErrDamaged, "flags"},
		{"an opening of other classes", changed(func(b []byte) []byte { b[8], b[56] = 2, b[56]|2; sign(b); return b }), ErrDamaged, "4 classes from class 9 down are not the emptiest ones"},
		{"class count", changed(func(b []byte) []byte { b[60]++; sign(b); return b }), ErrDamaged, "4 classes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := save(t, test.bytes)
			_, err := Open(path)
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want %v that names the path and says %q", err, test.want, test.says)
			}
		})
	}
}

func TestOpenRefusesOtherPlaces(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir); !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), "directory") {
		t.Errorf("a directory: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "none.tb")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	path := filepath.Join(dir, "begun.tb")
	w, err := Create(path, quixoShape, false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	c := smallTable(quixoShape)[0]
	if err := w.Seal(c.class, c.planes, c.counts); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path + PartialSuffix); !errors.Is(err, ErrUnfinished) {
		t.Errorf("a partial file: %v", err)
	}
}

// TestOpenUnfinished opens files of an unfinished table by their names, and others.
func TestOpenUnfinished(t *testing.T) {
	valid := read(t, write(t, quixoShape, smallTable(quixoShape)))
	damaged := bytes.Clone(valid)
	damaged[3000] ^= 1
	for _, c := range []struct {
		name  string
		bytes []byte
		want  error
	}{
		{"t.tb" + PartialSuffix, make([]byte, 20000), ErrUnfinished},
		{"t.tb" + PartialSuffix, valid[:5000], ErrUnfinished},
		{"t.tb" + PartialSuffix, damaged, ErrDamaged},
		{"t.tb" + PartialSuffix, valid, nil},
		{"t.tb" + manifestSuffix, []byte(manifestMagic), ErrUnfinished},
		{"t.tb", make([]byte, 20000), ErrForeign},
		{"t.tb", valid[:5000], ErrTruncated},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, c.bytes, 0o644); err != nil {
			t.Fatal(err)
		}
		table, err := Open(path)
		if !errors.Is(err, c.want) || c.want != ErrUnfinished && errors.Is(err, ErrUnfinished) {
			t.Errorf("%s of %d bytes: %v, want %v", c.name, len(c.bytes), err, c.want)
		}
		if err == nil {
			table.Close()
		}
	}
}

// TestOpenIn opens tables beneath a directory, through a link that stays there,
// and not through one that leads out.
func TestOpenIn(t *testing.T) {
	valid := read(t, write(t, quixoShape, smallTable(quixoShape)))
	outside := save(t, valid)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "some.tb"), valid, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"inside.tb": "some.tb", "outside.tb": outside, "up.tb": "../" + filepath.Base(outside)} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err) // Windows wants a privilege for it
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, test := range []struct{ name, says string }{
		{"some.tb", ""}, {"inside.tb", ""},
		{"outside.tb", "escapes"}, {"up.tb", "escapes"}, {"none.tb", "cannot open the table"},
	} {
		table, err := OpenIn(root, test.name)
		if (err != nil) != (test.says != "") {
			t.Errorf("%s: %v, want an error that says %q", test.name, err, test.says)
		}
		if err == nil {
			checkAll(t, table, quixoShape, smallTable(quixoShape))
			table.Close()
			continue
		}
		var told *Error
		if !errors.As(err, &told) || told.Path != filepath.Join(dir, test.name) || !strings.Contains(err.Error(), test.says) ||
			strings.Count(err.Error(), filepath.Base(test.name)) != 1 {
			t.Errorf("%s: %v, want an error that names the path once and says %q", test.name, err, test.says)
		}
	}
}

// TestOpenRefusesEveryCut cuts a table at every byte.
func TestOpenRefusesEveryCut(t *testing.T) {
	valid := read(t, write(t, notaktoShape, smallTable(notaktoShape)[3:]))
	path := save(t, valid)
	for length := len(valid) - 1; length >= 0; length-- {
		if err := os.Truncate(path, int64(length)); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); !errors.Is(err, ErrTruncated) {
			t.Fatalf("cut to %d of %d bytes: %v", length, len(valid), err)
		}
	}
}

func TestAskingAmiss(t *testing.T) {
	classes := smallTable(quixoShape)
	table := open(t, write(t, quixoShape, classes))
	for _, state := range []struct {
		class, block int
		index        uint64
	}{{-1, 0, 0}, {7, 0, 0}, {65, 0, 0}, {9, -1, 0}, {9, 1, 0}, {9, 0, 512}, {9, 0, 1 << 63}, {0, 0, 1}} {
		if e, err := table.Lookup(state.class, state.block, state.index); !errors.Is(err, ErrInput) {
			t.Errorf("Lookup(%v) = %v, %v", state, e, err)
		}
	}
	for _, class := range []int{-1, 7, 65} {
		if _, found, err := table.Find(class, 1); found || err != nil {
			t.Errorf("Find in class %d: %v, %v", class, found, err)
		}
	}
	for _, mask := range []uint64{0, classes[1].class.Masks[2] + 1, 1<<64 - 1} {
		if _, found, err := table.Find(8, mask); found || err != nil {
			t.Errorf("Find of mask %d: %v, %v", mask, found, err)
		}
	}
	var planes Planes
	for _, run := range [][3]int{{-1, 0, 1}, {4, 0, 1}, {1, -1, 1}, {1, 0, 6}, {1, 5, 1}, {1, 0, -1}} {
		if err := table.Planes(run[0], run[1], run[2], &planes); !errors.Is(err, ErrInput) {
			t.Errorf("Planes(%v): %v", run, err)
		}
	}
	if _, err := table.Masks(4); !errors.Is(err, ErrInput) {
		t.Errorf("Masks: %v", err)
	}
}

func TestClosed(t *testing.T) {
	table := open(t, write(t, quixoShape, smallTable(quixoShape)))
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	_, lookup := table.Lookup(9, 0, 0)
	_, _, find := table.Find(9, 0)
	_, masks := table.Masks(0)
	for _, err := range []error{lookup, find, masks, table.Planes(0, 0, 1, new(Planes)), table.Verify(context.Background(), nil)} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
	if err := table.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

func TestVerifyStops(t *testing.T) {
	table := open(t, write(t, quixoShape, smallTable(quixoShape)))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := table.Verify(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Verify with a cancelled context: %v", err)
	}
}

func TestLookupDoesNotAllocate(t *testing.T) {
	classes := smallTable(quixoShape)
	table := open(t, write(t, quixoShape, classes))
	mask := classes[1].class.Masks[3]
	allocs := testing.AllocsPerRun(1000, func() {
		block, _, _ := table.Find(8, mask)
		table.Lookup(8, block, 77)
	})
	if allocs != 0 {
		t.Errorf("Find and Lookup allocate %v times", allocs)
	}
}
