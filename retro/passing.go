package retro

import (
	"errors"
	"fmt"

	"backsolve/bitslice"
	"backsolve/retro/internal/work"
	"backsolve/tablebase"
)

// passing is a class that comes in pieces and goes on into the table: what nobody here solves from
// is counted as it comes, and needs no memory.
type passing struct {
	job   *job
	units work.Units
	table *tablebase.Stretches
	// takers are for pieces that are taken at once.
	takers chan *taker
}

// taker has what a section needs that goes past: who counts it, and its words.
type taker struct {
	worker    *work.Worker
	win, lose []uint64
}

// newPassing has a class go past, nil where it cannot: steps come by logs, and sections must be
// made of whole units, and of what the table can be written by.
func newPassing(j *job) (*passing, error) {
	s, u := sectionsOf(j.class.Class, j.o), work.UnitsOf(j.class.Class, j.o.partBits)
	if j.o.Steps || j.table == nil || !j.table.TakesStretches() || s.size%u.Words != 0 || s.size%tablebase.StretchWords != 0 && s.count() > 1 {
		return nil, nil
	}
	if err := j.sealing.wait(); err != nil { // the class goes behind the one above
		return nil, err
	}
	table, err := j.table.Begin(j.level.table())
	if err != nil {
		return nil, err
	}
	p := &passing{job: j, units: u, table: table, takers: make(chan *taker, len(j.class.Pool.Workers))}
	for _, w := range j.class.Pool.Workers {
		p.takers <- &taker{worker: w}
	}
	return p, nil
}

// take takes a piece, which has the won and then the lost states of a section.
func (p *passing) take(i int, piece []byte) error {
	t := <-p.takers
	defer func() { p.takers <- t }()
	from, end := sectionsOf(p.job.class.Class, p.job.o).of(i)
	var err error
	for record, plane := range []*[]uint64{wonRecord: &t.win, lostRecord: &t.lose} {
		if piece, err = readRecord(plane, piece, record, i, end-from); err != nil {
			return err
		}
	}
	if len(piece) > 0 {
		return errPiece
	}
	return p.pass(t, from)
}

// readRecord reads the words of a section, and returns what follows.
func readRecord(plane *[]uint64, piece []byte, record, section, words int) ([]byte, error) {
	if len(piece) < recordHead+8*words || string(piece[:recordHead]) != string(appendRecordHead(nil, record, 0, section, 8*words)) {
		return nil, errPiece
	}
	if cap(*plane) < words {
		*plane = make([]uint64, words)
	}
	*plane = (*plane)[:words]
	copyWords(*plane, piece[recordHead:])
	return piece[recordHead+8*words:], nil
}

// pass counts a section that begins with word from of the class, and writes it into the table.
func (p *passing) pass(t *taker, from int) error {
	j, u, w := p.job, p.units, t.worker
	for at := 0; at < len(t.win); at += u.Words {
		unit := (from + at) / u.Words
		block, part := u.Block(unit)
		ends := j.class.Terminals(w, block, w.Buffer(work.WonBuffer, u.Words), part)
		w.Count(u, unit, j.class.Images[block], t.win[at:at+u.Words], t.lose[at:at+u.Words], ends)
	}
	lose := t.lose
	if !j.class.Cut.Draws {
		lose = nil
		valid := bitslice.Valid(u.K)
		for i, x := range t.win {
			if t.lose[i] != valid&^x {
				return errPiece // the table keeps what is won alone
			}
		}
	}
	if err := p.table.Write(from, t.win, lose); errors.Is(err, tablebase.ErrInput) {
		return err // states are won and lost, or beyond the slices
	} else if err != nil {
		return fmt.Errorf("%w: %w", ErrUnwritten, err)
	}
	j.progress.Advance(uint64(len(t.win)/u.Words) * (uint64(1) << uint(u.K) / uint64(u.PerBlock)))
	return nil
}
