package solving

import (
	"encoding/hex"
	"io"
	"math"
	"time"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/probe"
	"backsolve/retro"
)

// summary is what a solve reports in the end. Its field names are those of the
// JSON object that --json prints; states are those of the whole game.
type summary struct {
	Game     string   `json:"game"`
	Size     int      `json:"size"`
	After    []string `json:"after,omitempty"`
	Path     string   `json:"path"`
	HasSteps bool     `json:"has_steps"`
	Existing bool     `json:"existing,omitempty"` // it was there, and nothing was solved
	// GreatestNimber is that of any state; null where the table has none.
	GreatestNimber *int `json:"greatest_nimber,omitempty"`

	States uint64 `json:"states"`
	Wins   uint64 `json:"wins"`
	Losses uint64 `json:"losses"`
	Draws  uint64 `json:"draws"`
	Start  start  `json:"start"`

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

	board string
}

// start is the start position with what it is worth to the player to move.
type start struct {
	Position string `json:"position"`
	Outcome  string `json:"outcome"`
	Steps    *int   `json:"steps"` // null for a draw and where the table has none
	Nimber   *int   `json:"nimber,omitempty"`
}

// summarize sums up the table of a solve that has just taken so long.
func summarize(table *probe.Table, solved *retro.Result, took time.Duration, peakMemory int64) (*summary, error) {
	stored, rules := table.Stored(), table.Rules()
	identity := stored.Identity()
	onDisk := stored.Bytes()
	if packed := stored.Packed(); packed > 0 {
		onDisk = packed
	}
	s := &summary{
		Game: rules.Name(), Size: rules.Size(), After: probe.CellNames(rules.Info(), table.Space().Taken), board: table.Board(), Path: stored.Path(), HasSteps: table.HasSteps(),
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
	s.Start = start{Position: rules.Format(table.Start()), Outcome: value.Outcome.String()}
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

func (s *summary) writeText(w io.Writer) error {
	rows := cli.NewRows(w)
	rows.Add("game", "%s", s.board)
	rows.Add("states", "%s", cli.CountText(s.States))
	rows.Add("wins", "%s", cli.Share(s.Wins, s.States))
	rows.Add("losses", "%s", cli.Share(s.Losses, s.States))
	rows.Add("draws", "%s", cli.Share(s.Draws, s.States))
	rows.AddStart(s.Start.Outcome, s.Start.Steps, s.Start.Nimber)
	if s.GreatestNimber != nil {
		rows.Add("nimbers", "0 to %d", *s.GreatestNimber)
	}
	if s.Existing {
		addExisting(rows)
	} else {
		rows.Add("time", "%s", time.Duration(s.Seconds*float64(time.Second)).Round(time.Millisecond))
		rows.Add("speed", "%s", progress.RateText(s.StatesPerSecond, "states"))
		if s.ResumedClasses > 0 {
			rows.Add("resumed", "after %d of %d classes", s.ResumedClasses, s.Classes)
		}
		rows.Add("peak memory", "%s", cli.BytesText(s.PeakMemory))
	}
	rows.Add("table", "%s", s.Path)
	if s.Packed > 0 {
		rows.Add("packed into", "%s (%s), of %s", cli.CountText(uint64(s.Packed)), cli.BytesText(s.Packed), cli.BytesText(s.Bytes))
	} else {
		rows.Add("bytes written", "%s (%s)", cli.CountText(uint64(s.Bytes)), cli.BytesText(s.Bytes))
	}
	if s.LogsWritten > 0 {
		rows.Add("logs", "%s written, %s read; at most %s on the disk at once", cli.BytesText(s.LogsWritten), cli.BytesText(s.LogsRead), cli.BytesText(s.Disk))
	}
	rows.Add("identity", "%s", s.Identity)
	return rows.Flush()
}
