package survey

import (
	"context"
	"encoding/hex"
	"slices"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/tablebase"
)

// Stats is a summary of a table. All counts are of states of the whole game with X to move,
// symmetric ones included. Terminal states are part of the wins and losses.
type Stats struct {
	Game string    `json:"game"`
	Size game.Size `json:"size"`
	// Board names the board for people.
	Board string `json:"-"`
	// Tiers says that the classes are the tiers of a table of single positions. Each state is a
	// block, and counts are of stored states.
	Tiers bool `json:"-"`
	// After has the cells that are marked from the start, if any.
	After []string `json:"after,omitempty"`
	// HasSteps says whether the table knows the steps to the end.
	HasSteps bool `json:"has_steps"`
	// Opening says that the table has only the emptiest classes.
	Opening bool `json:"opening,omitempty"`
	// Bytes is the length of the table, Packed the length of its packed file or 0.
	Bytes  int64 `json:"bytes"`
	Packed int64 `json:"packed_bytes"`
	// Archive says that the packed file lacks the steps of won states.
	Archive bool `json:"archive,omitempty"`
	// Identity is the table's identity, in hexadecimal.
	Identity string `json:"identity"`
	// Stored is the number of states in the file, one for all symmetric images.
	Stored uint64 `json:"stored_states"`
	// Start is the value of the empty board.
	Start StartStats `json:"start"`
	Total Counts     `json:"total"`
	// Classes are the classes, the fullest first.
	Classes []ClassStats `json:"classes"`
	// Stones are by the number of stones of each player, sorted by the sum, then by the mover's.
	Stones []StonesStats `json:"stones"`
	// Steps are the outcomes by steps from 0 on, empty if the table has none.
	Steps []StepsStats `json:"steps"`
	// Nimbers are the states by nimber from 0 on, empty if the table has none. Terminal
	// states have none.
	Nimbers []NimberStats `json:"nimbers,omitempty"`
	// LongestWin and LongestLoss have the most steps, nil if there are none.
	LongestWin  *Longest `json:"longest_win"`
	LongestLoss *Longest `json:"longest_loss"`
}

// StartStats is the value of the start position.
type StartStats struct {
	Position string `json:"position"`
	Outcome  string `json:"outcome"`
	Steps    *int   `json:"steps"`            // nil for a draw and if the table has none
	Nimber   *int   `json:"nimber,omitempty"` // nil if the table has none

	Value probe.Value `json:"-"`
}

// ClassStats counts the states of a class.
type ClassStats struct {
	// Class is the number of marked cells of its masks.
	Class int `json:"class"`
	// Blocks is the number of stored blocks, each of BlockStates states.
	Blocks      int    `json:"blocks"`
	BlockStates uint64 `json:"block_states"`
	Counts
	// Steps are the outcomes by steps, empty if the table has none.
	Steps []StepsStats `json:"steps"`
	// Nimbers are the states by nimber, empty if the table has none.
	Nimbers []NimberStats `json:"nimbers,omitempty"`
}

// NimberStats counts the states with a nimber.
type NimberStats struct {
	Nimber int    `json:"nimber"`
	States uint64 `json:"states"`
}

// StonesStats counts states by stones, which are all the mover's if the players share a mark.
type StonesStats struct {
	Mover int `json:"mover"`
	Other int `json:"other"`
	Counts
}

// StepsStats counts the states with a number of steps to the end.
type StepsStats struct {
	Steps  int    `json:"steps"`
	Wins   uint64 `json:"wins"`
	Losses uint64 `json:"losses"`
}

// Summarize sums a table up from the counts in the file, and reads states, of one class each, only for the
// longest win and loss. Errors are those of reading, and the cause of ctx.
func Summarize(ctx context.Context, t Table) (*Stats, error) {
	s, err := Count(t)
	if err != nil {
		return nil, err
	}
	if s.LongestWin, err = longest(ctx, t, s.Steps, game.Win); err != nil {
		return nil, err
	}
	if s.LongestLoss, err = longest(ctx, t, s.Steps, game.Lose); err != nil {
		return nil, err
	}
	return s, nil
}

// Count is Summarize without the longest win and loss, and reads no more than the start.
func Count(t Table) (*Stats, error) {
	src, file := sourceOf(t), t.File()
	start, info := src.start(), src.rules().Info()
	v, err := src.value(start)
	if err != nil {
		return nil, err
	}
	identity := file.Identity()
	s := &Stats{
		Game: info.Name, Size: game.Size(info.Size), Board: t.Board(), HasSteps: t.HasSteps(), Bytes: file.Bytes(), Packed: file.Packed(),
		Identity: hex.EncodeToString(identity[:]), Start: StartStats{Position: src.rules().Format(start), Outcome: v.Outcome.String(), Value: v}, Steps: []StepsStats{},
	}
	if v.Steps >= 0 {
		s.Start.Steps = &v.Steps
	}
	if err := src.describe(s); err != nil {
		return nil, err
	}
	for _, c := range src.classes() {
		s.addClass(c, s.Nimbers != nil)
	}
	return s, nil
}

func byStones(t *probe.Table) (all []StonesStats) {
	space, stones := t.Space(), map[[2]int]*Counts{}
	for _, c := range t.Stored().Classes() {
		for weight, counts := range c.Counts.ByWeight {
			mover, other := space.Stones(c.Class, weight)
			key := [2]int{mover, other}
			if stones[key] == nil {
				stones[key] = new(Counts)
			}
			stones[key].Add(counts)
		}
	}
	for key, counts := range stones {
		all = append(all, StonesStats{key[0], key[1], *counts})
	}
	slices.SortFunc(all, func(a, b StonesStats) int {
		return slices.Compare([]int{a.Mover + a.Other, a.Mover}, []int{b.Mover + b.Other, b.Mover})
	})
	return all
}

func (s *Stats) addClass(c tablebase.ClassInfo, nimbers bool) {
	class := ClassStats{Class: c.Class, Blocks: c.Blocks, BlockStates: 1 << uint(c.IndexBits), Steps: []StepsStats{}}
	s.Stored += uint64(c.Blocks) << uint(c.IndexBits)
	for _, counts := range c.Counts.ByWeight {
		class.Add(counts)
		s.Total.Add(counts)
	}
	if nimbers {
		s.addNimbers(&class, c.Counts.BySteps)
		c.Counts.BySteps = nil
	}
	for steps, counts := range c.Counts.BySteps {
		class.Steps = append(class.Steps, StepsStats{steps, counts.Wins, counts.Losses})
		if steps == len(s.Steps) {
			s.Steps = append(s.Steps, StepsStats{Steps: steps})
		}
		s.Steps[steps].Wins += counts.Wins
		s.Steps[steps].Losses += counts.Losses
	}
	s.Classes = append(s.Classes, class)
}

// addNimbers leaves out terminal states, which have none and count as wins of 0.
func (s *Stats) addNimbers(class *ClassStats, bySteps []tablebase.StepCounts) {
	for nimber, c := range bySteps {
		states := c.Wins
		if nimber == 0 {
			states = c.Losses
		}
		class.Nimbers = append(class.Nimbers, NimberStats{nimber, states})
		if nimber == len(s.Nimbers) {
			s.Nimbers = append(s.Nimbers, NimberStats{Nimber: nimber})
		}
		s.Nimbers[nimber].States += states
	}
}

// Counts counts states by outcome.
type Counts struct {
	States         uint64 `json:"states"`
	Wins           uint64 `json:"wins"`
	Losses         uint64 `json:"losses"`
	Draws          uint64 `json:"draws"`
	TerminalWins   uint64 `json:"terminal_wins"`
	TerminalLosses uint64 `json:"terminal_losses"`
}

// Add adds the states of a class, or of a part of one.
func (c *Counts) Add(o tablebase.OutcomeCounts) {
	c.States += o.Wins + o.Losses + o.Draws
	c.Wins += o.Wins
	c.Losses += o.Losses
	c.Draws += o.Draws
	c.TerminalWins += o.TerminalWins
	c.TerminalLosses += o.TerminalLosses
}

// Longest is the most steps of an outcome.
type Longest struct {
	Steps int `json:"steps"`
	// Count is the number of states with that many.
	Count uint64 `json:"count"`
	// Position is the text of one of them.
	Position string `json:"position"`
}

// longest takes its example from the first class that has one. It is nil if there is none.
func longest(ctx context.Context, t Table, bySteps []StepsStats, outcome game.Outcome) (*Longest, error) {
	src := sourceOf(t)
	for _, s := range slices.Backward(bySteps) {
		count := s.Wins
		if outcome == game.Lose {
			count = s.Losses
		}
		if count == 0 {
			continue
		}
		f := Filter{&outcome, &s.Steps}
		class := slices.IndexFunc(src.classes(), func(c tablebase.ClassInfo) bool { return f.count(c) > 0 })
		example, err := src.first(ctx, class, f)
		if err != nil {
			return nil, err
		}
		return &Longest{Steps: s.Steps, Count: count, Position: example}, nil
	}
	return nil, nil
}

// Stratum is the states of a class whose index has the same number of one-bits, and so the board the same
// number of marked cells. A tier is one stratum.
type Stratum struct {
	Class, Weight int
	// Marked is the number of marked cells of the board.
	Marked int
	Counts
	class int // its number in the file
}

// Strata returns the strata of a table in the order of its classes, each by ascending weight.
func Strata(t Table) (strata []Stratum) {
	src := sourceOf(t)
	for i, c := range src.classes() {
		for weight, counts := range c.Counts.ByWeight {
			s := Stratum{Class: c.Class, Weight: weight, Marked: src.marked(i, weight), class: i}
			s.Add(counts)
			strata = append(strata, s)
		}
	}
	return strata
}
