package retro

import (
	"context"
	"errors"
	"fmt"

	"backsolve/partition"
	"backsolve/retro/internal/work"
)

// Peer solves classes with moves inside for a solve elsewhere, as one of a team. It keeps
// what it has solved last, which the next class needs. It is for one goroutine, and must be
// closed.
type Peer struct {
	engine
	in *incoming // the class it holds, where that comes in pieces
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
	if p.above == nil || p.in != nil && !p.in.whole() {
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
	c := work.NewClass(p.cut, class+1, p.pool)
	p.above = newLevel(c.Class, p.ledger)
	if p.in, err = newIncoming(job{class: c, level: p.above, ledger: p.ledger, o: p.o}); err != nil {
		return 0, err
	}
	return len(p.in.taken), nil
}

// errPiece is the cause where bytes are not the piece that they should be.
var errPiece = errors.New("it is not the piece of a class that was asked for")

// Take takes a piece of the class that the Peer was prepared for.
func (p *Peer) Take(i int, piece []byte) error {
	if p.in == nil {
		return fmt.Errorf("piece %d of a class is not wanted", i)
	}
	return p.in.take(i, piece)
}

// Pieces returns how many pieces the class has that the Peer holds.
func (p *Peer) Pieces() int { return sectionsOf(p.above.class, p.o).count() }

// Piece returns piece i of that class as stretches of bytes, some of which are the buffer's, which
// is used again. They are good while the Peer holds the class and the buffer is not used, and must
// not be changed. It may be called by several goroutines at once.
func (p *Peer) Piece(i int, buffer *[]byte) ([][]byte, error) { return p.above.piece(i, p.o, buffer) }

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
	p.above, p.in = nil, nil
}

// Close gives the memory back.
func (p *Peer) Close() {
	p.forget()
	p.cut.Free()
	p.ledger.Close()
}
