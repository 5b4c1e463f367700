package sparse

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"backsolve/tablebase"
	"backsolve/tablebase/container"
	"backsolve/tablebase/format"
)

var errTorn = errors.New("the tape is torn")

// torn is a file in memory that fails once, after left reads or fetches.
type torn struct {
	memory
	left atomic.Int64
}

func newTorn(content []byte, left int) *torn {
	f := &torn{memory: memory{Reader: bytes.NewReader(content)}}
	f.left.Store(int64(left))
	return f
}

func (f *torn) ReadAt(b []byte, at int64) (int, error) {
	if f.left.Add(-1) == -1 {
		return 0, errTorn
	}
	return f.memory.ReadAt(b, at)
}

func (f *torn) Fetch([]format.Extent) error {
	if f.left.Add(-1) == -1 {
		return errTorn
	}
	return nil
}

// Whichever read of a table fails, packed or not, who wanted the states is told. Later questions are
// answered.
func TestEachReadFails(t *testing.T) {
	c := random(12, 2, 600)
	content := read(t, c.write(t))
	var above Ref
	for key := range c[0] {
		above.Key = max(above.Key, key)
	}
	for name, ask := range map[string]func(table *Table) error{
		"one":  func(table *Table) error { _, err := table.Lookup(0, above.Key); return err },
		"all":  func(table *Table) error { return table.LookupAll([]Ref{above, above}, make([]Value, 2)) },
		"near": func(table *Table) error { _, err := table.Near(nil, 0, above.Key); return err },
		"block": func(table *Table) error {
			_, err := table.Block(nil, 1, table.header.Tiers[1].Blocks()-1)
			return err
		},
		"tier": func(table *Table) (err error) {
			for _, failed := range table.Tier(1) {
				err = errors.Join(err, failed)
			}
			return err
		},
		"bytes":  func(table *Table) error { _, err := table.ReadAt(make([]byte, 5), 3); return err },
		"checks": func(table *Table) error { return table.Verify(context.Background(), 1, nil) },
	} {
		for form, content := range [][]byte{content, packed(t, content)} {
			for k := 0; ; k++ {
				f := newTorn(content, k)
				table, err := OpenStorage("torn", f)
				if opened := err == nil; opened {
					if err = ask(table); err != nil && ask(table) != nil {
						t.Errorf("%s, form %d: access %d fails, and so do those after it", name, form, k)
					}
				}
				if table == nil && f.fail == nil {
					t.Errorf("%s, form %d: access %d fails, and the storage stays open", name, form, k)
				}
				if f.left.Load() >= 0 {
					if err != nil || k < 5 {
						t.Errorf("%s, form %d: after %d accesses none fails: %v", name, form, k, err)
					}
					break
				}
				if !errors.Is(err, errTorn) || !strings.Contains(err.Error(), "torn") {
					t.Errorf("%s, form %d: access %d fails: %v", name, form, k, err)
				}
			}
		}
	}
}

// What is no table of this kind is foreign, however long it is.
func TestForeign(t *testing.T) {
	content := read(t, forgeable().write(t))
	for _, bad := range [][]byte{nil, []byte("b"), []byte(magic[:len(magic)-1]), []byte("a letter"), append([]byte("B"), content[1:]...), make([]byte, 5000)} {
		if _, err := openBytes(bad); !errors.Is(err, tablebase.ErrForeign) {
			t.Errorf("%d bytes, %.9q: %v", len(bad), bad, err)
		}
	}
}

// The numbers that all else of a tier is computed from are refused first, each by itself, and the
// largest that can be is not.
func TestFirstNumbers(t *testing.T) {
	content := read(t, forgeable().write(t))
	for _, tier := range []Tier{{States: -1}, {States: 1 << 40}, {States: 300, ValueCount: -1}, {States: 300, ValueCount: 301}, {States: 4, ValueCount: 5}} {
		_, err := openBytes(forge(t, content, func(_, _ []byte, h *Header) { h.Tiers[0].States, h.Tiers[0].ValueCount = tier.States, tier.ValueCount }))
		if want := fmt.Sprintf("tier 0 has %d states and %d values", tier.States, tier.ValueCount); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want that %s", err, want)
		}
	}
	for n, want := range map[int]int64{0: 0, 1: 0, 2: 1, 3: 2, 4: 2, 5: 3, 8: 3, 9: 4, 3 * maxSteps: 17} {
		if got := width(n); got != want {
			t.Errorf("the numbers of %d values have %d bits, want %d", n, got, want)
		}
	}
	for n, want := range map[int64]int64{0: 0, 1: 1, format.ChunkSize: 1, format.ChunkSize + 1: 2, 3 * format.ChunkSize: 3} {
		if got := chunks(n); got != want {
			t.Errorf("%d bytes have %d checksums, want %d", n, got, want)
		}
	}
}

// Each chunk of a mapping is checked by itself, however many there are: what is damaged is found after
// all others have been read.
func TestChunksOfALongTable(t *testing.T) {
	const n = 131
	path := filepath.Join(t.TempDir(), "long.tb")
	if err := os.WriteFile(path, make([]byte, n*format.ChunkSize), 0o666); err != nil {
		t.Fatal(err)
	}
	table, err := container.Open(path, func(path string, raw format.Source) (*Table, error) {
		file, err := container.New(path, raw, 1)
		if err != nil {
			return nil, err
		}
		_, err = file.Map(file.Bytes()-8, 0)
		return &Table{File: file, header: Header{Tiers: []Tier{{End: file.Bytes()}}}, checked: container.NewChecked(n)}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if table.Mapped() == nil {
		t.Skip("files are not mapped here")
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	put := func(at int64, b byte) {
		if _, err := file.WriteAt([]byte{b}, at); err != nil {
			t.Fatal(err)
		}
	}
	sum := format.Checksum(make([]byte, format.ChunkSize))
	for range n {
		table.sums = le.AppendUint32(table.sums, sum)
	}
	for _, order := range []int64{1, n - 1} { // forward and back
		for c := range table.checked {
			table.checked[c].Store(0)
		}
		for i := int64(1); i <= n; i++ {
			c := i * order % n
			put(c*format.ChunkSize+7, 1)
			for range 2 {
				if _, err := table.bytes(c*format.ChunkSize, c*format.ChunkSize+8); !errors.Is(err, tablebase.ErrDamaged) {
					t.Fatalf("chunk %d is damaged: %v", c, err)
				}
			}
			put(c*format.ChunkSize+7, 0)
			if b, err := table.bytes(c*format.ChunkSize, c*format.ChunkSize+8); err != nil || len(b) != 8 {
				t.Fatalf("chunk %d: %v", c, err)
			}
			marked := 0
			for c := range table.checked {
				marked += bits.OnesCount64(table.checked[c].Load())
			}
			if marked != int(i) {
				t.Fatalf("after %d chunks %d are marked as checked", i, marked)
			}
		}
	}
	put(n/2*format.ChunkSize, 1)
	table.checked[n/2/64].Store(0)
	if _, err := table.bytes((n/2-1)*format.ChunkSize, (n/2+1)*format.ChunkSize); !errors.Is(err, tablebase.ErrDamaged) {
		t.Errorf("the second of two chunks is damaged: %v", err)
	}
}
