package examples

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/examples/endings"
	"backsolve/game/examples/hounds"
	"backsolve/game/examples/morris"
	"backsolve/retro/generic"
	"backsolve/tablebase/sparse"
)

type dense[S comparable] interface {
	custom.Game[S]
	custom.Dense[S]
}

// whole is the greatest unit of which all ranks are looked at.
const whole = 30_000

// Rank inverts Unrank, moves never reach a higher unit, and Unmoves is the inverse of Moves, in
// all of a small unit and in a sample of a large one.
func TestDense(t *testing.T) {
	t.Run("hounds", func(t *testing.T) { holds(t, hounds.Game{All: true}, 2, whole) })
	t.Run("krk", func(t *testing.T) { holds(t, endings.Game{Piece: 'R'}, 8, 300) })
	t.Run("kqk", func(t *testing.T) { holds(t, endings.Game{Piece: 'Q'}, 8, 300) })
	t.Run("morris-3", func(t *testing.T) { holds(t, morris.Game{Men: 3, All: true}, 16, whole) })
	t.Run("morris-6", func(t *testing.T) { holds(t, morris.Game{Men: 6, All: true}, 16, 50) })
	t.Run("morris-9", func(t *testing.T) { holds(t, morris.Game{Men: 9}, 16, 15) })
	t.Run("morabaraba-5", func(t *testing.T) { holds(t, morris.Game{Men: 5, Corners: true}, 16, 15) })
}

// holds checks a game with so many symmetries, and so many ranks of each unit if it has more.
func holds[S comparable](t *testing.T, g dense[S], symmetries, most uint64) {
	chance := rand.New(rand.NewPCG(7, 7))
	if home := g.Home(g.Start()); home < 0 || home >= g.Units() {
		t.Errorf("the start is in unit %d of %d", home, g.Units())
	}
	for unit := range g.Units() {
		size := g.Size(unit)
		found, by := uint64(0), uint64(0)
		for n := range min(size, most) {
			i := n
			if size > most {
				i = chance.Uint64N(size)
			}
			s, ok := g.Unrank(unit, i)
			if !ok {
				continue
			}
			own, syms := g.Rank(s)
			if own != i || g.Home(s) != unit || symmetries%uint64(syms) != 0 {
				t.Fatalf("unit %d, rank %d: %s has the rank %d in unit %d, kept by %d symmetries", unit, i, g.Format(s), own, g.Home(s), syms)
			}
			if back, err := g.Parse(g.Format(s)); err != nil || back != s {
				t.Fatalf("%s is read as %v: %v", g.Format(s), back, err)
			}
			found, by = found+1, by+symmetries/uint64(syms)
			inverse(t, g, s, unit)
		}
		if found == 0 {
			t.Errorf("unit %d has no states", unit)
		}
		if size <= most {
			t.Logf("unit %d: %d ranks, %d states of %d", unit, size, found, by)
		}
	}
}

// inverse checks that a state is as often among the unmoves of those after its moves as these
// are among its moves, weighed by the symmetries that keep them; and the other way round.
func inverse[S comparable](t *testing.T, g dense[S], s S, unit int) {
	t.Helper()
	own, syms := g.Rank(s)
	if _, over := g.Terminal(s); !over {
		for i, n := range count(t, g, g.Moves(nil, s), unit) {
			c, _ := g.Unrank(unit, i)
			_, kept := g.Rank(c)
			if back := count(t, g, g.Unmoves(nil, c), unit)[own]; n*kept != back*syms {
				t.Fatalf("%s has %d moves to %s and its images, and %d come back; symmetries keep %d and %d", g.Format(s), n, g.Format(c), back, syms, kept)
			}
		}
	}
	for i, n := range count(t, g, g.Unmoves(nil, s), unit) {
		p, ok := g.Unrank(unit, i)
		if _, over := g.Terminal(p); over || !ok {
			t.Fatalf("%s has the unmove %s, where the game is over", g.Format(s), g.Format(p))
		}
		_, kept := g.Rank(p)
		if forward := count(t, g, g.Moves(nil, p), unit)[own]; n*kept != forward*syms {
			t.Fatalf("%s has %d unmoves to %s and its images, and %d moves come from there; symmetries keep %d and %d", g.Format(s), n, g.Format(p), forward, syms, kept)
		}
	}
}

// count returns how many of some states have each rank of a unit. The others are in lower units.
func count[S comparable](t *testing.T, g dense[S], states []S, unit int) map[uint64]int {
	t.Helper()
	counts := map[uint64]int{}
	for _, s := range states {
		home := g.Home(s)
		if _, over := g.Terminal(s); home > unit || home < 0 && !over {
			t.Fatalf("%s in unit %d is by a state of unit %d", g.Format(s), home, unit)
		}
		if home == unit {
			i, _ := g.Rank(s)
			counts[i]++
		}
	}
	return counts
}

// The numbers of states of Nine Men's Morris by men are the ones that Gasser published (Solving
// Nine Men's Morris, 1996).
func TestMorrisStates(t *testing.T) {
	g := morris.Game{Men: 9}
	for unit, want := range map[int]int{3: 1520796, 4: 3225597, 5: 5160780} {
		if testing.Short() && want > 2e6 {
			continue
		}
		states := 0
		for i := range g.Size(unit) {
			if _, ok := g.Unrank(unit, i); ok {
				states++
			}
		}
		if states != want {
			t.Errorf("unit %d has %d states, want %d", unit, states, want)
		}
	}
}

// slowly returns the values of the states of some units by unit and rank, by definition: a state
// is won at k if a move leads to one lost at k−1, and lost at k if all lead to states won, the
// last at k−1. In the units before the first the game is over.
func slowly[S comparable](g dense[S], first, end int) (values [][]sparse.Value) {
	var moves []S
	values = make([][]sparse.Value, end)
	for unit := first; unit < end; unit++ {
		values[unit] = make([]sparse.Value, g.Size(unit))
		open, after, longest := []int{}, make([][]*sparse.Value, g.Size(unit)), 0
		for i := range values[unit] {
			values[unit][i] = sparse.Value{Outcome: game.Draw, Steps: -1}
			s, ok := g.Unrank(unit, uint64(i))
			if !ok {
				continue
			}
			if outcome, over := g.Terminal(s); over {
				values[unit][i] = ended(outcome)
				continue
			}
			open, moves = append(open, i), g.Moves(moves[:0], s)
			for _, c := range moves {
				outcome, over := g.Terminal(c)
				if value := ended(outcome); over && outcome == game.Lose {
					after[i] = append(after[i][:0], &value)
					break // it is won at 1
				} else if over {
					after[i] = append(after[i], &value)
					continue
				}
				j, _ := g.Rank(c)
				after[i] = append(after[i], &values[g.Home(c)][j])
				longest = max(longest, values[g.Home(c)][j].Steps)
			}
		}
		for k, any := 1, true; any || k <= longest+1; k++ {
			var outcomes []game.Outcome // of those open, as before this round
			any = false
			for _, i := range open {
				outcomes = append(outcomes, round(after[i], k))
			}
			still := open[:0]
			for n, i := range open {
				if outcomes[n] == game.Draw {
					still = append(still, i)
					continue
				}
				values[unit][i], any = sparse.Value{Outcome: outcomes[n], Steps: k}, true
			}
			open = still
		}
	}
	return values
}

// round returns a state's value after k rounds, a draw if it is not known.
func round(after []*sparse.Value, k int) game.Outcome {
	won := true
	for _, v := range after {
		if v.Outcome == game.Lose && v.Steps == k-1 {
			return game.Win
		}
		won = won && v.Outcome == game.Win && v.Steps < k
	}
	if won {
		return game.Lose
	}
	return game.Draw
}

func ended(outcome game.Outcome) sparse.Value {
	if outcome == game.Draw {
		return sparse.Value{Outcome: outcome, Steps: -1}
	}
	return sparse.Value{Outcome: outcome}
}

// plain is a game without its optional methods: it has keys and one tier.
type plain[S comparable] struct{ custom.Game[S] }

// Solved by ranks, all states have the values given by the definition, and so have the states
// reached and solved by keys.
func TestDenseValues(t *testing.T) {
	t.Run("hounds", func(t *testing.T) { agrees(t, hounds.Game{All: true}) })
	t.Run("krk", func(t *testing.T) { agrees(t, endings.Game{Piece: 'R'}) })
	t.Run("morris-3", func(t *testing.T) { agrees(t, morris.Game{Men: 3, All: true}) })
	if os.Getenv("BACKSOLVE_LONG") != "" {
		t.Run("morabaraba-3", func(t *testing.T) { agrees(t, morris.Game{Men: 3, Corners: true, Placed: true}) })
	}
}

func agrees[S comparable](t *testing.T, g dense[S]) {
	if testing.Short() {
		t.Skip("takes long under the race detector")
	}
	values := slowly(g, 0, g.Units())
	for name, rules := range map[string]custom.Rules{"ranks": custom.NewRules[S](g), "keys": custom.NewRules(plain[S]{g})} {
		solved, err := generic.Solve(t.Context(), filepath.Join(t.TempDir(), name), rules, generic.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for tier := range rules.Tiers() {
			for key, want := range solved.Tier(tier) {
				text, err := rules.Text(custom.Child{Tier: tier, Key: key})
				if err != nil {
					t.Fatal(err)
				}
				s, err := g.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				if home := g.Home(s); home >= 0 {
					i, _ := g.Rank(s)
					if got := values[home][i]; got != want {
						t.Fatalf("%s is %v by %s, want %v", text, want, name, got)
					}
				}
			}
		}
		if err := solved.Remove(); err != nil {
			t.Error(err)
		}
	}
}

// A rook mates within 16 moves and a queen within 10, White to move. With Black to move there are
// as many positions with a rook as Bain's table has (Chess (King-Rook vs. King), UCI, 1994), by
// moves to the mate.
func TestEndings(t *testing.T) {
	bain := []int{27, 78, 246, 81, 198, 471, 592, 683, 1433, 1712, 1985, 2854, 3597, 4194, 4553, 2166, 390}
	for piece, longest := range map[byte]int{'R': 31, 'Q': 19} {
		g := endings.Game{Piece: piece}
		values := slowly(g, 0, 1)[0]
		moves, draws := make([]int, len(bain)), 0
		for i, v := range values {
			s, ok := g.Unrank(0, uint64(i))
			switch {
			case !ok:
			case g.Turn(s) == game.X && v.Steps > longest:
				t.Errorf("%s is won in %d plies", g.Format(s), v.Steps)
			case g.Turn(s) == game.O && v.Outcome == game.Draw:
				draws++
			case g.Turn(s) == game.O:
				moves[v.Steps/2]++
			}
		}
		if piece == 'R' && (draws != 2796 || !slices.Equal(moves, bain)) {
			t.Errorf("%d draws, and %v wins by moves, want 2796 and %v", draws, moves, bain)
		}
		if i, _ := g.Rank(g.Start()); values[i].Steps != longest {
			t.Errorf("%s is %v, want %d plies", g.Format(g.Start()), values[i], longest)
		}
	}
}

// Of all ways to place three men against three, the player to move wins 82.92 %, in at most 26
// plies.
func TestMorrisThree(t *testing.T) {
	if os.Getenv("BACKSOLVE_LONG") == "" {
		t.Skip("takes two seconds")
	}
	g := morris.Game{Men: 9}
	won, all, longest := 0, 0, 0
	for i, v := range slowly(g, 2, 3)[2] {
		if s, ok := g.Unrank(2, uint64(i)); ok {
			_, syms := g.Rank(s)
			all += 16 / syms
			longest = max(longest, v.Steps)
			if v.Outcome == game.Win {
				won += 16 / syms
			}
		}
	}
	if won != 2232160 || all != 2691920 || longest != 26 {
		t.Errorf("%d of %d are won, the longest win or loss has %d plies", won, all, longest)
	}
}
