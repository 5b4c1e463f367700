package retro

import (
	"context"
	"math/bits"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/internal/bitslice"
	"backsolve/partition"
	"backsolve/retro/oracle"
	"backsolve/tablebase/writer"
)

// variant is a game with other terminal states or fewer moves. The oracle gets it as rules, the
// engine as a space.
type variant struct {
	game.Grid
	terminal func(p game.Position) (game.Outcome, bool)
	moves    func(buf []game.Move, p game.Position) []game.Move
}

func (v *variant) Terminal(p game.Position) (game.Outcome, bool) {
	if v.terminal != nil {
		return v.terminal(p)
	}
	return v.Grid.Terminal(p)
}

func (v *variant) Moves(buf []game.Move, p game.Position) []game.Move {
	if _, over := v.Terminal(p); over {
		return buf
	}
	if v.moves != nil {
		return v.moves(buf, p)
	}
	return v.Grid.Moves(buf, p)
}

// graph is the graph of a space with some methods replaced.
type graph struct {
	partition.Graph
	terminals func(mask uint64, t *partition.Terminals)
	moves     func(mask uint64, buf []partition.Move) []partition.Move
}

func (g *graph) Terminals(mask uint64, t *partition.Terminals) {
	g.Graph.Terminals(mask, t)
	if g.terminals != nil {
		g.terminals(mask, t)
	}
}

func (g *graph) Moves(mask uint64, buf []partition.Move) []partition.Move {
	if g.moves != nil {
		return g.moves(mask, buf)
	}
	return g.Graph.Moves(mask, buf)
}

// wrapped is a space with another graph and other facts.
func wrapped(space *partition.Space, g graph, change func(f *partition.Facts)) (*partition.Space, error) {
	g.Graph = space.Graph
	facts := space.Facts
	if change != nil {
		change(&facts)
	}
	return partition.NewSpace(facts, space.Codec, &g)
}

// pack packs the bits of v under mask into the low bits.
func pack(v, mask uint64) (packed uint32) {
	for i := 0; mask != 0; mask &= mask - 1 {
		packed |= uint32(v>>uint(bits.TrailingZeros64(mask))&1) << uint(i)
		i++
	}
	return packed
}

// outcomeFlipped is Notakto where completing a line wins.
func outcomeFlipped(rules game.Grid, space *partition.Space) (game.Grid, *partition.Space, error) {
	v := &variant{Grid: rules, terminal: func(p game.Position) (game.Outcome, bool) {
		o, over := rules.Terminal(p)
		return o.Flip(), over
	}}
	s, err := wrapped(space, graph{terminals: func(_ uint64, t *partition.Terminals) { t.Win, t.Lose = t.Lose, t.Win }}, nil)
	return v, s, err
}

// diagonalsLose is Notakto 4×4 where completing a diagonal wins, unless another line is
// complete.
func diagonalsLose(rules game.Grid, space *partition.Space) (game.Grid, *partition.Space, error) {
	const first, second = 1<<0 | 1<<5 | 1<<10 | 1<<15, 1<<3 | 1<<6 | 1<<9 | 1<<12
	v := &variant{Grid: rules, terminal: func(p game.Position) (game.Outcome, bool) {
		for _, diagonal := range []uint64{first, second} {
			if p.X&diagonal != diagonal {
				continue
			}
			// A row or column wins nevertheless.
			if o, over := rules.Terminal(game.Position{X: straight(p.X)}); over {
				return o, over
			}
			return game.Lose, true
		}
		return rules.Terminal(p)
	}}
	s, err := wrapped(space, graph{terminals: func(_ uint64, t *partition.Terminals) {
		for _, c := range t.Win {
			if bits.OnesCount32(c.Care) == 4 { // other lines have two of the slice's cells
				t.Lose = append(t.Lose, c)
			}
		}
		t.Win = slices.DeleteFunc(t.Win, func(c bitslice.Cube) bool { return bits.OnesCount32(c.Care) == 4 })
	}}, nil)
	return v, s, err
}

// straight leaves of the cells of a 4×4 board those in full rows or columns, but
// no full diagonal that is not in them.
func straight(x uint64) (kept uint64) {
	for i := range 4 {
		if row := uint64(0xf) << uint(4*i); x&row == row {
			return row
		}
		if column := uint64(0x1111) << uint(i); x&column == column {
			return column
		}
	}
	return 0
}

// cornersDraw is Quixo where the game is drawn when the player who moved last has all corners and
// neither player has a line.
func cornersDraw(rules game.Grid, space *partition.Space) (game.Grid, *partition.Space, error) {
	n := uint(rules.Size())
	corners := uint64(1) | 1<<(n-1) | 1<<(n*n-n) | 1<<(n*n-1)
	v := &variant{Grid: rules, terminal: func(p game.Position) (game.Outcome, bool) {
		if o, over := rules.Terminal(p); over {
			return o, true
		}
		return game.Draw, p.Waiting()&corners == corners
	}}
	cornerBits := space.Mask(game.Position{X: corners})
	s, err := wrapped(space, graph{terminals: func(mask uint64, t *partition.Terminals) {
		if cornerBits&^mask == 0 {
			care := pack(cornerBits, mask)
			t.Draw = append(t.Draw, bitslice.Cube{Care: care, Value: care})
		}
	}}, nil)
	return v, s, err
}

// emptyTilesOnly is Quixo where only empty tiles may be taken. Without any, and without a line,
// the game ends with the given outcome. A win takes precedence.
func emptyTilesOnly(rules game.Grid, space *partition.Space, end game.Outcome) (game.Grid, *partition.Space, error) {
	var border uint64 // of the tiles that moves take
	for _, m := range rules.Moves(nil, rules.Start()) {
		border |= 1 << m.From
	}
	v := &variant{Grid: rules}
	v.terminal = func(p game.Position) (game.Outcome, bool) {
		full := border&^(p.X|p.O) == 0
		if o, over := rules.Terminal(p); over && !(full && end == game.Win) {
			return o, true
		}
		return end, full
	}
	v.moves = func(buf []game.Move, p game.Position) []game.Move {
		return slices.DeleteFunc(rules.Moves(buf, p), func(m game.Move) bool { return (p.X|p.O)>>m.From&1 == 1 })
	}
	borderBits := space.Mask(game.Position{X: border})
	g := graph{terminals: func(mask uint64, t *partition.Terminals) {
		if borderBits&^mask != 0 {
			return
		}
		switch all := (bitslice.Cube{}); end {
		case game.Win:
			t.Win = append(t.Win, all)
		case game.Lose:
			t.Lose = append(t.Lose, all)
		case game.Draw:
			t.Draw = append(t.Draw, all)
		}
	}, moves: func(mask uint64, buf []partition.Move) []partition.Move {
		return slices.DeleteFunc(space.Moves(mask, buf), func(m partition.Move) bool { return m.Within })
	}}
	s, err := wrapped(space, g, func(f *partition.Facts) { f.Kind = partition.Acyclic })
	return v, s, err
}

// Every kind of space agrees with the oracle, with won, lost and drawn terminal states.
func TestEveryKindOfSpace(t *testing.T) {
	for name, c := range map[string]struct {
		game string
		n    int
		make func(game.Grid, *partition.Space) (game.Grid, *partition.Space, error)
	}{
		"fixed, lost terminals 3":      {"notakto", 3, outcomeFlipped},
		"fixed, lost terminals 4":      {"notakto", 4, outcomeFlipped},
		"fixed, won or lost terminals": {"notakto", 4, diagonalsLose},
		"cyclic, drawn terminals 2":    {"quixo", 2, cornersDraw},
		"cyclic, drawn terminals 3":    {"quixo", 3, cornersDraw},
		"acyclic, drawn terminals": {"quixo", 3, func(r game.Grid, s *partition.Space) (game.Grid, *partition.Space, error) {
			return emptyTilesOnly(r, s, game.Draw)
		}},
		"acyclic, no draws": {"quixo", 3, func(r game.Grid, s *partition.Space) (game.Grid, *partition.Space, error) {
			return emptyTilesOnly(r, s, game.Lose)
		}},
		"acyclic, no draws, many wins": {"quixo", 3, func(r game.Grid, s *partition.Space) (game.Grid, *partition.Space, error) {
			return emptyTilesOnly(r, s, game.Win)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			rules, space, err := c.make(newSpace(t, c.game, c.n))
			if err != nil {
				t.Fatal(err)
			}
			want := oracle.Solve(rules)
			for _, steps := range []bool{false, true} {
				var agreed []byte
				for _, o := range []tuned{
					{Options{Threads: 1}, tuning{}},
					{Options{Threads: 3}, tuning{propagation: alwaysPush}},
					{Options{Threads: 3}, tuning{partBits: 1}},
				} {
					o.Steps = steps
					path, _ := solveBy(t, space, o)
					agreed = compareUnless(t, agreed, rules, space, path, want, steps)
				}
				path := filepath.Join(t.TempDir(), "table.tb")
				for interrupted := 0; !solveUntil(t, space, path, steps, 9+interrupted); interrupted++ {
				}
				compareUnless(t, agreed, rules, space, path, want, steps)
			}
		})
	}
}

// A space that contradicts its facts in a block that NewSpace does not try ends the solve before
// a class with a wrong value is sealed.
func TestContradictionsAreNotSealed(t *testing.T) {
	// rare returns a block of a middle class that the check of a space does not try, in Quixo
	// one without a line.
	rare := func(space *partition.Space) uint64 {
		cut, err := partition.NewCut(space)
		if err != nil {
			t.Fatal(err)
		}
		defer cut.Free()
		class := space.MaskBits / 2
		tried, _ := space.Symmetries.Canonical((1<<uint(class) - 1) << uint(space.MaskBits-class))
		for _, mask := range cut.Class(class).Masks[1:] {
			var ends partition.Terminals
			if space.Terminals(mask, &ends); mask != tried && (space.Kind == partition.FixedSlice || len(ends.Win) == 0) {
				return mask
			}
		}
		t.Fatal("all blocks of the class have lines")
		return 0
	}
	for name, c := range map[string]struct {
		game string
		n    int
		want string
		make func(space *partition.Space) (*partition.Space, error)
	}{
		"a drawn terminal state": {"notakto", 4, "cannot be drawn", func(s *partition.Space) (*partition.Space, error) {
			at := rare(s)
			return wrapped(s, graph{terminals: func(mask uint64, t *partition.Terminals) {
				if mask == at {
					t.Draw = append(t.Draw, bitslice.Cube{})
				}
			}}, nil)
		}},
		"a state without a move": {"quixo", 3, "without a move", func(s *partition.Space) (*partition.Space, error) {
			at := rare(s)
			return wrapped(s, graph{moves: func(mask uint64, buf []partition.Move) []partition.Move {
				if mask == at {
					return buf
				}
				return s.Moves(mask, buf)
			}}, nil)
		}},
		"a state that only other stones could leave": {"quixo", 3, "without a move", func(s *partition.Space) (*partition.Space, error) {
			at := rare(s)
			return wrapped(s, graph{moves: func(mask uint64, buf []partition.Move) []partition.Move {
				buf = s.Moves(mask, buf)
				if mask == at {
					buf = slices.DeleteFunc(buf, func(m partition.Move) bool { return !m.Within })
				}
				return buf
			}}, nil)
		}},
		"a move that skips a class": {"quixo", 3, "leads to mask", func(s *partition.Space) (*partition.Space, error) {
			at := rare(s)
			return wrapped(s, graph{moves: func(mask uint64, buf []partition.Move) []partition.Move {
				buf = s.Moves(mask, buf)
				if mask == at {
					buf[0].Child = 1<<uint(s.MaskBits) - 1
				}
				return buf
			}}, nil)
		}},
		"a move that leaves the board": {"notakto", 4, "leads to mask", func(s *partition.Space) (*partition.Space, error) {
			at := rare(s)
			return wrapped(s, graph{moves: func(mask uint64, buf []partition.Move) []partition.Move {
				buf = s.Moves(mask, buf)
				if mask == at {
					buf[0].Child = mask | 1<<uint(s.MaskBits)
				}
				return buf
			}}, nil)
		}},
		"a full board without a line": {"notakto", 4, "without a move", func(s *partition.Space) (*partition.Space, error) {
			return wrapped(s, graph{terminals: func(mask uint64, t *partition.Terminals) { t.Reset() }}, nil)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			_, space := newSpace(t, c.game, c.n)
			space, err := c.make(space)
			if err != nil {
				t.Fatal(err)
			}
			for _, steps := range []bool{false, true} {
				path := filepath.Join(t.TempDir(), "t.tb")
				w, err := writer.Create(path, shape(space, steps), false)
				if err != nil {
					t.Fatal(err)
				}
				_, err = Solve(context.Background(), space, w, Options{Steps: steps, Threads: 2})
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("steps %v: %v, want an error that says %q", steps, err, c.want)
				}
				w.Close()
			}
		})
	}
}
