package playing

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/probe/probetest"
	"backsolve/tablebase"
)

// newTestOpponent returns who plays on a board, after the given moves if any, by a
// table with steps where there can be one, the games of seed 1 and those that follow.
func newTestOpponent(t testing.TB, name string, n int, after string) *opponent {
	t.Helper()
	board, err := cli.ParseBoard(name, strconv.Itoa(n), after)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if board.Strategy() == nil {
		probetest.Solve(t, dir, board.Grid(), board.Taken(), true)
	}
	o, err := newOpponent(t.Context(), &options{dir: &dir}, board)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.close() })
	o.seed = new(uint64(1))
	return o
}

// talk returns what a dialog writes while a person types some lines. The opponent is
// what it was at first.
func talk(t testing.TB, o *opponent, typed ...string) string {
	t.Helper()
	o.strength, o.seed = player.Strength{Policy: player.Optimal}, new(uint64(1))
	var in strings.Builder
	for _, line := range typed {
		in.WriteString(line + "\n")
	}
	var out bytes.Buffer
	if err := newDialog(o, strings.NewReader(in.String()), &out).run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A game from the first move to the last, against a player who has no choice.
func TestGame(t *testing.T) {
	got := talk(t, newTestOpponent(t, "notakto", 2, ""), "side o", "b2", "a1", "new", "quit", "a1")
	want := `notakto 2×2. You play first; I play optimal.
Type a move, such as a1, or help.

2  . .
1  . .
   a b

first> You play second.
I play b1 as first.

2  . .
1  . X
   a b

second> 
2  . X
1  . X
   a b

The game is over: I won. Type new, back or quit.
over> the move a1 is not legal here: the game is over, as a line is complete
over> I play b1 as first.

2  . .
1  . X
   a b

second> `
	if !reflect.DeepEqual(want, got) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestCommands(t *testing.T) {
	quixo, notakto := newTestOpponent(t, "quixo", 3, ""), newTestOpponent(t, "notakto", 3, "")
	rest, pairing := newTestOpponent(t, "notakto", 3, "b2"), newTestOpponent(t, "notakto", 8, "")
	astray := "position XX....../......../......../......../......../......../......../........"
	for _, c := range []struct {
		name     string
		opponent *opponent
		typed    []string
		want     string // is written after the prompt of the last line
	}{
		{"help", quixo, []string{"help"}, "a1a3                         make a move\nmoves "},
		{"moves", notakto, []string{"side both", "position X.X/.../..X", "moves"},
			"move  outcome  steps\na1    win          2\na2    lose         3\n"},
		{"moves of the pairing", pairing, []string{"side both", "position X......./......../......../......../......../......../......../........", "moves"},
			"move  outcome  steps\ng7    win          -\nThe other moves are not known.\n"},
		{"hint", quixo, []string{"position XX./OO./... x", "hint"}, "c1c3: win in 1\n"},
		{"value at the end", quixo, []string{"side both", "position OOO/X../... x", "value"}, "x to move: lose in 0\n"},
		{"value", quixo, []string{"position X../.../..O x", "value"}, "x to move: win in 5\n"},
		{"line", notakto, []string{"side both", "position X.X/.../..X", "line"}, "main line\n  1. a1  2. a2\nThen the game is over.\n"},
		{"what the pairing does not know", pairing, []string{astray, "value"}, "the outcome is not known: "},
		{"no hint from the pairing", pairing, []string{astray, "hint"}, "the outcome is not known: "},
		{"no line from the pairing", pairing, []string{astray, "line"}, "the outcome is not known: "},
		{"no moves at the end", quixo, []string{"position XXX/.../... o", "moves"}, "the game is over; there are no moves\n"},
		{"no hint at the end", quixo, []string{"position XXX/.../... o", "hint"}, "the game is over; there are no moves\n"},
		{"no line at the end", quixo, []string{"position XXX/.../... o", "line"}, "the game is over; there are no moves\n"},
		{"position", quixo, []string{"side both", "a1a3", "c3c1", "position"}, "X../.../..O x\n"},
		{"a wrong position", quixo, []string{"position X../..", "position"}, ".../.../... x\n"},
		{"which position is wrong", quixo, []string{"position X../.."}, `"X../..", column 7: `},
		{"a position of another table", rest, []string{"position X../.../..."}, "not a position of this table, which begins after b2: "},
		{"the start of the rest", rest, []string{"side both", "position"}, ".../.X./...\n"},
		{"a wrong move", quixo, []string{"b2b3"}, "the move b2b3 is not legal here: b2 is not on the border; "},
		{"no move", quixo, []string{"a1 a3"}, `"a1 a3", column 3: `},
		{"no command", quixo, []string{"hlep"}, `"hlep", column 1: "h" is not a column's letter`},
		{"side", quixo, []string{"side both", "side"}, "You play both.\n"},
		{"side by its turn", notakto, []string{"side first", "side"}, "You play first.\n"},
		{"no side", quixo, []string{"side X"}, `"X" is not a side; type x or first, o or second, both, or none` + "\n"},
		{"level", quixo, []string{"level shortest 0.25", "level"}, "I play shortest:blunder=0.25.\n"},
		{"level without blunders", quixo, []string{"level optimal", "level"}, "I play optimal.\n"},
		{"no level", quixo, []string{"level best"}, `"best" is not a policy; write optimal, shortest or trap` + "\n"},
		{"no probability", quixo, []string{"level optimal 2"}, "2 is not a probability; "},
		{"no number", quixo, []string{"level optimal often"}, `"often" is not a probability; `},
		{"too much of a level", quixo, []string{"level optimal 0 1"}, "level takes a policy and a probability; "},
		{"no level of the pairing", pairing, []string{"level optimal"}, "the pairing plays notakto 8×8, without policies and blunders"},
		{"the pairing's level", pairing, []string{"level"}, "I play the pairing.\n"},
		{"nothing to take back", quixo, []string{"back"}, "you have not made a move yet\n"},
		{"nothing of one's own to take back", quixo, []string{"side o", "back"}, "you have not made a move yet\n"},
		{"back", quixo, []string{"side both", "a1a3", "c3c1", "a1a3", "back", "position"}, "X../.../..O x\n"},
		{"back from the end", notakto, []string{"side both", "a1", "a2", "a3", "back", "position"}, ".../X../X..\n"},
		{"undo", quixo, []string{"side both", "a1a3", "c3c1", "a1a3", "undo", "position"}, "X../.../..O x\n"},
		{"undo two", quixo, []string{"side both", "a1a3", "c3c1", "a1a3", "undo 2", "position"}, "X../.../... o\n"},
		{"undo all", quixo, []string{"side both", "a1a3", "c3c1", "undo 2", "position"}, ".../.../... x\n"},
		{"undo a reply alone", notakto, []string{"side both", "b2", "a1", "back 1", "position"}, ".../.X./...\n"},
		{"undo too much", quixo, []string{"side both", "a1a3", "undo 2"}, "the game has 1 ply so far; type new to start again\n"},
		{"undo nothing", quixo, []string{"undo 1"}, "the game has 0 plies so far; type new to start again\n"},
		{"undo what", quixo, []string{"side both", "a1a3", "undo all"}, `"all" is not a number of plies; type back, or for example back 2` + "\n"},
		{"undo less than nothing", quixo, []string{"side both", "a1a3", "undo 0"}, `"0" is not a number of plies; `},
		{"an empty line", quixo, []string{"side both", "a1a3", ""}, "o> "},
		{"a nobody's move", quixo, []string{"side none", "a1a3"}, "it is my move as x; press Enter for it, "},
		{"x won", quixo, []string{"side both", "position XXX/.../... o"}, "\n3  X X X\n2  . . .\n1  . . .\n   a b c\n\nThe game is over: x won. "},
		{"the second won", notakto, []string{"side none", "position XXX/.../..."}, "\n3  X X X\n2  . . .\n1  . . .\n   a b c\n\nThe game is over: second won. "},
		{"you won", quixo, []string{"position XXX/.../... o"}, "\n3  X X X\n2  . . .\n1  . . .\n   a b c\n\nThe game is over: you won. "},
		{"I won", quixo, []string{"position OOO/.../... o"}, "\n3  O O O\n2  . . .\n1  . . .\n   a b c\n\nThe game is over: I won. "},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := talk(t, c.opponent, c.typed[:len(c.typed)-1]...)
			before = strings.TrimSuffix(before, "\n") // with which the end of what is typed is answered
			got, ok := strings.CutPrefix(talk(t, c.opponent, c.typed...), before)
			if !ok || !strings.HasPrefix(got, c.want) {
				t.Errorf("%q after %q", got, before)
			}
		})
	}
}

// After exit, as after quit, nothing more is read.
func TestExit(t *testing.T) {
	for _, word := range []string{"exit", "quit"} {
		if got := talk(t, newTestOpponent(t, "notakto", 2, ""), word, "moves"); !strings.HasSuffix(got, "first> ") || strings.Contains(got, "outcome") {
			t.Errorf("%s: %s", word, got)
		}
	}
}

// What a line can be completed to are commands, and moves where there are any to make.
func TestCompletion(t *testing.T) {
	d := newDialog(newTestOpponent(t, "quixo", 3, ""), strings.NewReader(""), io.Discard)
	for _, c := range []struct {
		begun string
		want  []string
	}{
		{"h", []string{"hint", "help"}}, {"ex", []string{"exit"}}, {"un", []string{"undo"}}, {"z", nil},
		{"a1", []string{"a1a3", "a1c1"}}, {"b2", nil}, {"c3c", []string{"c3c1"}},
	} {
		if got := d.completeLine(c.begun); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.begun, got, c.want)
		}
	}
	d.user = [2]bool{}
	if got := d.completeLine("a1"); len(got) > 0 {
		t.Errorf("%q where the opponent is to move", got)
	}
}

// With none, the opponent plays both sides, a move for each Enter, and takes one
// move back.
func TestNobodyPlays(t *testing.T) {
	got := talk(t, newTestOpponent(t, "quixo", 3, ""), "side none", "", "", "", "back", "quit")
	for _, want := range []string{"x, press Enter> I play ", " as x.\n", "o, press Enter> I play ", " as o.\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
	if n := len(moved.FindAllString(got, -1)); n != 3 {
		t.Errorf("%d moves: %s", n, got)
	}
	if !strings.HasSuffix(got, "\n   a b c\n\nx, press Enter> ") {
		t.Errorf("it does not end with the move of x: %s", got)
	}
}

// moved finds the opponent's moves.
var moved = regexp.MustCompile(`I play (\w+) as \w+\.`)

// Whoever plays what, the moves follow the rules, and the winner is named.
func TestGamesEnd(t *testing.T) {
	for _, o := range []*opponent{newTestOpponent(t, "quixo", 3, ""), newTestOpponent(t, "notakto", 4, ""), newTestOpponent(t, "notakto", 8, ""), newTestOpponent(t, "notakto", 12, "")} {
		rapid.Check(t, func(t *rapid.T) {
			in, typed := io.Pipe()
			written, out := io.Pipe()
			ended := make(chan error, 1)
			go func() {
				err := newDialog(o, in, out).run(t.Context())
				out.Close()
				ended <- err
			}()
			c := conversation{t, o.rules, typed, written, ""}
			c.await("> ")
			side := rapid.SampledFrom([]game.Side{game.X, game.O}).Draw(t, "side")
			c.say("side " + side.String())
			p := c.play(side)
			want := "The game is over: I won."
			if winner, over := game.Winner(o.rules, p); !over {
				want = "> "
			} else if winner == side {
				want = "The game is over: you won."
			}
			if !strings.Contains(c.last, want) {
				t.Errorf("%s ends with %q, want %q", o.rules.Format(p), c.last, want)
			}
			typed.Close()
			go io.Copy(io.Discard, written)
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// conversation is the person's side of a dialog.
type conversation struct {
	t     *rapid.T
	rules game.Rules
	typed io.Writer
	read  io.Reader
	last  string // what was written since the last line
}

// await reads until some text has been written.
func (c *conversation) await(text string) {
	c.last = ""
	buffer := make([]byte, 1<<12)
	for !strings.HasSuffix(c.last, text) {
		n, err := c.read.Read(buffer)
		if err != nil {
			c.t.Fatal(err)
		}
		c.last += string(buffer[:n])
	}
}

// say types a line, and reads up to the next prompt.
func (c *conversation) say(line string) {
	io.WriteString(c.typed, line+"\n")
	c.await("> ")
}

// play plays random moves for a side, at most twenty, and returns the position
// that follows from all moves.
func (c *conversation) play(side game.Side) game.State {
	p := c.hear(c.rules.Start())
	for range 20 {
		moves := c.rules.Moves(nil, p)
		if len(moves) == 0 {
			break
		}
		if c.rules.Turn(p) != side {
			c.t.Fatalf("%s: the person is asked for the opponent's move", c.rules.Format(p))
		}
		m := rapid.SampledFrom(moves).Draw(c.t, "move")
		c.say(c.rules.FormatMove(m))
		p = c.hear(c.rules.Play(p, m))
	}
	return p
}

// hear returns the position after the opponent's move, if there was one.
func (c *conversation) hear(p game.State) game.State {
	for _, words := range moved.FindAllStringSubmatch(c.last, -1) {
		m, err := c.rules.ParseMove(p, words[1])
		if err != nil {
			c.t.Fatal(err)
		}
		p = c.rules.Play(p, m)
	}
	return p
}

// A table that cannot be read ends the game.
func TestNoReply(t *testing.T) {
	o := newTestOpponent(t, "notakto", 3, "")
	o.close()
	var out bytes.Buffer
	err := newDialog(o, strings.NewReader("side o\n"), &out).run(t.Context())
	if !errors.Is(err, tablebase.ErrClosed) {
		t.Errorf("%v after %s", err, out.String())
	}
}

func FuzzDialog(f *testing.F) {
	for _, seed := range []string{
		"help\nmoves\nhint\nvalue\nline\nback\nnew\nposition\nside\nlevel\nquit",
		"side none\n\n\n\nback\nside o\nposition XX./OO./... x\nc1c3\nmoves\nback",
		"level shortest 0.5\na1a3\na1c1 \xff\nposition \x00\n\x1b[A\nside both\nposition OOO/X../... x\nhint",
	} {
		f.Add(seed)
	}
	o := newTestOpponent(f, "quixo", 3, "")
	f.Fuzz(func(t *testing.T, typed string) {
		if len(typed) < 1<<10 { // a terminal gives no longer lines
			talk(t, o, typed)
		}
	})
}
