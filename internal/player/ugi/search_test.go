package ugi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/player/mcts"
	"backsolve/internal/player/minimax"
)

// runner talks with Serve as a match runner does: it sends a line and waits for answers.
type runner struct {
	t    testing.TB
	in   *io.PipeWriter
	out  *bufio.Reader
	done chan error
}

func newRunner(t testing.TB, h *Host) *runner {
	commands, in := io.Pipe()
	out, answers := io.Pipe()
	r := &runner{t, in, bufio.NewReader(out), make(chan error, 1)}
	go func() {
		err := Serve(context.Background(), commands, answers, h)
		answers.Close()
		r.done <- err
	}()
	return r
}

func (r *runner) send(lines ...string) {
	r.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(r.in, line+"\n"); err != nil {
			r.t.Fatal(err)
		}
	}
}

// await returns the lines up to the first with a given beginning.
func (r *runner) await(begin string) (lines []string) {
	r.t.Helper()
	for {
		line, err := r.out.ReadString('\n')
		if err != nil {
			r.t.Fatalf("%v instead of %s, after %q", err, begin, lines)
		}
		lines = append(lines, strings.TrimSuffix(line, "\n"))
		if strings.HasPrefix(line, begin) {
			return lines
		}
	}
}

// end waits until Serve returns; no output may be left.
func (r *runner) end() {
	r.t.Helper()
	rest, _ := io.ReadAll(r.out)
	if err := <-r.done; err != nil || len(rest) > 0 {
		r.t.Errorf("%q is left, %v", rest, err)
	}
}

// dreamer is a player that searches one state a millisecond, without end.
type dreamer struct{ rules game.Rules }

func (d dreamer) Think(ctx context.Context, s game.State, search *player.Search) (game.Move, error) {
	moves := d.rules.Moves(nil, s)
	for n := 1; ; n++ {
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return search.Best, nil
		}
		search.Tell(player.Searched{Depth: 7, Nodes: n, Best: moves[n%len(moves)]})
		if n == search.MaxNodes {
			return search.Best, nil
		}
	}
}

func (dreamer) Close() error { return nil }

func dreamerHost() *Host {
	h := newStripHost()
	h.Begin = func() (player.Player, error) { return dreamer{h.Rules}, nil }
	h.Options = []Option{{"Seed", "string default 0", func(string) error { return nil }}}
	return h
}

// Whatever a runner sends during a search is obeyed before the clock moves on.
func TestListensWhileItThinks(t *testing.T) {
	for command, want := range map[string]string{
		"stop":                        "",
		"quit":                        "",
		"uginewgame":                  "",
		"setoption name Seed value 1": "",
		"query fen":                   "response ... x",
		"position startpos moves b":   "",
		"go nodes 3":                  "bestmove ",
		"ugi":                         "ugiok",
		"nonsense":                    "info string error: ",
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRunner(t, dreamerHost())
			r.send("position startpos", "go infinite")
			time.Sleep(500*time.Millisecond + time.Microsecond)
			began := time.Now()
			r.send("isready")
			r.out.Discard(r.out.Buffered())
			go r.send(command)
			lines := r.await("bestmove ")
			if time.Since(began) != 0 || !slices.Contains(lines, "readyok") {
				t.Errorf("%s: after %v %q", command, time.Since(began), lines[max(0, len(lines)-5):])
			}
			if !strings.Contains(lines[len(lines)-2], "depth 7 nodes 500 time 500 nps ") {
				t.Errorf("%s: %q", command, lines[len(lines)-2])
			}
			if want != "" {
				r.await(want)
			}
			if command != "quit" {
				r.send("quit")
			}
			r.end()
		})
	}
}

// The end of the input ends an infinite search, and waits for others: piped input gets the
// answers of a slow conversation.
func TestEndOfInputWhileItThinks(t *testing.T) {
	for last, takes := range map[string]time.Duration{"go infinite": 0, "go nodes 50": 50 * time.Millisecond, "go movetime 80": 72 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			r := newRunner(t, dreamerHost())
			began := time.Now()
			go func() {
				r.send("go nodes 20", "isready", "position startpos moves b", "go nodes 30", "query fen", last)
				r.in.Close()
			}()
			for nodes, lines := range map[int][]string{20: r.await("bestmove "), 30: r.await("bestmove ")} {
				if !slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, fmt.Sprintf(" nodes %d ", nodes)) }) {
					t.Errorf("%d nodes: %q", nodes, lines)
				}
			}
			r.await("response ")
			r.await("bestmove ")
			r.end()
			if took := time.Since(began); took != 50*time.Millisecond+takes {
				t.Errorf("%s: after %v", last, took)
			}
		})
	}
}

// A command that waits for a search is not lost or overtaken where stop ends the search.
func TestStopBeforeWaitingCommands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRunner(t, dreamerHost())
		r.send("go nodes 1000", "position startpos moves b", "query fen", "stop")
		if lines := r.await("response "); !strings.HasPrefix(lines[len(lines)-2], "bestmove ") {
			t.Errorf("%q", lines)
		}
		r.send("quit")
		r.end()
	})
}

// Limits are kept: time within the clock's, numbers of states exactly.
func TestLimits(t *testing.T) {
	for command, c := range map[string]struct{ least, most time.Duration }{
		"go movetime 100": {85, 100},
		"go movetime 1":   {0, 1},
		"go p1time 30000 p2time 1 p1inc 0 p2inc 0":    {900, 1100},
		"go p1time 30000 p2time 1 p1inc 1000 p2inc 0": {1700, 2000},
		"go p1time 20 p2time 1 p1inc 1000 p2inc 0":    {0, 15},
		"go nodes 250":             {250, 250},
		"go nodes 1":               {1, 1},
		"go movetime 100 nodes 20": {20, 20},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRunner(t, dreamerHost())
			r.send("position startpos")
			began := time.Now()
			r.send(command)
			r.await("bestmove ")
			if took := time.Since(began); took < c.least*time.Millisecond || took > c.most*time.Millisecond {
				t.Errorf("%s took %v", command, took)
			}
			r.send("quit")
			r.end()
		})
	}
	for _, wrong := range []string{"go nodes", "go movetime -1", "go depth x", "go p1time 99999999999999"} {
		if got := talk(t, dreamerHost(), wrong); len(got) != 2 || !strings.HasPrefix(got[0], "info string error: go is not understood: a number, 0 or more, must follow ") || got[1] != "bestmove 0000" {
			t.Errorf("%s: %q", wrong, got)
		}
	}
}

// A search is reported every second, with the totals so far.
func TestInfoAtIntervals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRunner(t, dreamerHost())
		r.send("go movetime 3500")
		lines := r.await("bestmove ")
		for i, line := range lines[:3] {
			n := 1000 * (i + 1)
			if want := fmt.Sprintf("info depth 7 nodes %d time %d nps 1000 pv ", n, n); !strings.HasPrefix(line, want) {
				t.Errorf("%q, want %q", line, want)
			}
		}
		if len(lines) != 5 {
			t.Errorf("%q", lines)
		}
		r.send("quit")
		r.end()
	})
}

// searchHost returns a host of Quixo with an agent that searches, whose seed is set.
func searchHost(t testing.TB, begin func(rules game.Rules) (player.Agent, error)) *Host {
	t.Helper()
	h := newHost(t, open(t, "quixo", 3, 0, true))
	agent, err := begin(h.Rules)
	if err != nil {
		t.Fatal(err)
	}
	var seed uint64
	h.Begin = func() (player.Player, error) { return agent.Begin(seed) }
	h.Options[0].Set = func(value string) (err error) {
		seed, err = strconv.ParseUint(value, 10, 64)
		return err
	}
	return h
}

var searched = regexp.MustCompile(`^info depth (\d+) (?:multipv \d+ )?score \S+ -?\d+ nodes (\d+) time \d+ nps \d+ pv (\S+)`)

// Agents that search stop at once, obey limits of states and depth, and report what they have
// searched; bestmove is the move of the first line.
func TestAgentsThatSearch(t *testing.T) {
	for name, begin := range map[string]func(rules game.Rules) (player.Agent, error){
		"mcts": func(rules game.Rules) (player.Agent, error) {
			return mcts.New(rules, mcts.Options{Iterations: mcts.MaxIterations})
		},
		"minimax": func(rules game.Rules) (player.Agent, error) {
			return minimax.New(rules, minimax.Options{Time: 24 * time.Hour}), nil
		},
	} {
		h := searchHost(t, begin)
		r := newRunner(t, h)
		r.send("setoption name MultiPV value 3")
		for i, command := range []string{"go infinite", "go nodes 500", "go nodes 1", "go depth 2 nodes 3000", "go movetime 20"} {
			r.send("uginewgame", "position fen X../.../..O x", command)
			if command == "go infinite" {
				r.send("stop") // minimax may have solved the position by then
			}
			lines := r.await("bestmove ")
			found := searched.FindStringSubmatch(lines[0])
			if found == nil || lines[len(lines)-1] != "bestmove "+found[3] || len(lines) != 4 {
				t.Errorf("%s, %s: %q", name, command, lines)
				continue
			}
			nodes, _ := strconv.Atoi(found[2])
			if want := []int{0, 500, 1, 0, 0}[i]; nodes < 1 || want > 0 && nodes != want {
				t.Errorf("%s, %s: %q", name, command, lines[0])
			}
			if command == "go depth 2 nodes 3000" && found[1] != "2" {
				t.Errorf("%q", lines[0])
			}
		}
		r.send("quit")
		r.end()
	}
}

// An infinite search is answered after stop, however soon all is known.
func TestInfiniteWaitsForStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRunner(t, newStripHost()) // whose player does not search
		r.send("go infinite")
		began := time.Now()
		go func() {
			time.Sleep(time.Minute)
			r.send("stop", "quit")
		}()
		if r.await("bestmove "); time.Since(began) != time.Minute {
			t.Errorf("after %v", time.Since(began))
		}
		r.end()
	})
}

// A match as CuteGames plays it, with clocks: both engines agree on every position.
func TestMatch(t *testing.T) {
	h := func() *Host {
		return searchHost(t, func(rules game.Rules) (player.Agent, error) { return mcts.New(rules, mcts.Options{Iterations: 50}) })
	}
	engines := []*runner{newRunner(t, h()), newRunner(t, h())}
	for i, e := range engines {
		e.send("ugi")
		e.await("ugiok")
		e.send(fmt.Sprintf("setoption name Seed value %d", i), "isready")
		e.await("readyok")
		e.send("uginewgame")
	}
	position := "position startpos"
	ask := func(e *runner, question string) string {
		e.send(position, "query "+question)
		lines := e.await("response ")
		return lines[len(lines)-1]
	}
	for ply := 0; ask(engines[0], "gameover") == "response false" && ply < 200; ply++ {
		us := engines[ply%2]
		if want := fmt.Sprint("response ", ply%2 == 0); ask(engines[0], "p1turn") != want || ask(engines[1], "p1turn") != want {
			t.Fatal("they do not agree on the side to move")
		}
		us.send("isready")
		us.await("readyok")
		us.send(position, "go p1time 60000 p2time 60000 p1inc 100 p2inc 100")
		lines := us.await("bestmove ")
		if ply == 0 {
			position += " moves"
		}
		position += strings.TrimPrefix(lines[len(lines)-1], "bestmove")
	}
	if a, b := ask(engines[0], "result"), ask(engines[1], "result"); a != b || a == "response none" {
		t.Errorf("%s: %s and %s", position, a, b)
	}
	for _, e := range engines {
		e.send("stop", "quit")
		e.end()
	}
}
