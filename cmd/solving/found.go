package solving

import (
	"errors"
	"fmt"
	"path/filepath"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/internal/machine"
	"backsolve/probe"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

// TableState says which table of a board there is.
type TableState struct {
	State    string `json:"state"` // none, solved, packed, unfinished or unusable
	HasSteps bool   `json:"has_steps"`
	// HasNimbers says that nimbers are known, from this table or one beside it.
	HasNimbers bool   `json:"has_nimbers,omitempty"`
	Classes    int    `json:"classes,omitempty"` // where only so many of the emptiest are there, or of the fullest are finished
	Bytes      int64  `json:"bytes"`             // of the file, as far as it is written
	Reason     string `json:"reason"`            // why it is unusable
}

// FindTable looks what there is of a board, after the taken cells are marked, in a
// directory.
func FindTable(rules game.Grid, taken uint64, dir string) TableState {
	path := filepath.Join(dir, probe.FileNameAfter(rules.Info(), taken))
	table, err := probe.OpenAfter(dir, rules, taken)
	if err == nil {
		defer table.Close()
		return stateOf(table)
	}
	missing, noDir := (*probe.MissingError)(nil), (*probe.DirError)(nil)
	if !errors.As(err, &missing) && !errors.As(err, &noDir) {
		bytes := machine.FileSize(path)
		if bytes == 0 {
			bytes = machine.FileSize(path + tablebase.PackedSuffix)
		}
		return TableState{State: "unusable", Bytes: bytes, Reason: cli.Sentence(err)}
	}
	for _, path := range []string{path, path + tablebase.PackedSuffix} {
		if u, err := writer.FindUnfinished(path); err == nil {
			return TableState{State: "unfinished", HasSteps: u.Shape.Steps, Classes: u.Classes, Bytes: u.Bytes}
		} else if size := machine.FileSize(partialPath(path)); size > 0 {
			return TableState{State: "unfinished", Bytes: size}
		}
	}
	return TableState{State: "none"}
}

// stateOf describes a table that is open.
func stateOf(table *probe.Table) TableState {
	s := TableState{State: "solved", HasSteps: table.HasSteps(), HasNimbers: table.HasNimbers(), Bytes: table.Stored().Bytes()}
	if table.Opening() {
		s.Classes = table.Classes()
	}
	if packed := table.Stored().Packed(); packed > 0 {
		s.State, s.Bytes = "packed", packed
	}
	return s
}

// findNimbers is FindTable for the table with a board's nimbers.
func findNimbers(t *Target) TableState {
	state := TableState{State: "none"}
	for _, path := range []string{t.plainPath(), t.plainPath() + tablebase.PackedSuffix} {
		if table, err := probe.OpenFile(path); err == nil {
			defer table.Close()
			return stateOf(table)
		}
		if u, err := writer.FindUnfinished(path); err == nil {
			state = TableState{State: "unfinished", HasNimbers: u.Shape.Nimbers, Classes: u.Classes, Bytes: u.Bytes}
		}
	}
	return state
}

// Text says which table there is, nothing where there is none.
func (t *TableState) Text() string {
	steps := "without steps"
	if t.HasSteps {
		steps = "with steps"
	}
	if t.HasNimbers {
		steps += ", with nimbers"
	}
	switch t.State {
	case "solved", "packed":
		if t.Classes > 0 {
			steps += fmt.Sprintf(", the %d emptiest classes alone", t.Classes)
		}
		if t.State == "packed" {
			steps += ", packed"
		}
		return fmt.Sprintf("solved %s, %s", steps, cli.BytesText(t.Bytes))
	case "unfinished":
		if t.Classes == 0 {
			return fmt.Sprintf("unfinished, %s so far", cli.BytesText(t.Bytes))
		}
		return fmt.Sprintf("unfinished %s, %s, %s so far", steps, cli.CountOf(uint64(t.Classes), "class", "classes"), cli.BytesText(t.Bytes))
	case "unusable":
		return "unusable: " + t.Reason
	}
	return ""
}
