package survey

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/tablebase"
)

var le = binary.LittleEndian

// forgery is a table file in its parts, as docs/reference/format.md describes them, to be
// changed and signed again. All its checksums hold.
type forgery struct {
	header  []byte
	data    []byte // from byte 4096 to the footer
	records [][]byte
}

func crc(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// parseForgery reads a whole table.
func parseForgery(b []byte) *forgery {
	footer := b[le.Uint64(b[72:]) : len(b)-8]
	f := &forgery{header: bytes.Clone(b[:4096]), data: bytes.Clone(b[4096:le.Uint64(b[72:])])}
	planes := uint64(le.Uint32(b[52:]))
	for len(footer) > 0 {
		n := 48 + 40*(le.Uint32(footer[4:])+1) + 16*le.Uint32(footer[12:])
		for part := range 3 {
			n += 4 * uint32(chunksOf(footer, planes, part))
		}
		f.records = append(f.records, bytes.Clone(footer[:n]))
		footer = footer[n:]
	}
	return f
}

// lengthOf returns the length of a part in the file.
func lengthOf(record []byte, planes uint64, part int) uint64 {
	blocks, k := le.Uint64(record[16:]), le.Uint32(record[4:])
	words := blocks << max(0, int(k)-6)
	length := []uint64{8 * words * planes, 8 * words * uint64(le.Uint32(record[8:])), 8 * blocks}[part]
	return (length + 4095) / 4096 * 4096
}

func chunksOf(record []byte, planes uint64, part int) uint64 {
	return (lengthOf(record, planes, part) + 65535) / 65536
}

// sums returns the offset of the checksums in a record.
func sums(record []byte) int {
	return int(48 + 40*(le.Uint32(record[4:])+1) + 16*le.Uint32(record[12:]))
}

// flip changes a bit of a part's data and the checksum of the chunk.
func (f *forgery) flip(r *rand.Rand) {
	record := f.records[r.IntN(len(f.records))]
	planes, part := uint64(le.Uint32(f.header[52:])), r.IntN(3)
	length := lengthOf(record, planes, part)
	if length == 0 {
		return
	}
	data := f.data[le.Uint64(record[24+8*part:])-4096:][:length]
	at := r.Uint64N(length)
	if r.IntN(4) > 0 {
		at = r.Uint64N(min(length, 64)) // not only what fills up
	}
	data[at] ^= 1 << r.IntN(8)
	sum := sums(record)
	for before := range part {
		sum += 4 * int(chunksOf(record, planes, before))
	}
	chunk := at / 65536
	le.PutUint32(record[sum+4*int(chunk):], crc(data[65536*chunk:min(length, 65536*(chunk+1))]))
}

// assemble joins the parts and signs the table.
func (f *forgery) assemble() []byte {
	footer := slices.Concat(f.records...)
	header := bytes.Clone(f.header)
	clear(header[12:16])
	clear(header[88:120])
	hash := sha256.New()
	hash.Write(header)
	hash.Write(footer)
	id := hash.Sum(nil)
	copy(header[88:], id)
	le.PutUint32(header[12:], crc(header))
	return slices.Concat(header, f.data, footer, id[:7], []byte{0xed})
}

// measure makes the header's lengths fit.
func (f *forgery) measure() {
	footer := len(slices.Concat(f.records...))
	le.PutUint64(f.header[64:], uint64(4096+len(f.data)+footer+8))
	le.PutUint64(f.header[80:], uint64(footer))
}

// odd returns n or a wrong number.
func odd(r *rand.Rand, n uint64) uint64 {
	return []uint64{0, 1, n + 1, n - 1, n * 2, n / 2, n ^ 1<<r.IntN(64), n ^ 1<<r.IntN(8), 1<<32 - 1, 1<<63 - 1, 1 << 63, 1<<64 - 1, 64, r.Uint64()}[r.IntN(14)]
}

// forgers change the claims of a table. Only the last two can make a table that opens and gives
// a wrong answer.
var forgers = []struct {
	name   string
	forge  func(f *forgery, r *rand.Rand)
	misled bool
}{
	{"a header byte", func(f *forgery, r *rand.Rand) { f.header[8+r.IntN(112)] ^= byte(1 + r.IntN(255)) }, false},
	{"a reserved byte", func(f *forgery, r *rand.Rand) { f.header[120+r.IntN(3976)] ^= byte(1 + r.IntN(255)) }, false},
	{"a header field", func(f *forgery, r *rand.Rand) {
		if r.IntN(2) == 0 {
			at := 48 + 4*r.IntN(4)
			le.PutUint32(f.header[at:], uint32(odd(r, uint64(le.Uint32(f.header[at:])))))
		} else {
			at := 64 + 8*r.IntN(3)
			le.PutUint64(f.header[at:], odd(r, le.Uint64(f.header[at:])))
		}
	}, false},
	{"a directory byte", func(f *forgery, r *rand.Rand) {
		record := f.records[r.IntN(len(f.records))]
		record[r.IntN(len(record))] ^= byte(1 + r.IntN(255))
	}, false},
	{"a field of a class", func(f *forgery, r *rand.Rand) {
		record := f.records[r.IntN(len(f.records))]
		if r.IntN(2) == 0 {
			at := 4 * r.IntN(4)
			le.PutUint32(record[at:], uint32(odd(r, uint64(le.Uint32(record[at:])))))
		} else {
			at := 16 + 8*r.IntN(4)
			le.PutUint64(record[at:], odd(r, le.Uint64(record[at:])))
		}
	}, false},
	{"the digits", func(f *forgery, r *rand.Rand) {
		le.PutUint32(f.records[r.IntN(len(f.records))][8:], uint32(r.IntN(17)))
	}, false},
	{"a count", func(f *forgery, r *rand.Rand) {
		record := f.records[r.IntN(len(f.records))]
		at := 48 + 8*r.IntN((sums(record)-48)/8)
		le.PutUint64(record[at:], odd(r, le.Uint64(record[at:])))
	}, false},
	{"counts that add up", func(f *forgery, r *rand.Rand) {
		record := f.records[r.IntN(len(f.records))]
		from, to := 48+8*r.IntN((sums(record)-48)/8), 48+8*r.IntN((sums(record)-48)/8)
		moved := min(r.Uint64N(4), le.Uint64(record[from:]))
		le.PutUint64(record[from:], le.Uint64(record[from:])-moved)
		le.PutUint64(record[to:], le.Uint64(record[to:])+moved)
	}, false},
	{"classes in another order", func(f *forgery, r *rand.Rand) {
		i, j := r.IntN(len(f.records)), r.IntN(len(f.records))
		if r.IntN(2) == 0 {
			f.records[i], f.records[j] = f.records[j], f.records[i]
		} else {
			a, b := le.Uint32(f.records[i]), le.Uint32(f.records[j])
			le.PutUint32(f.records[i], b)
			le.PutUint32(f.records[j], a)
		}
	}, false},
	{"steps or none", func(f *forgery, r *rand.Rand) { f.header[56] ^= 1 }, false},
	{"a class left out", func(f *forgery, r *rand.Rand) {
		i := r.IntN(len(f.records))
		f.records = slices.Delete(f.records, i, i+1)
		le.PutUint32(f.header[60:], uint32(len(f.records)))
		f.measure()
	}, false},
	{"digits and counts that fit them", func(f *forgery, r *rand.Rand) {
		record := f.records[r.IntN(len(f.records))]
		rows := le.Uint32(record[12:])
		if rows == 0 {
			return
		}
		digits := le.Uint32(record[8:]) + 1
		row := record[sums(record)-16:][:16]
		longer := bytes.Clone(record[:sums(record)])
		clear(longer[len(longer)-16:])
		longer = append(longer, make([]byte, 16*(1<<digits-rows))...)
		copy(longer[len(longer)-16:], row)
		le.PutUint32(longer[8:], digits)
		le.PutUint32(longer[12:], 1<<digits)
		i := slices.IndexFunc(f.records, func(other []byte) bool { return &other[0] == &record[0] })
		f.records[i] = append(longer, record[sums(record):]...)
		f.measure()
	}, true},
	{"data", func(f *forgery, r *rand.Rand) { f.flip(r) }, true},
}

// forgeable returns tables of a few states each, with all their values.
func forgeable(t *testing.T) (tables []*probe.Table, values [][]probe.Value) {
	for _, b := range []struct {
		game  string
		n     int
		steps bool
	}{{"notakto", 2, true}, {"notakto", 3, false}, {"quixo", 2, true}, {"notakto", 4, true}, {"quixo", 2, false}, {"quixo", 3, true}} {
		table := open(t, b.game, b.n, b.steps)
		tables = append(tables, table)
		values = append(values, valuesOf(t, table))
	}
	return tables, values
}

// everyPosition yields the positions of a board with X to move.
func everyPosition(rules game.Grid) func(yield func(game.Position) bool) {
	cells := rules.Size() * rules.Size()
	return func(yield func(game.Position) bool) {
		for x := range uint64(1) << cells {
			for o := uint64(0); ; o = (o - (^x & (1<<cells - 1))) & (^x & (1<<cells - 1)) {
				if !yield(game.Position{X: x, O: o}) {
					return
				}
				if rules.Marks() == 1 || o == ^x&(1<<cells-1) {
					break
				}
			}
		}
	}
}

// The fate of a forgery.
const (
	refused  = iota // when it is opened
	caught          // by verify, and no answer was wrong
	misleads        // caught by verify, but an answer was wrong
	harmless        // all answers are right, and verify agrees
	fates
)

// TestForgedTables forges tables with valid checksums: each is refused, caught by Verify, or
// entirely right. Only forged data, or all claims about them forged together, give wrong
// answers before. A forgery that changes nothing does not count.
func TestForgedTables(t *testing.T) {
	forgeries := 400
	switch {
	case os.Getenv("BACKSOLVE_LONG") != "":
		forgeries = 10_000
	case testing.Short():
		forgeries = 100
	}
	tables, values := forgeable(t)
	path := t.TempDir()
	count := map[string]*[fates]int{}
	for i, different := 0, 0; different < forgeries; i++ {
		r := rand.New(rand.NewPCG(9, uint64(i)))
		forger := forgers[i%len(forgers)]
		which := r.IntN(len(tables))
		b, err := os.ReadFile(tables[which].Stored().Path())
		if err != nil {
			t.Fatal(err)
		}
		f := parseForgery(b)
		forger.forge(f, r)
		forged := f.assemble()
		if bytes.Equal(forged, b) {
			continue
		}
		different++
		fate := fateOf(t, path, tables[which], forged, values[which])
		if fate == misleads && !forger.misled {
			t.Errorf("forgery %d: %s gives wrong answers", i, forger.name)
		}
		if t.Failed() {
			t.Fatalf("forgery %d of %s: %s", i, tables[which].Board(), forger.name)
		}
		if count[forger.name] == nil {
			count[forger.name] = new([fates]int)
		}
		count[forger.name][fate]++
	}
	var all [fates]int
	for _, forger := range forgers {
		c := count[forger.name]
		t.Logf("%-32s refused %4d, caught %4d, misleads until caught %4d, harmless %4d", forger.name, c[refused], c[caught], c[misleads], c[harmless])
		for fate, n := range c {
			all[fate] += n
		}
	}
	t.Logf("%-32s refused %4d, caught %4d, misleads until caught %4d, harmless %4d", "all", all[refused], all[caught], all[misleads], all[harmless])
}

// fateOf opens a forged table and asks all positions.
func fateOf(t *testing.T, dir string, original *probe.Table, forged []byte, values []probe.Value) int {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, filepath.Base(original.Stored().Path())), forged, 0o644); err != nil {
		t.Fatal(err)
	}
	table, err := probe.Open(dir, original.Rules())
	if err != nil {
		checkSentence(t, err)
		return refused
	}
	defer table.Close()
	wrong, i := false, 0
	for p := range everyPosition(table.Rules()) {
		v, err := table.Value(p)
		if err != nil {
			checkSentence(t, err)
		} else if v != values[i] {
			wrong = true
		}
		i++
	}
	if _, err := Summarize(context.Background(), table); err != nil {
		checkSentence(t, err)
	}
	_, err = Verify(context.Background(), table, VerifyOptions{Threads: 1}, nil, nil)
	if err != nil {
		checkSentence(t, err)
	}
	switch {
	case err == nil && wrong:
		t.Error("a wrong answer that Verify does not find")
		fallthrough
	case wrong:
		return misleads
	case err == nil:
		return harmless
	}
	return caught
}

// checkSentence checks that an error of a table has its path.
func checkSentence(t *testing.T, err error) {
	t.Helper()
	var e *tablebase.Error
	if !errors.As(err, &e) || e.Path == "" {
		t.Errorf("an error without the path: %v", err)
	}
}

// TestForgedMasks forges blocks that no board has, with valid checksums.
func TestForgedMasks(t *testing.T) {
	table := open(t, "quixo", 3, true)
	b, err := os.ReadFile(table.Stored().Path())
	if err != nil {
		t.Fatal(err)
	}
	for _, mask := range []uint64{1 << 40, 1 << 9, 1<<9 | 1, 1 << 63, 0, 3, 1 << 8} {
		f := parseForgery(b)
		for _, record := range f.records {
			if le.Uint32(record) != 1 {
				continue
			}
			masks := f.data[le.Uint64(record[40:])-4096:][:4096]
			last := 8 * int(le.Uint64(record[16:])-1)
			if le.Uint64(masks[last:]) == mask {
				t.Fatalf("%#x is a mask of the class", mask)
			}
			le.PutUint64(masks[last:], mask)
			le.PutUint32(record[len(record)-4:], crc(masks))
		}
		if fate := fateOf(t, t.TempDir(), table, f.assemble(), valuesOf(t, table)); fate != caught {
			t.Errorf("the mask %#x: %d", mask, fate)
		}
	}
}

// valuesOf returns the values of all positions of a table.
func valuesOf(t *testing.T, table *probe.Table) (all []probe.Value) {
	t.Helper()
	for p := range everyPosition(table.Rules()) {
		v, err := table.Value(p)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}
