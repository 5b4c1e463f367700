package solve

import (
	"encoding/hex"
	"math"
	"time"

	"backsolve/probe"
	"backsolve/retro"
)

// Summary is the report of a solve into a table. States are those of the whole game.
type Summary struct {
	Game     string   `json:"game"`
	Size     int      `json:"size"`
	After    []string `json:"after,omitempty"`
	Path     string   `json:"path"`
	HasSteps bool     `json:"has_steps"`
	Existing bool     `json:"existing,omitempty"` // it was solved before
	// GreatestNimber is the greatest of all states, nil where the table has none.
	GreatestNimber *int `json:"greatest_nimber,omitempty"`

	States uint64 `json:"states"`
	Wins   uint64 `json:"wins"`
	Losses uint64 `json:"losses"`
	Draws  uint64 `json:"draws"`
	Start  Start  `json:"start"`

	Classes         int                 `json:"classes"`
	ResumedClasses  int                 `json:"resumed_classes"` // those that an interrupted solve had finished
	Seconds         float64             `json:"seconds"`
	ClassResults    []retro.ClassResult `json:"class_seconds"`     // of the classes that this solve solved itself
	StatesPerSecond float64             `json:"states_per_second"` // of the classes that this solve solved itself
	PeakMemory      int64               `json:"peak_memory_bytes"`
	Bytes           int64               `json:"bytes_written"`
	Packed          int64               `json:"packed_bytes,omitempty"`
	LogsWritten     int64               `json:"log_bytes_written,omitempty"`
	LogsRead        int64               `json:"log_bytes_read,omitempty"`
	Disk            int64               `json:"most_disk_bytes"`
	Identity        string              `json:"identity"` // hexadecimal

	// Board names the board for people: notakto 7×7 after d4.
	Board string `json:"-"`
}

func (*Summary) report() {}

// Start is the start position with its value for the player to move.
type Start struct {
	Position string `json:"position"`
	Outcome  string `json:"outcome"`
	Steps    *int   `json:"steps"` // null for a draw and where the table has none
	Nimber   *int   `json:"nimber,omitempty"`
}

// summarize sums up the table of a solve that took so long.
func summarize(table *probe.Table, solved *retro.Result, took time.Duration, peakMemory int64) (*Summary, error) {
	stored, rules := table.Stored(), table.Rules()
	identity := stored.Identity()
	onDisk := stored.Bytes()
	if packed := stored.Packed(); packed > 0 {
		onDisk = packed
	}
	s := &Summary{
		Game: rules.Name(), Size: rules.Size(), After: probe.CellNames(rules.Info(), table.Space().Taken), Board: table.Board(), Path: stored.Path(), HasSteps: table.HasSteps(),
		ResumedClasses: solved.Resumed, ClassResults: solved.Classes, Seconds: took.Seconds(), PeakMemory: peakMemory,
		Bytes: stored.Bytes(), Packed: stored.Packed(),
		LogsWritten: solved.LogsWritten, LogsRead: solved.LogsRead, Disk: max(solved.Disk, onDisk), Identity: hex.EncodeToString(identity[:]),
	}
	own := uint64(0)
	greatest := 0
	for i, class := range stored.Classes() {
		s.Classes++
		greatest = max(greatest, len(class.Counts.BySteps)-1)
		for _, t := range class.Counts.ByWeight {
			s.Wins += t.Wins
			s.Losses += t.Losses
			s.Draws += t.Draws
			if i >= solved.Resumed {
				own += t.Wins + t.Losses + t.Draws
			}
		}
	}
	s.States = s.Wins + s.Losses + s.Draws
	if took > 0 {
		s.StatesPerSecond = math.Round(float64(own) / took.Seconds())
	}

	value, err := table.Value(table.Start())
	if err != nil {
		return nil, err
	}
	s.Start = Start{Position: rules.Format(table.Start()), Outcome: value.Outcome.String()}
	if value.Steps >= 0 {
		s.Start.Steps = &value.Steps
	}
	if !stored.Shape().Nimbers {
		return s, nil
	}
	s.GreatestNimber = &greatest
	nimber, err := table.Nimber(table.Start())
	if n, known := nimber.Value(); known {
		s.Start.Nimber = &n
	}
	return s, err
}
