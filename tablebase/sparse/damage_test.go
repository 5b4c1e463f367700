package sparse

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"backsolve/game"
	"backsolve/tablebase"
	"backsolve/tablebase/container"
	"backsolve/tablebase/format"
)

// probe reads all of a file that is not a whole table: its answers are right, it is refused, and
// Verify finds it. It reports whether the file is as good as a whole one instead.
func (c contents) probe(t *testing.T, what string, bad []byte) (whole bool) {
	t.Helper()
	table, err := openBytes(bad)
	if err != nil {
		refused(t, what, err)
		return false
	}
	defer table.Close()
	wrong, damage := c.compare(t, table), table.Verify(t.Context(), 1, nil)
	if wrong == nil && damage == nil {
		return true
	}
	if wrong != nil {
		refused(t, what, wrong)
	}
	refused(t, what, damage)
	return false
}

// A changed byte anywhere, packed or not, is found.
func TestEveryByteFlipped(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	c := random(1, 3, 20)
	content := read(t, c.write(t))
	for form, content := range [][]byte{content, packed(t, content)} {
		harmless := 0
		for i := range content {
			bad := bytes.Clone(content)
			bad[i] ^= 1 << r.IntN(8)
			if c.probe(t, fmt.Sprintf("form %d, byte %d changed", form, i), bad) {
				harmless++
			}
		}
		if most := 8 * form; harmless > most { // without its magic the index of the frames is not used
			t.Errorf("form %d: %d changed bytes are not found", form, harmless)
		}
		for i := range content {
			if c.probe(t, "a cut", content[:i]) {
				t.Errorf("form %d: %d bytes are whole", form, i)
			}
		}
		if c.probe(t, "a longer file", append(bytes.Clone(content), 0)) {
			t.Errorf("form %d: a longer file is whole", form)
		}
	}
}

// forge returns a table in which all checksums hold after its parts were changed.
func forge(t testing.TB, content []byte, change func(body, directory []byte, h *Header)) []byte {
	t.Helper()
	table, err := openBytes(content)
	if err != nil {
		t.Fatal(err)
	}
	h := table.header
	h.Tiers = append([]Tier(nil), h.Tiers...)
	body := bytes.Clone(content[:h.body()])
	length := int64(0)
	for i := range h.Tiers {
		length += h.Tiers[i].directoryBytes()
	}
	from := h.body() + 4*chunks(h.body())
	directory := bytes.Clone(content[from : from+length])
	change(body, directory, &h)
	var sums []byte
	for i := 0; i < len(body); i += format.ChunkSize {
		sums = le.AppendUint32(sums, format.Checksum(body[i:min(len(body), i+format.ChunkSize)]))
	}
	directory = append(sums, directory...)
	if h.Directory == table.header.Directory {
		sum := sha256.Sum256(directory)
		h.Directory = hex.EncodeToString(sum[:])
	}
	footer, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	b := append(append(body, directory...), footer...)
	b = le.AppendUint32(le.AppendUint64(b, uint64(len(footer))), format.Checksum(footer))
	return append(b, endMagic...)
}

// forgeable returns the states of a table with several blocks and values.
func forgeable() contents {
	states := map[uint64]Value{}
	for i := range uint64(300) {
		states[1000*i] = Value{game.Win, int(i % 5)}
	}
	return contents{states}
}

// Contradictions are refused even where all checksums hold.
func TestForged(t *testing.T) {
	c := forgeable()
	content := read(t, c.write(t))
	if err := c.compare(t, must(t, forge(t, content, func(_, _ []byte, h *Header) { h.Program = "another" }))); err != nil {
		t.Fatal(err) // else nothing would be tested below
	}
	index := func(body []byte, h *Header, block int64) []byte { return body[h.Tiers[0].Index+block*indexBytes:] }
	for what, change := range map[string]func(body, directory []byte, h *Header){
		"a difference of 0":          func(b, _ []byte, h *Header) { b[h.Tiers[0].Differences] = 0x80; b[h.Tiers[0].Differences+1] = 0 },
		"an endless varint":          func(b, _ []byte, h *Header) { copy(b[h.Tiers[0].Differences:], bytes.Repeat([]byte{0xff}, 20)) },
		"a key that overflows":       func(b, _ []byte, h *Header) { le.PutUint64(index(b, h, 0), ^uint64(0)) },
		"a block before its tier":    func(b, _ []byte, h *Header) { le.PutUint64(index(b, h, 0)[8:], 0) },
		"a block behind its tier":    func(b, _ []byte, h *Header) { le.PutUint64(index(b, h, 1)[8:], 1<<60) },
		"a negative block":           func(b, _ []byte, h *Header) { le.PutUint64(index(b, h, 1)[8:], 1<<63) },
		"blocks that descend":        func(b, _ []byte, h *Header) { le.PutUint64(index(b, h, 2)[8:], uint64(h.Tiers[0].Differences)) },
		"a code without a value":     func(b, _ []byte, h *Header) { b[h.Tiers[0].Codes] |= 7 },
		"the first code without one": func(b, _ []byte, h *Header) { b[h.Tiers[0].Codes] = b[h.Tiers[0].Codes]&^7 | 5 },
		"a value without states": func(_, d []byte, _ *Header) {
			le.PutUint64(d[11+valueBytes:], le.Uint64(d[11:])+le.Uint64(d[11+valueBytes:]))
			le.PutUint64(d[11:], 0)
		},
		"outcomes without steps":    func(_, _ []byte, h *Header) { h.Outcomes, h.Version = true, 2 },
		"of both versions":          func(_, _ []byte, h *Header) { h.Outcomes = true },
		"another outcome":           func(_, d []byte, _ *Header) { d[8] = 3 },
		"a win without steps":       func(_, d []byte, _ *Header) { le.PutUint16(d[9:], 0xffff) },
		"a value twice":             func(_, d []byte, _ *Header) { copy(d[8:11], d[8+valueBytes:]) },
		"more states by value":      func(_, d []byte, _ *Header) { le.PutUint64(d[11:], 1<<40) },
		"fewer states by value":     func(_, d []byte, _ *Header) { le.PutUint64(d[11:], 1) },
		"another directory":         func(_, _ []byte, h *Header) { h.Directory = h.Directory[1:] + "0" },
		"no tiers":                  func(_, _ []byte, h *Header) { h.Tiers = nil },
		"too many tiers":            func(_, _ []byte, h *Header) { h.Tiers = make([]Tier, maxTiers+1) },
		"a start in no tier":        func(_, _ []byte, h *Header) { h.StartTier = 1 },
		"a start in a tier before":  func(_, _ []byte, h *Header) { h.StartTier = -1 },
		"more states":               func(_, _ []byte, h *Header) { h.Tiers[0].States += 1000 },
		"states beyond all numbers": func(_, _ []byte, h *Header) { h.Tiers[0].States = 1 << 62 },
		"negative states":           func(_, _ []byte, h *Header) { h.Tiers[0].States = -5 },
		"more values":               func(_, _ []byte, h *Header) { h.Tiers[0].ValueCount++ },
		"negative values":           func(_, _ []byte, h *Header) { h.Tiers[0].ValueCount = -1 },
		"another place of keys":     func(_, _ []byte, h *Header) { h.Tiers[0].Differences += 8 },
		"another place of codes":    func(_, _ []byte, h *Header) { h.Tiers[0].Codes += 8 },
		"an odd place of the index": func(_, _ []byte, h *Header) { h.Tiers[0].Index++ },
		"another end":               func(_, _ []byte, h *Header) { h.Tiers[0].End += 8 },
		"a tier that never ends":    func(_, _ []byte, h *Header) { h.Tiers[0].End = 1 << 62 },
	} {
		table, err := openBytes(forge(t, content, change))
		if err == nil {
			// Wrong values that fit together are left to Verify of package generic.
			for s, failed := range table.Tier(0) {
				if err = failed; err == nil {
					_, err = table.Lookup(0, s.Key)
				}
				if err != nil {
					break
				}
			}
		}
		refused(t, what, err)
	}
}

// Numbers that overflow are refused wherever they stand in the header.
func TestForgedNumbers(t *testing.T) {
	content := read(t, forgeable().write(t))
	for name, field := range map[string]func(h *Header) *int64{
		"states":      func(h *Header) *int64 { return &h.Tiers[0].States },
		"differences": func(h *Header) *int64 { return &h.Tiers[0].Differences },
		"index":       func(h *Header) *int64 { return &h.Tiers[0].Index },
		"codes":       func(h *Header) *int64 { return &h.Tiers[0].Codes },
		"end":         func(h *Header) *int64 { return &h.Tiers[0].End },
	} {
		for _, n := range extremes {
			_, err := openBytes(forge(t, content, func(_, _ []byte, h *Header) { *field(h) = n }))
			refused(t, fmt.Sprint(name, " are ", n), err)
		}
	}
	for _, n := range extremes {
		_, err := openBytes(forge(t, content, func(_, _ []byte, h *Header) { h.Tiers[0].ValueCount = int(n) }))
		refused(t, fmt.Sprint(n, " values"), err)
	}
	if _, err := openBytes(forge(t, content, func(_, _ []byte, h *Header) { h.Version = version + 1 })); !errors.Is(err, tablebase.ErrNewer) {
		t.Errorf("a newer version: %v", err)
	}
}

// extremes are numbers with which computations overflow, or nearly do.
var extremes = []int64{math.MaxInt64, math.MaxInt64 - 1, math.MinInt64, 1 << 62, 1 << 61, 1<<56 + 1, math.MaxUint32, -1}

func must(t testing.TB, content []byte) *Table {
	t.Helper()
	table, err := openBytes(content)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// A footer that claims much takes little memory.
func TestClaims(t *testing.T) {
	footer := []byte(`{"version":1,"tiers":[`)
	footer = append(footer, bytes.Repeat([]byte("{},"), (maxFooter-len(footer))/3-1)...)
	footer = append(footer, "{}]}"...)
	b := append(append(make([]byte, 0, len(footer)+format.PageSize), magic...), make([]byte, format.PageSize-len(magic))...)
	b = append(b, footer...)
	b = append(le.AppendUint32(le.AppendUint64(b, uint64(len(footer))), format.Checksum(footer)), endMagic...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := openBytes(b)
	runtime.ReadMemStats(&after)
	refused(t, "many tiers", err)
	if took := after.TotalAlloc - before.TotalAlloc; took > 256<<20 {
		t.Errorf("it took %d MiB", took>>20)
	}
}

// A file that is shortened after it was checked, and one that then grows again, gives errors.
func TestShrunkWhileMapped(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not let a mapped file be shortened")
	}
	c := random(6, 2, 3000)
	content := read(t, c.write(t))
	for _, left := range []int{0, 1, format.PageSize, len(content) / 2, len(content) - 9, len(content) - 1} {
		path := c.write(t)
		table, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		if err := c.compare(t, table); err != nil {
			t.Fatal(err)
		}
		for _, length := range []int{left, len(content)} {
			if err := os.Truncate(path, int64(length)); err != nil {
				t.Fatal(err)
			}
			for i, states := range c {
				for key := range states {
					if v, err := table.Lookup(i, key); !errors.Is(err, tablebase.ErrTruncated) {
						t.Fatalf("%d bytes: %v, %v", length, v, err)
					}
				}
			}
			refused(t, "shortened", table.Verify(t.Context(), 1, nil))
		}
	}
}

// until looks states up on four goroutines until they get an error of a kind, while do runs. The
// answers before it are right.
func (c contents) until(t *testing.T, table *Table, want error, do func() error) {
	t.Helper()
	var group sync.WaitGroup
	var answers atomic.Int64
	for range 4 {
		group.Go(func() {
			for {
				for key, v := range c[0] {
					got, err := table.Lookup(0, key)
					if errors.Is(err, want) {
						return
					}
					if err != nil || got != v {
						t.Errorf("%v, %v, want %v", got, err, v)
						return
					}
					answers.Add(1)
				}
			}
		})
	}
	for answers.Load() < 100 {
		runtime.Gosched()
	}
	if err := do(); err != nil {
		t.Error(err)
	}
	group.Wait()
}

// A file is shortened, and a table closed, while others look it up.
func TestChangesUnderLookups(t *testing.T) {
	c := random(7, 1, 30000)
	path := c.write(t)
	length := int64(len(read(t, path)))
	if runtime.GOOS != "windows" {
		table, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		c.until(t, table, tablebase.ErrTruncated, func() error {
			for ; length > 0; length -= 1500 {
				if err := os.Truncate(path, length); err != nil {
					return err
				}
			}
			return os.Truncate(path, 0)
		})
	}
	for range 10 {
		table, err := Open(c.write(t))
		if err != nil {
			t.Fatal(err)
		}
		c.until(t, table, tablebase.ErrClosed, table.Close)
	}
}

// A table that is overwritten after it was checked is never answered from, even if its length
// and its modification time stay. When the data are whole again, so are the answers.
func TestOverwritten(t *testing.T) {
	c := random(8, 1, 3000)
	path := c.write(t)
	content := read(t, path)
	tier := must(t, content).header.Tiers[0]
	for what, at := range map[string]int64{"differences": tier.Differences, "index": tier.Index, "codes": tier.Codes} {
		path := c.write(t)
		table, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		if err := c.compare(t, table); err != nil {
			t.Fatal(err)
		}
		rewrite := func(b []byte) {
			time.Sleep(20 * time.Millisecond) // the clock of a filesystem goes in ticks
			before, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err == nil {
				_, err = f.WriteAt(b, at)
			}
			if err = errors.Join(err, f.Close(), os.Chtimes(path, time.Time{}, before.ModTime())); err != nil {
				t.Fatal(err)
			}
		}
		noise := bytes.Repeat([]byte{0x55}, 40)
		rewrite(noise)
		refs, values := []Ref{}, make([]Value, len(c[0]))
		for key := range c[0] {
			refs = append(refs, Ref{0, key})
		}
		if err := table.LookupAll(refs, values); !errors.Is(err, tablebase.ErrDamaged) || table.Trusting() {
			t.Errorf("%s: %v", what, err)
		}
		rewrite(content[at : at+int64(len(noise))])
		if err := c.compare(t, table); err != nil {
			t.Errorf("%s, written back: %v", what, err)
		}
		always, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer always.Close()
		always.CheckAlways()
		if err := c.compare(t, always); err != nil {
			t.Fatal(err)
		}
		rewrite(noise)
		for key, want := range c[0] { // one by one, as LookupAll would notice it
			if v, err := always.Lookup(0, key); err == nil && v != want || errors.Is(err, ErrState) {
				t.Fatalf("%s, checked always: %v, %v, want %v", what, v, err, want)
			}
		}
	}
}

// hole is storage that begins with a number of zeros.
type hole struct {
	memory
	zeros int64
}

func (h *hole) Size() (int64, error) { return h.zeros + h.Reader.Size(), nil }
func (h *hole) ReadAt(b []byte, at int64) (n int, err error) {
	n = int(min(int64(len(b)), max(h.zeros-at, 0)))
	clear(b[:n])
	if n == len(b) {
		return n, nil
	}
	m, err := h.Reader.ReadAt(b[n:], at+int64(n)-h.zeros)
	return n + m, err
}

// A directory that is a hole in the file takes little memory.
func TestHole(t *testing.T) {
	const directory = 256 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	file, err := container.New("memory", &hole{memory{Reader: bytes.NewReader(nil)}, directory}, 0)
	if err != nil {
		t.Fatal(err)
	}
	table := &Table{File: file, header: Header{Tiers: []Tier{{}}}}
	refused(t, "a hole", table.failed(table.readDirectory(directory)))
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
		t.Errorf("it took %d MiB", took>>20)
	}
}

// In a mapped file each chunk is checked by itself: damage is found whichever chunks were read before.
func TestEachChunkIsChecked(t *testing.T) {
	c := random(11, 1, 60_000)
	content := read(t, c.write(t))
	n := chunks(must(t, content).header.body())
	if n < 4 {
		t.Fatalf("%d chunks", n)
	}
	for chunk := range n - 1 { // the last has padding
		bad := bytes.Clone(content)
		bad[chunk*format.ChunkSize+format.ChunkSize/2] ^= 0x10
		path := filepath.Join(t.TempDir(), "bad.tb")
		if err := os.WriteFile(path, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		table, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		refused(t, fmt.Sprint("chunk ", chunk), c.compare(t, table))
		if err := table.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A table that replaced another one is not taken for it, even if its data are the same.
func TestReplacedByAnother(t *testing.T) {
	c := random(12, 2, 300)
	path := c.write(t)
	content := read(t, path)
	storage := &memory{Reader: bytes.NewReader(content)}
	table, err := OpenStorage("memory", storage)
	if err != nil {
		t.Fatal(err)
	}
	storage.Reader = bytes.NewReader(forge(t, content, func(_, _ []byte, h *Header) { h.Start++ }))
	if err := table.Verify(t.Context(), 1, nil); !errors.Is(err, tablebase.ErrDamaged) {
		t.Errorf("another table in its place: %v", err)
	}
	if err := readBack(path, table.identity); err != nil {
		t.Error(err)
	}
	if err := readBack(path, [32]byte{}); !errors.Is(err, tablebase.ErrDamaged) {
		t.Errorf("another table is read back: %v", err)
	}
}

// explore makes every query that a file can answer.
func explore(t *testing.T, content []byte) {
	table, err := openBytes(content)
	if err != nil {
		if !errors.Is(err, tablebase.ErrNewer) {
			refused(t, "a file", err)
		}
		return
	}
	defer table.Close()
	for tier := range table.Header().Tiers {
		for s, err := range table.Tier(tier) {
			if err == nil {
				table.Lookup(tier, s.Key)
				table.Near(nil, tier, s.Key+1)
			}
		}
	}
	table.Verify(t.Context(), 1, nil)
}

// FuzzOpen: no file makes a table panic.
func FuzzOpen(f *testing.F) {
	content := read(f, random(9, 2, 40).write(f))
	f.Add(content)
	f.Add(packed(f, content))
	f.Fuzz(explore)
}

// FuzzForgery changes bytes of data and directory, replaces the footer, and makes all checksums
// right again, packed or not. Every three bytes of edits are a place and the bits to flip there.
func FuzzForgery(f *testing.F) {
	content := read(f, random(9, 3, 400).write(f))
	table := must(f, content)
	body := int(table.header.body())
	footer, err := json.Marshal(&table.header)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte{}, footer)
	f.Add([]byte{0x10, 0, 0xff, 0x11, 0, 0x80}, footer)
	for _, field := range []string{"states", "differences", "index", "codes", "end", "values"} {
		at := bytes.LastIndex(footer, []byte(field)) + len(field) + 2
		end := at + bytes.IndexAny(footer[at:], ",}")
		for _, n := range extremes {
			f.Add([]byte{}, fmt.Appendf(nil, "%s%d%s", footer[:at], n, footer[end:]))
		}
	}
	f.Fuzz(func(t *testing.T, edits, footer []byte) {
		var said Header
		understood := json.Unmarshal(footer, &said) == nil
		b := forge(t, content, func(body, directory []byte, h *Header) {
			for ; len(edits) >= 3; edits = edits[3:] {
				at := int(le.Uint16(edits)) % (len(body) + len(directory))
				if at < len(body) {
					body[at] ^= edits[2]
				} else {
					directory[at-len(body)] ^= edits[2]
				}
			}
			if understood {
				said.Directory = h.Directory
				*h = said
			}
		})
		if !understood {
			b = append(bytes.Clone(b[:body]), footer...)
			b = le.AppendUint32(le.AppendUint64(b, uint64(len(footer))), format.Checksum(footer))
			b = append(b, endMagic...)
		}
		explore(t, b)
		explore(t, packed(t, b))
	})
}
