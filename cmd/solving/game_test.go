package solving

import (
	"testing"
	"testing/synctest"
	"time"

	"backsolve/cmd/cli/progress"
	"backsolve/retro/generic"
)

// The time left of a game counts each state when it is found, gets its value and is written. A
// resumed solve does not count what was done before.
func TestFollowGame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, expected := progress.New("table", ""), int64(1000)
		tell := followGame(p, &expected)
		for _, c := range []struct {
			now  generic.Progress
			left time.Duration
			at   string
		}{
			{generic.Progress{Phase: generic.Enumerating, Tiers: 3, Done: 200}, -1, "enumerate, tier 1 of 3"},
			{generic.Progress{Phase: generic.Enumerating, Tiers: 3, Done: 400}, 95 * time.Second, "enumerate, tier 1 of 3"},
			{generic.Progress{Phase: generic.Enumerating, Tier: 2, Tiers: 3, Done: 600}, 85 * time.Second, "enumerate, tier 3 of 3"},
			{generic.Progress{Phase: generic.Solving, Tier: 2, Tiers: 3, States: 800}, 52 * time.Second, "solve, tier 3 of 3"},
			{generic.Progress{Phase: generic.Solving, Tier: 2, Tiers: 3, Done: 400, States: 800}, 42 * time.Second, "solve, tier 3 of 3"},
			{generic.Progress{Phase: generic.Writing, Tiers: 3, States: 800}, 240 * 50 * time.Second / 1400, "write, tier 1 of 3"},
		} {
			tell(c.now)
			if m, ok := p.Now(); !ok || m.Left != c.left || m.At != c.at {
				t.Errorf("%+v: %+v", c, m)
			}
			time.Sleep(10 * time.Second)
		}
	})
}
