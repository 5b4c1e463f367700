package cluster

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"sync"

	"backsolve/bitslice"
	"backsolve/cluster/store"
	"backsolve/retro"
)

// A part lies in the store as
//
//	8 bytes  "bkspart1"
//	4 bytes  the length of the head
//	head     JSON: what it is a part of, and its counts
//	planes   8 bytes a word: the won states, then the digits, the lowest first
//	4 bytes  CRC-32C over all that comes before
//
// with numbers little-endian. Equal parts have equal bytes. The store has checksums of its
// own; this one goes from the worker that made the part to whoever reads it.
const partMagic = "bkspart1"

// maxHead is more bytes than any head has.
const maxHead = 1 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// partHead is the head of a part.
type partHead struct {
	Solve  string `json:"solve"` // name of the board
	Class  int    `json:"class"`
	First  int    `json:"first"`
	Blocks int    `json:"blocks"`
	Words  int    `json:"words"`
	Digits int    `json:"digits"`

	Wins           []uint64 `json:"wins"`
	Losses         []uint64 `json:"losses"`
	TerminalWins   []uint64 `json:"terminal_wins"`
	TerminalLosses []uint64 `json:"terminal_losses"`
	StepsWins      []uint64 `json:"steps_wins"`
	StepsLosses    []uint64 `json:"steps_losses"`
}

// appendPart appends the bytes of a part.
func appendPart(to []byte, s *Solve, p *retro.SolvedBlocks) []byte {
	t := &p.Counts
	start := len(to)
	to = appendHead(to, partMagic, partHead{
		s.name(), p.Class, p.First, p.Blocks(), p.Words, len(p.Digits),
		t.Wins, t.Losses, t.TerminalWins, t.TerminalLosses, t.StepsWins, t.StepsLosses,
	})
	to = slices.Grow(to, 4+8*len(p.Win)*(1+len(p.Digits)))
	for _, plane := range append([][]uint64{p.Win}, p.Digits...) {
		to = appendWords(to, plane)
	}
	return binary.LittleEndian.AppendUint32(to, crc32.Checksum(to[start:], castagnoli))
}

// errPart is the cause where bytes are not the part that was put under a name.
var errPart = errors.New("it is not the part that was put there")

// summing is a reader that sums up what is read, unless the store does so anyway.
type summing struct {
	from  io.Reader
	store store.Summed // nil where it does not
	sum   uint32
}

func newSumming(from io.Reader) *summing {
	of, _ := from.(store.Summed)
	return &summing{from: from, store: of}
}

func (s *summing) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	if s.store == nil {
		s.sum = crc32.Update(s.sum, castagnoli, p[:n])
	}
	return n, err
}

// whole is the CRC-32C of whatever ends with its own.
var whole = crc32.Checksum(make([]byte, 4), castagnoli)

// isWhole reports whether what was read to its end does.
func (s *summing) isWhole() bool {
	if s.store != nil {
		return s.store.Sum() == whole
	}
	return s.sum == whole
}

// readPart reads the part of a group, the slices of whose blocks have so many words. The
// error wraps errPart where it is another one or damaged, or that of the reader.
func readPart(r io.Reader, s *Solve, g group, words int) (*retro.SolvedBlocks, error) {
	from := newSumming(r)
	var head partHead
	if err := readHead(from, partMagic, &head); err != nil {
		return nil, err
	}
	if head.Solve != s.name() || head.Class != g.class || head.First != g.first || head.Blocks != g.blocks || head.Words != words {
		return nil, fmt.Errorf("%w: it is of class %d, blocks %d to %d, of %s", errPart, head.Class, head.First, head.First+head.Blocks-1, head.Solve)
	}
	if head.Digits < 0 || head.Digits > 16 {
		return nil, fmt.Errorf("%w: it has %d digits", errPart, head.Digits)
	}
	p := &retro.SolvedBlocks{Class: g.class, First: g.first, Words: words}
	p.Counts = retro.StateCounts{
		Wins: head.Wins, Losses: head.Losses, TerminalWins: head.TerminalWins, TerminalLosses: head.TerminalLosses,
		StepsWins: head.StepsWins, StepsLosses: head.StepsLosses,
	}
	for i := range head.Digits + 1 {
		plane := takePlane(g.blocks * words)
		if err := readWords(from, plane); err != nil {
			return nil, err
		}
		if i == 0 {
			p.Win = plane
		} else {
			p.Digits = append(p.Digits, plane)
		}
	}
	return p, readEnd(from)
}

// planes are those of parts that nobody uses any more.
var planes sync.Pool

// takePlane returns a plane of so many words, with whatever it held before.
func takePlane(words int) []uint64 {
	if p, ok := planes.Get().(*[]uint64); ok && cap(*p) >= words {
		return (*p)[:words]
	}
	return make([]uint64, words)
}

// reuse gives the planes away of a part that was read and is not used any more.
func reuse(p *retro.SolvedBlocks) {
	for _, plane := range append(p.Digits, p.Win) {
		planes.Put(&plane)
	}
}

// appendHead appends how an object begins: its magic, of eight bytes, and its head.
func appendHead(to []byte, magic string, head any) []byte {
	text := encoded(head)
	to = append(to, magic...)
	to = binary.LittleEndian.AppendUint32(to, uint32(len(text)))
	return append(to, text...)
}

// readHead reads what an object with such a magic begins with.
func readHead(from io.Reader, magic string, head any) error {
	var start [len(partMagic) + 4]byte
	if err := readFull(from, start[:]); err != nil {
		return err
	}
	length := binary.LittleEndian.Uint32(start[len(partMagic):])
	if string(start[:len(partMagic)]) != magic || length > maxHead {
		return fmt.Errorf("%w: it does not begin like one", errPart)
	}
	text := make([]byte, length)
	if err := readFull(from, text); err != nil {
		return err
	}
	if err := json.Unmarshal(text, head); err != nil {
		return fmt.Errorf("%w: %w", errPart, err)
	}
	return nil
}

// lowFirst says that the lowest byte of a word comes first in the memory of this machine, as it
// does in a part.
var lowFirst = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// appendWords appends a plane.
func appendWords(to []byte, plane []uint64) []byte {
	if lowFirst {
		return append(to, bitslice.Bytes(plane)...)
	}
	for _, word := range plane {
		to = binary.LittleEndian.AppendUint64(to, word)
	}
	return to
}

// readWords fills a plane.
func readWords(from io.Reader, plane []uint64) error {
	if lowFirst {
		return readFull(from, bitslice.Bytes(plane))
	}
	const most = 64 << 10
	b := make([]byte, min(most, 8*len(plane)))
	for len(plane) > 0 {
		n := min(len(plane), len(b)/8)
		if err := readFull(from, b[:8*n]); err != nil {
			return err
		}
		for i := range plane[:n] {
			plane[i] = binary.LittleEndian.Uint64(b[8*i:])
		}
		plane = plane[n:]
	}
	return nil
}

// readEnd reads the checksum, and to the end, by which the store compares its own, and
// compares it.
func readEnd(from *summing) error {
	var end [4]byte
	if err := readFull(from, end[:]); err != nil {
		return err
	}
	n, err := io.Copy(io.Discard, from)
	switch {
	case err != nil:
		return err
	case n > 0:
		return fmt.Errorf("%w: %d bytes follow it", errPart, n)
	case !from.isWhole():
		return fmt.Errorf("%w: its checksum is another one", errPart)
	}
	return nil
}

// readFull fills a buffer.
func readFull(from io.Reader, b []byte) error {
	_, err := io.ReadFull(from, b)
	return cutShort(err)
}

// cutShort says what it means that a reader has ended too early.
func cutShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it is cut short", errPart)
	}
	return err
}
