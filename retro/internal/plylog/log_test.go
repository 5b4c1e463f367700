package plylog

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"backsolve/internal/bitslice"
	"backsolve/internal/plan"
)

// planes returns random planes for some plies: scattered words, and in some of them groups without a
// zero word.
func planes(t *rapid.T, words int) map[int][]uint64 {
	all := make(map[int][]uint64)
	for ply := range rapid.IntRange(1, 6).Draw(t, "plies") {
		plane := make([]uint64, words)
		for range rapid.IntRange(0, 200).Draw(t, "states") {
			plane[rapid.IntRange(0, words-1).Draw(t, "word")] |= 1 << rapid.IntRange(0, 63).Draw(t, "bit")
		}
		if rapid.Bool().Draw(t, "full") {
			for i := range min(words, 2<<bitslice.GroupBits) {
				plane[i] |= 1 << (i & 63)
			}
		}
		all[ply*rapid.IntRange(1, 3).Draw(t, "step")] = plane
	}
	return all
}

// fill appends planes to a log, with marks for the non-empty groups.
func fill(t rapid.TB, l *Log, all map[int][]uint64) {
	var b Buffer
	for ply, plane := range all {
		l.Begin(ply)
		for section := range l.Sections() {
			from, to := l.Section(section)
			marks := make([]uint64, bitslice.SummaryWords(to-from))
			for i, x := range plane[from:to] {
				if x != 0 {
					group := i >> bitslice.GroupBits
					marks[group>>6] |= 1 << (group & 63)
				}
			}
			if err := l.Append(ply, section, plane[from:to], marks, &b); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestLogKeepsPlanes reads planes back, section by section, from memory and from a
// file.
func TestLogKeepsPlanes(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.OneOf(rapid.IntRange(1, 70), rapid.IntRange(1, 5000)).Draw(t, "words")
		store := NewMemory()
		if rapid.Bool().Draw(t, "file") {
			var err error
			if store, err = NewFile(filepath.Join(dir, "log")); err != nil {
				t.Fatal(err)
			}
		}
		l := New(store, words, rapid.IntRange(0, 12).Draw(t, "bits"))
		defer l.Close()
		all := planes(t, words)
		fill(t, l, all)
		var b Buffer
		for ply := range l.Plies() + 2 {
			for section := range l.Sections() {
				from, to := l.Section(section)
				got := make([]uint64, to-from)
				if err := l.Read(ply, section, &b); err != nil {
					t.Fatal(err)
				}
				for i, at := range b.At {
					got[at] = b.Words[i]
				}
				for i, x := range got {
					var want uint64
					if plane := all[ply]; plane != nil {
						want = plane[from+i]
					}
					if x != want {
						t.Fatalf("ply %d, word %d is %#x, want %#x", ply, from+i, x, want)
					}
				}
			}
		}
	})
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("files stay: %v", left)
	}
}

// TestLongSections stores sections of more than 64 groups, whose marks take several words.
func TestLongSections(t *testing.T) {
	l := New(NewMemory(), 1<<14, 14)
	want := []uint32{0, 63, 64, 4095, 4096, 4097, 8191, 8192, 12300, 1<<14 - 1}
	plane := make([]uint64, 1<<14)
	for i, at := range want {
		plane[at] = uint64(i) + 1
	}
	fill(t, l, map[int][]uint64{3: plane})
	var b Buffer
	if err := l.Read(3, 0, &b); err != nil || !slices.Equal(b.At, want) {
		t.Fatalf("words %v, %v; want %v", b.At, err, want)
	}
	for i, x := range b.Words {
		if x != uint64(i)+1 {
			t.Errorf("word %d is %d, want %d", b.At[i], x, i+1)
		}
	}
}

// Words come back from sections of any length: to 2^22 words the number of a group has two bytes,
// beyond that four.
func TestLongestSections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.IntRange(20, 25).Draw(t, "bits") // 31 bits of a state's index
		at := rapid.SliceOfNDistinct(rapid.Uint32Max(1<<bits-1), 1, 20, rapid.ID).Draw(t, "words")
		at = append(at, 1<<bits-1)
		slices.Sort(at)
		at = slices.Compact(at)
		words := make([]uint64, len(at))
		for i := range words {
			words[i] = uint64(i) + 1
		}
		l := New(NewMemory(), 1<<bits, bits)
		var b Buffer
		l.Begin(0)
		if err := l.AppendSparse(0, 0, &Sparse{at, words}, &b); err != nil {
			t.Fatal(err)
		}
		if err := l.Read(0, 0, &b); err != nil || !slices.Equal(b.At, at) || !slices.Equal(b.Words, words) {
			t.Fatalf("words %v are %v, %v; want %v", b.At, b.Words, err, at)
		}
	})
}

// TestAppendSparse copies a log.
func TestAppendSparse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const words = 700
		from, to := New(NewMemory(), words, 8), New(NewMemory(), words, 8)
		fill(t, from, planes(t, words))
		var want, got Buffer
		for ply := range from.Plies() {
			to.Begin(ply)
			for section := range from.Sections() {
				if err := from.Read(ply, section, &want); err != nil {
					t.Fatal(err)
				}
				if err := to.AppendSparse(ply, section, &want.Sparse, &got); err != nil {
					t.Fatal(err)
				}
				if err := to.Read(ply, section, &got); err != nil || !slices.Equal(got.At, want.At) || !slices.Equal(got.Words, want.Words) {
					t.Fatalf("ply %d, section %d: words %v are %v, want %v that are %v: %v", ply, section, got.At, got.Words, want.At, want.Words, err)
				}
			}
		}
	})
}

// TestDamagedLog flips a bit of a log, which must be noticed.
func TestDamagedLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		store := new(memory)
		l := New(store, 1000, 7)
		all := planes(t, 1000)
		fill(t, l, all)
		if len(store.bytes) == 0 {
			return
		}
		at := rapid.IntRange(0, len(store.bytes)-1).Draw(t, "byte")
		store.bytes[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		noticed := 0
		var b Buffer
		for ply := range l.Plies() {
			for section := range l.Sections() {
				if err := l.Read(ply, section, &b); errors.Is(err, ErrDamaged) {
					noticed++
				} else if err != nil {
					t.Fatal(err)
				}
			}
		}
		if noticed != 1 {
			t.Fatalf("a flip in byte %d was noticed %d times", at, noticed)
		}
	})
}

// TestLogIndexBytes compares the estimated memory for the chunks of a log with that of a log with
// every odd ply.
func TestLogIndexBytes(t *testing.T) {
	for _, c := range []struct {
		words, bits, plies int
		want               int64
	}{
		{1 << 27, 17, 96, 820_000}, // as many as the widest classes of Quixo 5×5 have
		{5000, 10, 20, 960},
		{100, 7, 2, 48},
	} {
		l, held := New(NewMemory(), c.words, c.bits), int64(0)
		for ply := 1; ply < c.plies; ply += 2 {
			l.Begin(ply)
			held += int64(cap(l.plies[ply])) * int64(unsafe.Sizeof(chunk{}))
		}
		got := plan.LogIndexBytes(int64(c.words), int64(l.SectionWords()), c.plies)
		if got != c.want || got < held {
			t.Errorf("%d words, 2^%d in a section, %d plies: %d bytes, want %d; %d are held", c.words, c.bits, c.plies, got, c.want, held)
		}
	}
}
