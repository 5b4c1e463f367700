package retro

import (
	"context"
	"errors"
	"fmt"

	"backsolve/partition"
	"backsolve/retro/internal/plylog"
	"backsolve/retro/internal/work"
)

// Peer solves classes with moves inside for a solve elsewhere, as one of a team. It keeps
// what it has solved last, which the next class needs. It is for one goroutine, and must be
// closed.
type Peer struct {
	engine
	missing int // pieces of the class it holds that are to be taken yet
	taken   []bool
}

// NewPeer cuts a space for who solves classes of it with others, with the limits of the
// options. A *MemoryError says that the limit is too small.
func NewPeer(ctx context.Context, space partition.Space, o Options) (*Peer, error) {
	o = o.WithDefaults()
	if need := PeerNeed(space, o); o.Memory > 0 && need > o.Memory {
		return nil, &MemoryError{Limit: o.Memory, Need: need}
	}
	p := &Peer{engine: engine{o: o, ledger: work.NewLedger(o.Memory, longestDownTo(space, 0))}}
	p.progress = work.NewProgress(nil, 0)
	if err := p.begin(ctx, space); err != nil {
		p.ledger.Close()
		return nil, err
	}
	return p, nil
}

// Holds returns the class that the Peer has, as it was solved or handed in: one more than
// there are where it has none.
func (p *Peer) Holds() int {
	if p.above == nil || p.missing > 0 {
		return p.cut.MaskBits + 1
	}
	return p.above.class.Class
}

// Lacks reports whether a class cannot be solved because the Peer does not hold the one
// above it.
func (p *Peer) Lacks(class int) bool { return class < p.cut.MaskBits && p.Holds() != class+1 }

// Prepare gives up what the Peer holds for the class above the given one, which has so many
// pieces. Each of them is to be taken.
func (p *Peer) Prepare(class int) (pieces int, err error) {
	if class < 0 || class >= p.cut.MaskBits {
		return 0, fmt.Errorf("above class %d there is nothing to be handed in", class)
	}
	p.forget()
	c := p.cut.Class(class + 1)
	l := newLevel(c, p.ledger)
	p.above, p.missing = l, piecesOf(sectionsOf(c, p.o))
	p.taken = make([]bool, p.missing)
	for _, plane := range []*[]uint64{&l.win, &l.lose} {
		if *plane, err = p.ledger.Plane(l.words * len(c.Masks)); err != nil {
			return 0, err
		}
	}
	if !p.o.Steps {
		return p.missing, nil
	}
	j := job{class: work.NewClass(p.cut, c.Class, p.pool), level: l, ledger: p.ledger, o: p.o}
	for _, log := range []**plylog.Log{&l.won, &l.lost} {
		if *log, err = j.newLog(); err != nil {
			return 0, err
		}
	}
	return p.missing, nil
}

// errPiece is the cause where bytes are not the piece that they should be.
var errPiece = errors.New("it is not the piece of a class that was asked for")

// Take takes a piece of the class that the Peer was prepared for.
func (p *Peer) Take(i int, piece []byte) error {
	if i < 0 || i >= len(p.taken) || p.taken[i] {
		return fmt.Errorf("piece %d of a class is not wanted", i)
	}
	s, b := sectionsOf(p.above.class, p.o), new(plylog.Buffer)
	for len(piece) > 0 {
		if len(piece) < recordHead {
			return errPiece
		}
		record, ply, section, length := piece[0], le.Uint32(piece[1:]), le.Uint32(piece[5:]), le.Uint32(piece[9:])
		piece = piece[recordHead:]
		if record > lostRecord || ply > 0 && !p.o.Steps || ply > mostPlies || uint64(section)/pieceSections != uint64(i) || uint64(length) > uint64(len(piece)) {
			return errPiece
		}
		if err := b.Unpack(piece[:length]); err != nil {
			return err
		}
		if err := p.above.takeRecord(record, int(ply), int(section), s, b); err != nil {
			return err
		}
		piece = piece[length:]
	}
	p.taken[i] = true
	p.missing--
	return nil
}

// mostPlies is more plies than any game takes.
const mostPlies = 1 << 20

// takeRecord takes the words of a buffer.
func (l *level) takeRecord(record byte, ply, section int, s sections, b *plylog.Buffer) error {
	plane, log := l.win, l.won
	if record == lostRecord {
		plane, log = l.lose, l.lost
	}
	if section >= s.count() {
		return errPiece
	}
	from, end := s.of(section)
	for i, at := range b.At {
		if from+int(at) >= end {
			return errPiece
		}
		plane[from+int(at)] |= b.Words[i]
	}
	if log == nil {
		return nil
	}
	if !log.Any(ply) {
		log.Begin(ply)
	}
	return log.AppendWords(ply, section, b.At, b.Words, b)
}

// Solve solves a class by a team, from the class above, which the Peer must not lack. When ctx
// ends it returns its cause. Whatever the error is, the Peer holds what it held before.
func (p *Peer) Solve(ctx context.Context, class int, team Team) error {
	if class < 0 || class > p.cut.MaskBits || p.Lacks(class) {
		return fmt.Errorf("class %d cannot be solved without the class above it", class)
	}
	if class == p.cut.MaskBits {
		p.forget()
	}
	p.pool = work.NewPool(ctx, p.o.Threads, p.o.TasksPerThread)
	p.o.Crew = member{team: team}
	l, _, err := p.solveClass(class)
	if err != nil {
		return err
	}
	p.forget()
	p.above = l
	return nil
}

// forget gives up what the Peer holds.
func (p *Peer) forget() {
	if p.above != nil {
		p.above.free()
	}
	p.above, p.missing, p.taken = nil, 0, nil
}

// Close gives the memory back.
func (p *Peer) Close() {
	p.forget()
	p.cut.Free()
	p.ledger.Close()
}
