// Package plylog keeps the states of a class by the ply in which they were labelled:
// who solves the next class reads it ply by ply, who writes the table section by
// section.
package plylog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"
	"slices"
	"sync/atomic"

	"backsolve/bitslice"
)

var le = binary.LittleEndian

// Log is the log of a class. Its planes are cut into sections of equal length; what
// was labelled in a ply is kept for each section by itself. Different sections may be
// appended and read at once; Begin is for one goroutine alone.
type Log struct {
	store    io.ReaderAt
	to       io.WriterAt
	end      atomic.Int64
	read     atomic.Int64
	words    int // of a plane
	section  int // words of a section, but for the last
	sections int
	plies    [][]chunk // by ply: what each section has; nil where none has any
}

// chunk is where a ply of a section stands. One without length is empty.
type chunk struct {
	offset int64
	length uint32
	sum    uint32 // CRC-32C
}

// Store is where a log is kept.
type Store interface {
	io.ReaderAt
	io.WriterAt
}

// New returns an empty log of planes of so many words, cut into sections of 2^bits
// words, which are at least a group of 64.
func New(store Store, words, bits int) *Log {
	section := 1 << uint(max(bits, bitslice.GroupBits))
	return &Log{store: store, to: store, words: words, section: section, sections: (words + section - 1) / section}
}

// Sections returns the number of sections.
func (l *Log) Sections() int { return l.sections }

// Section returns the stretch of a plane that a section is: words [from, to).
func (l *Log) Section(section int) (from, to int) {
	from = section * l.section
	return from, min(from+l.section, l.words)
}

// SectionWords returns the words of every section but the last.
func (l *Log) SectionWords() int { return l.section }

// Plies returns one more than the last ply that has any states.
func (l *Log) Plies() int {
	if l == nil {
		return 0
	}
	return len(l.plies)
}

// Any reports whether a ply has any states.
func (l *Log) Any(ply int) bool {
	return ply >= 0 && l != nil && ply < len(l.plies) && l.plies[ply] != nil
}

// Has reports whether a ply has any states of a section.
func (l *Log) Has(ply, section int) bool { return l.Any(ply) && l.plies[ply][section].length > 0 }

// FileBytes returns how long the log is where it is kept in a file, else 0.
func (l *Log) FileBytes() int64 {
	if l == nil {
		return 0
	}
	if _, ok := l.store.(*memory); ok {
		return 0
	}
	return l.end.Load()
}

// BytesRead returns how much of it has been read, again and again.
func (l *Log) BytesRead() int64 {
	if l == nil {
		return 0
	}
	return l.read.Load()
}

// Begin makes room for a ply.
func (l *Log) Begin(ply int) {
	for len(l.plies) <= ply {
		l.plies = append(l.plies, nil)
	}
	l.plies[ply] = make([]chunk, l.sections)
}

// Buffer is memory that is used again by one goroutine after another.
type Buffer struct {
	packed []byte
	At     []uint32 // words of a section that are not zero, ascending
	Words  []uint64 // and what they are
}

// A chunk has the number of the groups of 64 words with a state in them; for each of these
// two bytes with its number in the section and eight with a bit for each word that is not
// zero; and these words, squeezed.
const (
	chunkHead = 4
	groupHead = 2 + 8
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Append keeps the states of a ply in a section: plane is the section's stretch, of
// which only the groups with a bit in marks are looked at. The ply was begun.
func (l *Log) Append(ply, section int, plane, marks []uint64, b *Buffer) error {
	b.appendGroups(plane, marks)
	return l.write(ply, section, b)
}

// AppendWords is Append of words that are not zero, with their numbers in the section,
// ascending.
func (l *Log) AppendWords(ply, section int, at []uint32, words []uint64, b *Buffer) error {
	b.packed, b.Words = append(b.packed[:0], 0, 0, 0, 0), append(b.Words[:0], words...)
	for len(at) > 0 {
		group, mask := at[0]>>bitslice.GroupBits, uint64(0)
		for len(at) > 0 && at[0]>>bitslice.GroupBits == group {
			mask |= 1 << (at[0] & (1<<bitslice.GroupBits - 1))
			at = at[1:]
		}
		b.appendHead(int(group), mask)
	}
	return l.write(ply, section, b)
}

// write writes the chunk whose heads and words are in the buffer, if it has any.
func (l *Log) write(ply, section int, b *Buffer) error {
	if !b.squeeze() {
		return nil
	}
	offset := l.end.Add(int64(len(b.packed))) - int64(len(b.packed))
	if _, err := l.to.WriteAt(b.packed, offset); err != nil {
		return fmt.Errorf("cannot write the log of a class: %w; see to the disk and solve again: the finished classes are kept", err)
	}
	l.plies[ply][section] = chunk{offset, uint32(len(b.packed)), crc32.Checksum(b.packed, castagnoli)}
	return nil
}

// squeeze finishes the chunk whose heads and words are in the buffer, and reports whether
// it has any.
func (b *Buffer) squeeze() bool {
	if len(b.Words) == 0 {
		return false
	}
	le.PutUint32(b.packed, uint32((len(b.packed)-chunkHead)/groupHead))
	b.packed = bitslice.Squeeze(b.packed, b.Words)
	return true
}

// appendGroups begins a chunk with the words that are not zero of those groups that have a
// bit in marks.
func (b *Buffer) appendGroups(plane, marks []uint64) {
	b.packed, b.Words = append(b.packed[:0], 0, 0, 0, 0), b.Words[:0]
	for i, m := range marks {
		for ; m != 0; m &= m - 1 {
			group := i<<6 | bits.TrailingZeros64(m)
			from := group << bitslice.GroupBits
			b.appendGroup(group, plane[from:min(from+1<<bitslice.GroupBits, len(plane))])
		}
	}
}

// appendGroup appends the non-zero words of a group.
func (b *Buffer) appendGroup(number int, words []uint64) {
	mask := bitslice.NonZero(words)
	if mask == 0 {
		return
	}
	b.appendHead(number, mask)
	if mask == ^uint64(0) {
		b.Words = append(b.Words, words...)
		return
	}
	for ; mask != 0; mask &= mask - 1 {
		b.Words = append(b.Words, words[bits.TrailingZeros64(mask)])
	}
}

// appendHead notes which words of a group are not zero.
func (b *Buffer) appendHead(group int, mask uint64) {
	b.packed = le.AppendUint64(le.AppendUint16(b.packed, uint16(group)), mask)
}

// ErrDamaged is the cause where a log is not what was written.
var ErrDamaged = errors.New("the log of a class is damaged")

// Read fills At and Words of the buffer with the states of a ply in a section.
func (l *Log) Read(ply, section int, b *Buffer) error {
	b.At, b.Words = b.At[:0], b.Words[:0]
	if !l.Has(ply, section) {
		return nil
	}
	c := l.plies[ply][section]
	b.packed = slices.Grow(b.packed[:0], int(c.length)+64)[:c.length] // with room behind, for Expand
	if _, err := l.store.ReadAt(b.packed, c.offset); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("cannot read the log of a class: %w; see to the disk and solve again: the finished classes are kept", err)
	}
	l.read.Add(int64(c.length))
	if crc32.Checksum(b.packed, castagnoli) != c.sum {
		return fmt.Errorf("%w; solve again: the finished classes are kept", ErrDamaged)
	}
	if err := b.unpack(); err != nil {
		return fmt.Errorf("%w (%w); solve again: the finished classes are kept", ErrDamaged, err)
	}
	return nil
}

// unpack fills At and Words with what a chunk has.
func (b *Buffer) unpack() error {
	groups := int(le.Uint32(b.packed))
	heads := b.packed[chunkHead:]
	if groups*groupHead > len(heads) {
		return fmt.Errorf("it has %d groups in %d bytes", groups, len(heads))
	}
	heads, squeezed := heads[:groups*groupHead], heads[groups*groupHead:]
	for ; len(heads) > 0; heads = heads[groupHead:] {
		first := uint32(le.Uint16(heads)) << bitslice.GroupBits
		for mask := le.Uint64(heads[2:]); mask != 0; mask &= mask - 1 {
			b.At = append(b.At, first+uint32(bits.TrailingZeros64(mask)))
		}
	}
	b.Words = slices.Grow(b.Words, len(b.At))[:len(b.At)]
	return bitslice.Expand(b.Words, squeezed)
}

// Close gives the log's memory or file back. A nil log is closed.
func (l *Log) Close() {
	if l == nil {
		return
	}
	if c, ok := l.store.(io.Closer); ok {
		c.Close() // nobody needs what was written
	}
	l.plies = nil
}
