package reader_test

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/reader"
	"backsolve/tablebase/writer"
)

// probeAny opens a file that may hold anything and asks it what can be asked:
// whatever it answers, it knows its errors and does not crash.
func probeAny(t *testing.T, path string) {
	t.Helper()
	table, err := reader.Open(path)
	if err != nil {
		checkRefusal(t, path, err)
		return
	}
	defer table.Close()
	table.CheckAlways() // a mapped file could be answered from before it is checked; Verify follows
	for i, info := range table.Classes() {
		last := reader.Place{Class: info.Class, Block: info.Blocks - 1, Index: 1<<info.IndexBits - 1}
		table.Lookup(last.Class, last.Block, last.Index)
		table.Find(info.Class, 5)
		if info.Blocks*info.Words() < 1<<16 {
			table.Masks(i)
			table.Planes(i, 0, 1, new(tablebase.Planes))
		}
	}
	table.Verify(context.Background(), 1, nil)
}

// fuzzFile returns a path that each input of a fuzz target writes anew.
func fuzzFile(f *testing.F) string { return filepath.Join(f.TempDir(), "fuzz.tb") }

// FuzzOpen opens any bytes as a table, plain or packed as they say.
func FuzzOpen(f *testing.F) {
	for _, name := range []string{"v1.tb", "v1.tb.zst"} {
		f.Add(tabletest.ReadFile(f, tabletest.Golden(name)))
	}
	f.Add([]byte(format.TableMagic))
	f.Add([]byte(zstdMagic))
	valid := tabletest.Write(f, tabletest.QuixoShape, []tabletest.Sealed{tabletest.RandomClass(rand.New(rand.NewPCG(2, 2)), tabletest.QuixoShape, 3, 4, 2, 2)})
	f.Add(tabletest.ReadFile(f, valid))
	f.Add(tabletest.ReadFile(f, tabletest.Pack(f, valid)))
	path := fuzzFile(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		probeAny(t, path)
	})
}

// FuzzDirectory puts any header fields and any directory around the data of a
// table and signs them, so that nothing but what they say can be wrong.
func FuzzDirectory(f *testing.F) {
	valid := tabletest.ReadFile(f, tabletest.Write(f, tabletest.QuixoShape, tinyTable()))
	footer := binary.LittleEndian.Uint64(valid[72:])
	f.Add(valid[16:88], valid[footer:len(valid)-format.EndMarkSize])
	notakto := tabletest.ReadFile(f, tabletest.Write(f, notaktoShape, tabletest.SmallTable(notaktoShape)))
	f.Add(notakto[16:88], notakto[binary.LittleEndian.Uint64(notakto[72:]):len(notakto)-format.EndMarkSize])
	path := fuzzFile(f)
	f.Fuzz(func(t *testing.T, fields, directory []byte) {
		b := slices.Concat(valid[:footer], directory, make([]byte, format.EndMarkSize))
		clear(b[16:format.PageSize])
		copy(b[16:88], fields)
		binary.LittleEndian.PutUint64(b[64:], uint64(len(b)))
		binary.LittleEndian.PutUint64(b[72:], footer)
		binary.LittleEndian.PutUint64(b[80:], uint64(len(directory)))
		sign(b)
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		probeAny(t, path)
	})
}

// FuzzManifest takes a solve up with any manifest, its first checksum mended: what it
// takes up is what was sealed.
func FuzzManifest(f *testing.F) {
	classes := tinyTable()
	path := filepath.Join(f.TempDir(), "t.tb")
	w := tabletest.Create(f, path, tabletest.QuixoShape, false)
	for _, c := range classes {
		if err := w.Seal(c.Class, c.Planes, c.Counts); err != nil {
			f.Fatal(err)
		}
	}
	w.Close()
	partial, manifest := tabletest.ReadFile(f, path+tablebase.PartialSuffix), tabletest.ReadFile(f, path+tablebase.ManifestSuffix)
	f.Add(manifest)
	f.Add(manifest[:len(manifest)-5])
	f.Add(manifest[:format.PreambleSize])
	f.Fuzz(func(t *testing.T, manifest []byte) {
		manifest = slices.Clone(manifest)
		if len(manifest) >= format.PreambleSize {
			format.SealHeader(manifest[:format.PreambleSize])
		}
		for name, b := range map[string][]byte{path + tablebase.PartialSuffix: partial, path + tablebase.ManifestSuffix: manifest} {
			if err := os.WriteFile(name, b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		w, err := writer.Create(path, tabletest.QuixoShape, true)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		for i, info := range w.Sealed() {
			var planes tablebase.Planes
			err := w.LoadRun(i, 0, info.Blocks, &planes)
			if err != nil || info.Class != classes[i].Class.Class || !tabletest.SamePlanes(planes, classes[i].Planes) {
				t.Errorf("class %d is resumed with other planes (%v)", info.Class, err)
			}
		}
	})
}
