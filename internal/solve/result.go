package solve

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"path/filepath"
	"slices"
	"strings"

	"backsolve/game"
	"backsolve/internal/durable"
	"backsolve/internal/probe"
	"backsolve/internal/probe/survey"
	"backsolve/internal/sealed"
	"backsolve/partition"
	"backsolve/retro/outofcore"
)

// Result is what is kept of a solve that keeps no table: counts, and who wins.
type Result struct {
	Game   string            `json:"game"`
	Size   game.Size         `json:"size"`
	After  []string          `json:"after"`
	Start  survey.StartStats `json:"start"`
	Winner string            `json:"winner"` // first or second, of the whole game
	States uint64            `json:"states"`
	Wins   uint64            `json:"wins"`
	Losses uint64            `json:"losses"`

	// Moves are the winning ones first, with their outcomes for the player who makes them.
	Moves []ResultMove `json:"first_moves,omitempty"`

	Classes []ResultClass `json:"classes"`
	Marks   []ResultMarks `json:"by_marks"`
	// With counts by class the states in which the cells of a half are marked, which are all
	// states of the game after these are taken. It is nil where the board has no such half.
	With *ResultHalf `json:"with,omitempty"`
	// SHA256 is over this object as one line of JSON, with this field empty.
	SHA256 string `json:"sha256"`
}

// ResultClass counts the states of a class. Terminal wins are part of the wins.
type ResultClass struct {
	Class        int    `json:"class"`
	Blocks       int    `json:"blocks"`
	IndexBits    int    `json:"index_bits"`
	Wins         uint64 `json:"wins"`
	TerminalWins uint64 `json:"terminal_wins"`
	Losses       uint64 `json:"losses"`
}

// ResultMove is a first move with its outcome.
type ResultMove struct {
	Move    string `json:"move"`
	Outcome string `json:"outcome"`
}

// ResultHalf counts the states in which the cells of a half are marked.
type ResultHalf struct {
	Cells   []string      `json:"cells"`
	Classes []ResultClass `json:"classes"`
}

// ResultMarks counts the states with a number of marks.
type ResultMarks struct {
	Marks        int    `json:"marks"`
	Wins         uint64 `json:"wins"`
	TerminalWins uint64 `json:"terminal_wins"`
	Losses       uint64 `json:"losses"`
}

func newResult(rules game.Grid, space *partition.Space, moves []string, s *outofcore.Result) (*Result, error) {
	r := &Result{Game: rules.Name(), Size: game.Size(rules.Size()), After: append([]string{}, moves...)}
	r.Start = survey.StartStats{Position: rules.Format(s.Start.Position), Outcome: outcomeText(s.Start.Won)}
	r.Winner = "first"
	if (len(moves)%2 == 0) != s.Start.Won {
		r.Winner = "second"
	}
	if err := r.addMoves(rules, s); err != nil {
		return nil, err
	}
	r.Marks = make([]ResultMarks, rules.Rows()*rules.Cols()+1)
	for _, c := range s.Classes {
		class := newResultClass(c)
		for weight, n := range c.Counts.ByWeight {
			mover, other := space.Stones(c.Class, weight)
			m := &r.Marks[mover+other]
			m.Marks = mover + other
			m.Wins += n.Wins
			m.TerminalWins += n.TerminalWins
			m.Losses += n.Losses
		}
		r.Classes = append(r.Classes, class)
		r.Wins += class.Wins
		r.Losses += class.Losses
	}
	if s.Half != nil {
		r.With = &ResultHalf{Cells: probe.CellNames(rules.Info(), s.Cells)}
		for _, c := range s.Half {
			r.With.Classes = append(r.With.Classes, newResultClass(c))
		}
	}
	r.Marks = r.Marks[bits.OnesCount64(space.Taken):]
	r.States = r.Wins + r.Losses
	free := rules.Rows()*rules.Cols() - bits.OnesCount64(space.Taken)
	if r.States != 1<<uint(free) {
		return nil, fmt.Errorf("the counts add up to %d states, not to 2^%d: this is a bug; please report it", r.States, free)
	}
	r.SHA256 = r.sum()
	return r, nil
}

func newResultClass(c outofcore.ClassCounts) ResultClass {
	class := ResultClass{Class: c.Class, Blocks: c.Blocks, IndexBits: c.IndexBits}
	for _, n := range c.Counts.ByWeight {
		class.Wins += n.Wins
		class.TerminalWins += n.TerminalWins
		class.Losses += n.Losses
	}
	return class
}

func outcomeText(won bool) string {
	if won {
		return game.Win.String()
	}
	return game.Lose.String()
}

// addMoves checks that the first moves lead to the outcome of the start.
func (r *Result) addMoves(rules game.Grid, s *outofcore.Result) error {
	wins := false
	for _, v := range s.First {
		cells := probe.CellNames(rules.Info(), v.Position.X&^s.Start.Position.X)
		r.Moves = append(r.Moves, ResultMove{strings.Join(cells, " "), outcomeText(!v.Won)})
		wins = wins || !v.Won
	}
	if wins != s.Start.Won {
		return errors.New("the values of the first moves do not lead to that of the start: this is a bug; please report it")
	}
	slices.SortFunc(r.Moves, func(a, b ResultMove) int {
		return cmp.Or(strings.Compare(b.Outcome, a.Outcome), strings.Compare(a.Move, b.Move)) // "win" is behind "lose"
	})
	return nil
}

func (r *Result) sum() string {
	unsigned := *r
	unsigned.SHA256 = ""
	return sealed.SumJSON(unsigned)
}

func (r *Result) save(path string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(path, append(text, '\n'))
}

// ErrResult is the cause where a file does not hold the result that its name promises.
var ErrResult = errors.New("is damaged, or no result")

func readResult(path string) (*Result, error) {
	text, err := durable.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var r Result
	if json.Unmarshal(text, &r) != nil || r.SHA256 != r.sum() {
		return nil, fmt.Errorf("%s %w", path, ErrResult)
	}
	return &r, nil
}

// agree compares the counts with results in the directory that count the same states: of the game after the cells
// of the half, too, and of games without one of the taken cells.
func (r *Result) agree(dir string, rules game.Grid, taken uint64, cells uint64) error {
	if r.With != nil {
		path := resultPath(dir, rules, taken|cells)
		if other, err := readResult(path); err != nil {
			return err
		} else if other != nil && !slices.Equal(other.Classes, r.With.Classes) {
			return r.disagrees(path)
		}
	}
	for rest := taken; rest != 0; rest &= rest - 1 {
		path := resultPath(dir, rules, taken&^(rest&-rest))
		whole, err := readResult(path)
		if err != nil {
			return err
		}
		if whole == nil || whole.With == nil || !slices.Equal(whole.With.Cells, probe.CellNames(rules.Info(), rest&-rest)) {
			continue
		}
		if !slices.Equal(whole.With.Classes, r.Classes) {
			return r.disagrees(path)
		}
	}
	return nil
}

func (r *Result) disagrees(path string) error {
	return fmt.Errorf("the counts are not those of %s, which has the same states: one of the two is wrong; "+
		"move that file away, solve it again and compare, and please report it", path)
}

func resultPath(dir string, rules game.Grid, taken uint64) string {
	return filepath.Join(dir, strings.TrimSuffix(probe.FileNameAfter(rules.Info(), taken), probe.FileSuffix)+".json")
}
