package arena

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"backsolve/internal/player"
	"backsolve/internal/player/ugi"
)

// engineMode is the environment variable that turns the test binary into an engine, which greets
// correctly and then does what the value says.
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

// Whatever an external engine does instead of moving, its match ends with the first game, and the
// error says what happened.
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
		{"mute", mute, "cannot play: it cannot begin: the engine failed: it did not answer ugi within 50ms"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			t.Setenv(engineMode, c.mode)
			engine, err := ugi.Engine(t.Context(), rules, "engine:"+self, "'"+self+"'", c.limits)
			if err != nil {
				t.Fatal(err)
			}
			for _, agents := range [][2]player.Agent{{engine, firstMove(rules)}, {firstMove(rules), engine}} {
				m := Match{Rules: rules, Start: rules.Start(), Agents: agents, Games: 4, Turns: 9, Threads: 2}
				var records []*Record
				_, err := m.Play(t.Context(), func(r *Record) error {
					records = append(records, r)
					return nil
				})
				var unable *UnableError
				if !errors.As(err, &unable) || !errors.Is(err, ugi.ErrEngine) || unable.Agent != engine.Name() || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v", err)
				}
				if len(records) != 1 || records[0].Reason != ByFailure || !strings.Contains(records[0].Failure, c.want[strings.LastIndex(c.want, ": ")+1:]) {
					t.Fatalf("%+v", records)
				}
				if err := records[0].Check(rules); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
