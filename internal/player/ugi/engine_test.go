package ugi

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"backsolve/game"
	"backsolve/internal/player"
)

// patient are limits that an engine of the tests keeps on the slowest machine.
var patient = Limits{Start: time.Minute, Move: time.Minute, Grace: time.Minute, Quit: time.Minute}

// engineCommand returns the command line of an engine of the test binary.
func engineCommand(t *testing.T, words ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`"%s" %s '%s'`, self, engineArgument, strings.Join(words, "' '"))
}

// newEngine returns the agent for which an engine of the test binary plays
// Notakto 3×3.
func newEngine(t *testing.T, l Limits, words ...string) player.Agent {
	t.Helper()
	return newEngineOf(t, newRules(t, "notakto", 3), l, words...)
}

// newEngineOf returns the agent for which an engine of the test binary plays.
func newEngineOf(t *testing.T, rules game.Rules, l Limits, words ...string) player.Agent {
	t.Helper()
	a, err := Engine(t.Context(), rules, "engine:"+words[0], engineCommand(t, words...), l)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// begin begins a game that ends with the test.
func begin(t *testing.T, a player.Agent, seed uint64) player.Player {
	t.Helper()
	p, err := a.Begin(seed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// Whole games of an engine equal its agent's: on a grid, on a board that is not a grid, and in a
// game with passes.
func TestEngineServes(t *testing.T) {
	passes := 0
	for _, board := range []string{"small", "wide", "strip"} {
		rules := servedRules(board)
		a := newEngineOf(t, rules, patient, "serve", board)
		if want := "engine:serve"; a.Name() != want {
			t.Errorf("it is named %s, not %s", a.Name(), want)
		}
		for seed := range uint64(4) {
			outside, inside := begin(t, a, seed|1<<40), begin(t, player.Random(rules), seed)
			for s := rules.Start(); ; {
				m, err := player.Move(t.Context(), outside, s)
				if err != nil {
					t.Fatal(err)
				}
				if want, err := player.Move(t.Context(), inside, s); m != want || err != nil {
					t.Fatalf("seed %d, %s: %s, want %s, %v", seed, rules.Format(s), rules.FormatMove(m), rules.FormatMove(want), err)
				}
				if m == game.Pass {
					passes++
				}
				if s = rules.Play(s, m); len(rules.Moves(nil, s)) == 0 {
					break
				}
			}
		}
	}
	if passes == 0 {
		t.Error("nobody has passed")
	}
}

// An engine that is slow, says too much or moves twice is heard all the same.
func TestEnginesThatWillDo(t *testing.T) {
	rules := newRules(t, "notakto", 3)
	for _, kind := range []string{"slow", "repeating", "plain"} {
		e := begin(t, newEngine(t, patient, kind, "b2"), 1)
		for _, position := range []string{".../.../...", "X../.../..."} {
			p, err := rules.Parse(position)
			if err != nil {
				t.Fatal(err)
			}
			if m, err := player.Move(t.Context(), e, p); err != nil || rules.FormatMove(m) != "b2" {
				t.Errorf("%s: %v, %v", kind, m, err)
			}
		}
	}
}

// What is wrong with an engine is the error of Begin or of Move, and no process is
// left.
func TestEnginesThatFail(t *testing.T) {
	const short = 100 * time.Millisecond
	hasty := func(change func(*Limits)) Limits {
		l := patient
		change(&l)
		return l
	}
	noStart := hasty(func(l *Limits) { l.Start = short })
	noMove := hasty(func(l *Limits) { l.Move, l.Grace = time.Millisecond, short })
	for _, c := range []struct {
		kind, move string
		limits     Limits
		want       string
	}{
		{"deaf", "b2", noStart, "did not answer ugi within 100ms"},
		{"unready", "b2", noStart, "it did not answer "}, // isready, if the process starts in time
		{"babbling", "b2", patient, `it ended (exit status 2) without an answer to ugi; its last line was "I am an engine"`},
		{"stillborn", "b2", patient, "it ended (exit status 4) without an answer to ugi"},
		{"dying", "b2", patient, `it ended (exit status 3) without an answer to go; it wrote nothing; ` +
			`its standard error ends with "and more\nand more\nand more\nand more\nout of luck"`},
		{"hanging", "b2", noMove, "did not answer go within 101ms"},
		{"flooding", "b2", noMove, "did not answer go within 101ms"},
		{"endless", "b2", patient, "it wrote a line of more than 65536 bytes instead of an answer to go"},
		{"mute", "b2", patient, "it answered bestmove without a move"},
		{"plain", "b9", patient, `its answer in X../.../... was bestmove "b9": "b9", column 2`},
		{"plain", "a3", patient, `its answer in X../.../... was bestmove "a3": the move a3 is not legal here: a3 is already marked`},
		{"plain", "0000", patient, `bestmove "0000"`},
	} {
		t.Run(c.kind+" "+c.move, func(t *testing.T) {
			testFailure(t, newEngine(t, c.limits, c.kind, c.move), c.want)
		})
	}
}

// testFailure wants an engine to fail, at the latest in its first move, with an error
// that stays.
func testFailure(t *testing.T, a player.Agent, want string) {
	t.Helper()
	p := game.Position{X: 1} // X../.../...
	e, err := a.Begin(1)
	if err == nil {
		_, err = player.Move(t.Context(), e, p)
		if _, again := player.Move(t.Context(), e, p); again != err {
			t.Errorf("%v, and then %v", err, again)
		}
		if alive(e.(*engine).process) {
			t.Error("the process is there still")
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	if !errors.Is(err, ErrEngine) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// alive reports whether a process has not been seen to end.
func alive(p *process) bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// If an engine ends after its move, the move counts, and the next one fails.
func TestPartingEngine(t *testing.T) {
	e := begin(t, newEngine(t, patient, "parting", "b2"), 1)
	if _, err := player.Move(t.Context(), e, game.Position{X: 1}); err != nil {
		t.Error(err)
	}
	<-e.(*engine).exited
	want := "it ended (exit status 0) without an answer to isready"
	if _, err := player.Move(t.Context(), e, game.Position{X: 1}); !errors.Is(err, ErrEngine) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// An engine that does not quit is killed.
func TestStubbornEngine(t *testing.T) {
	l := patient
	l.Quit = 50 * time.Millisecond
	e, err := newEngine(t, l, "stubborn", "b2").Begin(1)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil || alive(e.(*engine).process) {
		t.Errorf("alive: %v, %v", alive(e.(*engine).process), err)
	}
}

// The end of a context is no fault of the engine, but the end of its process.
func TestEngineCancelled(t *testing.T) {
	enough := errors.New("enough")
	t.Run("of the move", func(t *testing.T) {
		e := begin(t, newEngine(t, patient, "hanging"), 1)
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(20*time.Millisecond, func() { cancel(enough) })
		if _, err := player.Move(ctx, e, game.Position{}); err != enough || alive(e.(*engine).process) {
			t.Errorf("alive: %v, %v", alive(e.(*engine).process), err)
		}
	})
	t.Run("of the agent", func(t *testing.T) {
		for _, kind := range []string{"hanging", "deaf"} {
			ctx, cancel := context.WithCancelCause(t.Context())
			a, err := Engine(ctx, newRules(t, "notakto", 3), kind, engineCommand(t, kind), patient)
			if err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(20*time.Millisecond, func() { cancel(enough) })
			e, err := a.Begin(1)
			if err == nil {
				_, err = player.Move(t.Context(), e, game.Position{})
				e.Close()
			}
			if !errors.Is(err, enough) || errors.Is(err, ErrEngine) {
				t.Errorf("%s: %v", kind, err)
			}
		}
	})
}

func TestEngineCommands(t *testing.T) {
	rules := newRules(t, "notakto", 3)
	for command, want := range map[string]string{
		"":                     "the command of the engine is empty",
		" \t ":                 "the command of the engine is empty",
		"'' x":                 "the command of the engine is empty",
		"'half a":              "a quote that is not closed",
		"/there/is/no/such":    "the engine cannot be started",
		"no-such-engine-there": "the engine cannot be started",
	} {
		if _, err := Engine(t.Context(), rules, command, command, patient); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", command, err)
		}
	}
	unstarted := &agent{ctx: t.Context(), rules: rules, words: []string{"/there/is/no/such"}, limits: patient}
	if _, err := unstarted.Begin(1); !errors.Is(err, ErrEngine) {
		t.Errorf("a program that has vanished: %v", err)
	}
}

func TestSplitCommand(t *testing.T) {
	for text, want := range map[string][]string{
		"engine":                         {"engine"},
		"  ./engine\t--depth 6 ":         {"./engine", "--depth", "6"},
		`"/my engines/one" -x 'a "b" c'`: {"/my engines/one", "-x", `a "b" c`},
		`java -D"a b"=c '' é`:            {"java", "-Da b=c", "", "é"},
		`C:\engines\one.exe`:             {`C:\engines\one.exe`},
	} {
		if got, err := splitCommand(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

// The tail of the output is the same, however it is cut.
func TestTail(t *testing.T) {
	text := strings.Repeat("0123456789\n", 100)
	want := strings.TrimSuffix(strings.Repeat("0123456789\n", tailLines), "\n")
	for _, size := range []int{1, 7, tailBytes, tailBytes + 1, len(text)} {
		var tail tail
		for part := range slices.Chunk([]byte(text), size) {
			tail.Write(part)
		}
		if got := tail.String(); got != want {
			t.Errorf("cut at %d: %q", size, got)
		}
	}
}
