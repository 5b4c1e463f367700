package pack_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"

	"backsolve/internal/probe/probetest"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/pack"
)

// inMemory is a packed file in memory. It notes what was fetched.
type inMemory struct {
	lock    sync.Mutex
	bytes   []byte
	fetched []format.Extent
}

func (m *inMemory) ReadAt(b []byte, at int64) (int, error) {
	return bytes.NewReader(m.bytes).ReadAt(b, at)
}

func (m *inMemory) WriteAt(b []byte, at int64) (int, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if more := int(at) + len(b) - len(m.bytes); more > 0 {
		m.bytes = append(m.bytes, make([]byte, more)...)
	}
	return copy(m.bytes[at:], b), nil
}

func (m *inMemory) Size() (int64, error) { return int64(len(m.bytes)), nil }

func (m *inMemory) Close() error { return nil }

func (m *inMemory) Fetch(wanted []format.Extent) error {
	m.fetched = append(m.fetched, wanted...)
	return nil
}

// far is a storage.
type far struct{ *inMemory }

func (far) ShareDeadline() (done func()) { return func() {} }

func TestStreamIsUnpacked(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, size := range []int{1, 2, 100, format.FrameSize - 1, format.FrameSize, format.FrameSize + 1, format.IOSize, 3*format.IOSize + 5} {
		plain := make([]byte, size)
		for i := range plain {
			plain[i] = byte(r.IntN(4))
		}
		m := new(inMemory)
		length, err := pack.Stream(m, int64(size), func(buf []byte, at int64) error {
			copy(buf, plain[at:])
			return nil
		})
		if err != nil || length != int64(len(m.bytes)) {
			t.Fatalf("%d bytes: %d of %d are said to be written: %v", size, length, len(m.bytes), err)
		}
		for _, raw := range []format.Source{m, far{m}} {
			source, err := pack.Unpacked("s", raw, 8*format.FrameSize)
			if err != nil {
				t.Fatalf("%d bytes: %v", size, err)
			}
			f := source.(*pack.Frames)
			if err := f.SetUniform(); err != nil || f.Level != pack.Words {
				t.Fatalf("%d bytes: level %d, %v", size, f.Level, err)
			}
			total, err := f.Size()
			if err != nil || total != int64(size) || f.FileSize != length {
				t.Errorf("%d bytes: it has %d in %d, %v", size, total, f.FileSize, err)
			}
			compareRanges(t, f, plain)
		}
	}
	failed := errors.New("the tape is torn")
	_, err := pack.Stream(new(inMemory), 5*format.IOSize, func(_ []byte, at int64) error {
		if at == 2*format.IOSize {
			return failed
		}
		return nil
	})
	if !errors.Is(err, failed) {
		t.Errorf("what cannot be read: %v", err)
	}
}

// compareRanges reads ranges of all kinds, by way of the cache and around it.
func compareRanges(t *testing.T, f *pack.Frames, plain []byte) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 4))
	for range 60 {
		from := r.IntN(len(plain))
		length := r.IntN(min(len(plain)-from, 3*format.FrameSize) + 1)
		for i, source := range []io.ReaderAt{f, f.ThroughCache()} {
			buf := make([]byte, length)
			if n, err := source.ReadAt(buf, int64(from)); n != length || err != nil || !bytes.Equal(buf, plain[from:from+length]) {
				t.Fatalf("way %d: %d bytes from %d on: %d, %v", i, length, from, n, err)
			}
		}
	}
	buf := make([]byte, 10)
	for _, source := range []io.ReaderAt{f, f.ThroughCache()} {
		if n, err := source.ReadAt(buf, int64(len(plain)-min(4, len(plain)))); n != min(4, len(plain)) || !errors.Is(err, io.EOF) {
			t.Fatalf("at the end: %d, %v", n, err)
		}
	}
}

// All bytes of a packed table are those of the table, whichever way they are read, and a part's
// words and chunks, too.
func TestFramesAreTheTable(t *testing.T) {
	for _, shape := range tabletest.Shapes {
		path := tabletest.Write(t, shape, tabletest.NumbersTable(shape))
		plain := tabletest.ReadFile(t, path)
		f, classes := open(t, tabletest.Pack(t, path))
		compareRanges(t, f, plain)
		whole := make([]byte, len(plain))
		if _, err := f.ReadAt(whole, 0); err != nil || !bytes.Equal(whole, plain) {
			t.Errorf("%v: another table: %v", shape, err)
		}
		first := 1
		for _, r := range classes {
			for part, p := range r.Parts {
				for chunk := range p.Chunks() {
					if err := f.CheckChunk(r, part, first, chunk); err != nil {
						t.Errorf("%v: chunk %d of part %d: %v", shape, chunk, part, err)
					}
					r.Sums[part][chunk] ^= 1
					var bad *format.BadChunk
					if err := f.CheckChunk(r, part, first, chunk); !errors.As(err, &bad) || bad.Chunk != chunk {
						t.Errorf("%v: chunk %d of part %d with another checksum: %v", shape, chunk, part, err)
					}
					r.Sums[part][chunk] ^= 1
				}
				for element := uint64(0); p.Columns > 0 && element+9 <= uint64(p.Columns)*uint64(p.Words); element += 1021 {
					var words [9]uint64
					if err := f.ReadWords(first, element, words[:]); err != nil {
						t.Fatal(err)
					}
					for i, word := range words {
						at := plain[p.Offset+int64(element)*8+int64(i)*8:]
						if byte(word) != at[0] || byte(word>>56) != at[7] {
							t.Fatalf("%v: word %d of part %d is %x", shape, element, part, word)
						}
					}
				}
				first += p.Frames()
			}
		}
	}
}

// Fetch asks for the frames that have the bytes wanted, for those of the outcomes that numbers
// are unpacked with, and for none that is in the cache.
func TestFetchedFrames(t *testing.T) {
	path := tabletest.Pack(t, tabletest.Write(t, tabletest.QuixoShape, tabletest.NumbersTable(tabletest.QuixoShape)))
	header, classes := tabletest.Open(t, path).Layout()
	m := &inMemory{bytes: tabletest.ReadFile(t, path)}
	source, err := pack.Unpacked(path, far{m}, 64*format.FrameSize)
	if err != nil {
		t.Fatal(err)
	}
	f := source.(*pack.Frames)
	if err := f.SetRegions(header, classes); err != nil {
		t.Fatal(err)
	}
	extent := func(frame int) format.Extent {
		offset, packed, _ := f.Extent(t, frame)
		return format.Extent{Offset: offset, Length: packed}
	}
	outcomes, steps := classes[0].Parts[format.Outcomes], classes[0].Parts[format.Steps]
	firstSteps := 1 + outcomes.Frames()
	for _, test := range []struct {
		wanted format.Extent
		frames []int
	}{
		{format.Extent{Offset: outcomes.Offset, Length: 1}, []int{1}},
		{format.Extent{Offset: outcomes.Offset + format.FrameSize - 1, Length: 1}, []int{1}},
		{format.Extent{Offset: outcomes.Offset + format.FrameSize - 1, Length: 2}, []int{1, 2}},
		{format.Extent{Offset: outcomes.Offset, Length: 0}, nil},
		{format.Extent{Offset: steps.Offset, Length: 8}, []int{firstSteps, 1}},
		{format.Extent{Offset: header.Length, Length: 5}, nil},
	} {
		m.fetched = nil
		if err := f.Fetch([]format.Extent{test.wanted}); err != nil {
			t.Fatal(err)
		}
		var want []format.Extent
		for _, frame := range test.frames {
			want = append(want, extent(frame))
		}
		if !slices.Equal(m.fetched, want) {
			t.Errorf("%v: %v are fetched, want %v", test.wanted, m.fetched, want)
		}
	}
	f.Warm(1)
	m.fetched = nil
	if err := f.Fetch([]format.Extent{{Offset: outcomes.Offset, Length: format.FrameSize + 1}}); err != nil || !slices.Equal(m.fetched, []format.Extent{extent(2)}) {
		t.Errorf("one of two is in the cache: %v, %v", m.fetched, err)
	}
	if !f.Holds(1) || f.Holds(2) {
		t.Error("the cache has other frames than those that were read")
	}
}

// A packer continues after frames that were written before, and not after others.
func TestPackerResumes(t *testing.T) {
	m := new(inMemory)
	p, err := pack.NewPacker(m, false)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	p.Begin(format.Part{}, 0, nil)
	plain := bytes.Repeat([]byte("backsolve"), format.FrameSize)[:5*format.FrameSize/2]
	before := p.Length()
	if err := p.Add(bytes.Clone(plain), 0); err != nil {
		t.Fatal(err)
	}
	entries := bytes.Clone(p.Entries())
	if len(entries) != 4*pack.SeekEntrySize || p.Length() <= before || p.Length() != int64(len(m.bytes)) {
		t.Fatalf("%d bytes of entries, %d of frames", len(entries), p.Length())
	}
	end := p.Length()
	p.Truncate(1)
	if p.Length() != before || len(p.Entries()) != pack.SeekEntrySize {
		t.Errorf("after all frames are forgotten it has %d bytes", p.Length())
	}
	own := entries[pack.SeekEntrySize:]
	if p.Resume(2, own) || p.Resume(4, own) || p.Resume(3, append(make([]byte, 4), own[4:]...)) || len(p.Entries()) != pack.SeekEntrySize {
		t.Error("other frames are resumed")
	}
	if !p.Resume(3, own) || p.Length() != end || !bytes.Equal(p.Entries(), entries) {
		t.Errorf("the frames are not resumed: %d bytes, not %d", p.Length(), end)
	}
	p.Truncate(3)
	if !bytes.Equal(p.Entries(), entries[:3*pack.SeekEntrySize]) {
		t.Error("another frame than the last is forgotten")
	}
	failed := errors.New("no space")
	p.Begin(format.Part{}, 0, nil)
	done := make(chan error)
	go func() { done <- p.Add(make([]byte, 10), format.FrameSize) }()
	p.Fail(failed)
	if err := <-done; !errors.Is(err, failed) {
		t.Errorf("a run whose predecessor does not come: %v", err)
	}
}

// A file without an index that is not cut as a table is, though it has as many frames, is refused.
func TestOtherCutIsRefused(t *testing.T) {
	path := tabletest.Write(t, tabletest.QuixoShape, tabletest.LargeTable(tabletest.QuixoShape))
	plain := tabletest.ReadFile(t, path)
	header, classes := tabletest.Open(t, path).Layout()
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	for _, moved := range []int{0, 1} { // bytes from the second frame of the outcomes to the first but one
		var file, entries []byte
		at, frame := int64(0), 0
		for _, r := range pack.RegionsOf(header, classes) {
			for from := int64(0); from < r.Length; from += format.FrameSize {
				n := min(format.FrameSize, r.Length-from)
				begin := at
				if frame == 2 {
					n -= int64(moved)
				} else if frame == 3 {
					n += int64(moved)
				}
				at += n
				frame++
				packed := encoder.EncodeAll(plain[begin:at], nil)
				entries = pack.AppendEntry(entries, packed, int(n))
				file = append(file, packed...)
			}
		}
		whole := pack.AppendSeekTable(bytes.Clone(file), entries, int64(len(plain)), pack.Words)
		m := &inMemory{bytes: append(file, whole[len(whole)-len(entries)-17:]...)}
		source, err := pack.Unpacked("t.tb", m, 8*format.FrameSize)
		if err != nil {
			t.Fatal(err)
		}
		if err := source.(*pack.Frames).SetRegions(header, classes); errors.Is(err, format.ErrSeekTable) != (moved > 0) || moved == 0 && err != nil {
			t.Errorf("%d bytes are in another frame: %v", moved, err)
		}
	}
}

// The frames of an archive have the outcomes, the masks and the steps of lost states of its table.
func TestFramesOfAnArchive(t *testing.T) {
	for name, size := range map[string]int{"quixo": 3, "notakto": 4} {
		plain, archive, _ := probetest.Archived(t, name, size)
		stored := tabletest.ReadFile(t, plain)
		f, classes := open(t, archive)
		word := func(at int64) (w uint64) {
			for i := range 8 {
				w |= uint64(stored[at+int64(i)]) << (8 * i)
			}
			return w
		}
		archived := 0
		for _, r := range classes {
			for part, p := range r.Parts {
				columns := make([][]uint64, p.Columns)
				for i := range columns {
					columns[i] = make([]uint64, p.Words)
				}
				if err := p.Copy(f, 0, columns); err != nil {
					t.Fatalf("%s, class %d: %v", name, r.Class, err)
				}
				if part == format.Steps && f.Archived(r) {
					archived++
				}
				for w := range p.Words {
					lost := ^uint64(0)
					if part == format.Steps && f.Archived(r) {
						outcomes := r.Parts[format.Outcomes]
						at := outcomes.Offset + w*int64(outcomes.Columns)*8
						if lost = word(at + 8); outcomes.Columns == 1 {
							lost = ^word(at)
						}
					}
					for i, column := range columns {
						if want := word(p.Offset+(w*int64(p.Columns)+int64(i))*8) & lost; column[w] != want {
							t.Fatalf("%s, class %d: word %d of column %d of the %s is %x, want %x", name, r.Class, w, i, r.Names[part], column[w], want)
						}
					}
				}
			}
		}
		if f.Level != pack.Archive || archived == 0 || archived == len(classes) {
			t.Errorf("%s: level %d, steps of %d classes are archived", name, f.Level, archived)
		}
	}
}

// Files that are no packed table are refused, whatever they begin with.
func TestUnpackedRefuses(t *testing.T) {
	whole := tabletest.ReadFile(t, tabletest.Pack(t, tabletest.Write(t, tabletest.QuixoShape, tabletest.SmallTable(tabletest.QuixoShape))))
	n := len(whole)
	changed := func(change func(b []byte)) []byte {
		b := bytes.Clone(whole)
		change(b)
		return b
	}
	for name, test := range map[string]struct {
		bytes []byte
		want  error
	}{
		"whole":              {whole, nil},
		"the magic alone":    {whole[:4], tablebase.ErrTruncated},
		"a part of it":       {whole[:3], tablebase.ErrTruncated},
		"the end is cut off": {whole[:n-1], tablebase.ErrTruncated},
		"another end":        {changed(func(b []byte) { b[n-1]++ }), tablebase.ErrTruncated},
		"no checksums":       {changed(func(b []byte) { b[n-5] = 0 }), tablebase.ErrDamaged},
		"unknown flags":      {changed(func(b []byte) { b[n-5] |= 1 }), tablebase.ErrDamaged},
		"no frames":          {changed(func(b []byte) { clear(b[n-9 : n-5]) }), tablebase.ErrDamaged},
		"too many frames":    {changed(func(b []byte) { b[n-6] = 1 }), tablebase.ErrDamaged},
	} {
		source, err := pack.Unpacked("x", &inMemory{bytes: test.bytes}, 8*format.FrameSize)
		if _, packed := source.(*pack.Frames); !errors.Is(err, test.want) || packed != (test.want == nil) || (source == nil) != (err != nil) {
			t.Errorf("%s: %T, %v, want %v", name, source, err, test.want)
		}
	}
	for _, plain := range [][]byte{nil, []byte("text"), whole[1:]} {
		m := &inMemory{bytes: plain}
		if source, err := pack.Unpacked("x", m, 8*format.FrameSize); source != format.Source(m) || err != nil {
			t.Errorf("%d bytes of something else: %T, %v", len(plain), source, err)
		}
	}
}

// What a packer has written is read back while it goes on. Steps are packed at the fastest level,
// short parts of an archive at the best one, and all else at the usual one.
func TestPackerWrites(t *testing.T) {
	encoder := func(level zstd.EncoderLevel) *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithWindowSize(format.FrameSize))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Close() })
		return e
	}
	for _, archive := range []bool{false, true} {
		r, err := format.NewRecord(tabletest.QuixoShape, 5, 7, 3000, 3, format.PageSize)
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(7, 7))
		m := new(inMemory)
		p, err := pack.NewPacker(m, archive)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		frame := 1 // the header is the first
		for i, part := range r.Parts {
			columns := make([][]uint64, part.Columns)
			for c := range columns {
				columns[c] = make([]uint64, part.Words)
				for w := range columns[c] {
					columns[c][w] = uint64(random.IntN(3)) << random.IntN(4) * 0x0101
				}
			}
			p.Begin(part, 2, nil)
			if r.Sums[i], err = p.AddPart(part, format.Held(columns)); err != nil {
				t.Fatal(err)
			}
			f := p.Written(m, r.End(), []*format.Record{r})
			got := make([][]uint64, part.Columns)
			for c := range got {
				got[c] = make([]uint64, part.Words)
			}
			if err := part.Read(f, r.Sums[i], 0, part.Words, got, 1); err != nil {
				t.Fatal(err)
			}
			for c := range got {
				if !slices.Equal(got[c], columns[c]) {
					t.Errorf("column %d of part %d is read as another", c, i)
				}
			}
			level := zstd.SpeedDefault
			if i == format.Steps {
				level = zstd.SpeedFastest
			} else if archive {
				level = zstd.SpeedBestCompression
			}
			for range part.Frames() {
				content := make([]byte, f.LengthOf(frame))
				if err := f.DecodeBytes(frame, content); err != nil {
					t.Fatal(err)
				}
				offset, packed, _ := f.Extent(t, frame)
				if want := encoder(level).EncodeAll(content, nil); !bytes.Equal(m.bytes[offset:offset+packed], want) {
					t.Errorf("archive %t: frame %d of part %d has %d bytes, not %d", archive, frame, i, packed, len(want))
				}
				frame++
			}
			if _, err := f.ReadAt(make([]byte, 1), r.End()); err == nil {
				t.Error("what was not written is read")
			}
		}
	}
}

// What fills a part up is compared with zeros, in whichever frame of a chunk it is: no checksum of the
// table is of it alone.
func TestPaddingIsChecked(t *testing.T) {
	for _, at := range []int{-1, 0, 1} {
		r, err := format.NewRecord(tabletest.QuixoShape, 5, 7, 13_000, 0, format.PageSize)
		if err != nil {
			t.Fatal(err)
		}
		m := new(inMemory)
		p, err := pack.NewPacker(m, true)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		first, masks := 1, r.Parts[format.Masks]
		for part, of := range r.Parts {
			content := bytes.Repeat([]byte{0x5a}, int(of.Padded()))
			words := int(of.Words) * of.Columns * 8
			clear(content[words:])
			if part == format.Masks && at >= 0 {
				content[[]int{words, len(content) - 1}[at]] = 1
			}
			for chunk := range of.Chunks() {
				from, length := of.Chunk(chunk)
				r.Sums[part] = append(r.Sums[part], format.Checksum(content[from-of.Offset:][:length]))
			}
			if p.Begin(of, 2, nil); len(content) > 0 {
				if err := p.Add(content, 0); err != nil {
					t.Fatal(err)
				}
			}
			if part < format.Masks {
				first += of.Frames()
			}
		}
		f := p.Written(m, r.End(), []*format.Record{r})
		if n := masks.Chunks(); n != 2 || masks.Frames() != 4 {
			t.Fatalf("%d chunks in %d frames", n, masks.Frames())
		}
		if err := f.CheckChunk(r, format.Masks, first, 0); err != nil {
			t.Errorf("the chunk before: %v", err)
		}
		if err := f.CheckChunk(r, format.Masks, first, 1); errors.Is(err, format.ErrPadding) != (at >= 0) || at < 0 && err != nil {
			t.Errorf("a bit of the filling, %d: %v", at, err)
		}
	}
}

// A frame that does not unpack to what the table has there is damage, with its place and the reason.
func TestDamagedFrames(t *testing.T) {
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	whole := encoder.EncodeAll(make([]byte, format.FrameSize), nil)
	for want, change := range map[string]func(plain []byte) (packed, entry []byte){
		"": func(plain []byte) (packed, entry []byte) {
			packed = encoder.EncodeAll(plain, nil)
			return packed, pack.AppendEntry(nil, packed, len(plain))
		},
		"it has 99 bytes, not 100 as in every packed table": func(plain []byte) (packed, entry []byte) {
			packed = encoder.EncodeAll(plain[1:], nil)
			return packed, pack.AppendEntry(nil, packed, 99)
		},
		"it has 99 bytes, not 100)": func(plain []byte) (packed, entry []byte) {
			packed = encoder.EncodeAll(plain[1:], nil)
			return packed, pack.AppendEntry(nil, packed, 100)
		},
		"its checksum is not the one in the seek table": func(plain []byte) (packed, entry []byte) {
			packed = encoder.EncodeAll(plain, nil)
			entry = pack.AppendEntry(nil, packed, 100)
			entry[len(entry)-1] ^= 1
			return packed, entry
		},
		"CRC check failed": func(plain []byte) (packed, entry []byte) {
			packed = encoder.EncodeAll(plain, nil)
			packed[len(packed)-1] ^= 1
			return packed, pack.AppendEntry(nil, packed, 100)
		},
	} {
		packed, entry := change(bytes.Repeat([]byte("ab"), 50))
		file := append(bytes.Clone(whole), packed...)
		entries := append(pack.AppendEntry(nil, whole, format.FrameSize), entry...)
		source, err := pack.Unpacked("t.tb", &inMemory{bytes: pack.AppendSeekTable(file, entries, format.FrameSize+100, pack.Words)}, 8*format.FrameSize)
		if err != nil {
			t.Fatal(err)
		}
		f := source.(*pack.Frames)
		if err := f.SetUniform(); err != nil {
			t.Fatal(err)
		}
		err = f.Decode(1, make([]byte, 100))
		var bad *format.BadFrame
		if want == "" {
			if err != nil {
				t.Error(err)
			}
		} else if !errors.As(err, &bad) || bad.Offset != int64(len(whole)) || bad.Length != int64(len(packed)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want that %s", err, want)
		}
		for _, source := range []io.ReaderAt{f, f.ThroughCache()} {
			if n, err := source.ReadAt(make([]byte, 100), format.FrameSize); (err == nil) != (want == "") || err != nil && n != 0 {
				t.Errorf("%s: %d bytes are read, %v", want, n, err)
			}
		}
	}
}
