package tablebase

import (
	"bytes"
	"errors"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// read by runs, as an engine does that has the steps nowhere at once.
func byRuns(p Planes, run int) Planes {
	steps := p.Steps
	p.Steps, p.Reader = nil, &StepsReader{Digits: len(steps), Run: run, Read: func(dst [][]uint64, first int) error {
		for d := range dst {
			copy(dst[d], steps[d][first:])
		}
		return nil
	}}
	return p
}

// TestWrittenPacked compares tables that are written packed, their steps from memory and
// by runs, with tables that are packed afterwards.
func TestWrittenPacked(t *testing.T) {
	for _, shape := range shapes {
		for name, classes := range map[string][]sealed{"small": smallTable(shape), "large": largeTable(shape), "numbers": numbersTable(shape)} {
			for _, run := range []int{0, 64, 1 << 14} {
				t.Run(shape.String()+" "+name, func(t *testing.T) {
					plain := write(t, shape, classes)
					for _, suffix := range suffixes {
						path := filepath.Join(t.TempDir(), "t.tb"+suffix)
						w := create(t, path, shape, false)
						for _, c := range classes {
							planes := c.planes
							if run > 0 {
								planes = byRuns(planes, run)
							}
							if err := w.Seal(c.class, planes, c.counts); err != nil {
								t.Fatal(err)
							}
						}
						summary, err := w.Finish()
						if err != nil {
							t.Fatal(err)
						}
						if table := open(t, plain); summary.Identity != table.Identity() || summary.Bytes != table.Bytes() {
							t.Errorf("the summary is %x, %d bytes", summary.Identity, summary.Bytes)
						}
						want := plain
						if suffix == PackedSuffix {
							want = pack(t, plain)
						}
						if !bytes.Equal(read(t, path), read(t, want)) {
							t.Error("it has other bytes")
						}
					}
				})
			}
		}
	}
}

// TestPackedResumeAfterDamage damages what an interrupted solve left of a packed
// table: classes before the damage are kept, and the table gets the same bytes.
func TestPackedResumeAfterDamage(t *testing.T) {
	classes := smallTable(quixoShape)
	once := read(t, finished(t, quixoShape, classes, PackedSuffix))
	r := rand.New(rand.NewPCG(12, 12))
	for _, suffix := range []string{PartialSuffix, manifestSuffix} {
		dropped := 0
		for range 60 {
			path := filepath.Join(t.TempDir(), "t.tb"+PackedSuffix)
			w := create(t, path, quixoShape, false)
			for _, c := range classes[:3] {
				if err := w.Seal(c.class, c.planes, c.counts); err != nil {
					t.Fatal(err)
				}
			}
			kill(w)
			b := read(t, path+suffix)
			if r.IntN(2) == 0 {
				b = b[:r.IntN(len(b))]
			} else {
				b[r.IntN(len(b))] ^= 1 << r.IntN(8)
			}
			if err := os.WriteFile(path+suffix, b, 0o644); err != nil {
				t.Fatal(err)
			}
			w, err := Create(path, quixoShape, true)
			if err != nil {
				t.Fatal(err)
			}
			if w.Dropped() != "" {
				dropped++
			}
			w.Close()
			writeAt(t, path, quixoShape, classes, true)
			if !bytes.Equal(read(t, path), once) {
				t.Fatal("the resumed table has other bytes")
			}
		}
		if dropped < 30 {
			t.Errorf("damage of %s was noticed only %d times of 60", suffix, dropped)
		}
	}
}

// TestSeekTableInPieces asks for frames of a seek table of several pieces, with its
// index and without.
func TestSeekTableInPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 13))
	const frames = 3*pieceFrames + 77
	var entries []byte
	want := make([]packedFrame, frames)
	var offset, total int64
	for i := range want {
		want[i] = packedFrame{offset, 1 + r.Int64N(50), 1 + r.Int64N(frameSize), r.Uint32()}
		entries = le.AppendUint32(entries, uint32(want[i].packed))
		entries = le.AppendUint32(entries, uint32(want[i].length))
		entries = le.AppendUint32(entries, want[i].checksum)
		offset += want[i].packed
		total += want[i].length
	}
	whole := appendSeekTable(make([]byte, offset), entries, total, false)
	index := indexHead + (len(entries)+pieceBytes-1)/pieceBytes*indexEntrySize + indexEnd
	for name, b := range map[string][]byte{"indexed": whole, "not indexed": append(bytes.Clone(whole[:offset]), whole[int(offset)+index:]...)} {
		s, err := readSeekTable(bytes.NewReader(b), int64(len(b)), frames)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if s.total != total || s.indexed != (name == "indexed") {
			t.Errorf("%s: %d bytes, indexed: %v", name, s.total, s.indexed)
		}
		for _, i := range r.Perm(frames) {
			if got, err := s.frame(i); err != nil || got != want[i] {
				t.Fatalf("%s: frame %d is %v, want %v: %v", name, i, got, want[i], err)
			}
		}
	}
	for range 300 {
		b := bytes.Clone(whole)
		at := int(offset) + r.IntN(len(b)-int(offset)-seekTableEnd)
		b[at] ^= 1 << r.IntN(8)
		s, err := readSeekTable(bytes.NewReader(b), int64(len(b)), frames)
		for i := 0; i < frames && err == nil; i += pieceFrames {
			_, err = s.frame(i)
		}
		if err == nil && at != int(offset)+index && at > int(offset)+index+seekTableHead {
			t.Fatalf("a flip in byte %d of %d was not noticed", at-int(offset), len(b)-int(offset))
		}
	}
}

// TestCompareOutcomes compares tables with themselves, packed and not, and with ones
// that have other outcomes.
func TestCompareOutcomes(t *testing.T) {
	for _, shape := range shapes {
		classes := largeTable(shape)
		a, b := open(t, write(t, shape, classes)), open(t, finished(t, shape, classes, PackedSuffix))
		if n, err := CompareOutcomes(t.Context(), a, b, nil); err != nil || n != 0 {
			t.Errorf("%v: %d states differ, %v", shape, n, err)
		}
		other := largeTable(shape)
		var want uint64
		for _, at := range [][2]int{{0, 3}, {0, 9000}, {1, 1}} {
			p := &other[at[0]].planes
			want += uint64(bits.OnesCount64(p.Win[at[1]]))
			p.Win[at[1]] = 0
			for _, digit := range p.Steps {
				if p.Lose != nil {
					digit[at[1]] &= p.Lose[at[1]]
				}
			}
		}
		path := filepath.Join(t.TempDir(), "t.tb")
		w := create(t, path, shape, false)
		for _, c := range other {
			if err := w.seal(c.class, c.planes, c.counts); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.writeEnds(); err != nil {
			t.Fatal(err)
		}
		var done, total uint64
		n, err := CompareOutcomes(t.Context(), b, open(t, path+PartialSuffix), func(d, all uint64) { done, total = max(done, d), all })
		if err != nil || n != want || done != total {
			t.Errorf("%v: %d states differ, want %d; %d of %d done: %v", shape, n, want, done, total, err)
		}
		if _, err := CompareOutcomes(t.Context(), a, open(t, write(t, shape, classes[:1])), nil); !errors.Is(err, ErrInput) {
			t.Errorf("%v: a table with fewer classes: %v", shape, err)
		}
	}
}

// Packing leaves no garbage that grows with the table, and what is known of a table until it
// is finished takes no more than is reckoned with.
func TestPackingTakesWhatIsReckoned(t *testing.T) {
	if testing.Short() {
		t.Skip("pools give away what they have under the race detector")
	}
	r := rand.New(rand.NewPCG(5, 5))
	classes := []sealed{
		randomClass(r, quixoShape, 9, 17, 40, 6), // which has the encoders made
		randomClass(r, quixoShape, 8, 17, 160, 6),
	}
	w := create(t, filepath.Join(t.TempDir(), "t.tb"+PackedSuffix), quixoShape, false)
	var before, after runtime.MemStats
	for _, c := range classes {
		runtime.ReadMemStats(&before)
		if err := w.seal(c.class, byRuns(c.planes, 1<<13), c.counts); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
	}
	length := w.records[1].end() - w.records[0].end()
	if garbage := int64(after.TotalAlloc - before.TotalAlloc); garbage > length/2 {
		t.Errorf("%d bytes are allocated to pack %d", garbage, length)
	}
	held := int64(cap(w.packer.entries))
	for _, r := range w.records {
		for _, sums := range r.sums {
			held += checksumSize * int64(cap(sums.held))
		}
	}
	if most := IndexBytes(w.end()); held > most || held < most/9 {
		t.Errorf("%d bytes are held of %d, %d are reckoned with", held, w.end(), most)
	}
}
