package generic

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"backsolve/game/custom"
	"backsolve/game/examples/connect4"
	"backsolve/tablebase"
)

// BenchmarkConnect4 solves Connect Four 4×5 and 5×5 and reports the states a second and
// thread of both phases.
func BenchmarkConnect4(b *testing.B) {
	for _, board := range []struct{ columns, rows int }{{4, 5}, {5, 5}} {
		b.Run(fmt.Sprintf("%dx%d", board.columns, board.rows), func(b *testing.B) {
			g, err := connect4.New(board.columns, board.rows, true)
			if err != nil {
				b.Fatal(err)
			}
			rules := custom.NewRules[connect4.State](g)
			for b.Loop() {
				began, enumerated, states := time.Now(), time.Duration(0), 0
				s, err := Solve(b.Context(), filepath.Join(b.TempDir(), "work"), rules, Options{Threads: 1, Progress: func(p tablebase.Event) {
					if p.Stage == Enumerating {
						enumerated, states = time.Since(began), int(p.Done)
					}
				}})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(states)/enumerated.Seconds(), "enumerated/s")
				b.ReportMetric(float64(states)/(time.Since(began)-enumerated).Seconds(), "solved/s")
				b.ReportMetric(float64(states), "states")
				if err := s.Remove(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
