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

// opening is the opening table of a solve in work, nil where none is wanted or it is
// finished.
type opening struct {
	*outofcore.Opening
}

// beginOpening creates the opening table that the options ask for, or resumes it. Where the
// solve was interrupted before its result was saved, the table is finished already.
func (j *Job) beginOpening(files *outofcore.Files, o *outofcore.Options) (opening, error) {
	if o.Opening == nil {
		return opening{}, nil
	}
	if files.Done() && j.isOpening(o.Opening.Classes) {
		o.Opening = nil
		return opening{}, j.clearBeside()
	}
	var err error
	o.Opening.Writer, err = writer.Create(j.Path, j.openingShape(o.Opening.Classes), j.Force)
	return opening{o.Opening}, err
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

func (p opening) close() {
	if p.Opening != nil {
		p.Writer.Close() // what is sealed stays
	}
}

// discard starts the opening table over.
func (p opening) discard(j *Job) error {
	if p.Opening == nil {
		return nil
	}
	p.Writer.Close()
	if err := os.Remove(partialPath(j.Path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var err error
	p.Writer, err = writer.Create(j.Path, j.openingShape(p.Classes), true)
	return err
}

// SavedOpening is an opening table that was written.
type SavedOpening struct {
	Path     string `json:"path"`
	Classes  int    `json:"classes"`
	Bytes    int64  `json:"bytes"`
	Identity string `json:"identity"`
}

// finish gives the opening table its name.
func (p opening) finish(path string) (*SavedOpening, error) {
	if p.Opening == nil {
		return nil, nil
	}
	sum, err := p.Writer.Finish()
	if err != nil {
		return nil, err
	}
	return &SavedOpening{path, p.Classes, sum.Bytes, hex.EncodeToString(sum.Identity[:])}, nil
}
