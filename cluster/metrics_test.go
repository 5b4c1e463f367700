package cluster

import (
	"regexp"
	"testing"

	"backsolve/retro"
)

// Workers say when a solve ends how many tasks they did, for how long they settled, read and
// waited, and how many bytes they moved.
func TestAccount(t *testing.T) {
	t.Parallel()
	c := newCell(t)
	var heard sayings
	quit := c.employ(t, func(o *WorkOptions) { o.Logf = heard.logf })
	c.wantTable(t, 4, true, c.options())
	quit()
	account := regexp.MustCompile(`^no longer working on notakto 4×4 with steps: [1-9][0-9]* tasks, [0-9.]+ s solving, [0-9.]+ s reading, [0-9.]+ s waiting, [0-9.]+ [KM]?i?B read, [1-9][0-9.]* [KM]iB written$`)
	said := 0
	for _, text := range heard.all {
		if account.MatchString(text) {
			said++
		}
	}
	if said != 1 {
		t.Errorf("it says %q", heard.all)
	}
}

// A game whose blocks cannot be settled one by one is refused before anybody is connected to.
func TestGamesOfOneProcess(t *testing.T) {
	for _, game := range []string{"quixo", "tictactoe"} {
		space, err := (&Solve{Game: game, Size: 3}).space()
		if err != nil {
			t.Fatal(err)
		}
		const says = " 3×3 is solved by one process: its blocks depend on each other"
		_, err = Begin(t.Context(), space, NewSolve(space, retro.Options{}), Options{URL: "nats://127.0.0.1:1"})
		if err == nil || err.Error() != game+says {
			t.Errorf("%s: %v", game, err)
		}
	}
}
