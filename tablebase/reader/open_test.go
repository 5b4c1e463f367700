package reader_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/reader"
	"backsolve/tablebase/writer"
)

// sign makes header and end mark fit a table's changed contents again: what a
// program would write that has the format wrong.
func sign(b []byte) {
	h := format.Header{FooterOffset: int64(binary.LittleEndian.Uint64(b[72:]))}
	footer := b[h.FooterOffset : len(b)-format.EndMarkSize]
	h.Identity = format.Identity(b[:format.PageSize], footer)
	copy(b[88:], h.Identity[:])
	format.SealHeader(b[:format.PageSize])
	copy(b[len(b)-format.EndMarkSize:], h.EndMark())
}

func TestOpenRefuses(t *testing.T) {
	valid := tabletest.ReadFile(t, tabletest.Write(t, tabletest.QuixoShape, tabletest.SmallTable(tabletest.QuixoShape)))
	changed := func(f func(b []byte) []byte) []byte { return f(bytes.Clone(valid)) }
	for _, test := range []struct {
		name  string
		bytes []byte
		want  error
		says  string
	}{
		{"empty", nil, tablebase.ErrTruncated, "0 bytes are less than a header"},
		{"text", []byte("hello\n"), tablebase.ErrForeign, ""},
		{"long text", bytes.Repeat([]byte("hello\n"), 2000), tablebase.ErrForeign, ""},
		{"zeros", make([]byte, 20000), tablebase.ErrForeign, ""},
		{"half a header", valid[:format.PageSize/2], tablebase.ErrTruncated, "2048 bytes"},
		{"only a header", valid[:format.PageSize], tablebase.ErrTruncated, "4096 of"},
		{"last byte missing", valid[:len(valid)-1], tablebase.ErrTruncated, "50731 of"},
		{"a byte too many", append(bytes.Clone(valid), 0), tablebase.ErrDamaged, ""},
		{"newer", changed(func(b []byte) []byte { b[8] = 4; sign(b); return b }), tablebase.ErrNewer, "version 4, while this program reads 3"},
		{"version 0", changed(func(b []byte) []byte { b[8] = 0; sign(b); return b }), tablebase.ErrDamaged, ""},
		{"header flipped", changed(func(b []byte) []byte { b[3000] ^= 1; return b }), tablebase.ErrDamaged, "header"},
		{"directory flipped", changed(func(b []byte) []byte { b[len(b)-20] ^= 1; return b }), tablebase.ErrDamaged, "directory"},
		{"end mark zeroed", changed(func(b []byte) []byte { b[len(b)-1] = 0; return b }), tablebase.ErrDamaged, "end mark"},
		{"no game", changed(func(b []byte) []byte { b[16] = 0; sign(b); return b }), tablebase.ErrDamaged, "name"},
		{"size 27", changed(func(b []byte) []byte { b[48] = 27; sign(b); return b }), tablebase.ErrDamaged, "27×27"},
		{"three planes", changed(func(b []byte) []byte { b[52] = 3; sign(b); return b }), tablebase.ErrDamaged, "3 planes"},
		{"unknown flag", changed(func(b []byte) []byte { b[56] |= 8; sign(b); return b }), tablebase.ErrDamaged, "flags"},
		{"an opening of version 1", changed(func(b []byte) []byte { b[56] |= 2; sign(b); return b }), tablebase.ErrDamaged, "flags"},
		{"nimbers of version 1", changed(func(b []byte) []byte { b[52], b[56] = 1, 4; sign(b); return b }), tablebase.ErrDamaged, "flags"},
		{"nimbers beside steps", changed(func(b []byte) []byte { b[8], b[52], b[56] = 3, 1, 5; sign(b); return b }), tablebase.ErrDamaged, "no steps"},
		{"version 2 without an opening", changed(func(b []byte) []byte { b[8] = 2; sign(b); return b }), tablebase.ErrDamaged, "flags"},
		{"an opening of other classes", changed(func(b []byte) []byte { b[8], b[56] = 2, b[56]|2; sign(b); return b }), tablebase.ErrDamaged, "4 classes from class 9 down are not the emptiest ones"},
		{"class count", changed(func(b []byte) []byte { b[60]++; sign(b); return b }), tablebase.ErrDamaged, "4 classes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := tabletest.Save(t, test.bytes)
			_, err := reader.Open(path)
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want %v that names the path and says %q", err, test.want, test.says)
			}
		})
	}
}

func TestOpenRefusesOtherPlaces(t *testing.T) {
	dir := t.TempDir()
	if _, err := reader.Open(dir); !errors.Is(err, tablebase.ErrForeign) || !strings.Contains(err.Error(), "directory") {
		t.Errorf("a directory: %v", err)
	}
	if _, err := reader.Open(filepath.Join(dir, "none.tb")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	path := filepath.Join(dir, "begun.tb")
	w, err := writer.Create(path, tabletest.QuixoShape, false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	c := tabletest.SmallTable(tabletest.QuixoShape)[0]
	if err := w.Seal(c.Class, c.Planes, c.Counts); err != nil {
		t.Fatal(err)
	}
	if _, err := reader.Open(path + tablebase.PartialSuffix); !errors.Is(err, tablebase.ErrUnfinished) {
		t.Errorf("a partial file: %v", err)
	}
}

// TestOpenUnfinished opens files of an unfinished table by their names, and others.
func TestOpenUnfinished(t *testing.T) {
	valid := tabletest.ReadFile(t, tabletest.Write(t, tabletest.QuixoShape, tabletest.SmallTable(tabletest.QuixoShape)))
	damaged := bytes.Clone(valid)
	damaged[3000] ^= 1
	for _, c := range []struct {
		name  string
		bytes []byte
		want  error
	}{
		{"t.tb" + tablebase.PartialSuffix, make([]byte, 20000), tablebase.ErrUnfinished},
		{"t.tb" + tablebase.PartialSuffix, valid[:5000], tablebase.ErrUnfinished},
		{"t.tb" + tablebase.PartialSuffix, damaged, tablebase.ErrDamaged},
		{"t.tb" + tablebase.PartialSuffix, valid, nil},
		{"t.tb" + tablebase.ManifestSuffix, []byte(format.ManifestMagic), tablebase.ErrUnfinished},
		{"t.tb", make([]byte, 20000), tablebase.ErrForeign},
		{"t.tb", valid[:5000], tablebase.ErrTruncated},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, c.bytes, 0o644); err != nil {
			t.Fatal(err)
		}
		table, err := reader.Open(path)
		if !errors.Is(err, c.want) || c.want != tablebase.ErrUnfinished && errors.Is(err, tablebase.ErrUnfinished) {
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
	valid := tabletest.ReadFile(t, tabletest.Write(t, tabletest.QuixoShape, tabletest.SmallTable(tabletest.QuixoShape)))
	outside := tabletest.Save(t, valid)
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
		table, err := reader.OpenIn(root, test.name)
		if (err != nil) != (test.says != "") {
			t.Errorf("%s: %v, want an error that says %q", test.name, err, test.says)
		}
		if err == nil {
			checkAll(t, table, tabletest.QuixoShape, tabletest.SmallTable(tabletest.QuixoShape))
			table.Close()
			continue
		}
		var told *tablebase.Error
		if !errors.As(err, &told) || told.Path != filepath.Join(dir, test.name) || !strings.Contains(err.Error(), test.says) ||
			strings.Count(err.Error(), filepath.Base(test.name)) != 1 {
			t.Errorf("%s: %v, want an error that names the path once and says %q", test.name, err, test.says)
		}
	}
}

// TestOpenRefusesEveryCut cuts a table at every byte.
func TestOpenRefusesEveryCut(t *testing.T) {
	valid := tabletest.ReadFile(t, tabletest.Write(t, notaktoShape, tabletest.SmallTable(notaktoShape)[3:]))
	path := tabletest.Save(t, valid)
	for length := len(valid) - 1; length >= 0; length-- {
		if err := os.Truncate(path, int64(length)); err != nil {
			t.Fatal(err)
		}
		if _, err := reader.Open(path); !errors.Is(err, tablebase.ErrTruncated) {
			t.Fatalf("cut to %d of %d bytes: %v", length, len(valid), err)
		}
	}
}

func TestAskingAmiss(t *testing.T) {
	classes := tabletest.SmallTable(tabletest.QuixoShape)
	table := tabletest.Open(t, tabletest.Write(t, tabletest.QuixoShape, classes))
	for _, state := range []struct {
		class, block int
		index        uint64
	}{{-1, 0, 0}, {7, 0, 0}, {65, 0, 0}, {9, -1, 0}, {9, 1, 0}, {9, 0, 512}, {9, 0, 1 << 63}, {0, 0, 1}} {
		if e, err := table.Lookup(state.class, state.block, state.index); !errors.Is(err, tablebase.ErrInput) {
			t.Errorf("Lookup(%v) = %v, %v", state, e, err)
		}
	}
	for _, class := range []int{-1, 7, 65} {
		if _, found, err := table.Find(class, 1); found || err != nil {
			t.Errorf("Find in class %d: %v, %v", class, found, err)
		}
	}
	for _, mask := range []uint64{0, classes[1].Class.Masks[2] + 1, 1<<64 - 1} {
		if _, found, err := table.Find(8, mask); found || err != nil {
			t.Errorf("Find of mask %d: %v, %v", mask, found, err)
		}
	}
	var planes tablebase.Planes
	for _, run := range [][3]int{{-1, 0, 1}, {4, 0, 1}, {1, -1, 1}, {1, 0, 6}, {1, 5, 1}, {1, 0, -1}} {
		if err := table.Planes(run[0], run[1], run[2], &planes); !errors.Is(err, tablebase.ErrInput) {
			t.Errorf("Planes(%v): %v", run, err)
		}
	}
	if _, err := table.Masks(4); !errors.Is(err, tablebase.ErrInput) {
		t.Errorf("Masks: %v", err)
	}
}

func TestClosed(t *testing.T) {
	table := tabletest.Open(t, tabletest.Write(t, tabletest.QuixoShape, tabletest.SmallTable(tabletest.QuixoShape)))
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	_, lookup := table.Lookup(9, 0, 0)
	_, _, find := table.Find(9, 0)
	_, masks := table.Masks(0)
	for _, err := range []error{lookup, find, masks, table.Planes(0, 0, 1, new(tablebase.Planes)), table.Verify(context.Background(), 1, nil)} {
		if !errors.Is(err, tablebase.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
	if err := table.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

func TestVerifyStops(t *testing.T) {
	table := tabletest.Open(t, tabletest.Write(t, tabletest.QuixoShape, tabletest.SmallTable(tabletest.QuixoShape)))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := table.Verify(ctx, 1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Verify with a cancelled context: %v", err)
	}
}

func TestLookupDoesNotAllocate(t *testing.T) {
	classes := tabletest.SmallTable(tabletest.QuixoShape)
	table := tabletest.Open(t, tabletest.Write(t, tabletest.QuixoShape, classes))
	mask := classes[1].Class.Masks[3]
	allocs := testing.AllocsPerRun(1000, func() {
		block, _, _ := table.Find(8, mask)
		table.Lookup(8, block, 77)
	})
	if allocs != 0 {
		t.Errorf("Find and Lookup allocate %v times", allocs)
	}
}
