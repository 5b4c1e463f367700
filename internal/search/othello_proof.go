package search

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"time"

	"backsolve/game"
	"backsolve/internal/progress"
	"backsolve/internal/sealed"
)

// Proof is what is known about a board of Othello from its start.
type Proof struct {
	Size int `json:"size"`
	// Score is the score of the player who begins, with Line, which is empty until the search is finished.
	Score int      `json:"score"`
	Line  []string `json:"line"`
	// Positions after the first moves are solved, by Nodes in Seconds.
	Positions int     `json:"positions"`
	Nodes     uint64  `json:"nodes"`
	Seconds   float64 `json:"seconds"`
}

// ProofOptions control ProveOthello.
type ProofOptions struct {
	Path    string // of the file
	Threads int
	Bytes   int64 // of the hash
	// Progress gets the question being searched as a stage, after each position that is solved.
	Progress func(progress.Event)
}

// proofFormat has version 2 since empty cells count for the winner.
var proofFormat = sealed.Format{Name: "backsolve othello proof", Version: 2, MaxSize: 1 << 30}

const (
	// recordBytes is the length of a record of the file: the discs of the player to move and
	// of the opponent, little-endian, and the least and the greatest score.
	recordBytes = 18
	proofPlies  = 8         // after which positions are kept in the file
	parts       = 1_000_000 // of a question, as its progress counts
	saveEvery   = 5 * time.Second
)

// prover has one thread for the first moves, and all threads for each position after them.
type prover struct {
	*nullSearch
	ProofOptions
	ctx      context.Context
	rules    game.Grid
	proof    Proof
	before   Proof // as the file had it
	began    time.Time
	kept     map[discs]bounds // the positions of the file
	above    map[discs]bounds // those before them
	stop     split
	question string
	done     float64 // of the question
	saved    time.Time
	err      error
}

// ProveOthello solves a board of Othello from its start, and resumes from the file of solved
// positions. If that is finished, it checks that the score follows from the positions of the file,
// and that the line leads to it. The error is the cause of ctx, or says why the file cannot be used.
func ProveOthello(ctx context.Context, rules game.Grid, o ProofOptions) (*Proof, error) {
	p := &prover{
		nullSearch: newNullSearch(rules.Size(), o.Threads, o.Bytes), ProofOptions: o, ctx: ctx, rules: rules,
		kept: map[discs]bounds{}, above: map[discs]bounds{}, began: time.Now(), saved: time.Now(),
	}
	if err := p.load(); err != nil {
		return nil, fmt.Errorf("%s cannot be used: %w; delete it to search again", o.Path, err)
	}
	defer context.AfterFunc(ctx, func() { p.stop.stop.Store(true) })()
	root := discsOf(MasksOf(rules.Start()), rules.Size())
	if len(p.proof.Line) > 0 {
		return &p.proof, p.check(root)
	}
	p.proof.Score = converge(p.cells, 0, func(alpha int) int {
		p.question, p.done = fmt.Sprintf("more than %d?", alpha), 0
		return p.searchFirst(root, alpha, 1, alpha < 0)
	})
	line := p.line(root, p.proof.Score)
	switch {
	case p.err != nil:
		return nil, p.err
	case ctx.Err() != nil:
		return nil, errors.Join(context.Cause(ctx), p.save())
	}
	p.proof.Line = line
	if err := p.check(root); err != nil {
		return nil, err
	}
	return &p.proof, p.save()
}

func (p *prover) isEarly(d discs) bool {
	return bits.OnesCount64(d.own|d.other) < 4+proofPlies
}

// searchFirst is null from the start. share is how much of the question the position is; likely says
// that its score should be greater than alpha, so that one move is enough.
func (p *prover) searchFirst(d discs, alpha int, share float64, likely bool) int {
	d = d.canonical()
	before := p.done
	defer func() { p.done = before + share }()
	known, searched := p.bounds(d), p.kept
	switch {
	case int(known.low) > alpha:
		return int(known.low)
	case int(known.high) <= alpha:
		return int(known.high)
	}
	var score int
	if list := p.replies(d); len(list) == 0 {
		return d.final(p.empty(d))
	} else if p.isEarly(d) {
		searched = p.above
		p.sortLikeliest(d, list)
		score = p.bestOf(list, alpha, share, likely)
	} else {
		score = p.null(d, alpha, &p.stop)
	}
	if p.stop.stop.Load() {
		return 0
	}
	known.add(score, alpha)
	searched[d] = known
	if !p.isEarly(d) {
		p.Progress(progress.Event{Stage: p.question, Unit: "parts", Done: uint64((before + share) * parts), Total: parts})
		if p.ctx.Err() != nil {
			p.stop.stop.Store(true)
		}
	}
	if time.Since(p.saved) > saveEvery {
		if p.err = p.save(); p.err != nil {
			p.stop.stop.Store(true)
		}
	}
	return score
}

// bestOf is searchFirst for the positions after the moves of one.
func (p *prover) bestOf(list []child, alpha int, share float64, likely bool) int {
	for i := range list {
		if high := -int(p.bounds(list[i].discs.canonical()).high); high > alpha {
			return high
		}
	}
	best := noScore
	for i := range list {
		part := share / float64(len(list))
		if likely {
			part = share
			if i > 0 {
				part = 0
			}
		}
		best = max(best, -p.searchFirst(list[i].discs, ^alpha, part, !likely))
		if best > alpha || p.stop.stop.Load() {
			break
		}
	}
	return best
}

// replies are the positions after all moves, or a pass; none where the game is over.
func (p *prover) replies(d discs) []child {
	empty := p.empty(d)
	moves := d.moves(empty)
	if moves == 0 {
		if d.swapped().moves(empty) == 0 {
			return nil
		}
		return []child{{discs: d.swapped(), cell: passCell}}
	}
	return (&worker{nullSearch: p.nullSearch}).children(d, moves, bits.OnesCount64(empty))
}

// sortLikeliest sorts the positions after the moves of one, the likely best first.
func (p *prover) sortLikeliest(d discs, list []child) {
	if list[0].cell != passCell {
		empty := p.empty(d)
		(&worker{nullSearch: p.nullSearch}).rank(list, empty, bits.OnesCount64(empty), passCell)
		sortChildren(list)
	}
}

func (p *prover) bounds(d discs) bounds {
	if b, ok := p.kept[d]; ok {
		return b
	}
	if b, ok := p.above[d]; ok {
		return b
	}
	return p.unknown(0)
}

func (p *prover) line(d discs, score int) (line []string) {
	for list := p.replies(d); len(list) > 0; list = p.replies(d) {
		p.sortLikeliest(d, list)
		for i, c := range list { // what is known needs no search
			if int(p.bounds(c.discs.canonical()).high) <= -score {
				list[0], list[i] = list[i], list[0]
				break
			}
		}
		next := 0
		for p.searchFirst(list[next].discs, -score, 0, false) > -score && next+1 < len(list) {
			next++
		}
		if p.stop.stop.Load() {
			return nil
		}
		line = append(line, p.rules.FormatMove(p.move(list[next].cell)))
		d, score = list[next].discs, -score
	}
	return line
}

func (p *prover) move(cell uint8) game.Move {
	if cell == passCell {
		return game.Pass
	}
	n := p.rules.Size()
	edge := (8 - n) / 2
	native := uint8((int(cell)/8-edge)*n + int(cell)%8 - edge)
	return game.Move{From: native, To: native}
}

// check derives the score from the positions of the file alone, and plays the line.
func (p *prover) check(root discs) error {
	derived := p.derive(root, map[discs]bounds{})
	if int(derived.low) != p.proof.Score || int(derived.high) != p.proof.Score {
		return fmt.Errorf("%s is wrong: its positions prove a score from %d to %d, not %d; delete it to search again", p.Path, derived.low, derived.high, p.proof.Score)
	}
	end := p.rules.Start()
	for _, text := range p.proof.Line {
		m, err := p.rules.ParseMove(end, text)
		if err != nil {
			return fmt.Errorf("%s is wrong: move %s of its line: %w; delete it to search again", p.Path, text, err)
		}
		end = p.rules.Play(end, m)
	}
	last := discsOf(Masks{end.X, end.O}, p.rules.Size())
	score := last.final(p.empty(last))
	if _, over := p.rules.Terminal(end); !over || score != p.proof.Score {
		return fmt.Errorf("%s is wrong: its line leads to %d, not to the end of a game with %d; delete it to search again", p.Path, score, p.proof.Score)
	}
	return nil
}

// derive returns the bounds that follow from the positions of the file by the rules.
func (p *prover) derive(d discs, seen map[discs]bounds) (b bounds) {
	d = d.canonical()
	if b, ok := seen[d]; ok {
		return b
	}
	list := p.replies(d)
	switch {
	case len(list) == 0:
		final := int8(d.final(p.empty(d)))
		b.low, b.high = final, final
	case !p.isEarly(d):
		b = p.unknown(0)
		if kept, ok := p.kept[d]; ok {
			b = kept
		}
	default:
		b.low, b.high = noScore, noScore
		for _, c := range list {
			after := p.derive(c.discs, seen)
			b.low, b.high = max(b.low, -after.high), max(b.high, -after.low)
		}
	}
	seen[d] = b
	return b
}

func (p *prover) save() error {
	p.proof.Positions, p.proof.Nodes = len(p.kept), p.before.Nodes+p.nodes.Load()
	p.proof.Seconds = p.before.Seconds + time.Since(p.began).Seconds()
	p.saved = time.Now()
	var records []byte
	for d, b := range p.kept {
		records = binary.LittleEndian.AppendUint64(records, d.own)
		records = binary.LittleEndian.AppendUint64(records, d.other)
		records = append(records, byte(b.low), byte(b.high))
	}
	return proofFormat.Write(p.Path, p.proof, records)
}

func (p *prover) load() error {
	records, err := proofFormat.Read(p.Path, &p.proof)
	if errors.Is(err, fs.ErrNotExist) {
		p.proof.Size = p.rules.Size()
		return nil
	}
	if err != nil {
		return err
	}
	if p.proof.Size != p.rules.Size() || len(records) != recordBytes*p.proof.Positions {
		return errors.New("it is of another board")
	}
	p.before = p.proof
	for ; len(records) > 0; records = records[recordBytes:] {
		d := discs{binary.LittleEndian.Uint64(records), binary.LittleEndian.Uint64(records[8:])}
		b := p.unknown(0)
		b.low, b.high = int8(records[16]), int8(records[17])
		if d.own&d.other != 0 || (d.own|d.other)&^p.board != 0 || b.low > b.high || int(b.low) < -p.cells || int(b.high) > p.cells {
			return errors.New("it has a position that cannot be")
		}
		p.kept[d] = b
	}
	return nil
}
