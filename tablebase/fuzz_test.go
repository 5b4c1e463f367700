package tablebase

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// askEverything opens a file that may hold anything and asks it what can be asked:
// whatever it answers, it knows its errors and does not crash.
func askEverything(t *testing.T, path string) {
	t.Helper()
	table, err := Open(path)
	if err != nil {
		checkRefusal(t, path, err)
		return
	}
	defer table.Close()
	table.CheckAlways() // a mapped file could be answered from before it is checked; Verify follows
	for i, info := range table.Classes() {
		last := Place{Class: info.Class, Block: info.Blocks - 1, Index: 1<<info.IndexBits - 1}
		table.Lookup(last.Class, last.Block, last.Index)
		table.Find(info.Class, 5)
		if info.Blocks*info.Words() < 1<<16 {
			table.Masks(i)
			table.Planes(i, 0, 1, new(Planes))
		}
	}
	table.Verify(context.Background(), nil)
}

// fuzzFile returns a path that each input of a fuzz target writes anew.
func fuzzFile(f *testing.F) string { return filepath.Join(f.TempDir(), "fuzz.tb") }

// FuzzOpen opens any bytes as a table, plain or packed as they say.
func FuzzOpen(f *testing.F) {
	for _, name := range []string{"v1.tb", "v1.tb.zst"} {
		f.Add(read(f, filepath.Join("testdata", name)))
	}
	f.Add([]byte(tableMagic))
	f.Add([]byte(zstdMagic))
	valid := write(f, quixoShape, []sealed{randomClass(rand.New(rand.NewPCG(2, 2)), quixoShape, 3, 4, 2, 2)})
	f.Add(read(f, valid))
	f.Add(read(f, pack(f, valid)))
	path := fuzzFile(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		askEverything(t, path)
	})
}

// FuzzDirectory puts any header fields and any directory around the data of a
// table and signs them, so that nothing but what they say can be wrong.
func FuzzDirectory(f *testing.F) {
	valid := read(f, write(f, quixoShape, tinyTable()))
	footer := le.Uint64(valid[72:])
	f.Add(valid[16:88], valid[footer:len(valid)-endMarkSize])
	notakto := read(f, write(f, notaktoShape, smallTable(notaktoShape)))
	f.Add(notakto[16:88], notakto[le.Uint64(notakto[72:]):len(notakto)-endMarkSize])
	path := fuzzFile(f)
	f.Fuzz(func(t *testing.T, fields, directory []byte) {
		b := slices.Concat(valid[:footer], directory, make([]byte, endMarkSize))
		clear(b[16:pageSize])
		copy(b[16:88], fields)
		le.PutUint64(b[64:], uint64(len(b)))
		le.PutUint64(b[72:], footer)
		le.PutUint64(b[80:], uint64(len(directory)))
		sign(b)
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		askEverything(t, path)
	})
}

// FuzzManifest takes a solve up with any manifest, its first checksum mended: what it
// takes up is what was sealed.
func FuzzManifest(f *testing.F) {
	classes := tinyTable()
	path := filepath.Join(f.TempDir(), "t.tb")
	w := create(f, path, quixoShape, false)
	for _, c := range classes {
		if err := w.Seal(c.class, c.planes, c.counts); err != nil {
			f.Fatal(err)
		}
	}
	w.Close()
	partial, manifest := read(f, path+PartialSuffix), read(f, path+manifestSuffix)
	f.Add(manifest)
	f.Add(manifest[:len(manifest)-5])
	f.Add(manifest[:preambleSize])
	f.Fuzz(func(t *testing.T, manifest []byte) {
		manifest = slices.Clone(manifest)
		if len(manifest) >= preambleSize {
			sealHeader(manifest[:preambleSize])
		}
		for name, b := range map[string][]byte{path + PartialSuffix: partial, path + manifestSuffix: manifest} {
			if err := os.WriteFile(name, b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		w, err := Create(path, quixoShape, true)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		for i, info := range w.Sealed() {
			planes, err := w.Load(i)
			if err != nil || info.Class != classes[i].class.Class || !samePlanes(planes, classes[i].planes) {
				t.Errorf("class %d is taken up with other planes (%v)", info.Class, err)
			}
		}
	})
}
