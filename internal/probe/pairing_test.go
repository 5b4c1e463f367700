package probe_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/game/notakto"
	"backsolve/game/quixo"
	"backsolve/internal/probe"
)

func TestStrategySizes(t *testing.T) {
	if got, want := probe.StrategySizes(notakto.Game), []int{8, 12, 16, 20, 24}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := probe.StrategySizes(quixo.Game); got != nil {
		t.Errorf("quixo: %v", got)
	}
}

// TestPairingAgreesWithTable compares the pairing with the table of 4×4: what it knows is
// right, and it knows what it should.
func TestPairingAgreesWithTable(t *testing.T) {
	table, p, wide := open(t, "notakto", 4, false), probe.NewPairing(4), notakto.NewWide(4)
	known := map[probe.Source]int{}
	step := uint64(1)
	if testing.Short() {
		step = 5 // one thread takes long under the race detector
	}
	for x := uint64(0); x < 1<<16; x += step {
		position := game.Position{X: x}
		g, err := wide.Parse(table.Rules().Format(position))
		if err != nil {
			t.Fatal(err)
		}
		a, err := p.Ask(wide.Format(g), probe.WholeLine)
		if err != nil {
			if !errors.Is(err, probe.ErrUnknown) || len(notakto.Unpaired(g)) < 2 || g.Complete() || a != nil {
				t.Fatalf("%s: %+v, %v", wide.Format(g), a, err)
			}
			known["no"]++
			continue
		}
		known[a.Source]++
		checkPairingAnswer(t, table, position, a)
	}
	for source, n := range known {
		if n < 100 {
			t.Errorf("%d positions from %q", n, source)
		}
	}
	if len(known) != 3 {
		t.Errorf("sources %v", known)
	}
}

// checkPairingAnswer compares an answer with that of the table.
func checkPairingAnswer(t *testing.T, table *probe.Table, p game.Position, a *probe.Answer) {
	t.Helper()
	whole, err := table.Answer(p)
	if err != nil {
		t.Fatal(err)
	}
	if a.Game != whole.Game || a.Size != whole.Size || a.Position != whole.Position || a.Value != whole.Value || a.Terminal != whole.Terminal {
		t.Fatalf("%+v, the table says %+v", a, whole)
	}
	if (a.Source == probe.FromRules) != a.Terminal {
		t.Fatalf("%s: from %q", a.Position, a.Source)
	}
	// The moves are those of the table, or some of them in the same order.
	rest := whole.Moves
	for _, m := range a.Moves {
		i := slices.Index(rest, m)
		if i < 0 {
			t.Fatalf("%s: the move %+v, the table has %+v", a.Position, m, whole.Moves)
		}
		rest = rest[i+1:]
	}
	if a.Outcome == game.Lose && len(a.Moves) != len(whole.Moves) {
		t.Fatalf("%s: %d moves of %d", a.Position, len(a.Moves), len(whole.Moves))
	}
	if !a.Terminal && a.Moves[0].Value != a.Value {
		t.Fatalf("%s: the best move is %v", a.Position, a.Moves[0])
	}
	checkPairingLine(t, a)
}

// checkPairingLine checks that a line is legal to its end, and won as the answer says.
func checkPairingLine(t *testing.T, a *probe.Answer) {
	t.Helper()
	p, wide, at := probe.NewPairing(a.Size), notakto.NewWide(a.Size), a.Position
	for i, ply := range a.Line.Plies {
		g, err := wide.Parse(at)
		if err != nil || g.Complete() {
			t.Fatalf("%s: the line goes on at ply %d, %v", at, i, err)
		}
		step, err := p.Ask(wide.Format(g), probe.NoLine)
		if err != nil || step.Moves[0].Move != ply.Move || step.Moves[0].Position != ply.Position {
			t.Fatalf("%s: %+v is not the best move: %v", at, ply, err)
		}
		at = ply.Position
	}
	g, err := wide.Parse(at)
	if err != nil || !g.Complete() || a.Line.Repeats != -1 {
		t.Fatalf("%s: the line ends here", at)
	}
	// The player who finds a complete line has won.
	if won := len(a.Line.Plies)%2 == 0; won != (a.Outcome == game.Win) {
		t.Fatalf("%s: %v, but the line has %d plies", a.Position, a.Outcome, len(a.Line.Plies))
	}
}

// TestPairingOnLargeBoards answers games against the pairing ply by ply, and positions in which
// the second player erred, which are unknown.
func TestPairingOnLargeBoards(t *testing.T) {
	for _, n := range probe.StrategySizes(notakto.Game) {
		p, wide, g := probe.NewPairing(n), notakto.NewWide(n), notakto.EmptyWide(n)
		r := rand.New(rand.NewPCG(9, uint64(n)))
		for plies := 0; plies < 12; plies += 2 {
			maxPlies := probe.NoLine
			if plies == 0 {
				maxPlies = probe.WholeLine
			}
			a, err := p.Ask(wide.Format(g), maxPlies)
			if err != nil || a.Outcome != game.Lose || a.Steps != -1 || len(a.Moves) != n*n-plies {
				t.Fatalf("%s: %+v, %v", wide.Format(g), a, err)
			}
			if plies == 0 {
				checkPairingLine(t, a)
			}
			cell := r.IntN(g.Cells())
			for g.Marked(cell) {
				cell = r.IntN(g.Cells())
			}
			g = g.Mark(cell)
			a, err = p.Ask(wide.Format(g), probe.NoLine)
			partner := game.CellName(n, notakto.Pair(n, cell))
			if err != nil || a.Outcome != game.Win || a.Moves[0].Move != partner || len(a.Moves) != 1 {
				t.Fatalf("%s: %+v, %v; want %s", wide.Format(g), a, err, partner)
			}
			astray := g
			for other := range g.Cells() {
				if !g.Marked(other) && other != notakto.Pair(n, cell) {
					astray = astray.Mark(other)
					break
				}
			}
			if a, err := p.Ask(wide.Format(astray), probe.NoLine); !errors.Is(err, probe.ErrUnknown) || a != nil {
				t.Fatalf("%s: %+v, %v", wide.Format(astray), a, err)
			}
			g = g.Mark(notakto.Pair(n, cell))
		}
	}
}

func TestPairingJSON(t *testing.T) {
	p, wide := probe.NewPairing(8), notakto.NewWide(8)
	const empty = "......../......../......../......../......../........"
	for _, c := range []struct{ position, value, moves string }{
		{"X......./......../" + empty, `"outcome":"win","steps":null,"terminal":false,"source":"pairing"`,
			`[{"move":"g7","outcome":"win","steps":null,"position":"X......./......X./` + empty + `"}]`},
		{"XXXXXXX./......X./" + empty, "", ""},
		{"XXXXXXX./X.XXXXX./" + empty, `"outcome":"win","steps":null,"terminal":false,"source":"pairing"`,
			`[{"move":"h7","outcome":"win","steps":null,"position":"XXXXXXX./X.XXXXXX/` + empty + `"},` +
				`{"move":"h8","outcome":"lose","steps":null,"position":"XXXXXXXX/X.XXXXX./` + empty + `"}]`},
		{"XXXXXXXX/X.XXXXX./" + empty, `"outcome":"win","steps":null,"terminal":true,"source":"rules"`, `[]`},
	} {
		g, err := wide.Parse(c.position)
		if err != nil {
			t.Fatal(err)
		}
		a, err := p.Ask(wide.Format(g), probe.NoLine)
		if c.value == "" {
			if want := "with at most one mark without a partner, but here are 6"; !errors.Is(err, probe.ErrUnknown) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", c.position, err)
			}
			continue
		}
		text, _ := json.Marshal(a)
		if want := `{"game":"notakto","size":8,"position":"` + c.position + `",` + c.value + `,"moves":` + c.moves + `}`; string(text) != want {
			t.Errorf("%s, %v\nwant %s", text, err, want)
		}
	}
}
