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

// beginOpening creates the opening table that the options ask for, or resumes it. Where the
// solve was interrupted before its result was saved, the table is finished already, and the
// options ask for none any more.
func (j *Job) beginOpening(files *outofcore.Files, o *outofcore.Options) (err error) {
	if o.Opening == nil {
		return nil
	}
	if files.Done() && j.isOpening(o.Opening.Classes) {
		o.Opening = nil
		return j.clearBeside()
	}
	o.Opening.Writer, err = writer.Create(j.Path, j.openingShape(o.Opening.Classes), j.Force)
	return err
}

// openingShape returns the shape of a table of so many of the emptiest classes: an ordinary
// table where these are all.
func (j *Job) openingShape(classes int) tablebase.Shape {
	shape := j.Shape
	shape.Opening = classes <= j.Space.MaskBits
	return shape
}

// isOpening reports whether the opening table of so many classes is finished.
func (j *Job) isOpening(classes int) bool {
	table, err := reader.Open(j.Path)
	if err != nil {
		return false
	}
	defer table.Close()
	return table.Shape() == j.openingShape(classes) && len(table.Classes()) == classes
}

// restartOpening starts the opening table over, nil being none.
func (j *Job) restartOpening(o *outofcore.Opening) error {
	if o == nil {
		return nil
	}
	o.Writer.Close()
	if err := os.Remove(partialPath(j.Path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	w, err := writer.Create(j.Path, j.openingShape(o.Classes), true)
	if err == nil {
		o.Writer = w
	}
	return err
}

// SavedOpening is an opening table that was written.
type SavedOpening struct {
	Path     string `json:"path"`
	Classes  int    `json:"classes"`
	Bytes    int64  `json:"bytes"`
	Identity string `json:"identity"`
}

// finishOpening gives the opening table its name, nil being none.
func (j *Job) finishOpening(o *outofcore.Opening) (*SavedOpening, error) {
	if o == nil {
		return nil, nil
	}
	sum, err := o.Writer.Finish()
	if err != nil {
		return nil, err
	}
	return &SavedOpening{j.Path, o.Classes, sum.Bytes, hex.EncodeToString(sum.Identity[:])}, nil
}
