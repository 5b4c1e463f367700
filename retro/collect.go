package retro

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"backsolve/bitslice"
	"backsolve/retro/internal/plylog"
	"backsolve/retro/internal/work"
)

// A class goes to those who have not solved it in pieces, each a section of its
// planes. A piece is made of records,
//
//	1 byte   0 for won states, 1 for lost ones
//	4 bytes  the steps to the end, 0 in a solve without steps
//	4 bytes  the section
//	4 bytes  the length of what follows
//	         the words of the section, eight bytes each, or in a solve with steps
//	         those that are not zero, as plylog packs them
//
// with numbers little-endian. Equal classes have equal pieces, whoever solved them.
const (
	wonRecord  = 0
	lostRecord = 1
	recordHead = 1 + 4 + 4 + 4
)

// piece returns piece i of a class, as what it is put together from: stretches of its planes, as
// they lie in memory, and of a buffer that is used again. It may be called by several goroutines
// at once.
func (l *level) piece(i int, o Options, buffer *[]byte) ([][]byte, error) {
	if l.won != nil {
		return l.packedPiece(i, buffer)
	}
	from, end := sectionsOf(l.class, o).of(i)
	heads := slices.Grow((*buffer)[:0], 2*recordHead)
	var parts [][]byte
	for record, plane := range [][]uint64{wonRecord: l.win, lostRecord: l.lose} {
		heads = appendRecordHead(heads, record, 0, i, 8*(end-from))
		parts = append(parts, heads[len(heads)-recordHead:], wordBytes(plane[from:end]))
	}
	*buffer = heads
	return parts, nil
}

// packedPiece is piece of a class with logs.
func (l *level) packedPiece(i int, buffer *[]byte) ([][]byte, error) {
	piece := (*buffer)[:0]
	b := logBuffers.Get().(*plylog.Buffer)
	defer logBuffers.Put(b)
	for record, log := range []*plylog.Log{wonRecord: l.won, lostRecord: l.lost} {
		for ply := range log.Plies() {
			if !log.Has(ply, i) {
				continue
			}
			if err := log.Read(ply, i, b); err != nil {
				return nil, err
			}
			piece = append(appendRecordHead(piece, record, ply, i, len(b.Packed())), b.Packed()...)
		}
	}
	*buffer = piece
	return [][]byte{piece}, nil
}

func appendRecordHead(piece []byte, record, ply, section, length int) []byte {
	piece = append(piece, byte(record))
	for _, n := range []int{ply, section, length} {
		piece = le.AppendUint32(piece, uint32(n))
	}
	return piece
}

// lowFirst says that the lowest byte of a word comes first in the memory of this machine, as it
// does in a piece.
var lowFirst = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// wordBytes returns words as they are in a piece: where that can be, those that lie in memory.
func wordBytes(words []uint64) []byte {
	if lowFirst {
		return bitslice.Bytes(words)
	}
	b := make([]byte, 0, 8*len(words))
	for _, word := range words {
		b = le.AppendUint64(b, word)
	}
	return b
}

// incoming is a class that comes in pieces.
type incoming struct {
	level   *level
	o       Options
	passing *passing // where it goes on to; nil where its planes are kept

	lock    sync.Mutex // guards what follows
	taken   []bool
	missing int
	logs    sync.RWMutex // of writing a log: Begin is for one goroutine
}

// newIncoming makes room for a class.
func newIncoming(j job) (*incoming, error) {
	l := j.level
	in := expect(j)
	var err error
	for _, plane := range []*[]uint64{&l.win, &l.lose} {
		if *plane, err = j.ledger.Plane(l.words * len(l.class.Masks)); err != nil {
			return nil, err
		}
	}
	if !j.o.Steps {
		return in, nil
	}
	for _, log := range []**plylog.Log{&l.won, &l.lost} {
		if *log, err = j.newLog(); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// expect returns what takes down which pieces of a class have come.
func expect(j job) *incoming {
	in := &incoming{level: j.level, o: j.o, missing: sectionsOf(j.level.class, j.o).count()}
	in.taken = make([]bool, in.missing)
	return in
}

// begin notes a piece as taken, and end takes that back where it could not be.
func (in *incoming) begin(i int) error {
	in.lock.Lock()
	defer in.lock.Unlock()
	if i < 0 || i >= len(in.taken) || in.taken[i] {
		return fmt.Errorf("piece %d of a class is not wanted", i)
	}
	in.taken[i] = true
	in.missing--
	return nil
}

// whole reports whether all pieces are there.
func (in *incoming) whole() bool {
	in.lock.Lock()
	defer in.lock.Unlock()
	return in.missing == 0
}

// take takes a piece. It may be called by several goroutines at once. The error says why the
// bytes are none; then the class cannot be used.
func (in *incoming) take(i int, piece []byte) error {
	if err := in.begin(i); err != nil {
		return err
	}
	if in.passing != nil {
		return in.passing.take(i, piece)
	}
	from, end := sectionsOf(in.level.class, in.o).of(i)
	b := logBuffers.Get().(*plylog.Buffer)
	defer logBuffers.Put(b)
	for len(piece) > 0 {
		if len(piece) < recordHead {
			return errPiece
		}
		record, ply, section, length := piece[0], le.Uint32(piece[1:]), le.Uint32(piece[5:]), le.Uint32(piece[9:])
		piece = piece[recordHead:]
		if record > lostRecord || ply > 0 && !in.o.Steps || ply > mostPlies || uint64(section) != uint64(i) ||
			uint64(length) > uint64(len(piece)) {
			return errPiece
		}
		var err error
		if in.o.Steps {
			err = in.takePacked(record, int(ply), i, piece[:length], from, end, b)
		} else {
			err = in.takeWords(record, piece[:length], from, end)
		}
		if err != nil {
			return err
		}
		piece = piece[length:]
	}
	return nil
}

// mostPlies is more plies than any game takes.
const mostPlies = 1 << 20

// takeWords takes the words of a section.
func (in *incoming) takeWords(record byte, words []byte, from, end int) error {
	if len(words) != 8*(end-from) {
		return errPiece
	}
	plane := in.level.win[from:end]
	if record == lostRecord {
		plane = in.level.lose[from:end]
	}
	copyWords(plane, words)
	return nil
}

// copyWords fills a plane with words that a piece has.
func copyWords(plane []uint64, words []byte) {
	if lowFirst {
		copy(bitslice.Bytes(plane), words)
		return
	}
	for i := range plane {
		plane[i] = le.Uint64(words[8*i:])
	}
}

// takePacked takes the words of a section that were labelled in a ply.
func (in *incoming) takePacked(record byte, ply, section int, packed []byte, from, end int, b *plylog.Buffer) error {
	if err := b.Unpack(packed); err != nil {
		return err
	}
	l := in.level
	plane, log := l.win, l.won
	if record == lostRecord {
		plane, log = l.lose, l.lost
	}
	for i, at := range b.At {
		if from+int(at) >= end {
			return errPiece
		}
		plane[from+int(at)] |= b.Words[i]
	}
	in.logs.Lock()
	if !log.Any(ply) {
		log.Begin(ply)
	}
	in.logs.Unlock()
	in.logs.RLock()
	defer in.logs.RUnlock()
	return log.AppendWords(ply, section, b.At, b.Words, b)
}

// Elsewhere is a Team that this process is none of: it does nothing of a class, and is handed
// it when the others have solved it.
type Elsewhere interface {
	Team
	// Collect has c take all pieces of the class. The error is as that of Exchange.
	Collect(ctx context.Context, c *Collection) error
}

// Collection is a class that is solved elsewhere.
type Collection struct{ in *incoming }

// Class returns the number of marked cells of the class.
func (c *Collection) Class() int { return c.in.level.class.Class }

// Pieces returns how many pieces the class has.
func (c *Collection) Pieces() int { return len(c.in.taken) }

// Take takes a piece, as Peer.Piece gives it to those who have solved the class. It may be called
// by several goroutines at once, and does not use the piece any more when it returns. The error
// wraps ErrUnwritten where the table cannot be written. Any other one says why the bytes are none;
// the class has to begin again then.
func (c *Collection) Take(i int, piece []byte) error { return c.in.take(i, piece) }

// ErrUnwritten is the cause where a piece is one, and cannot be written into the table.
var ErrUnwritten = errors.New("the class cannot be kept")

// collect has a class come from elsewhere, and counts it.
func (j *job) collect(from Elsewhere) error {
	j.class.ResetTallies(0)
	in := expect(*j)
	var err error
	if in.passing, err = newPassing(j); err == nil && in.passing == nil {
		in, err = newIncoming(*j)
	}
	if err != nil {
		return err
	}
	if err := from.Collect(j.class.Pool.Context(), &Collection{in}); err != nil {
		return err
	}
	if !in.whole() {
		return fmt.Errorf("pieces of class %d are missing; this is a mistake in the program, please report it", j.class.Class.Class)
	}
	if in.passing != nil {
		j.level.passed = in.passing.table
		return j.class.Pool.Cause()
	}
	return j.countCollected()
}

// countCollected counts a class whose planes, and logs, have come from elsewhere.
func (j *job) countCollected() error {
	l, u := j.level, work.UnitsOf(j.class.Class, j.o.partBits)
	for _, of := range []struct {
		log *plylog.Log
		to  countsBy
	}{{l.won, winsOf}, {l.lost, lossesOf}} {
		if err := j.countPlies(of.log, of.to); err != nil {
			return err
		}
	}
	states := uint64(1) << uint(u.K) / uint64(u.PerBlock)
	return j.class.Pool.Run(u.N, func(w *work.Worker, unit int) {
		block, part := u.Block(unit)
		t := j.class.Terminals(w, block, w.Buffer(work.WonBuffer, u.Words), part)
		w.Count(u, unit, j.class.Images[block], u.Of(l.win, unit), u.Of(l.lose, unit), t)
	}, func(units int) { j.progress.Advance(uint64(units) * states) })
}

// countPlies counts the states of a log by their plies. Of no log there are none.
func (j *job) countPlies(log *plylog.Log, to countsBy) error {
	for ply := range log.Plies() {
		if !log.Any(ply) {
			continue
		}
		err := j.class.Pool.Run(log.Sections(), func(w *work.Worker, section int) {
			j.class.Pool.Fail(log.Read(ply, section, &w.Log))
			first, _ := log.Section(section)
			counts := to(&w.Tally)
			for len(*counts) <= ply {
				*counts = append(*counts, 0)
			}
			for i, at := range w.Log.At {
				images := j.class.Images[(first+int(at))/j.level.words]
				(*counts)[ply] += uint64(bits.OnesCount64(w.Log.Words[i])) * uint64(images)
			}
		}, nil)
		if err != nil {
			return err
		}
	}
	return nil
}
