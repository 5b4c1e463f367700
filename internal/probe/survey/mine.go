package survey

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sync"

	"backsolve/game"
	"backsolve/internal/probe"
)

// Puzzle is a won or drawn position with several moves, only one of which keeps the outcome.
type Puzzle struct {
	Position string `json:"position"`
	Outcome  string `json:"outcome"`
	Steps    *int   `json:"steps"` // nil for a draw and if the table has none
	// LegalMoves is the number of moves in the position.
	LegalMoves int `json:"legal_moves"`
	// OnlyMoves is how many moves in a row alone keep the outcome, if the opponent replies as Rate ranks.
	OnlyMoves int `json:"only_moves"`
	// Line has these moves and the replies between them.
	Line []string `json:"line"`

	place any // alike for symmetric positions
}

// depth is the number that puzzles are grouped by: the steps, or the moves in a row.
func (p *Puzzle) depth() int {
	if p.Steps != nil {
		return *p.Steps
	}
	return p.OnlyMoves
}

// Mined are the puzzles that were found.
type Mined struct {
	// States is the number of visited states, Only the number with an only move.
	States uint64 `json:"states"`
	Only   uint64 `json:"only_move_states"`
	// Puzzles are by outcome and depth, the deepest first.
	Puzzles []Puzzle `json:"puzzles"`
	// LongestLine is a visited puzzle with the most only moves in a row, nil without any.
	LongestLine *Puzzle `json:"longest_line"`
	// LongestWin and LongestLoss are for the whole table.
	LongestWin  *Longest `json:"longest_win"`
	LongestLoss *Longest `json:"longest_loss"`
}

// Mine keeps the puzzles of a walk with the longest lines, as many as each says for each outcome and number of
// steps or else of only moves. Threads do not change the result. Errors come from Walk.
func Mine(ctx context.Context, t Table, o WalkOptions, each int) (*Mined, error) {
	m := newMiner(t, each)
	if err := Walk(ctx, t, o, m.visit); err != nil {
		return nil, err
	}
	for _, puzzles := range m.byDepth {
		m.found.Puzzles = append(m.found.Puzzles, puzzles...)
	}
	slices.SortFunc(m.found.Puzzles, func(a, b Puzzle) int {
		if c := cmp.Or(cmp.Compare(b.Outcome, a.Outcome), cmp.Compare(b.depth(), a.depth())); c != 0 {
			return c
		}
		return better(a, b)
	})
	if len(m.found.Puzzles) > 0 {
		longest := slices.MinFunc(m.found.Puzzles, better)
		m.found.LongestLine = &longest
	}
	if t.HasSteps() {
		s, err := Summarize(ctx, t)
		if err != nil {
			return nil, err
		}
		m.found.LongestWin, m.found.LongestLoss = s.LongestWin, s.LongestLoss
	}
	return &m.found, nil
}

type kind struct {
	outcome string
	depth   int
}

// miner is a running search for puzzles. The lock guards what it has found.
type miner struct {
	table  Table
	source source
	rules  game.Rules
	each   int

	lock    sync.Mutex
	found   Mined
	byDepth map[kind][]Puzzle // the best first
}

func newMiner(t Table, each int) *miner {
	src := sourceOf(t)
	return &miner{table: t, source: src, rules: src.rules(), each: each, byDepth: map[kind][]Puzzle{}}
}

// better orders puzzles by their lines, the longest first, then by text.
func better(a, b Puzzle) int {
	return cmp.Or(cmp.Compare(b.OnlyMoves, a.OnlyMoves), cmp.Compare(a.Position, b.Position))
}

func (m *miner) visit(visits iter.Seq[*Visit]) error {
	for v := range visits {
		first, only := onlyMove(v.Value, v.Moves)
		if !only || len(v.Moves) == 1 {
			m.add(nil)
			continue
		}
		p := &Puzzle{Position: m.rules.Format(v.State), Outcome: v.Outcome.String(), LegalMoves: len(v.Moves)}
		if steps := v.Steps; steps >= 0 {
			p.Steps = &steps
		}
		if err := m.follow(p, v.State, first); err != nil {
			return err
		}
		m.add(p)
	}
	return nil
}

// onlyMove returns the one move that keeps the outcome. All moves of a lost position do.
func onlyMove(v probe.Value, moves []probe.Rated) (only probe.Rated, found bool) {
	for _, m := range moves {
		if m.Outcome != v.Outcome {
			continue
		}
		if found {
			return only, false
		}
		only, found = m, true
	}
	return only, found
}

// follow adds the line of a puzzle from its only move to a choice, the end, or a repetition.
func (m *miner) follow(p *Puzzle, at game.State, only probe.Rated) (err error) {
	if p.place, err = m.source.place(at); err != nil {
		return err
	}
	seen := map[game.State]bool{at: true}
	var moves []probe.Rated
	for found := true; found; {
		p.Line, p.OnlyMoves = append(p.Line, game.MoveText(m.rules, at, only.Move)), p.OnlyMoves+1
		after := m.rules.Play(at, only.Move)
		if _, moves, err = m.table.Rate(m.rules, after, moves[:0]); err != nil || len(moves) == 0 {
			return err
		}
		reply := game.MoveText(m.rules, after, moves[0].Move)
		at = m.rules.Play(after, moves[0].Move)
		var v probe.Value
		if v, moves, err = m.table.Rate(m.rules, at, moves[:0]); err != nil || seen[at] {
			return err
		}
		seen[at] = true
		if only, found = onlyMove(v, moves); found {
			p.Line = append(p.Line, reply)
		}
	}
	return nil
}

func (m *miner) add(p *Puzzle) {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.found.States++
	if p == nil {
		return
	}
	m.found.Only++
	k := kind{p.Outcome, p.depth()}
	best := m.byDepth[k]
	if i := slices.IndexFunc(best, func(q Puzzle) bool { return q.place == p.place }); i >= 0 {
		if better(best[i], *p) <= 0 {
			return
		}
		best = slices.Delete(best, i, i+1)
	}
	i, _ := slices.BinarySearchFunc(best, *p, better)
	best = slices.Insert(best, i, *p)
	m.byDepth[k] = best[:min(len(best), m.each)]
}
