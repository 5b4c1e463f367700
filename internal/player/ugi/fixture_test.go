package ugi

import (
	"bytes"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/game/gametest"
	"backsolve/internal/player"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
)

// TestMain is also the program of the engines that the tests play against.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == engineArgument {
		os.Exit(fakeEngine(os.Args[2:]))
	}
	goleak.VerifyTestMain(m)
}

func newRules(t testing.TB, name string, n int) game.Rules {
	t.Helper()
	rules, err := games.New(name, n)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// open opens the table, of the game that continues after the taken cells are marked,
// for the length of the test.
func open(t testing.TB, name string, n int, taken uint64, steps bool) *probe.Table {
	t.Helper()
	return probetest.Open(t, probetest.Rules(t, name, n), taken, steps)
}

// newHost returns a host of a table with an optimal player and an option for its
// seed.
func newHost(t testing.TB, table *probe.Table) *Host {
	t.Helper()
	rules := game.Opaque[game.Position](table.Rules())
	agent, err := player.Perfect(rules, table, player.Strength{Policy: player.Optimal})
	if err != nil {
		t.Fatal(err)
	}
	var seed uint64
	return &Host{
		Name: "test " + table.Board(), Author: "nobody",
		Rules: rules, Start: table.Start(), Answers: table,
		Begin: func() (player.Player, error) { return agent.Begin(seed) },
		Options: []Option{{"Seed", "string default 0", func(value string) (err error) {
			seed, err = strconv.ParseUint(value, 10, 64)
			return err
		}}},
	}
}

// newStripHost returns a host of a game with passes of whose values nothing is known,
// with a random player.
func newStripHost() *Host {
	rules := gametest.NewStrip(3)
	return &Host{
		Name: "test", Author: "nobody", Rules: rules, Start: rules.Start(), Answers: ignorant{},
		Begin: func() (player.Player, error) { return player.Random(rules).Begin(1) },
	}
}

// clock is what differs between runs.
var clock = regexp.MustCompile(`time \d+ nps \d+`)

// talk returns the lines with which a host answers commands, without the time that
// it took.
func talk(t testing.TB, h *Host, commands ...string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := Serve(t.Context(), strings.NewReader(strings.Join(commands, "\n")), &out, h); err != nil {
		t.Fatal(err)
	}
	if out.Len() == 0 {
		return nil
	}
	text, whole := strings.CutSuffix(clock.ReplaceAllString(out.String(), "time T nps N"), "\n")
	if !whole {
		t.Fatalf("the last line is cut: %q", text)
	}
	return strings.Split(text, "\n")
}
