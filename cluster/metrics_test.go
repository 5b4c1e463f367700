package cluster

import (
	"regexp"
	"testing"

	"backsolve/retro"
)

// After a solve a worker logs its tasks, its times for solving, reading and waiting, and the bytes
// it moved.
func TestMetrics(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t)
	var log logRecorder
	quit := c.startWorker(t, func(o *WorkOptions) { o.Logf = log.logf })
	c.wantTable(t, 4, true, c.options())
	quit()
	account := regexp.MustCompile(`^no longer working on notakto 4×4 with steps: [1-9][0-9]* tasks, [0-9.]+ s solving, [0-9.]+ s reading, [0-9.]+ s waiting, [0-9.]+ [KM]?i?B read, [1-9][0-9.]* [KM]iB written$`)
	said := 0
	for _, text := range log.all {
		if account.MatchString(text) {
			said++
		}
	}
	if said != 1 {
		t.Errorf("it says %q", log.all)
	}
}

// Begin refuses a game whose blocks depend on each other before it connects.
func TestRefusedGames(t *testing.T) {
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
