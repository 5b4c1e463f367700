package survey

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/tablebase"
)

func stats(t *testing.T, table *probe.Table) *Stats {
	t.Helper()
	s, err := Summarize(context.Background(), table)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// nonZero returns the numbers of steps that states have, with the number of states.
func nonZero(s *Stats, count func(StepsStats) uint64) map[int]int64 {
	m := map[int]int64{}
	for _, by := range s.Steps {
		if n := count(by); n != 0 {
			m[by.Steps] = int64(n)
		}
	}
	return m
}

// knownBoard is what other programs counted on a board; see retro/testdata/truth/README.md.
type knownBoard struct {
	N                int
	States, Masks    int64
	Win, Loss, Draw  int64
	Terminal         int64
	Empty            string        // L8: the start is lost in eight steps
	WinBySteps       map[int]int64 `json:"win_by_steps"`
	LossBySteps      map[int]int64 `json:"loss_by_steps"`
	WinByPieces      []int64       `json:"win_by_pieces"`
	LossByPieces     []int64       `json:"loss_by_pieces"`
	TerminalByPieces []int64       `json:"terminal_by_pieces"`
}

// knownBoards returns the boards of a file.
func knownBoards(t *testing.T, name string) []knownBoard {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../retro/testdata/truth", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Boards []knownBoard }
	if err := json.Unmarshal(text, &file); err != nil || len(file.Boards) == 0 {
		t.Fatalf("%s: %d boards, %v", name, len(file.Boards), err)
	}
	return file.Boards
}

func TestStatsOfQuixo(t *testing.T) {
	for _, known := range knownBoards(t, "quixo_totals") {
		t.Run(fmt.Sprint(known.N), func(t *testing.T) {
			s := stats(t, open(t, "quixo", known.N, true))
			if s.Total.States != uint64(known.States) || s.Total.Wins != uint64(known.Win) ||
				s.Total.Losses != uint64(known.Loss) || s.Total.Draws != uint64(known.Draw) {
				t.Errorf("totals %+v, known are %d, %d, %d", s.Total, known.Win, known.Loss, known.Draw)
			}
			if got := nonZero(s, func(b StepsStats) uint64 { return b.Wins }); !reflect.DeepEqual(known.WinBySteps, got) {
				t.Errorf("wins by steps differ: got %+v\nwant %+v", got, known.WinBySteps)
			}
			if got := nonZero(s, func(b StepsStats) uint64 { return b.Losses }); !reflect.DeepEqual(known.LossBySteps, got) {
				t.Errorf("losses by steps differ: got %+v\nwant %+v", got, known.LossBySteps)
			}
			want := known.Empty
			if want == "D" {
				want = "D0"
			}
			if s.Start.Steps == nil || fmt.Sprint(strings.ToUpper(s.Start.Outcome[:1]), *s.Start.Steps) != want {
				t.Errorf("the start is %+v, known is %s", s.Start, want)
			}
		})
	}
}

func TestStatsByStones(t *testing.T) {
	got := map[[2]int]Counts{}
	for _, c := range stats(t, open(t, "quixo", 4, true)).Stones {
		got[[2]int{c.Mover, c.Other}] = c.Counts
	}
	file, err := os.Open("../../../retro/testdata/truth/quixo4_classes.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil || len(records) < 2 {
		t.Fatal(len(records), err)
	}
	for _, record := range records[1:] {
		var mover, other int
		var want Counts
		if _, err := fmt.Sscan(strings.Join(record, " "), &mover, &other, &want.Wins, &want.Losses, &want.Draws); err != nil {
			t.Fatal(err)
		}
		g := got[[2]int{mover, other}]
		if g.Wins != want.Wins || g.Losses != want.Losses || g.Draws != want.Draws {
			t.Errorf("%v: %+v", record, g)
		}
	}
	if len(got) != len(records)-1 {
		t.Errorf("%d numbers of stones, known are %d", len(got), len(records)-1)
	}
}

func TestStatsOfNotakto(t *testing.T) {
	for _, known := range knownBoards(t, "notakto_1_to_5") {
		if testing.Short() && known.N == 5 {
			continue // solving it takes long under the race detector
		}
		s := stats(t, open(t, "notakto", known.N, true))
		for marks, c := range s.Stones {
			if c.Mover != marks || c.Other != 0 {
				t.Fatalf("%d: stones %d and %d at %d", known.N, c.Mover, c.Other, marks)
			}
			if int64(c.Wins-c.TerminalWins) != known.WinByPieces[marks] || int64(c.Losses) != known.LossByPieces[marks] ||
				int64(c.TerminalWins) != known.TerminalByPieces[marks] || c.TerminalLosses != 0 {
				t.Errorf("%d: %+v", known.N, c)
			}
		}
		if int64(s.Total.States) != known.Masks || int64(s.Total.TerminalWins) != known.Terminal {
			t.Errorf("%d: %+v", known.N, s.Total)
		}
	}
}

// TestStatsLongest checks that the examples have the most steps.
func TestStatsLongest(t *testing.T) {
	eachBoard(t, func(t *testing.T, table *probe.Table) {
		s := stats(t, table)
		for outcome, longest := range map[game.Outcome]*Longest{game.Win: s.LongestWin, game.Lose: s.LongestLoss} {
			most, count := -1, uint64(0)
			for _, by := range s.Steps {
				n := map[game.Outcome]uint64{game.Win: by.Wins, game.Lose: by.Losses}[outcome]
				if n > 0 {
					most, count = by.Steps, n
				}
			}
			if longest == nil {
				if most >= 0 {
					t.Errorf("no longest %v, but some take %d steps", outcome, most)
				}
				continue
			}
			if longest.Steps != most || longest.Count != count {
				t.Errorf("longest %v %+v, but %d take %d steps", outcome, longest, count, most)
			}
			v, err := table.Value(parse(t, table, longest.Position))
			if want := (probe.Value{Outcome: outcome, Steps: most}); v != want || err != nil {
				t.Errorf("%s is %v, %v, not %v", longest.Position, v, err, want)
			}
		}
		if (len(s.Steps) > 0) != table.HasSteps() {
			t.Errorf("%d numbers of steps", len(s.Steps))
		}
	})
}

// TestStatsRefusesContradiction counts steps that no state has, which is damage.
func TestStatsRefusesContradiction(t *testing.T) {
	table := altered(t, open(t, "notakto", 2, true), 0, func(_ *tablebase.Planes, c *tablebase.Counts) {
		c.BySteps = append(c.BySteps, c.BySteps[2])
		c.BySteps[2] = tablebase.StepCounts{}
	})
	if _, err := Summarize(context.Background(), table); !errors.Is(err, tablebase.ErrDamaged) {
		t.Error(err)
	}
}

func TestStatsJSON(t *testing.T) {
	text, err := json.Marshal(stats(t, open(t, "notakto", 1, true)))
	if err != nil {
		t.Fatal(err)
	}
	counts := `"states":1,"wins":0,"losses":1,"draws":0,"terminal_wins":0,"terminal_losses":0`
	full := strings.NewReplacer(`"wins":0`, `"wins":1`, `"losses":1`, `"losses":0`, `"terminal_wins":0`, `"terminal_wins":1`).Replace(counts)
	total := `"states":2,"wins":1,"losses":1,"draws":0,"terminal_wins":1,"terminal_losses":0`
	steps := `"steps":[{"steps":0,"wins":1,"losses":0},{"steps":1,"wins":0,"losses":1}]`
	want := `"stored_states":2,"start":{"position":".","outcome":"lose","steps":1},"total":{` + total + `},` +
		`"classes":[{"class":0,"blocks":1,"block_states":2,` + total + `,` + steps + `}],` +
		`"stones":[{"mover":0,"other":0,` + counts + `},{"mover":1,"other":0,` + full + `}],` + steps + `,` +
		`"longest_win":{"steps":0,"count":1,"position":"X"},"longest_loss":{"steps":1,"count":1,"position":"."}}`
	if !strings.HasSuffix(string(text), want) || !strings.HasPrefix(string(text), `{"game":"notakto","size":1,"has_steps":true,"bytes":`) {
		t.Errorf("%s\nwant at its end %s", text, want)
	}
}
