package format

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"backsolve/tablebase"
)

var (
	quixo    = tablebase.Shape{Game: "quixo", Size: 4, Planes: 2, Steps: true}
	shapes   = []tablebase.Shape{quixo, {Game: "notakto", Size: 6, Planes: 1, Opening: true}, {Game: "dawson,5", Size: 26, Planes: 1, Nimbers: true}, {Game: strings.Repeat("a", nameSize), Size: 1, Planes: 2}}
	versions = []byte{1, 2, 3, 1}
)

// page returns the sealed page of a header, and the footer it is of.
func page(s tablebase.Shape) (h Header, b, footer []byte) {
	footer = bytes.Repeat([]byte{7}, 100)
	h = Header{Shape: s, Classes: 3, FooterOffset: 5 * PageSize, FooterLength: int64(len(footer))}
	h.Length = h.FooterOffset + h.FooterLength + EndMarkSize
	b = h.Encode(footer)
	return h, b, footer
}

// A header is read as it was written, in the oldest version that suffices. Its identity is the
// SHA-256 of the page, with zeros for itself and the checksum, and of the footer.
func TestHeader(t *testing.T) {
	for i, s := range shapes {
		want, b, footer := page(s)
		var got Header
		if err := got.Decode(b, want.Length); err != nil || got != want || b[8] != versions[i] {
			t.Errorf("%v: version %d, %+v, %v; want %+v", s, b[8], got, err, want)
		}
		bare := bytes.Clone(b)
		clear(bare[12:16])
		clear(bare[88:120])
		if got.Identity != sha256.Sum256(append(bare, footer...)) {
			t.Errorf("%v: the identity is %x", s, got.Identity)
		}
		if end := got.EndMark(); len(end) != EndMarkSize || !bytes.Equal(end[:7], got.Identity[:7]) || end[7] == 0 {
			t.Errorf("%v: the end mark is %x", s, end)
		}
	}
}

// Fields of a header that contradict each other or the file are refused though its checksum holds.
func TestHeaderRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		change func(b []byte)
		length int64 // more than the header says
		want   error
	}{
		"as it was":             {func([]byte) {}, 0, nil},
		"another magic":         {func(b []byte) { b[7]++ }, 0, tablebase.ErrForeign},
		"the next version":      {func(b []byte) { b[8] = Version + 1 }, 0, tablebase.ErrNewer},
		"no version":            {func(b []byte) { b[8] = 0 }, 0, ErrHeader},
		"a version too new":     {func(b []byte) { b[8] = 2 }, 0, ErrHeader},
		"text after the name":   {func(b []byte) { b[16+nameSize-1] = 'x' }, 0, ErrHeader},
		"no name":               {func(b []byte) { clear(b[16:48]) }, 0, ErrHeader},
		"three planes":          {func(b []byte) { b[52] = 3 }, 0, ErrHeader},
		"an unknown flag":       {func(b []byte) { b[56] |= 8 }, 0, ErrHeader},
		"something at the end":  {func(b []byte) { b[PageSize-1] = 1 }, 0, ErrHeader},
		"after the identity":    {func(b []byte) { b[120] = 1 }, 0, ErrHeader},
		"a byte is missing":     {func([]byte) {}, -1, tablebase.ErrTruncated},
		"a byte too many":       {func([]byte) {}, 1, ErrHeader},
		"footer off the page":   {func(b []byte) { le.PutUint64(b[72:], 5*PageSize+1); le.PutUint64(b[80:], 99) }, 0, ErrHeader},
		"footer in the header":  {func(b []byte) { le.PutUint64(b[72:], 0); le.PutUint64(b[80:], 5*PageSize+100) }, 0, ErrHeader},
		"footer behind the end": {func(b []byte) { le.PutUint64(b[72:], 6*PageSize); le.PutUint64(b[80:], 1<<64+100-PageSize) }, 0, ErrHeader},
		"a shorter footer":      {func(b []byte) { b[80]-- }, 0, ErrHeader},
		"no classes":            {func(b []byte) { b[60] = 0 }, 0, ErrHeader},
		"all classes":           {func(b []byte) { b[60] = MaxClass + 1 }, 0, nil},
		"a class too many":      {func(b []byte) { b[60] = MaxClass + 2 }, 0, ErrHeader},
	} {
		h, b, _ := page(quixo)
		test.change(b)
		SealHeader(b)
		var got Header
		if err := got.Decode(b, h.Length+test.length); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
	sparse := append([]byte(tablebase.SparseMagic), make([]byte, PageSize)...)
	if err := new(Header).Decode(sparse[:PageSize], PageSize); !errors.Is(err, tablebase.ErrSparse) {
		t.Errorf("a sparse table: %v", err)
	}
	for at := range 200 { // without a new checksum
		h, b, _ := page(quixo)
		b[at] ^= 1
		if err := new(Header).Decode(b, h.Length); err == nil {
			t.Errorf("byte %d is changed, and the header is taken", at)
		}
	}
	h, _, _ := page(quixo)
	for _, test := range []struct {
		offset int64
		extra  int64
		ok     bool
	}{{PageSize, 0, true}, {PageSize, 1, false}} {
		h.FooterOffset, h.FooterLength = test.offset, MaxFooter(test.offset)+test.extra
		h.Length = h.FooterOffset + h.FooterLength + EndMarkSize
		if err := new(Header).Decode(h.Encode(nil), h.Length); (err == nil) != test.ok {
			t.Errorf("a footer of %d bytes more than the longest: %v", test.extra, err)
		}
	}
}

// The longest records that there can be fit the bound of a footer.
func TestLongestFooter(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("the file is longer than 32 bits address")
	}
	r, err := NewRecord(quixo, MaxClass, MaxIndexBits, 1, MaxDigits, PageSize)
	if err != nil {
		t.Fatal(err)
	}
	r.Counts.ByWeight = make([]tablebase.OutcomeCounts, MaxIndexBits+1)
	r.Counts.BySteps = make([]tablebase.StepCounts, 1<<MaxDigits)
	data := int64(0)
	for _, p := range r.Parts {
		data += p.Padded()
	}
	most := int64(len(r.Append(nil)))
	sums := r.tailLength(1<<MaxDigits) - (most - RecordHead)
	if got, want := MaxFooter(PageSize+(MaxClass+1)*data), (MaxClass+1)*(most+sums); got < want || got > want+want/8 {
		t.Errorf("it is %d bytes, want %d", got, want)
	}
}

func TestCheckClassesAndMasks(t *testing.T) {
	record := func(class int) *Record { return &Record{ClassInfo: tablebase.ClassInfo{Class: class}} }
	opening := tablebase.Shape{Opening: true}
	for _, test := range []struct {
		shape   tablebase.Shape
		classes []*Record
		ok      bool
	}{{quixo, []*Record{record(9), record(2)}, true}, {opening, []*Record{record(1), record(0)}, true}, {opening, []*Record{record(0)}, true}, {opening, []*Record{record(2), record(1)}, false}, {opening, []*Record{record(2), record(0)}, false}} {
		if err := CheckClasses(test.shape, test.classes); (err == nil) != test.ok {
			t.Errorf("%d classes from %d on: %v", len(test.classes), test.classes[0].Class, err)
		}
	}
	for _, test := range []struct {
		masks []uint64
		ok    bool
	}{{[]uint64{0}, true}, {[]uint64{1, 3, 1<<16 - 1}, true}, {[]uint64{1, 1<<16 + 1}, false}, {[]uint64{1 << 16}, false}, {[]uint64{3, 3}, false}, {[]uint64{1, 5, 4}, false}, {[]uint64{5, 4}, false}} {
		if err := CheckMasks(quixo, test.masks); (err == nil) != test.ok {
			t.Errorf("%x: %v", test.masks, err)
		}
	}
}

// NewRecord lays the parts of a class out one after the other, each on a page of its own.
func TestNewRecord(t *testing.T) {
	r, err := NewRecord(quixo, 5, 7, 300, 3, 2*PageSize)
	if err != nil {
		t.Fatal(err)
	}
	want := [PartCount]Part{{Offset: 2 * PageSize, Columns: 2, Words: 600}, {Offset: 5 * PageSize, Columns: 3, Words: 600, Steps: true}, {Offset: 9 * PageSize, Columns: 1, Words: 300}}
	if r.Parts != want || r.End() != 10*PageSize || r.Frames() != 3 || r.Words() != 2 || r.Names != [PartCount]string{"outcomes", "steps", "masks"} {
		t.Errorf("%+v ends at %d with %d frames, want %+v", r.Parts, r.End(), r.Frames(), want)
	}
	if r, err := NewRecord(shapes[2], 0, 0, 1, 1, PageSize); err != nil || r.Names[Steps] != "nimbers" {
		t.Errorf("%+v: %v", r, err)
	}
	outcomes := tablebase.Shape{Game: "quixo", Size: 4, Planes: 2}
	for _, test := range []struct {
		shape                    tablebase.Shape
		class, indexBits, digits int
		blocks, offset           int64
		ok                       bool
	}{
		{quixo, MaxClass, 0, MaxDigits, 1, 0, true},
		{quixo, 0, MaxIndexBits, 0, 1, 0, true},
		{quixo, MaxClass + 1, 0, 0, 1, 0, false},
		{quixo, -1, 0, 0, 1, 0, false},
		{quixo, 1, MaxIndexBits + 1, 0, 1, 0, false},
		{quixo, 1, -1, 0, 1, 0, false},
		{quixo, 1, 1, MaxDigits + 1, 1, 0, false},
		{quixo, 1, 1, -1, 1, 0, false},
		{outcomes, 1, 1, 0, 1, 0, true},
		{outcomes, 1, 1, 1, 1, 0, false},
		{quixo, 1, 1, 1, 0, 0, false},
		{quixo, 1, 7, 0, maxWords / 2, 0, true},
		{quixo, 1, 7, 0, maxWords/2 + 1, 0, false},
		{quixo, 1, 6, 0, maxWords, 0, true},
		{quixo, 1, 6, 0, maxWords, math.MaxInt - 2*8*maxWords, false},
		{quixo, 1, 6, 0, maxWords, math.MaxInt - 3*8*maxWords, true},
	} {
		if strconv.IntSize == 32 && (test.indexBits == MaxIndexBits || test.blocks >= maxWords/2) {
			continue // the file is longer than 32 bits address
		}
		if _, err := NewRecord(test.shape, test.class, test.indexBits, test.blocks, test.digits, test.offset); (err == nil) != test.ok {
			t.Errorf("%+v: %v", test, err)
		}
	}
	for _, test := range []struct {
		shape        tablebase.Shape
		digits, rows int
		ok           bool
	}{{quixo, 3, 8, true}, {quixo, 3, 9, false}, {quixo, 3, 0, true}, {quixo, 3, -1, false}, {outcomes, 0, 0, true}, {outcomes, 0, 1, false}, {shapes[2], 0, 1, true}} {
		if err := CheckRows(test.shape, test.digits, test.rows); (err == nil) != test.ok {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

// fullRecord returns a record with counts and checksums, all different.
func fullRecord(t *testing.T, class int, offset int64) *Record {
	t.Helper()
	r, err := NewRecord(quixo, class, 7, 2000, 3, offset)
	if err != nil {
		t.Fatal(err)
	}
	next := uint64(class) << 40
	number := func() uint64 { next += 1 << 33; return next + 5 }
	for range r.IndexBits + 1 {
		r.Counts.ByWeight = append(r.Counts.ByWeight, tablebase.OutcomeCounts{Wins: number(), Losses: number(), Draws: number(), TerminalWins: number(), TerminalLosses: number()})
	}
	for range 6 {
		r.Counts.BySteps = append(r.Counts.BySteps, tablebase.StepCounts{Wins: number(), Losses: number()})
	}
	for i, p := range r.Parts {
		for range p.Chunks() {
			r.Sums[i] = append(r.Sums[i], uint32(number()>>30))
		}
	}
	return r
}

// same compares all of two records.
func same(a, b *Record) bool {
	sums := func(x, y []uint32) bool { return slices.Equal(x, y) }
	return a.Class == b.Class && a.IndexBits == b.IndexBits && a.Blocks == b.Blocks && a.Digits == b.Digits && a.Parts == b.Parts && a.Names == b.Names &&
		slices.Equal(a.Counts.ByWeight, b.Counts.ByWeight) && slices.Equal(a.Counts.BySteps, b.Counts.BySteps) && slices.EqualFunc(a.Sums[:], b.Sums[:], sums)
}

// A footer is read as it was written.
func TestFooter(t *testing.T) {
	first := fullRecord(t, 9, PageSize)
	records := []*Record{first, fullRecord(t, 4, first.End())}
	var footer []byte
	for _, r := range records {
		footer = r.Append(footer)
	}
	h := Header{Shape: quixo, Classes: 2, FooterOffset: records[1].End(), FooterLength: int64(len(footer))}
	h.Length = h.FooterOffset + h.FooterLength + EndMarkSize
	head := h.Encode(footer)
	file := append(append(make([]byte, h.FooterOffset), footer...), h.EndMark()...)
	copy(file, head)
	got, err := ReadFooter(bytes.NewReader(file), head, &h)
	if err != nil || !slices.EqualFunc(got, records, same) {
		t.Fatalf("%v: %+v", err, got)
	}
	for at := range footer {
		changed := bytes.Clone(file)
		changed[int(h.FooterOffset)+at] ^= 1
		if _, err := ReadFooter(bytes.NewReader(changed), head, &h); !errors.Is(err, ErrDirectory) {
			t.Errorf("byte %d is changed: %v", at, err)
		}
	}
	if _, err := ReadFooter(bytes.NewReader(file[:len(file)-20]), head, &h); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("cut: %v", err)
	}
	hole := bytes.Clone(file[:h.FooterOffset])
	hole = append(hole, make([]byte, 3*directoryRead)...)
	h.FooterLength = 3 * directoryRead
	if _, err := ReadFooter(bytes.NewReader(hole), head, &h); !errors.Is(err, errHole) {
		t.Errorf("a hole: %v", err)
	}
}

// Each field of a record that does not fit is refused, though nothing else checks it.
func TestDirectoryRefuses(t *testing.T) {
	first := fullRecord(t, 9, PageSize)
	second := fullRecord(t, 4, first.End())
	good := second.Append(first.Append(nil))
	at := len(first.Append(nil)) // of the second record
	for name, change := range map[string]func(b []byte, h *Header){
		"a class again":        func(b []byte, _ *Header) { b[at] = 9 },
		"a fuller class":       func(b []byte, _ *Header) { b[at] = 10 },
		"too many digits":      func(b []byte, _ *Header) { b[at+8] = MaxDigits + 1 },
		"too many rows":        func(b []byte, _ *Header) { b[at+12] = 9 },
		"too many blocks":      func(b []byte, _ *Header) { le.PutUint64(b[at+16:], maxWords+1) },
		"the outcomes off":     func(b []byte, _ *Header) { b[at+25]++ },
		"the steps off":        func(b []byte, _ *Header) { b[at+33]++ },
		"the masks off":        func(b []byte, _ *Header) { b[at+41]++ },
		"beyond the data":      func(_ []byte, h *Header) { h.FooterOffset -= PageSize },
		"a gap after the data": func(_ []byte, h *Header) { h.FooterOffset += PageSize },
		"a class more":         func(_ []byte, h *Header) { h.Classes = 3 },
		"a class fewer":        func(_ []byte, h *Header) { h.Classes = 1 },
		"not the emptiest":     func(_ []byte, h *Header) { h.Shape.Opening = true },
	} {
		b, h := bytes.Clone(good), Header{Shape: quixo, Classes: 2, FooterOffset: second.End()}
		change(b, &h)
		if _, err := newDirectory(b, h.Shape, h.FooterOffset).all(&h); !errors.Is(err, ErrDirectory) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A manifest gives back the records and the entries of their frames, up to one that is torn.
func TestManifest(t *testing.T) {
	first := fullRecord(t, 9, PageSize)
	second := fullRecord(t, 4, first.End())
	for _, magic := range []string{ManifestMagic, PackingMagic, ArchiveMagic} {
		start := ManifestStart(quixo, magic)
		want := quixo
		want.Archive = magic == ArchiveMagic
		if s, err := ManifestShape(start, magic); err != nil || s != want {
			t.Errorf("%q: %+v, %v", magic, s, err)
		}
		if s, err := ManifestShape(append(slices.Clone(start), 1, 2, 3), magic); err != nil || s != want {
			t.Errorf("%q and what follows it: %+v, %v", magic, s, err)
		}
		for cut := range start {
			if _, err := ManifestShape(start[:cut], magic); !errors.Is(err, ErrHeader) {
				t.Errorf("%d bytes: %v", cut, err)
			}
		}
		for at := range start {
			b := bytes.Clone(start)
			if b[at] ^= 1; at > 7 && at < 12 {
				continue // the version
			}
			if _, err := ManifestShape(b, magic); !errors.Is(err, ErrHeader) && !errors.Is(err, tablebase.ErrForeign) {
				t.Errorf("byte %d is changed: %v", at, err)
			}
			if SealHeader(b); at >= 60 {
				if _, err := ManifestShape(b, magic); !errors.Is(err, ErrHeader) {
					t.Errorf("byte %d is not zero: %v", at, err)
				}
			}
		}
	}
	entries := []byte("the entries of frames")
	start, a, b := ManifestStart(quixo, ManifestMagic), first.ManifestFrame(entries), second.ManifestFrame(nil)
	all := slices.Concat(start, a, b)
	if int64(len(all)) > MaxManifest(second.End()) {
		t.Errorf("%d bytes are more than the longest manifest", len(all))
	}
	calls := 0
	check := func(r *Record, e []byte, n int) error {
		want, wanted, length := first, entries, len(a)
		if calls++; calls > 1 {
			want, wanted, length = second, nil, len(b)
		}
		if !same(r, want) || !bytes.Equal(e, wanted) || n != length {
			t.Errorf("%d: %+v, %q, %d", calls, r, e, n)
		}
		return nil
	}
	if err := EachRecord(all, quixo, second.End(), check); err != nil || calls != 2 {
		t.Errorf("%d records: %v", calls, err)
	}
	calls = 0
	if err := EachRecord(all, quixo, first.End(), check); !errors.Is(err, ErrDirectory) || calls != 1 {
		t.Errorf("beyond the partial file: %d records, %v", calls, err)
	}
	failure := errors.New("enough")
	if err := EachRecord(all, quixo, second.End(), func(*Record, []byte, int) error { return failure }); err != failure {
		t.Errorf("it goes on: %v", err)
	}
	for cut := 1; cut < len(a); cut++ {
		if _, err := NextFrame(a[:cut]); !errors.Is(err, errFrameCut) {
			t.Errorf("cut to %d bytes: %v", cut, err)
		}
	}
	for at := range a {
		torn := append(bytes.Clone(a), b...)
		torn[at] ^= 1
		if frame, err := NextFrame(torn); err == nil || frame != nil {
			t.Errorf("byte %d is changed: %v", at, err)
		}
	}
	if frame, err := NextFrame(slices.Concat(a, b)); err != nil || !bytes.Equal(frame, a) {
		t.Errorf("%d bytes: %v", len(frame), err)
	}
}

// What is wrong with planes is said, and what is right passes; in memory, and read in runs.
func TestCheckPlanes(t *testing.T) {
	runs := func(run int, planes ...[]uint64) *tablebase.RunReader {
		return &tablebase.RunReader{Digits: len(planes), Run: run, Read: func(dst [][]uint64, first int) error {
			for i := range dst {
				copy(dst[i], planes[i][first:])
			}
			return nil
		}}
	}
	type planes = tablebase.Planes
	one := tablebase.Shape{Game: "notakto", Size: 4, Planes: 1, Steps: true}
	nimbers := tablebase.Shape{Game: "dawson", Size: 4, Planes: 1, Nimbers: true}
	digit := func(x uint64) [][]uint64 { return [][]uint64{{x, 0}} }
	for name, test := range map[string]struct {
		p     planes
		s     tablebase.Shape
		wrong string
	}{
		"right":                    {planes{Win: []uint64{1, 0}, Lose: []uint64{2, 0}, Steps: digit(3)}, quixo, ""},
		"right, without draws":     {planes{Win: []uint64{1, 0}, Steps: digit(15)}, one, ""},
		"right nimbers":            {planes{Win: []uint64{1, 0}, Steps: digit(1)}, nimbers, ""},
		"no lost states":           {planes{Win: []uint64{1, 0}}, quixo, "just if there are 2"},
		"lost states":              {planes{Win: []uint64{1, 0}, Lose: []uint64{2, 0}}, one, "just if there are 2"},
		"short":                    {planes{Win: []uint64{1}, Lose: []uint64{2, 0}}, quixo, "has 1 words, not 2"},
		"short steps":              {planes{Win: []uint64{1, 0}, Lose: []uint64{2, 0}, Steps: [][]uint64{{1}}}, quixo, "has 1 words, not 2"},
		"won beyond the slice":     {planes{Win: []uint64{1, 16}, Lose: []uint64{2, 0}}, quixo, "beyond the 4 states"},
		"lost beyond the slice":    {planes{Win: []uint64{1, 0}, Lose: []uint64{16, 0}}, quixo, "beyond the 4 states"},
		"won beyond it, one plane": {planes{Win: []uint64{16, 0}}, one, "beyond the 4 states"},
		"both":                     {planes{Win: []uint64{1, 4}, Lose: []uint64{2, 4}}, quixo, "both won and lost"},
		"steps of a draw":          {planes{Win: []uint64{1, 0}, Lose: []uint64{2, 0}, Steps: digit(4)}, quixo, "without a winner"},
		"steps beyond the slice":   {planes{Win: []uint64{1, 0}, Steps: digit(16)}, one, "without a winner"},
		"a nimber of a loss":       {planes{Win: []uint64{1, 0}, Steps: digit(3)}, nimbers, "another nimber than 0"},
		"nimbers in runs":          {planes{Win: []uint64{1, 0}, Reader: runs(2, []uint64{1, 0})}, nimbers, "not read in runs"},
		"outcomes in runs":         {planes{Outcomes: runs(2), Reader: runs(2)}, quixo, ""},
		"in runs of one plane":     {planes{Outcomes: runs(2)}, one, "in runs"},
		"in runs and in memory":    {planes{Outcomes: runs(2), Win: []uint64{1, 0}}, quixo, "in runs"},
		"in runs, lost in memory":  {planes{Outcomes: runs(2), Lose: []uint64{1, 0}}, quixo, "in runs"},
		"in runs, steps in memory": {planes{Outcomes: runs(2), Steps: digit(1)}, quixo, "in runs"},
		"in other runs":            {planes{Outcomes: runs(2), Reader: runs(4)}, quixo, "in the same runs"},
	} {
		err := CheckPlanes(&test.p, test.s, 2, 2)
		if test.wrong == "" && err != nil || test.wrong != "" && (err == nil || !strings.Contains(err.Error(), test.wrong)) {
			t.Errorf("%s: %v, want %q", name, err, test.wrong)
		}
	}
	if n := DigitsOf(&planes{Reader: runs(2, nil, nil)}); n != 2 {
		t.Errorf("%d digits are read in runs", n)
	}
	if n := DigitsOf(&planes{Steps: digit(1)}); n != 1 {
		t.Errorf("%d digits are in memory", n)
	}
	// Steps that are read in runs are checked by the outcomes, from whatever word on.
	win, lose := make([]uint64, 20), make([]uint64, 20)
	for w := range win {
		win[w], lose[w] = 1<<w, 2<<w
	}
	for _, p := range []planes{{Win: win, Lose: lose}, {Outcomes: runs(4, win, lose)}} {
		for first := range 18 {
			digits := [][]uint64{{win[first], lose[first+1]}}
			if err := checkSteps(&p, 30, int64(first), digits); err != nil {
				t.Errorf("from word %d on: %v", first, err)
			}
			if digits[0][1] <<= 1; checkSteps(&p, 30, int64(first), digits) == nil {
				t.Errorf("from word %d on a draw has steps", first)
			}
			for count := 1; count <= 20-first; count++ {
				buf := bytes.Repeat([]byte{9}, 16*count)
				if err := OutcomesAt(&p, buf, int64(first)*16); err != nil {
					t.Fatal(err)
				}
				for w := range count {
					if le.Uint64(buf[16*w:]) != win[first+w] || le.Uint64(buf[16*w+8:]) != lose[first+w] {
						t.Fatalf("word %d of %d from %d on: %x", w, count, first, buf[16*w:16*w+16])
					}
				}
			}
		}
	}
	buf := make([]byte, 24)
	if err := OutcomesAt(&planes{Win: win}, buf, 5*8); err != nil || le.Uint64(buf) != win[5] || le.Uint64(buf[16:]) != win[7] {
		t.Errorf("of one plane: %x, %v", buf, err)
	}
	failed := errors.New("the disk is on fire")
	failing := planes{Outcomes: &tablebase.RunReader{Run: 4, Read: func([][]uint64, int) error { return failed }}}
	if err := checkSteps(&failing, 6, 0, digit(1)); !errors.Is(err, failed) {
		t.Errorf("outcomes that cannot be read: %v", err)
	}
}

// Planes are read as they were written, run by run, and what is damaged is named by part.
func TestReadPlanes(t *testing.T) {
	r, err := NewRecord(quixo, 5, 7, 9000, 3, PageSize)
	if err != nil {
		t.Fatal(err)
	}
	columns := randomColumns(5, 18000, 4)
	p := tablebase.Planes{Win: columns[0], Lose: columns[1], Steps: columns[2:]}
	for w := range p.Win {
		p.Lose[w] &^= p.Win[w]
		for _, digit := range p.Steps {
			digit[w] &= p.Win[w] | p.Lose[w]
		}
	}
	var f memory
	outcomes, steps := PlaneColumns(&p, 7)
	for i, c := range []Columns{outcomes, steps} {
		if r.Sums[i], err = r.Parts[i].Write(&f, c); err != nil {
			t.Fatal(err)
		}
	}
	var got tablebase.Planes
	for _, run := range [][2]int{{0, 9000}, {4000, 1}, {8999, 1}, {17, 5000}, {1, 2}} {
		if err := r.ReadPlanes(&f, quixo, run[0], run[1], &got, 2); err != nil {
			t.Fatal(err)
		}
		from, to := 2*run[0], 2*(run[0]+run[1])
		if !slices.Equal(got.Win, p.Win[from:to]) || !slices.Equal(got.Lose, p.Lose[from:to]) || len(got.Steps) != 3 || !slices.Equal(got.Steps[2], p.Steps[2][from:to]) {
			t.Errorf("%v: other planes", run)
		}
		if err := r.ReadPlanes(&f, tablebase.Shape{Planes: 2}, run[0], run[1], &got, 1); err != nil || len(got.Steps) != 0 || !slices.Equal(got.Lose, p.Lose[from:to]) {
			t.Errorf("%v without steps: %v", run, err)
		}
	}
	for part := range []int{Outcomes, Steps} {
		offset, length := r.Parts[part].Chunk(2)
		f.b[offset+length-1] ^= 1
		var at *PartError
		var bad *BadChunk
		err := r.ReadPlanes(&f, quixo, 0, 9000, &got, 1)
		if !errors.As(err, &at) || at.Part != part || !errors.As(err, &bad) || bad.Chunk != 2 {
			t.Errorf("part %d is damaged: %v", part, err)
		}
		want := tablebase.Range{Class: 5, Part: r.Names[part], Offset: offset, Length: length}
		if said := (*tablebase.Error)(nil); !errors.As(ReadError("x.tb", r, err, "mend it"), &said) || !errors.Is(said, tablebase.ErrDamaged) || !slices.Equal(said.Damaged, []tablebase.Range{want}) || said.Remedy != "mend it" {
			t.Errorf("part %d is damaged: %+v", part, said)
		}
		buf := make([]byte, ChunkSize)
		if _, err := r.ReadChunk(&f, part, 2, buf); !errors.As(err, &bad) || bad.Chunk != 2 {
			t.Errorf("the chunk is read: %v", err)
		}
		if got, err := r.ReadChunk(&f, part, 1, buf); err != nil || !bytes.Equal(got, f.b[r.Parts[part].Offset+ChunkSize:][:ChunkSize]) {
			t.Errorf("the chunk before it: %v", err)
		}
		run := make([]byte, 3*ChunkSize)
		for _, isRead := range []bool{false, true} {
			if isRead {
				f.ReadAt(run, r.Parts[part].Offset+ChunkSize)
			}
			if got := r.Parts[part].BadChunks(&f, r.Sums[part], run, ChunkSize, isRead); !slices.Equal(got, []int{2}) {
				t.Errorf("the chunks %v are bad", got)
			}
			if got := r.Parts[part].BadChunks(&f, nil, run, ChunkSize, isRead); got != nil {
				t.Errorf("without checksums the chunks %v are bad", got)
			}
		}
		f.b[offset+length-1] ^= 1
	}
	copied := randomColumns(3, 5000, 9)
	if err := r.Parts[Steps].Copy(&f, 3000, copied); err != nil || !slices.Equal(copied[1], p.Steps[1][3000:8000]) {
		t.Errorf("a copy: %v", err)
	}
	f.b = f.b[:r.Parts[Steps].Offset+100]
	if err := r.Parts[Steps].Copy(&f, 3000, copied); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a copy of what is cut: %v", err)
	}
	if got := r.Parts[Steps].BadChunks(&f, nil, make([]byte, 2*ChunkSize), 0, false); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("of what is cut, the chunks %v are bad", got)
	}
}

// Planes that are used again have what the next shape has, and no memory is made for what fits.
func TestResizePlanes(t *testing.T) {
	var p tablebase.Planes
	for _, want := range []struct{ planes, digits, words int }{{2, 3, 9}, {1, 0, 9}, {2, 1, 4}, {1, 5, 20}, {1, 2, 0}} {
		ResizePlanes(&p, tablebase.Shape{Planes: want.planes}, want.digits, want.words)
		if len(p.Win) != want.words || (p.Lose != nil) != (want.planes == 2) || p.Lose != nil && len(p.Lose) != want.words || len(p.Steps) != want.digits {
			t.Errorf("%+v: there are %d and %d words, and %d digits", want, len(p.Win), len(p.Lose), len(p.Steps))
		}
		for _, digit := range p.Steps {
			if len(digit) != want.words {
				t.Errorf("%+v: a digit has %d words", want, len(digit))
			}
		}
	}
	if n := testing.AllocsPerRun(10, func() { ResizePlanes(&p, tablebase.Shape{Planes: 1}, 5, 20) }); n > 0 {
		t.Errorf("%v allocations for what is there", n)
	}
}

// The zeros after the last word are checked.
func TestPadding(t *testing.T) {
	r, err := NewRecord(quixo, 5, 6, 10, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := r.Parts[Outcomes]
	for at, ok := range map[int]bool{159: true, 160: false, 170: false, PageSize - 1: false} {
		f := memory{b: make([]byte, PageSize)}
		f.b[at] = 1
		r.Sums[Outcomes] = []uint32{Checksum(f.b)}
		if got := p.IsPadded(f.b, 0); got != ok {
			t.Errorf("byte %d is set: %t", at, got)
		}
		if at >= 100 && p.IsPadded(f.b[100:], 100) != ok {
			t.Errorf("byte %d is set, after 100 bytes", at)
		}
		if p.IsPadded(f.b[161:], 161) != (at < 161) || p.IsPadded(f.b[:160], 0) != true {
			t.Errorf("byte %d is set, behind the words and before", at)
		}
		whole := p.Read(&f, r.Sums[Outcomes], 0, 10, nil, 1)
		_, chunk := r.ReadChunk(&f, Outcomes, 0, make([]byte, ChunkSize))
		if errors.Is(whole, ErrPadding) == ok || errors.Is(chunk, ErrPadding) == ok {
			t.Errorf("byte %d is set: %v, %v", at, whole, chunk)
		}
	}
}

// Errors of reading a class say what is damaged, what is cut off, and what cannot be read.
func TestReadError(t *testing.T) {
	r, err := NewRecord(quixo, 5, 6, 10, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		err  error
		is   error
		says string
	}{
		{&PartError{Outcomes, ErrPadding}, tablebase.ErrDamaged, "class 5, outcomes: what fills it up"},
		{&PartError{Steps, &BadFrame{Offset: 10, Length: 5, Cause: io.EOF}}, tablebase.ErrDamaged, "class 5: the frame in bytes 10 to 14"},
		{&BadFrame{Offset: 10, Length: 5, Cause: io.EOF}, tablebase.ErrDamaged, "class 5: the frame in bytes 10 to 14"},
		{&PartError{Steps, ErrSeekTable}, tablebase.ErrDamaged, "class 5: its seek table"},
		{&PartError{Steps, ErrUnderivable}, tablebase.ErrDamaged, "class 5: the steps of its won states"},
		{&PartError{Steps, io.ErrUnexpectedEOF}, tablebase.ErrTruncated, "it ends within class 5"},
		{errors.New("both won and lost"), tablebase.ErrDamaged, "class 5: both won"},
		{&PartError{Steps, errors.New("no such device")}, nil, "no such device"},
	} {
		var said *tablebase.Error
		got := ReadError("x.tb", r, test.err, "")
		damage := errors.Is(got, tablebase.ErrDamaged) || errors.Is(got, tablebase.ErrTruncated)
		if !errors.As(got, &said) || said.Path != "x.tb" || !strings.Contains(got.Error(), test.says) || test.is != nil && !errors.Is(got, test.is) || test.is == nil && damage {
			t.Errorf("%v: %v", test.err, got)
		}
	}
}
