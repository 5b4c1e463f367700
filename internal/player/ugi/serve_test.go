package ugi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"backsolve/game"
	"backsolve/game/notakto"
	"backsolve/internal/player"
	"backsolve/internal/probe"
)

func TestConversation(t *testing.T) {
	for _, c := range []struct {
		name string
		host *Host
		talk [][]string // a command and its answers
	}{
		{"quixo", newHost(t, open(t, "quixo", 3, 0, true)), [][]string{
			{"ugi", "id name test quixo 3×3", "id author nobody", "option name Seed type string default 0", "option name MultiPV type spin default 1 min 1 max 1000", "ugiok"},
			{"setoption name seed value 7"},
			{"isready", "readyok"},
			{"uginewgame"},
			{"position startpos"},
			{"query p1turn", "response true"},
			{"query gameover", "response false"},
			{"query result", "response none"},
			{"query fen", "response .../.../... x"},
			{"position startpos moves a1a3 c3c1"},
			{"query fen", "response X../.../..O x"},
			{"position fen XX./OO./... x"},
			{"query value", "response win 1"},
			{"position fen XX./OO./..O x moves a1a3"},
			{"query p1turn", "response false"},
			{"position fen .O./.XX/.O. o moves c1a1"},
			{"query fen", "response .O./.XX/O.O x"},
			{"query moves", "response a2a1 a2a3 a2c2 a3a1 a3c3 b1a1 b1b3 b1c1 c2a2 c2c1 c2c3 c3a3 c3c1"},
			{"go", "info depth 1 score mate 1 nodes 13 time T nps N pv a2c2", "bestmove a2c2"},
			{"stop"},
			{"position fen XXX/.../..O o"},
			{"query gameover", "response true"},
			{"query result", "response p1win"},
			{"query moves", "response none"},
			{"query value", "response lose 0"},
			{"go movetime 100", "info string error: the game is over in this position; there is no move", "bestmove 0000"},
			{"position fen X../.../OOO x"},
			{"query result", "response p2win"},
			{"uginewgame"},
			{"query fen", "response .../.../... x"},
			{"quit"},
			{"isready"},
		}},
		{"notakto", newHost(t, open(t, "notakto", 3, 0, false)), [][]string{
			{"position fen X.X/.../X.."},
			{"query p1turn", "response false"},
			{"position fen X.X/.../..X moves a1"},
			{"query p1turn", "response true"},
			{"query value", "response lose"},
			{"position fen X.X/.../..X"},
			{"query value", "response win"},
			{"go depth 4", "info depth 1 score cp 10000 nodes 6 time T nps N pv a1 a2", "bestmove a1"},
			{"position fen XXX/.../..."},
			{"query result", "response p2win"},
			{"position fen XXX/X../..."},
			{"query result", "response p1win"},
		}},
		{"after b2", newHost(t, open(t, "notakto", 3, 1<<4, true)), [][]string{
			{"query fen", "response .../.X./..."},
			{"query p1turn", "response false"},
			{"position fen X../.../...",
				"info string error: not a position of this table, which begins after b2: there is no X on b2; add the missing marks, or query another table"},
			{"query fen", "info string error: the last position was refused; send one that can be accepted, or uginewgame"},
			{"position startpos"},
			{"query fen", "response .../.X./..."},
		}},
		{"passes and draws", newStripHost(), [][]string{
			{"query value", "response unknown"},
			{"position startpos moves b"},
			{"query moves", "response pass"},
			{"query p1turn", "response false"},
			{"go", "info depth 1 nodes 1 time T nps N pv pass", "bestmove pass"},
			{"position startpos moves b pass"},
			{"query fen", "response .X. x"},
			{"query p1turn", "response true"},
			{"query gameover", "response false"},
			{"position startpos moves pass", "info string error: move 1: the move pass is not legal here: the cell is marked or beside an opponent's, or a pass is not needed"},
			{"position startpos moves b pass a pass c"},
			{"query fen", "response XXX o"},
			{"query result", "response p1win"},
			{"position fen X.O x"},
			{"query gameover", "response true"},
			{"query result", "response draw"},
			{"query moves", "response none"},
			{"go", "info string error: the game is over in this position; there is no move", "bestmove 0000"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var commands, want []string
			for _, exchange := range c.talk {
				commands = append(commands, exchange[0])
				want = append(want, exchange[1:]...)
			}
			if got := talk(t, c.host, commands...); !reflect.DeepEqual(want, got) {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
		})
	}
}

// After a refused position there are no moves and no answers, until one is accepted.
func TestRefusedPosition(t *testing.T) {
	h := newHost(t, open(t, "notakto", 3, 0, true))
	refused := "info string error: the last position was refused; send one that can be accepted, or uginewgame"
	for _, accepted := range []string{"position startpos moves b2", "uginewgame"} {
		got := talk(t, h, "position startpos moves b2 b2", "isready", "go", "query fen", "setoption name Seed value 2", "go", accepted, "query gameover")
		if len(got) != 8 || !strings.HasPrefix(got[0], "info string error: move 2: ") ||
			!slices.Equal(got[1:], []string{"readyok", refused, "bestmove 0000", refused, refused, "bestmove 0000", "response false"}) {
			t.Errorf("%q", got)
		}
	}
}

// With MultiPV, the move played is reported first, then the best others, with their values and lines, up
// to all of them, in the order of the answer.
func TestMultiPV(t *testing.T) {
	table := open(t, "quixo", 3, 0, true)
	h := newHost(t, table)
	const text = "X../.../..O x"
	answer, err := table.Ask(text, probe.NoLine)
	if err != nil {
		t.Fatal(err)
	}
	for _, lines := range []int{2, 5, maxLines} {
		got := talk(t, h, fmt.Sprintf("setoption name multipv value %d", lines), "position fen "+text, "go")
		shown := min(lines, len(answer.Moves))
		if len(got) != shown+1 || !strings.HasPrefix(got[shown], "bestmove ") {
			t.Fatalf("%d: %q", lines, got)
		}
		played, _ := strings.CutPrefix(got[shown], "bestmove ")
		i := slices.IndexFunc(answer.Moves, func(m probe.Move) bool { return m.Move == played })
		best := slices.Concat(answer.Moves[i:i+1], answer.Moves[:i], answer.Moves[i+1:])
		for i, m := range best[:shown] {
			after, err := table.Ask(m.Position, probe.WholeLine)
			if err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprintf("info depth 1 multipv %d %s nodes %d time T nps N pv %s", i+1, score(m.Value), len(answer.Moves), m.Move)
			for _, p := range after.Line.Plies {
				want += " " + p.Move
			}
			if got[i] != want {
				t.Errorf("%s, want %s", got[i], want)
			}
		}
	}
	for value, want := range map[string]string{"0": `"0" is not a number of moves; write one from 1 to 1000`, "all": `"all" is not a number`, "1001": `"1001" is not a`} {
		if got := talk(t, h, "setoption name MultiPV value "+value); len(got) != 1 || !strings.HasPrefix(got[0], "info string error: option MultiPV: "+want) {
			t.Errorf("%q", got)
		}
	}
}

// Reports do not change the player: the moves of a game are the same with any
// number of lines.
func TestMultiPVPlaysTheSame(t *testing.T) {
	h := newHost(t, open(t, "notakto", 3, 0, true))
	moves := func(lines int) (best []string) {
		commands := []string{"setoption name Seed value 5", "go", "go", "go", "go"}
		if lines > 1 {
			commands = slices.Insert(commands, 2, fmt.Sprintf("setoption name MultiPV value %d", lines))
		}
		for _, line := range talk(t, h, commands...) {
			if strings.HasPrefix(line, "bestmove ") {
				best = append(best, line)
			}
		}
		return best
	}
	if one, many := moves(1), moves(4); !slices.Equal(one, many) || len(one) != 4 {
		t.Errorf("%q and %q", one, many)
	}
}

// What is wrong is said, and changes nothing but that a position which is refused
// leaves none.
func TestWhatIsNotUnderstood(t *testing.T) {
	h := newHost(t, open(t, "quixo", 3, 0, true))
	for command, want := range map[string]string{
		"uci":                                    `"uci" is not a command; the commands are ugi, isready, setoption, uginewgame, position, go, stop, query, quit`,
		"\x00\x1b[2J":                            `"\x00\x1b[2J" is not a command`,
		"position":                               `position is not understood; write position startpos or position fen X../.../..O x, and moves after it`,
		"position fen":                           `position is not understood`,
		"position moves a1a3":                    `position is not understood`,
		"position startpos a1":                   `"startpos a1", column 10: only the word moves may follow startpos`,
		"position fen X../...":                   `"X../...", column 8: the board ends after 2 rows`,
		"position startpos moves a1a3 b2b3 c1c3": `move 2: the move b2b3 is not legal here: b2 is not on the border`,
		"position startpos moves a1a3 a4":        `move 2: "a4", column 2`,
		"query":                                  `query is not understood; write query and one of gameover, p1turn, result, fen, moves, value, nimber`,
		"query p1turn now":                       `query is not understood`,
		"query phase":                            `query is not understood`,
		"setoption Seed 7":                       `setoption is not understood; write setoption name <name> value <value>`,
		"setoption name Hash value 1":            `there is no option "Hash"; the options are Seed, MultiPV`,
		"setoption name Seed value x y":          `option Seed: strconv.ParseUint: parsing "x y": invalid syntax`,
		strings.Repeat("go ", maxLine):           `the line is longer than 1048576 bytes`,
	} {
		got := talk(t, h, "position startpos moves a1a3", command, "query fen")
		after := "response X../.../... o"
		if strings.HasPrefix(command, "position") || len(command) > maxLine {
			after = "info string error: " + errRefused.Error()
		}
		if len(got) != 2 || !strings.HasPrefix(got[0], "info string error: "+want) || got[1] != after {
			t.Errorf("%.60q: %.300q", command, got)
		}
	}
}

func TestNoPlayer(t *testing.T) {
	h := newHost(t, open(t, "notakto", 3, 0, true))
	h.Begin = func() (player.Player, error) { return nil, errors.New("nobody\nis there") }
	if got := talk(t, h, "go"); !slices.Equal(got, []string{"info string error: nobody is there", "bestmove 0000"}) {
		t.Errorf("%q", got)
	}
}

// The pairing knows the values of some positions only, on grids and on larger boards.
func TestPairingHost(t *testing.T) {
	for _, n := range []int{8, 12} {
		board, err := probe.NewBoard("notakto", n, "")
		if err != nil {
			t.Fatal(err)
		}
		agent, err := player.ByFormula(board.Rules(), notakto.Pairing)
		if err != nil {
			t.Fatal(err)
		}
		h := &Host{
			Rules: board.Rules(), Start: board.Start(), Answers: board.Strategy(),
			Begin: func() (player.Player, error) { return agent.Begin(1) },
		}
		first, other, partner := game.CellName(n, 0), game.CellName(n, 1), game.CellName(n, notakto.Pair(n, 0))
		got := talk(t, h, "query value", "position startpos moves "+first, "query value", "go",
			"position startpos moves "+first+" "+other, "query value", "go")
		want := []string{
			"response lose", "response win",
			fmt.Sprintf("info depth 1 score cp 10000 nodes %d time T nps N pv %s", n*n-1, partner), "bestmove " + partner,
			"response unknown",
		}
		if len(got) == 7 {
			got[2], _, _ = strings.Cut(got[2], " pv "+partner+" ") // the line continues to the end of the game
			got[2] += " pv " + partner
		}
		if len(got) != 7 || !slices.Equal(got[:5], want) {
			t.Fatalf("%q", got)
		}
		move, _ := strings.CutPrefix(got[6], "bestmove ")
		if got[5] != fmt.Sprintf("info depth 1 nodes %d time T nps N pv %s", n*n-2, move) {
			t.Errorf("%q", got[5:])
		}
	}
}

// The same seed plays the same game; setting it, or a new game, begins again.
func TestSeedOption(t *testing.T) {
	h := newHost(t, open(t, "notakto", 3, 0, true))
	game := func(begin ...string) []string {
		return talk(t, h, append(begin, "position startpos moves b1", "go", "go", "go", "go", "go", "go", "go", "go", "go", "go")...)
	}
	first := game("setoption name Seed value 1")
	if again := game("uginewgame"); !slices.Equal(first, again) {
		t.Errorf("%q and then %q", first, again)
	}
	if again := game("go", "setoption name Seed value 1"); !slices.Equal(first, again[2:]) {
		t.Errorf("%q and then %q", first, again[2:])
	}
	if other := game("setoption name Seed value 2"); slices.Equal(first, other) {
		t.Errorf("%q twice", first)
	}
}

// Positions agree with the rules' after the same moves.
func TestPositions(t *testing.T) {
	table := open(t, "quixo", 3, 0, true)
	h := newHost(t, table)
	rapid.Check(t, func(rt *rapid.T) {
		p, command := h.Start, "position startpos"
		if rapid.Bool().Draw(rt, "fen") {
			p = probe.RandomOpenPosition(table.Rules(), player.NewRand(rapid.Uint64().Draw(rt, "position")))
			command = "position fen " + h.Rules.Format(p)
		}
		for i := range rapid.IntRange(0, 12).Draw(rt, "plies") {
			moves := h.Rules.Moves(nil, p)
			if len(moves) == 0 {
				break
			}
			if i == 0 {
				command += " moves"
			}
			m := rapid.SampledFrom(moves).Draw(rt, "move")
			p = h.Rules.Play(p, m)
			command += " " + h.Rules.FormatMove(m)
		}
		if got := talk(t, h, command, "query fen"); !slices.Equal(got, []string{"response " + h.Rules.Format(p)}) {
			rt.Fatalf("%s: %q, want %s", command, got, h.Rules.Format(p))
		}
	})
}

// Each command is answered before the next one comes.
func TestAnswersComeAtOnce(t *testing.T) {
	h := newHost(t, open(t, "notakto", 3, 0, true))
	commands, ask := io.Pipe()
	answers, reply := io.Pipe()
	done := make(chan error)
	go func() { done <- Serve(t.Context(), commands, reply, h) }()
	in := bufio.NewReader(answers)
	for range 3 {
		io.WriteString(ask, "isready\r\n")
		if line, err := in.ReadString('\n'); line != "readyok\n" || err != nil {
			t.Fatalf("%q, %v", line, err)
		}
	}
	io.WriteString(ask, "quit\n")
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestBrokenPipes(t *testing.T) {
	h := newHost(t, open(t, "notakto", 3, 0, true))
	broken, _ := io.Pipe()
	broken.CloseWithError(io.ErrClosedPipe)
	if err := Serve(t.Context(), broken, io.Discard, h); err != io.ErrClosedPipe {
		t.Errorf("reading: %v", err)
	}
	unread, reply := io.Pipe()
	unread.CloseWithError(io.ErrShortWrite)
	if err := Serve(t.Context(), strings.NewReader("ugi\n"), reply, h); err != io.ErrShortWrite {
		t.Errorf("writing: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	if err := Serve(ctx, strings.NewReader("ugi\n"), io.Discard, h); err != enough {
		t.Errorf("cancelled: %v", err)
	}
}

// answer is what a line of the engine may look like.
var answer = regexp.MustCompile(`^(id name |id author |option name |ugiok$|readyok$|info |bestmove ([a-h1-8]+|0000)$|response )`)

func FuzzServe(f *testing.F) {
	for _, seed := range []string{
		"ugi\nisready\nuginewgame\nposition startpos moves a1a3 c3c1\ngo movetime 10\nquery result\nquit\ngo",
		"position fen XX./OO./... x moves c1c3\r\ngo\r\nquery gameover\r\nquery value",
		"position fen X../.../... o\n\n \t\ngo infinite\nstop\nsetoption name Seed value 3\ngo",
		"position startpos moves\ngo\x00\ngo \xff\xfe\nposition fen \xff\nquery moves\nquit now",
		"go\vgo\ngo\u0085depth 3\n\u2028go",
	} {
		f.Add([]byte(seed))
	}
	table := open(f, "quixo", 3, 0, true)
	f.Fuzz(func(t *testing.T, input []byte) {
		h := newHost(t, table)
		h.Name = "fuzz"
		lines := talk(t, h, string(input)) // which ends
		moves := 0
		for _, line := range lines {
			if !answer.MatchString(line) || strings.ContainsFunc(line, func(c rune) bool { return c < ' ' || c == 0x7f }) {
				t.Errorf("%q is no answer", line)
			}
			if strings.HasPrefix(line, "bestmove ") {
				moves++
			}
		}
		if want := countGo(string(input)); moves != want {
			t.Errorf("%d moves for %d times go", moves, want)
		}
	})
}

// countGo counts the commands that want a move.
func countGo(input string) (count int) {
	for line := range strings.SplitSeq(input, "\n") {
		words := strings.Fields(line)
		switch {
		case len(line) >= maxLine || len(words) == 0:
		case words[0] == "quit":
			return count
		case words[0] == "go":
			count++
		}
	}
	return count
}
