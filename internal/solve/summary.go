package solve

import (
	"math"
	"time"

	"backsolve/game"
	"backsolve/internal/probe/survey"
	"backsolve/retro"
	"backsolve/tablebase"
)

// Summary is the report of a solve into a table. States are states of the whole game.
type Summary struct {
	Game     string    `json:"game"`
	Size     game.Size `json:"size"`
	After    []string  `json:"after,omitempty"`
	Path     string    `json:"path"`
	HasSteps bool      `json:"has_steps"`
	Existing bool      `json:"existing,omitempty"` // it was solved before
	// GreatestNimber is the greatest of all states, nil where the table has none.
	GreatestNimber *int `json:"greatest_nimber,omitempty"`

	States uint64            `json:"states"`
	Wins   uint64            `json:"wins"`
	Losses uint64            `json:"losses"`
	Draws  uint64            `json:"draws"`
	Start  survey.StartStats `json:"start"`

	Classes         int                 `json:"classes"`
	ResumedClasses  int                 `json:"resumed_classes"` // those that an interrupted solve had finished
	Seconds         float64             `json:"seconds"`
	ClassResults    []retro.ClassResult `json:"class_seconds"`     // of the classes that this solve solved itself
	StatesPerSecond float64             `json:"states_per_second"` // of the classes that this solve solved itself
	PeakMemory      int64               `json:"peak_memory_bytes"`
	Bytes           int64               `json:"bytes_written"`
	Packed          int64               `json:"packed_bytes,omitempty"`
	WorkWritten     int64               `json:"work_bytes_written,omitempty"`
	WorkRead        int64               `json:"work_bytes_read,omitempty"`
	Disk            int64               `json:"most_disk_bytes,omitempty"` // 0 where it is not known
	Identity        string              `json:"identity"`                  // hexadecimal

	// Board names the board for people: notakto 7×7 after d4.
	Board string `json:"-"`
}

func (*Summary) report() {}

// summarize reports a table that was solved now, or before if that took no time.
func summarize(table survey.Table, solved *retro.Result, took time.Duration, peakMemory int64) (*Summary, error) {
	of, err := survey.Count(table)
	if err != nil {
		return nil, err
	}
	s := &Summary{
		Game: of.Game, Size: of.Size, After: of.After, Board: of.Board, Path: table.File().Path(), HasSteps: of.HasSteps,
		States: of.Total.States, Wins: of.Total.Wins, Losses: of.Total.Losses, Draws: of.Total.Draws, Start: of.Start, Existing: took == 0,
		Classes: len(of.Classes), ResumedClasses: solved.Resumed, ClassResults: solved.Classes, Seconds: took.Seconds(), PeakMemory: peakMemory,
		Bytes: of.Bytes, Packed: of.Packed, WorkWritten: solved.WorkWritten, WorkRead: solved.WorkRead, Identity: of.Identity,
	}
	if s.Disk = max(solved.Disk, of.Bytes); of.Packed > 0 {
		s.Disk = max(solved.Disk, of.Packed)
	}
	if took > 0 {
		own := uint64(0)
		for _, c := range of.Classes[solved.Resumed:] {
			own += c.States
		}
		s.StatesPerSecond = math.Round(float64(own) / took.Seconds())
	}
	if greatest := len(of.Nimbers) - 1; greatest >= 0 {
		s.GreatestNimber = &greatest
	}
	return s, nil
}

// Classes is the report of a solve down to a class, whose table is not finished.
type Classes struct {
	Game       string        `json:"game"`
	Size       game.Size     `json:"size"`
	Classes    []ClassCounts `json:"classes"`
	Seconds    float64       `json:"seconds"`
	PeakMemory int64         `json:"peak_memory_bytes"`
	// Board names the board for people, and All is the number of its classes.
	Board string `json:"-"`
	All   int    `json:"-"`
}

func (*Classes) report() {}

// ClassCounts counts the states of a class.
type ClassCounts struct {
	Class int `json:"class"`
	survey.Counts
	Stones []survey.StonesStats `json:"by_stones"`
}

func newClasses(j *Job, sealed []tablebase.ClassInfo, took time.Duration, peak int64) *Classes {
	r := &Classes{
		Game: j.Rules.Name(), Size: game.Size(j.Rules.Size()), Seconds: took.Seconds(), PeakMemory: peak,
		Board: j.Name(), All: j.Space.MaskBits + 1,
	}
	for _, info := range sealed {
		c := ClassCounts{Class: info.Class}
		for weight, n := range info.Counts.ByWeight {
			mover, other := j.Space.Stones(info.Class, weight)
			stones := survey.StonesStats{Mover: mover, Other: other}
			stones.Add(n)
			c.Add(n)
			c.Stones = append(c.Stones, stones)
		}
		r.Classes = append(r.Classes, c)
	}
	return r
}
