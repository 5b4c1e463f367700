package selfplay

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"backsolve/game"
)

// readBack returns a description as JSON, after parsing it again.
func readBack(t *testing.T, want Run) string {
	t.Helper()
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseRun(data)
	if err != nil || !reflect.DeepEqual(*got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	return string(data)
}

// wantRefused changes a description and wants a reason why it is refused.
func wantRefused(t *testing.T, data, from, to, want string) {
	t.Helper()
	changed := strings.Replace(data, from, to, 1)
	if _, err := ParseRun([]byte(changed)); changed == data || err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want %s", to, err, want)
	}
}

func TestParseRun(t *testing.T) {
	data := readBack(t, DefaultRun(game.Info{Name: "notakto", Size: 4}))
	for _, c := range []struct{ from, to, want string }{
		{`"game":"notakto"`, `"game":"chess"`, "chess"},
		{`"size":4`, `"size":16`, "notakto 16×16"},
		{`"size":4`, `"width":4`, "unknown field"},
		{`"iterations":40`, `"iterations":0`, "iterations is 0; give a number from 1 to 1000000"},
		{`"simulations":50`, `"simulations":0`, "simulations is 0; give a number from 1"},
		{`"noise":0.25`, `"noise":1.5`, "noise is 1.5; give a number from 0 to 1"},
		{`"alpha":0.35`, `"alpha":0`, "alpha is 0; give a number above 0"},
		{`"rate":0.001`, `"rate":0`, "rate is 0; give a number above 0 and not above 1"},
		{`"width":256`, `"width":0`, "width is 0; give a number from 1"},
		{`"layers":2`, `"initial":"zero","layers":2`, `"zero" is not a distribution of first parameters; give uniform, or leave it out`},
		{`"steps":200`, `"steps":200,"whole":true`, "steps is 200, and whole makes as many as there are positions for; leave one out"},
		{`"replay":10`, `"replay":10,"tenth":9,"slow":20,"slow_rate":0.1`, "slow is 20 and tenth 9; leave one out"},
		{`"number":256`, `"number":256,"every":-1`, "every is -1; give a number from 0"},
		{`"rule":"always"`, `"rule":"never"`, `"never" is not a rule of acceptance; give always, fixed or dynamic`},
		{`"rule":"always"`, `"rule":"fixed"`, "the number of games between two networks is 0; give an even number from 2"},
		{`"canonical":"lines"`, `"canonical":"all"`, `"all" are no symmetries that networks know of notakto 4×4; give none or square or lines`},
		{`"replay":10`, `"replay":0`, "replay is 0; give a number from 1"},
		{`"replay":10`, `"replay":10,"queue":5`, "only dqn has a queue; leave it out"},
		{`"game":`, `"held_out":-1,"game":`, "held_out is -1; give a number from 0 to 1"},
		{`"rate":0.001`, `"rate":0.001,"average":1`, "average is 1; give a number below 1, or 0 for no mean"},
		{`"replay":10`, `"replay":10,"slow":20`, "slow is 20 and slow_rate 0; give a number of iterations and the rate after them"},
		{`"replay":10`, `"replay":10,"slow":20,"slow_rate":2`, "slow_rate 2; give a number"},
		{`"replay":10`, `"replay":10,"slow":-1`, "slow is -1; give a number from 0"},
		{`"random_starts":0.9`, `"random_starts":0.9,"off_policy":-1`, "off_policy is -1; give a number from 0 to 1"},
		{`"replay":10`, `"replay":10,"searched":2`, "searched is 2; give a number from 0 to 1"},
		{`"game":`, `"learner":"sarsa","game":`, `"sarsa" is not a learner; give zero or dqn`},
		{`"game":`, `"learner":"dqn","game":`, "queue is 0; give a number of positions from 1"},
	} {
		wantRefused(t, data, c.from, c.to, c.want)
	}
	if _, err := ParseRun([]byte(data[:len(data)-1])); err == nil || !strings.Contains(err.Error(), "lab train --describe") {
		t.Errorf("a description that is cut: %v", err)
	}
	if _, err := ParseRun([]byte(data + "{}")); err == nil || !strings.Contains(err.Error(), "something follows") {
		t.Errorf("two descriptions: %v", err)
	}
}

func TestParseDQN(t *testing.T) {
	if run := DefaultDQN(game.Info{Name: "notakto", Size: 4}); run.Search.KeyStates {
		t.Error("Deep-Notakto has no key states")
	}
	data := readBack(t, DefaultDQN(game.Info{Name: "nim", Size: 3}))
	for _, c := range []struct{ from, to, want string }{
		{`"queue":2000`, `"queue":2000,"replay":3`, "leave replay out"},
		{`"residual":false`, `"residual":true`, "the network of dqn is not residual"},
		{`"each_once":true`, `"each_once":false`, "set each_once to true"},
		{`"residual":false`, `"residual":false,"lstm":true`, "the network of dqn has no LSTM"},
	} {
		wantRefused(t, data, c.from, c.to, c.want)
	}
}
