package solve

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"

	"backsolve/retro/outofcore"
	"backsolve/tablebase"
	"backsolve/tablebase/reader"
	"backsolve/tablebase/writer"
)

// SavedOpening is an opening table that was written.
type SavedOpening struct {
	Path     string `json:"path"`
	Classes  int    `json:"classes"`
	Bytes    int64  `json:"bytes"`
	Identity string `json:"identity"`
}

// openingTable is the opening table that a job keeps; its Opening is nil for none.
type openingTable struct {
	job *Job
	*outofcore.Opening
}

// begin creates the table, or resumes it. Where the solve was interrupted before its result
// was saved, the table is finished already, and none is kept any more.
func (t *openingTable) begin(files *outofcore.Files) (err error) {
	if t.Opening != nil && files.Done() && t.finished() {
		t.Opening = nil
		return cleanup{t.job}.clearBeside()
	}
	if t.Opening != nil {
		t.Writer, err = writer.Create(t.job.Path, t.shape(), t.job.Force)
	}
	return err
}

// shape returns the shape of the table: an ordinary one where it has all classes.
func (t *openingTable) shape() tablebase.Shape {
	shape := t.job.Shape
	shape.Opening = t.Classes <= t.job.Space.MaskBits
	return shape
}

func (t *openingTable) finished() bool {
	table, err := reader.Open(t.job.Path)
	if err != nil {
		return false
	}
	defer table.Close()
	return table.Shape() == t.shape() && len(table.Classes()) == t.Classes
}

func (t *openingTable) restart() error {
	if t.Opening == nil {
		return nil
	}
	t.Writer.Close()
	if err := os.Remove(partialPath(t.job.Path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	w, err := writer.Create(t.job.Path, t.shape(), true)
	if err == nil {
		t.Writer = w
	}
	return err
}

func (t *openingTable) finish() (*SavedOpening, error) {
	if t.Opening == nil {
		return nil, nil
	}
	sum, err := t.Writer.Finish()
	if err != nil {
		return nil, err
	}
	return &SavedOpening{t.job.Path, t.Classes, sum.Bytes, hex.EncodeToString(sum.Identity[:])}, nil
}
