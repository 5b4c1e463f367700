package survey

import (
	"context"
	"encoding/hex"
	"slices"

	"backsolve/game"
	"backsolve/probe"
	"backsolve/tablebase"
)

// Stats sums a table up. All counts are of states of the whole game, symmetric
// ones counted, the player to move held fixed; terminal ones are part of the
// wins and losses and shown apart as well.
type Stats struct {
	Game string `json:"game"`
	Size int    `json:"size"`
	// Board names it for people.
	Board string `json:"-"`
	// After has the cells that are marked from the start, if any.
	After []string `json:"after,omitempty"`
	// HasSteps says whether the table knows the steps to the end.
	HasSteps bool `json:"has_steps"`
	// Opening says that the table has the emptiest classes alone.
	Opening bool `json:"opening,omitempty"`
	// Bytes is the length of the table, Packed that of its file where it is
	// packed, else 0.
	Bytes  int64 `json:"bytes"`
	Packed int64 `json:"packed_bytes"`
	// Identity is what tells the table from every other one, in hexadecimal.
	Identity string `json:"identity"`
	// Stored is the number of states in the file, one for all its images.
	Stored uint64 `json:"stored_states"`
	// Start is the value of the empty board.
	Start StartStats `json:"start"`
	Total Counts     `json:"total"`
	// Classes are the classes, the fullest first.
	Classes []ClassStats `json:"classes"`
	// Stones are the outcomes by the number of stones of each player, by those
	// of both and then by those of the player to move.
	Stones []StonesStats `json:"stones"`
	// Steps are the outcomes by steps from 0 on, empty where the table has none.
	Steps []StepsStats `json:"steps"`
	// Nimbers are the states by nimber from 0 on, empty where the table has none.
	// Terminal states have none.
	Nimbers []NimberStats `json:"nimbers,omitempty"`
	// LongestWin and LongestLoss are the most steps that a won and a lost state
	// take, nil where there is none or the table has no steps.
	LongestWin  *Longest `json:"longest_win"`
	LongestLoss *Longest `json:"longest_loss"`
}

// StartStats is the value of the start position.
type StartStats struct {
	Position string `json:"position"`
	Outcome  string `json:"outcome"`
	Steps    *int   `json:"steps"`            // nil for a draw and where the table has none
	Nimber   *int   `json:"nimber,omitempty"` // nil where the table has none
}

// ClassStats counts the states of a class.
type ClassStats struct {
	// Class is the number of marked cells of its masks.
	Class int `json:"class"`
	// Blocks are stored, each of States states.
	Blocks      int    `json:"blocks"`
	BlockStates uint64 `json:"block_states"`
	Counts
	// Steps are the outcomes by steps, empty where the table has none.
	Steps []StepsStats `json:"steps"`
	// Nimbers are the states by nimber, empty where the table has none.
	Nimbers []NimberStats `json:"nimbers,omitempty"`
}

// StonesStats counts the states with so many stones of each player; where both
// players mark with the same sign, all stones are the mover's.
type StonesStats struct {
	Mover int `json:"mover"`
	Other int `json:"other"`
	Counts
}

// StepsStats counts the states that end after so many steps.
type StepsStats struct {
	Steps  int    `json:"steps"`
	Wins   uint64 `json:"wins"`
	Losses uint64 `json:"losses"`
}

// Summarize sums a table up. All numbers come from the counts in the file; only
// for the examples of the longest win and loss data is read, and that of one
// class each. Errors are those of reading the table, and the cause of ctx.
func Summarize(ctx context.Context, t *probe.Table) (*Stats, error) {
	start, err := startStats(t)
	if err != nil {
		return nil, err
	}
	rules, stored := t.Rules(), t.Stored()
	identity := stored.Identity()
	s := &Stats{
		Game: rules.Name(), Size: rules.Size(), Board: t.Board(), After: probe.CellNames(rules.Info(), t.Space().Taken), HasSteps: t.HasSteps(), Opening: t.Opening(),
		Bytes: stored.Bytes(), Packed: stored.Packed(), Identity: hex.EncodeToString(identity[:]),
		Start: start, Stones: byStones(t), Steps: []StepsStats{},
	}
	for _, c := range stored.Classes() {
		s.addClass(c, storesNimbers(t))
	}
	if s.LongestWin, err = longest(ctx, t, s.Steps, game.Win); err != nil {
		return nil, err
	}
	if s.LongestLoss, err = longest(ctx, t, s.Steps, game.Lose); err != nil {
		return nil, err
	}
	return s, nil
}

// byStones adds up the states with so many stones of each player.
func byStones(t *probe.Table) (all []StonesStats) {
	space, stones := t.Space(), map[[2]int]*Counts{}
	for _, c := range t.Stored().Classes() {
		for weight, tally := range c.Counts.ByWeight {
			mover, other := space.Stones(c.Class, weight)
			key := [2]int{mover, other}
			if stones[key] == nil {
				stones[key] = new(Counts)
			}
			stones[key].add(tally)
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

// startStats looks the start position up.
func startStats(t *probe.Table) (StartStats, error) {
	p := t.Start()
	v, err := t.Value(p)
	if err != nil {
		return StartStats{}, err
	}
	s := StartStats{Position: t.Rules().Format(p), Outcome: v.Outcome.String()}
	if v.Steps >= 0 {
		s.Steps = &v.Steps
	}
	if !storesNimbers(t) {
		return s, nil
	}
	n, err := t.Nimber(p)
	if value, known := n.Value(); known {
		s.Nimber = &value
	}
	return s, err
}

func (s *Stats) addClass(c tablebase.ClassInfo, nimbers bool) {
	class := ClassStats{Class: c.Class, Blocks: c.Blocks, BlockStates: 1 << uint(c.IndexBits), Steps: []StepsStats{}}
	s.Stored += uint64(c.Blocks) << uint(c.IndexBits)
	for _, tally := range c.Counts.ByWeight {
		class.add(tally)
		s.Total.add(tally)
	}
	if nimbers {
		s.addNimbers(&class, c.Counts.BySteps)
		c.Counts.BySteps = nil
	}
	for steps, tally := range c.Counts.BySteps {
		class.Steps = append(class.Steps, StepsStats{steps, tally.Wins, tally.Losses})
		if steps == len(s.Steps) {
			s.Steps = append(s.Steps, StepsStats{Steps: steps})
		}
		s.Steps[steps].Wins += tally.Wins
		s.Steps[steps].Losses += tally.Losses
	}
	s.Classes = append(s.Classes, class)
}
