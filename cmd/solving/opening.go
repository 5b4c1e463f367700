package solving

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

// opening is the opening table of a solve, nil where none is wanted or it is there
// already.
type opening struct {
	*outofcore.Opening
}

// beginOpening begins the opening table that the options have the size of, or goes
// on with it. A solve that was ended before its result was saved has it already.
func (s *solver) beginOpening(t *Target, files *outofcore.Files, o *outofcore.Options) (opening, error) {
	if o.Opening == nil {
		return opening{}, nil
	}
	if files.Done() && isOpening(t, o.Opening.Classes) {
		o.Opening = nil
		return opening{}, clearBeside(t)
	}
	var err error
	o.Opening.Writer, err = writer.Create(t.Path, openingShape(t, o.Opening.Classes), s.force)
	return opening{o.Opening}, err
}

// openingShape is what a table of so many of the emptiest classes is: an ordinary
// table where these are all.
func openingShape(t *Target, classes int) tablebase.Shape {
	shape := t.Shape
	shape.Opening = classes <= t.Space.MaskBits
	return shape
}

// isOpening reports whether the finished opening table of so many classes is there.
func isOpening(t *Target, classes int) bool {
	table, err := reader.Open(t.Path)
	if err != nil {
		return false
	}
	defer table.Close()
	return table.Shape() == openingShape(t, classes) && len(table.Classes()) == classes
}

func (p opening) close() {
	if p.Opening != nil {
		p.Writer.Close() // what is sealed stays
	}
}

// discard has the opening table begin again.
func (p opening) discard(t *Target, o *outofcore.Options) error {
	if p.Opening == nil {
		return nil
	}
	p.Writer.Close()
	if err := os.Remove(partialPath(t.Path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var err error
	p.Writer, err = writer.Create(t.Path, openingShape(t, p.Classes), true)
	return err
}

// openingReport is what is said of an opening table.
type openingReport struct {
	Path     string `json:"path"`
	Classes  int    `json:"classes"`
	Bytes    int64  `json:"bytes"`
	Identity string `json:"identity"`
}

// finish gives the opening table its name.
func (p opening) finish(t *Target) (*openingReport, error) {
	if p.Opening == nil {
		return nil, nil
	}
	sum, err := p.Writer.Finish()
	if err != nil {
		return nil, err
	}
	return &openingReport{t.Path, p.Classes, sum.Bytes, hex.EncodeToString(sum.Identity[:])}, nil
}

// clearBeside removes what writing the table of the target, if it is there, has left
// beside it.
func clearBeside(t *Target) error {
	if _, err := os.Stat(t.Path); err != nil {
		return nil
	}
	w, err := writer.Create(t.Path, t.Shape, false) // which does so before it refuses
	if err == nil {
		return w.Close() // it has gone meanwhile
	}
	if errors.Is(err, tablebase.ErrExists) || errors.Is(err, tablebase.ErrBusy) {
		return nil
	}
	return err
}
