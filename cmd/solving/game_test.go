package solving

import (
	"testing"
	"testing/synctest"
	"time"

	"backsolve/cmd/cli/progress"
	"backsolve/retro/generic"
	"backsolve/tablebase"
)

// The time left of a game counts each state when it is found, gets its value and is written. A
// resumed solve does not count what was done before. While states are being found, an estimate must
// tell how many there are.
func TestFollowGame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, told := range []bool{true, false} {
			p, expected := progress.New("table", ""), &generic.Plan{Low: 9e6, High: 11e6, Each: []generic.PlannedTier{{States: 4e6}, {States: 4e6}, {States: 2e6}}}
			if !told {
				expected.Low = 5e6
			}
			tell := followGame(p, expected, 3, 1)
			tell(tablebase.Event{Stage: generic.Enumerated, Done: 4e6})
			for _, c := range []struct {
				now  tablebase.Event
				left float64 // in seconds
				at   string
			}{
				{tablebase.Event{Stage: generic.Enumerating, At: 1, Done: 5e6}, -1, "enumerate, tier 2 of 3"},
				{tablebase.Event{Stage: generic.Enumerating, At: 1, Done: 6e6}, (4*0.67 + 10*1.1*0.67 + 10*0.8) * 10 / 0.67, "enumerate, tier 2 of 3"},
				{tablebase.Event{Stage: tablebase.Solving, At: 2, Total: 9e6}, (9*1.1*0.67 + 9*0.8) * 20 / (4 * 0.67), "solve, tier 3 of 3"},
				{tablebase.Event{Stage: generic.Writing, Done: 9e6, Total: 9e6}, 0, "write, tier 1 of 3"},
			} {
				if c.now.Stage == tablebase.Solving {
					tell(tablebase.Event{Stage: generic.Enumerated, At: 1, Done: 4e6})
					tell(tablebase.Event{Stage: generic.Enumerated, At: 2, Done: 1e6})
				}
				tell(c.now)
				if c.now.Total == 0 && !told {
					c.left = -1
				}
				if m, ok := p.Now(); !ok || m.At != c.at || c.left < 0 != (m.Left < 0) || c.left > 0 && (m.Left.Seconds() < 0.99*c.left || m.Left.Seconds() > 1.01*c.left) {
					t.Errorf("%+v: %+v, not %v s", c.now, m, c.left)
				}
				time.Sleep(10 * time.Second)
			}
		}
	})
}

// recordedGames has the tiers of games, from the first with loops on, with their states, also as
// estimated where that is known within a factor of two, with moves of a state, and milliseconds of
// processor time to find the states, then their values, and of writing.
var recordedGames = []struct {
	game             string
	ranked           bool // so that states are not found first
	loops            int
	states, expected []int
	moves            []float64
	found, solved    []float64
	written          float64
}{
	{"connect4-4x5", false, 21, []int{1, 2, 8, 26, 82, 220, 600, 1496, 3490, 7446, 14666, 27152, 44821, 70940, 97399, 126092, 133767, 131815, 102186, 66269, 24707}, []int{1, 2, 8, 26, 82, 220, 600, 1496, 3490, 7446, 14666, 27152, 44821, 67531, 93129, 117326, 123426, 122775, 97781, 59441, 21865}, []float64{4, 4, 4, 4, 4, 4, 3.9, 3.8, 3.7, 3.4, 3.4, 3.1, 3, 2.6, 2.5, 2, 1.9, 1.4, 1.2, 0.7, 0}, []float64{0.46, 0.41, 0.37, 0.41, 0.42, 0.48, 0.58, 1.26, 1.18, 2.08, 6.25, 7.96, 14.4, 18, 28.9, 34.9, 31.8, 21.9, 17.8, 8.03, 1.6}, []float64{0.41, 0.28, 0.36, 0.35, 0.31, 0.5, 0.48, 1.22, 3.04, 2.68, 5.55, 9.46, 15.6, 20.6, 31.4, 34.8, 40.2, 31.6, 19.7, 11.9, 2.75}, 62.9},
	{"connect4-5x4", false, 21, []int{1, 3, 13, 49, 177, 542, 1626, 4175, 10076, 21784, 43267, 78659, 128806, 194176, 254847, 310269, 309989, 279871, 192771, 111101, 31972}, []int{1, 3, 13, 49, 177, 542, 1626, 4175, 10076, 21784, 43267, 78659, 122936, 185006, 231435, 282340, 274328, 251592, 170601, 96864, 27392}, []float64{5, 5, 5, 5, 5, 4.9, 4.8, 4.5, 4.4, 4.1, 4, 3.6, 3.4, 3, 2.8, 2.3, 2, 1.5, 1.2, 0.6, 0}, []float64{0.54, 0.49, 0.56, 0.55, 0.58, 0.9, 2.15, 3.27, 7.71, 12.4, 23.7, 33.8, 66.3, 64.5, 78.8, 85.9, 87.2, 83.4, 45.4, 14.2, 2.25}, []float64{1.91, 0.97, 0.98, 0.84, 1.19, 1.13, 1.54, 3.4, 8.55, 9.69, 33.3, 43.2, 59.9, 95.3, 113, 86.7, 114, 86.6, 55.6, 17.9, 4.33}, 201},
	{"domineering-5x5", false, 13, []int{1, 6, 84, 612, 3546, 11043, 25541, 33063, 27199, 10915, 1999, 121, 4}, []int{1, 6, 84, 612, 3546, 11043, 25541, 33063, 27452, 10600, 1818, 121, 4}, []float64{20, 16.7, 14.5, 11.8, 9.8, 7.6, 5.9, 4.2, 2.9, 1.7, 0.8, 0.4, 0}, []float64{0.25, 0.18, 0.43, 2.71, 7.48, 15.2, 32, 37.7, 18.9, 5.02, 0.59, 0.15, 0.01}, []float64{0.53, 0.57, 1, 1.92, 8.31, 19.8, 38.1, 36.3, 24.7, 5.6, 0.91, 0.71, 0.38}, 17},
	{"teeko-4", false, 8, []int{1, 3, 33, 219, 1413, 5514, 20122, 50215, 111797}, []int{1, 3, 33, 219, 1413, 5514, 20122, 50217, 108405}, []float64{16, 15, 14, 13, 12, 11, 10, 8.9, 11.1}, []float64{0.26, 0.2, 0.22, 1.33, 2.85, 8.6, 26.5, 56.7, 176}, []float64{0.23, 0.26, 0.38, 0.65, 1.85, 7.38, 21.3, 50.2, 374}, 21},
	{"dodgem-4", false, 0, []int{2, 81, 455, 1502, 3878, 8180, 14830, 23543, 33307, 42223, 48426, 50224, 47246, 40319, 31121, 21760, 13696, 7764, 3933, 1772, 704, 240, 70, 16, 2}, nil, []float64{3.5, 4.3, 5, 5.3, 5.4, 5.5, 5.5, 5.2, 5.2, 5.3, 5.5, 5.2, 5.1, 5, 4.7, 4.4, 4.6, 4, 3.9, 3.6, 2.8, 2.7, 2.4, 0.9, 0}, []float64{2.69, 19.5, 13.9, 12.2, 20.1, 20.6, 32.4, 36.2, 52.6, 64.1, 67.1, 73.7, 83, 65.7, 34, 28, 17.7, 10.6, 5.36, 1.85, 1.09, 1.09, 1.2, 1.09, 0.08}, []float64{0.65, 0.68, 1.19, 3.8, 8.84, 20.3, 31.6, 46.4, 82.6, 99.9, 101, 107, 107, 78.6, 65.1, 48.8, 32.2, 16.1, 7.32, 3.3, 1.33, 1.8, 1.69, 0.87, 1.31}, 58},
	{"morris-5", false, 10, []int{1, 2, 18, 114, 734, 2749, 9900, 23997, 53413, 83471, 93851, 170445, 89160, 56739, 2115, 50368, 436, 10111, 43}, nil, []float64{16, 15, 14, 13, 12.2, 11.3, 10.9, 10.1, 9.8, 8.9, 6, 6.3, 6.2, 6.3, 0, 6.1, 0, 5.6, 0}, []float64{0.24, 0.18, 0.21, 0.35, 1.96, 4.39, 15.6, 26.5, 37.9, 72.3, 78.9, 187, 89.6, 68.7, 0.55, 55.9, 0.39, 15.9, 0.25}, []float64{1.81, 1.83, 1.86, 2.05, 4, 5.9, 21.4, 38.4, 78, 113, 132, 297, 178, 102, 1.48, 84.9, 0.87, 15.8, 0.83}, 62},
	{game: "morris-6-all", ranked: true, loops: 12, states: []int{1, 17, 49, 379, 1863, 8429, 24305, 72899, 184059, 387395, 688451, 1085771, 116340, 275436, 245700, 138552, 135828, 207900, 102564, 69300, 60830, 12012, 65646, 125455}, moves: []float64{16, 2.7, 6.7, 5.3, 6.8, 6, 8.2, 7.6, 7.9, 7.4, 8.1, 7.5, 4.5, 4.9, 4.9, 5.1, 5.3, 4.9, 5, 4.6, 4.5, 4.3, 7.2, 0.0}, solved: []float64{0.19, 0.33, 0.39, 0.74, 4.86, 12.9, 40.8, 123, 324, 512, 889, 1498, 178, 442, 397, 207, 252, 418, 183, 127, 117, 15.3, 141, 48.6}, written: 272.68},
	{game: "krk", ranked: true, states: []int{78120}, moves: []float64{7.3}, solved: []float64{325}, written: 13.5},
}

// From the first tenth of a solve on, the time left is right within a third, or at the end within a
// thirtieth of the whole. Until an estimate or the states that are found tell it, it is unknown.
func TestTimeLeftOfGames(t *testing.T) {
	for _, r := range recordedGames {
		t.Run(r.game, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				expected, whole, states := &generic.Plan{Ranked: r.ranked}, r.written, 0
				for tier, n := range r.states {
					expected.Each = append(expected.Each, generic.PlannedTier{Moves: r.moves[tier], Loops: tier >= r.loops})
					if r.expected != nil {
						expected.Low, expected.High = 1, 1
						expected.Each[tier].States = float64(r.expected[tier])
					}
					if whole, states = whole+r.solved[tier], states+n; !r.ranked {
						whole += r.found[tier]
					}
				}
				p := progress.New("table", "")
				tell, began := followGame(p, expected, len(r.states), 1), time.Now()
				// part does a number of states in the given milliseconds.
				part := func(now tablebase.Event, states int, took float64) {
					const steps = 10
					for i := range steps + 1 {
						next := now
						next.Done += uint64(states * i / steps)
						tell(next)
						after := time.Since(began).Seconds() * 1000
						left := whole - after
						m, _ := p.Now()
						if after == 0 && m.Done != 0 {
							t.Errorf("%v of %v are done at the beginning", m.Done, m.Total)
						}
						if shown := m.Left.Seconds() * 1000; after >= whole/10 && (r.expected != nil || now.Total > 0) {
							wrong := max(shown-left, left-shown) / max(left, whole/10)
							if m.Left < 0 || wrong > 1./3 {
								t.Errorf("%.0f ms left in %s after %.0f, not %.0f", shown, m.At, after, left)
							}
						} else if after >= whole/10 && m.Left >= 0 {
							t.Errorf("%v left in %s, though nothing tells it", m.Left, m.At)
						}
						if i < steps {
							time.Sleep(time.Duration(took / steps * 1e6))
						}
					}
				}
				done := 0
				for tier, n := range r.states {
					if !r.ranked {
						part(tablebase.Event{Stage: generic.Enumerating, At: tier, Done: uint64(done)}, n, r.found[tier])
					}
					tell(tablebase.Event{Stage: generic.Enumerated, At: tier, Done: uint64(n)})
					done += n
				}
				done = 0
				for tier := len(r.states) - 1; tier >= 0; tier-- {
					part(tablebase.Event{Stage: tablebase.Solving, At: tier, Done: uint64(done), Total: uint64(states)}, r.states[tier], r.solved[tier])
					done += r.states[tier]
				}
				part(tablebase.Event{Stage: generic.Writing, Total: uint64(states)}, states, r.written)
			})
		})
	}
}
