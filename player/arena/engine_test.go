package arena

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"backsolve/player"
	"backsolve/player/ugi"
)

// engineMode is the environment variable that makes the test binary an engine, which
// greets as it should and then does what the value says.
const engineMode = "ARENA_ENGINE"

func beEngine(mode string) {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		switch command, _, _ := strings.Cut(lines.Text(), " "); {
		case command == "ugi" && mode != "mute":
			fmt.Println("ugiok")
		case command == "isready":
			fmt.Println("readyok")
		case command == "go" && mode == "dies":
			fmt.Fprintln(os.Stderr, "out of ideas")
			os.Exit(3)
		case command == "go" && mode == "nonsense":
			fmt.Println("bestmove e9")
		case command == "quit":
			return
		}
	}
}

// Whatever an external engine does, its games end, it has lost them, and the reason
// is recorded.
func TestEnginesThatFail(t *testing.T) {
	rules := newRules(t, "notakto", 3)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	limits := ugi.Limits{Start: 10 * time.Second, Move: 50 * time.Millisecond, Grace: 50 * time.Millisecond, Quit: 50 * time.Millisecond}
	mute := limits
	mute.Start = 50 * time.Millisecond
	for _, c := range []struct {
		mode   string
		limits ugi.Limits
		want   string
	}{
		{"dies", limits, "out of ideas"},
		{"nonsense", limits, `bestmove "e9"`},
		{"hangs", limits, "it did not answer go within 100ms"},
		{"mute", mute, "it cannot begin: the engine failed: it did not answer ugi within 50ms"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			t.Setenv(engineMode, c.mode)
			engine, err := ugi.Engine(t.Context(), rules, "'"+self+"'", c.limits)
			if err != nil {
				t.Fatal(err)
			}
			m := Match{Rules: rules, Start: rules.Start(), Agents: [2]player.Agent{engine, firstMove(rules)}, Games: 4, Turns: 9, Threads: 2}
			s, records, _ := playAll(t, &m)
			if s.Failures != [2]int{4, 0} || s.Total() != (Tally{Losses: 4}) || s.Lost != 0 {
				t.Errorf("%+v", s)
			}
			for _, r := range records {
				if r.Reason != ByFailure || !strings.Contains(r.Failure, c.want) {
					t.Errorf("game %d: %s, %s", r.Number, r.Reason, r.Failure)
				}
				if err := r.Check(rules); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
