package custom_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/examples/chomp"
	"backsolve/game/examples/connect4"
	"backsolve/game/examples/dominoes"
	"backsolve/game/examples/hounds"
	"backsolve/game/examples/morris"
	"backsolve/game/examples/teeko"
	"backsolve/game/holestest"
)

// heap is a game whose positions are not rows: the players take one to three.
type heap struct{}

func (heap) Name() string                        { return "heap" }
func (heap) Start() int                          { return 9 }
func (heap) Terminal(s int) (game.Outcome, bool) { return game.Lose, s == 0 }
func (heap) Key(s int) uint64                    { return uint64(s) }
func (heap) FromKey(key uint64) int              { return int(key) }
func (heap) Format(s int) string                 { return strings.Repeat("I", s) + "." }
func (heap) Moves(dst []int, s int) []int {
	for n := range min(3, s) {
		dst = append(dst, s-n-1)
	}
	return dst
}

func (heap) Parse(text string) (int, error) {
	if n := strings.Count(text, "I"); text == strings.Repeat("I", n)+"." {
		return n, nil
	}
	return 0, errors.New("a heap is counters and a dot")
}

func listedGames(t testing.TB) []custom.Listed {
	four, err := connect4.New(4, 4, true)
	if err != nil {
		t.Fatal(err)
	}
	return []custom.Listed{
		custom.List(heap{}), custom.List(four), custom.List(chomp.Game{Rows: 3, Columns: 4}),
		custom.List(dominoes.Game{Rows: 4, Columns: 4}), custom.List(holestest.Game{}), custom.List(hounds.Game{}), custom.List(morris.Game{Men: 4}),
		custom.List(morris.Game{Men: 6, Turn: true}), custom.List(teeko.Game{N: 4}),
	}
}

// Texts of positions and moves read back, the players alternate, and a position's numbers are the
// solver's.
func TestListed(t *testing.T) {
	for _, r := range listedGames(t) {
		t.Run(r.Info().Name, func(t *testing.T) {
			chance, expander := rand.New(rand.NewPCG(1, 2)), r.Numbers().NewExpander()
			for range 6 {
				s := r.Start()
				var after []custom.Child
				for plies := 0; plies < 60; plies++ {
					if back, err := r.Parse(r.Format(s)); err != nil || back != s {
						t.Fatalf("%s is read as %v: %v", r.Format(s), back, err)
					}
					if r.Turn(s) != game.Side(plies&1) {
						t.Fatalf("%s: %v is to move after %d plies", r.Format(s), r.Turn(s), plies)
					}
					moves := r.Moves(nil, s)
					tier, key := r.Number(s)
					if now := (custom.Child{Key: key, Tier: tier}); plies == 0 && now != r.Numbers().Start() || plies > 0 && !slices.Contains(after, now) {
						t.Fatalf("%s has the number %v, which the solver does not reach", r.Format(s), now)
					}
					after, _, _, _ = expander.Expand(after[:0], custom.Child{Key: key, Tier: tier})
					before := ""
					for _, m := range moves {
						text := game.MoveText(r, s, m)
						back, err := r.ParseMove(s, text)
						if err != nil || back != m || text <= before || strings.ContainsAny(text, " \n") {
							t.Fatalf("%s: the move %q after %q is read as %v: %v", r.Format(s), text, before, back, err)
						}
						before = text
					}
					if _, over := r.Terminal(s); over != (len(moves) == 0) {
						t.Fatalf("%s is over: %v, with %d moves", r.Format(s), over, len(moves))
					}
					if len(moves) == 0 {
						break
					}
					s = r.Play(s, moves[chance.IntN(len(moves))])
				}
			}
		})
	}
}

// Positions seen by the mover are shown as the first player sees them, and moves are named by
// the cells that they change.
func TestListedTexts(t *testing.T) {
	for _, c := range []struct {
		r                     custom.Listed
		moves, text, possible string
	}{
		{custom.List(heap{}), "IIIIIIII.", "IIIIIIII. o", "IIIII. IIIIII. IIIIIII."},
		{custom.List(holestest.Game{}), "a1 b2 c1", ".../.O./X.X o", "a2 a3 b1 b3 c2 c3"},
		{custom.List(holestest.Game{}), "a1 a2 b1 b2 c2 c1", ".../OOX/XXO", "a1a3 a1b3 a1c3 b1a3 b1b3 b1c3 c2a3 c2b3 c2c3"},
		{custom.List(dominoes.Game{Rows: 2, Columns: 3}), "a2a1", "X../X.. o", "b1c1 b2c2"},
		{custom.List(morris.Game{Men: 3}), "a5 c4 c5 d3", "XX....../.O.O....+4", "a1 a3 b2 b3 b4 c1 c2 d2 d4 e1 e3 e5c4 e5d3"},
	} {
		s, err := game.PlayMoves(c.r, c.r.Start(), strings.Fields(c.moves))
		if err != nil {
			t.Errorf("%s: %v", c.r.Info().Name, err)
			continue
		}
		var names []string
		for _, m := range c.r.Moves(nil, s) {
			names = append(names, game.MoveText(c.r, s, m))
		}
		if got := c.r.Format(s); got != c.text || strings.Join(names, " ") != c.possible {
			t.Errorf("%s: %q after %s, want %q; moves %v", c.r.Info().Name, got, c.moves, c.text, names)
		}
	}
}

// A drawing shows the first player as X too.
func TestListedDiagram(t *testing.T) {
	for _, c := range []struct {
		r           custom.Listed
		moves, want string
	}{
		{custom.List(morris.Game{Men: 4}), "a5 c4 a3", "X-----.-----.\n|     |     |\n|  .--O--.  |\n|  |     |  |\nX--."},
		{custom.List(holestest.Game{}), "a1 b2 c1", "...\n.O.\nX.X\no\n"},
	} {
		s, err := game.PlayMoves(c.r, c.r.Start(), strings.Fields(c.moves))
		if err != nil || !strings.HasPrefix(c.r.Diagram(s), c.want) {
			t.Errorf("%s after %s is drawn as\n%s: %v", c.r.Info().Name, c.moves, c.r.Diagram(s), err)
		}
	}
}

// Whatever text comes, it is refused with a sentence of moderate length, or is a position
// that is written as it was read.
func FuzzListed(f *testing.F) {
	games := listedGames(f)
	for i, r := range games {
		f.Add(uint8(i), r.Example())
		f.Add(uint8(i), r.Example()+" o")
		f.Add(uint8(i), " o")
		f.Add(uint8(i), strings.Repeat("X/", 50_000))
	}
	f.Fuzz(func(t *testing.T, i uint8, text string) {
		r := games[int(i)%len(games)]
		s, err := r.Parse(text)
		if err != nil {
			if syntax := (*game.SyntaxError)(nil); !errors.As(err, &syntax) || len(err.Error()) > 20_000 {
				t.Fatalf("%.80q: %T of %d bytes", text, err, len(err.Error()))
			}
			return
		}
		if r.Format(s) != strings.TrimSpace(text) {
			t.Fatalf("%q is written as %q", text, r.Format(s))
		}
		r.Terminal(s)
		for _, m := range r.Moves(nil, s) {
			r.Format(r.Play(s, m))
		}
	})
}

// Tables store fingerprints, so that they must never change.
func TestFingerprints(t *testing.T) {
	four, err := connect4.New(4, 4, true)
	if err != nil {
		t.Fatal(err)
	}
	for want, r := range map[uint64]custom.Rules{
		0xe7d32479c3a8cfc2: custom.NewRules(four),
		0x3e882993006e4ebe: custom.NewRules(hounds.Game{}),
		0x8b4da4ab5c8d1ba9: custom.NewRules(morris.Game{Men: 3}),
	} {
		if got := custom.Fingerprint(r); got != want {
			t.Errorf("%s has %#x", r.Name(), got)
		}
	}
	if got := custom.ShortFingerprint(custom.NewRules(hounds.Game{})); got != 0xd44e15f5d45cdccb {
		t.Errorf("short, %#x", got)
	}
}
