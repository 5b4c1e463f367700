// Package plylog stores the states of a class by the ply in which they were labelled. The next
// class is solved from it ply by ply, and the table is written from it section by section.
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

	"backsolve/internal/bitslice"
)

var le = binary.LittleEndian

// Log is the log of a class. Its planes are cut into sections of equal length, and each section
// has a chunk for every ply. Different sections may be appended and read concurrently. Begin is
// not safe for concurrent use.
type Log struct {
	store   Store
	end     atomic.Int64
	read    atomic.Int64
	words   int       // of a plane
	section int       // words of every section but the last
	number  int       // bytes of the number of a group
	plies   [][]chunk // by ply and section; nil for an empty ply
}

// chunk is the place of a ply of a section in the store. Its length is 0 where it is empty.
type chunk struct {
	offset int64
	length uint32
	sum    uint32 // CRC-32C
}

// Store holds the bytes of a log.
type Store interface {
	io.ReaderAt
	io.WriterAt
}

// New returns an empty log of planes of the given number of words, in sections of 2^bits words.
func New(store Store, words, bits int) *Log {
	section, number := 1<<uint(bits), 2
	if bits > 16+bitslice.GroupBits {
		number = 4
	}
	return &Log{store: store, words: words, section: section, number: number}
}

// Sections returns the number of sections.
func (l *Log) Sections() int { return (l.words + l.section - 1) / l.section }

// Section returns the words [from, to) of a section.
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

// Bytes returns how many bytes were written to and read from the log's file, none in memory.
func (l *Log) Bytes() (written, read int64) {
	if l == nil {
		return 0, 0
	}
	if _, ok := l.store.(*memory); ok {
		return 0, 0
	}
	return l.end.Load(), l.read.Load()
}

// Begin adds a ply, unless it was added, before its states are appended.
func (l *Log) Begin(ply int) {
	l.plies = append(l.plies, make([][]chunk, max(ply+1-len(l.plies), 0))...)
	if l.plies[ply] == nil {
		l.plies[ply] = make([]chunk, l.Sections())
	}
}

// Trim forgets the plies without any states.
func (l *Log) Trim() {
	for ply, chunks := range l.plies {
		if !slices.ContainsFunc(chunks, func(c chunk) bool { return c.length > 0 }) {
			l.plies[ply] = nil
		}
	}
	for n := len(l.plies); n > 0 && l.plies[n-1] == nil; n-- {
		l.plies = l.plies[:n-1]
	}
}

// Buffer is scratch memory, not safe for concurrent use.
type Buffer struct {
	packed []byte
	number int // bytes of the number of a group, as in the log that is used
	Sparse     // the words that were read or are to be written
}

// Sparse are the words of a section that are not zero.
type Sparse struct {
	At    []uint32 // their numbers in the section, ascending
	Words []uint64
}

// Reset takes all words out.
func (s *Sparse) Reset() { s.At, s.Words = s.At[:0], s.Words[:0] }

// Sort adds states to the lists of their numbers, which word i of the numbers has. at is the word's own number
// in its section. It returns the lists, with more where they are needed.
func Sort(lists []Sparse, numbers bitslice.Numbers, i int, at uint32, states uint64) []Sparse {
	digits := numbers.Load(i)
	for states != 0 {
		bit, number, same := uint(bits.TrailingZeros64(states)), 0, states
		for d, word := range digits[:len(numbers)] {
			digit := word >> (bit & 63) & 1
			number |= int(digit) << d
			same &= word ^ (digit - 1)
		}
		states &^= same
		for len(lists) <= number {
			lists = append(lists, Sparse{})
		}
		to := &lists[number]
		to.At, to.Words = append(to.At, at), append(to.Words, same)
	}
	return lists
}

// A chunk has the number of non-empty groups of 64 words. For each of them follow two bytes with
// its number in the section, four in sections of more than 2^22 words, and eight with a bit for each
// non-zero word. The non-zero words come last, squeezed.
const chunkHead = 4

func (b *Buffer) groupHead() int { return b.number + 8 }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Append stores the states of a ply of a section, after Begin. plane has the words of the
// section; groups without a bit in marks are skipped.
func (l *Log) Append(ply, section int, plane, marks []uint64, b *Buffer) error {
	b.number, b.packed, b.Words = l.number, append(b.packed[:0], 0, 0, 0, 0), b.Words[:0]
	for i, m := range marks {
		for ; m != 0; m &= m - 1 {
			group := i<<6 | bits.TrailingZeros64(m)
			from := group << bitslice.GroupBits
			b.appendGroup(group, plane[from:min(from+1<<bitslice.GroupBits, len(plane))])
		}
	}
	return l.write(ply, section, b, b.Words)
}

// AppendSparse is Append for the words that are not zero.
func (l *Log) AppendSparse(ply, section int, words *Sparse, b *Buffer) error {
	b.number, b.packed = l.number, append(b.packed[:0], 0, 0, 0, 0)
	for at := words.At; len(at) > 0; {
		group, mask := at[0]>>bitslice.GroupBits, uint64(0)
		for len(at) > 0 && at[0]>>bitslice.GroupBits == group {
			mask |= 1 << (at[0] & (1<<bitslice.GroupBits - 1))
			at = at[1:]
		}
		b.appendHead(int(group), mask)
	}
	return l.write(ply, section, b, words.Words)
}

// write completes the chunk in the buffer with its words, and writes it unless there are none.
func (l *Log) write(ply, section int, b *Buffer, words []uint64) error {
	if len(words) == 0 {
		return nil
	}
	le.PutUint32(b.packed, uint32((len(b.packed)-chunkHead)/b.groupHead()))
	b.packed = bitslice.Squeeze(b.packed, words)
	return l.append(ply, section, b.packed)
}

func (l *Log) append(ply, section int, packed []byte) error {
	offset := l.end.Add(int64(len(packed))) - int64(len(packed))
	l.plies[ply][section] = chunk{offset, uint32(len(packed)), crc32.Checksum(packed, castagnoli)}
	_, err := l.store.WriteAt(packed, offset)
	return DiskError("write a work file", err)
}

// AppendChunk is Append for a chunk of another log of the class. It fills At and Words of the buffer.
func (l *Log) AppendChunk(ply, section int, packed []byte, b *Buffer) error {
	if err := l.Unpack(section, packed, b); err != nil {
		return err
	}
	return l.append(ply, section, packed)
}

// Unpack fills At and Words of the buffer from a section's chunk of another log of the class.
func (l *Log) Unpack(section int, packed []byte, b *Buffer) error {
	b.number, b.At, b.Words, b.packed = l.number, b.At[:0], b.Words[:0], append(b.packed[:0], packed...)
	from, to := l.Section(section)
	err := errors.New("it is too short")
	if len(packed) > chunkHead {
		err = b.unpack()
	}
	if err == nil && (len(b.At) == 0 || int(b.At[len(b.At)-1]) >= to-from || !slices.IsSorted(b.At)) {
		err = errors.New("its words are no section")
	}
	if err != nil {
		return fmt.Errorf("%w (%w)", ErrDamaged, err)
	}
	return nil
}

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

// appendHead appends the head of a group: its number and the mask of its non-zero words.
func (b *Buffer) appendHead(group int, mask uint64) {
	b.packed = le.AppendUint16(b.packed, uint16(group))
	if b.number == 4 {
		b.packed = le.AppendUint16(b.packed, uint16(group>>16))
	}
	b.packed = le.AppendUint64(b.packed, mask)
}

// ErrDamaged means that a log differs from what was written.
var ErrDamaged = errors.New("the log of a class is damaged")

// Read fills At and Words of the buffer with the states of a ply in a section.
func (l *Log) Read(ply, section int, b *Buffer) error {
	b.number, b.At, b.Words = l.number, b.At[:0], b.Words[:0]
	if packed, err := l.Chunk(ply, section, b); packed == nil {
		return err
	}
	return DiskError("read a work file", b.unpack())
}

// Chunk returns the chunk of a ply of a section, nil if empty. It is valid until the buffer is used again.
func (l *Log) Chunk(ply, section int, b *Buffer) ([]byte, error) {
	if !l.Has(ply, section) {
		return nil, nil
	}
	c := l.plies[ply][section]
	b.packed = slices.Grow(b.packed[:0], int(c.length)+64)[:c.length] // with room behind, for Expand
	l.read.Add(int64(c.length))
	_, err := l.store.ReadAt(b.packed, c.offset)
	if (err == nil || err == io.EOF) && crc32.Checksum(b.packed, castagnoli) != c.sum {
		err = ErrDamaged
	}
	if err != nil && err != io.EOF {
		return nil, DiskError("read a work file", err)
	}
	return b.packed, nil
}

func (b *Buffer) unpack() error {
	groups, groupHead := int(le.Uint32(b.packed)), b.groupHead()
	heads := b.packed[chunkHead:]
	if groups*groupHead > len(heads) {
		return fmt.Errorf("it has %d groups in %d bytes", groups, len(heads))
	}
	heads, squeezed := heads[:groups*groupHead], heads[groups*groupHead:]
	for ; len(heads) > 0; heads = heads[groupHead:] {
		group := uint32(le.Uint16(heads))
		if b.number == 4 {
			group = le.Uint32(heads)
		}
		first := group << bitslice.GroupBits
		for mask := le.Uint64(heads[b.number:]); mask != 0; mask &= mask - 1 {
			b.At = append(b.At, first+uint32(bits.TrailingZeros64(mask)))
		}
	}
	b.Words = slices.Grow(b.Words, len(b.At))[:len(b.At)]
	return bitslice.Expand(b.Words, squeezed)
}

// Close releases the log's memory or file. Closing a nil log does nothing.
func (l *Log) Close() {
	if l == nil {
		return
	}
	if c, ok := l.store.(io.Closer); ok {
		c.Close() // its contents are not needed any more
	}
	l.plies = nil
}
