package solve

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"backsolve/internal/machine"
	"backsolve/internal/plan"
	"backsolve/retro/outofcore"
	"backsolve/tablebase"
	"backsolve/tablebase/reader"
	"backsolve/tablebase/writer"
)

// OpeningError says that an opening table of the given length has room for no class.
type OpeningError struct {
	Board string
	Bytes int64
}

func (e *OpeningError) Error() string {
	return fmt.Sprintf("no class of %s fits in %s", e.Board, bytesText(e.Bytes))
}

// Saved is the report of a solve that keeps the result, and perhaps an opening table.
type Saved struct {
	*Result
	Path       string        `json:"path"`
	Existing   bool          `json:"existing,omitempty"` // it was solved before
	Resumed    int           `json:"resumed_classes"`
	Seconds    float64       `json:"seconds"`
	PeakMemory int64         `json:"peak_memory_bytes"`
	Work       string        `json:"work"` // WorkRaw or WorkPacked
	Read       int64         `json:"bytes_read"`
	Written    int64         `json:"bytes_written"`
	Opening    *SavedOpening `json:"opening,omitempty"`
	// Name names the board for people, and Shared says that several processes solved it.
	Name   string `json:"-"`
	Shared bool   `json:"-"`
}

func (*Saved) report() {}

type outOfCore struct{ *Job }

func (j outOfCore) solve(ctx context.Context) (Report, error) {
	began := time.Now()
	if !j.Force {
		saved, err := readResult(j.resultPath())
		if err != nil {
			return nil, err
		}
		if saved != nil {
			return &Saved{Result: saved, Path: j.resultPath(), Existing: true, Name: j.Name()}, cleanup(j).result(ctx, saved)
		}
	}
	e := j.estimate()
	if err := refuse(j.Dir(), e.obstacle); err != nil {
		return nil, err
	}
	files, err := outofcore.Open(j.workPath(), j.Space, j.Force)
	if err != nil {
		return nil, newRefusal(err)
	}
	defer files.Close() // its error concerns the lock alone
	o, opening := e.o, &openingTable{j.Job, e.o.Opening}
	if err := opening.begin(files); err != nil {
		return nil, err
	}
	if o.Opening = opening.Opening; o.Opening != nil {
		defer func() { o.Opening.Writer.Close() }() // what is sealed stays
	}
	shared, solved, err := j.solveStages(ctx, files, o, false)
	lost := errors.Is(err, outofcore.ErrDamaged) || errors.Is(err, outofcore.ErrGone) || err != nil && j.Sharing != nil && j.Sharing.Lost(err)
	if j.Force && lost { // it can only start over
		if err = opening.restart(); err == nil {
			shared, solved, err = j.solveStages(ctx, files, o, true)
		}
	}
	if err != nil {
		return nil, err
	}
	defer shared.Close()
	saved := &Saved{
		Path: j.resultPath(), Resumed: solved.Resumed, Work: WorkText(o.Packed), Name: j.Name(),
		Read: solved.Read, Written: solved.Written, Shared: j.Sharing != nil,
	}
	if err := j.save(saved, solved, opening, shared); err != nil {
		return nil, err
	}
	if err := files.Remove(); err != nil {
		return nil, err
	}
	if err := shared.Finish(); err != nil {
		return nil, fmt.Errorf("the result is saved, but %w", err)
	}
	if err := removeShared(j.SharedDir()); err != nil {
		return nil, err
	}
	saved.Seconds, saved.PeakMemory = time.Since(began).Seconds(), machine.PeakMemory()
	return saved, nil
}

// solveStages solves the board. shared is nil after an error.
func (j outOfCore) solveStages(ctx context.Context, files *outofcore.Files, o outofcore.Options, startOver bool) (shared *Shared, solved *outofcore.Result, err error) {
	if j.Sharing != nil {
		shared, err = j.Sharing.Stream(ctx, j.Job, o, startOver)
	} else {
		shared, err = alone(ctx, files, o, startOver)
	}
	if err != nil {
		return nil, nil, err
	}
	if solved, err = shared.Stages(); err != nil {
		shared.Close()
		return nil, nil, err
	}
	return shared, solved, nil
}

// save saves the opening table, then the checked result. Work files must stay until then.
func (j outOfCore) save(to *Saved, solved *outofcore.Result, opening *openingTable, shared *Shared) (err error) {
	if to.Result, err = newResult(j.Rules, j.Space, j.Moves, solved); err != nil {
		return err
	}
	if err := to.Result.agree(j.Dir(), j.Rules, j.Space.Taken, solved.Cells); err != nil {
		return err
	}
	if to.Opening, err = opening.finish(); err != nil {
		return err
	}
	if err := shared.Saving(to.SHA256); err != nil {
		return err
	}
	if err := to.Result.save(to.Path); err != nil {
		return fmt.Errorf("%w; what was solved is kept: solve again to save it", err)
	}
	return nil
}

// WorkText returns WorkPacked or WorkRaw.
func WorkText(packed bool) string {
	if packed {
		return WorkPacked
	}
	return WorkRaw
}

func (j outOfCore) estimate() (e estimate) {
	e.o, e.free = outofcore.Options{Options: j.Engine}, j.freeDisk()
	classes := 0
	if j.Keep == KeepOpening {
		if classes = plan.OpeningClasses(j.Space, j.OpeningBytes); classes == 0 {
			e.obstacle = &OpeningError{j.Name(), j.OpeningBytes}
		} else {
			e.o.Opening = &outofcore.Opening{Classes: classes}
		}
	}
	p := e.o.Plan(j.Space)
	e.plan = p.Plan
	if e.obstacle == nil && j.Sharing != nil {
		e.processes, e.work, e.obstacle = j.Sharing.PlanStream(j.Job, &e.o, e.free)
		e.memory, e.disk = e.processes.Own, e.work.Disk
		return e
	}
	e.work = p.Work(e.o.Memory)
	if packs(e.work.Disk, e.free) {
		e.o.Packed, p.WorkPacked = true, true
		e.work = p.Work(e.o.Memory)
	}
	e.memory, e.disk = p.Memory(), e.work.Disk
	if e.o.Memory > 0 { // it takes what it may, to read the class above less often
		e.memory = max(p.Least(), min(e.memory, e.o.Memory))
	}
	if e.obstacle == nil {
		e.obstacle = j.check(p, &e)
	}
	return e
}

func (j outOfCore) check(p *plan.OutOfCore, e *estimate) error {
	if least := p.Least(); e.o.Memory > 0 && least > e.o.Memory {
		return &MemoryError{
			Cause: fmt.Sprintf("solving %s takes at least %s of memory, and is fastest with %s", j.Name(), bytesText(least), bytesText(p.Memory())),
			Need:  least, Limit: j.Limit,
		}
	}
	if Exceeds(e.work.Disk, e.free) {
		return &DiskError{fmt.Sprintf("the work files of %s take up to %s %s", j.Name(), bytesText(e.work.Disk), WorkText(e.o.Packed)), e.free, j.Dir()}
	}
	return nil
}

// packs says that work files are packed, as raw ones take more disk than is free. Tests replace it.
var packs = Exceeds

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
