package solving

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/internal/machine"
	"backsolve/plan"
	"backsolve/retro/outofcore"
)

// stream solves without keeping the table, or no more of it than the emptiest
// classes.
func (s *solver) stream(cmd *cobra.Command, t *Target) error {
	began := time.Now()
	if !s.force {
		saved, err := s.reportExistingResult(cmd, t)
		if err != nil {
			return err
		}
		if saved != nil {
			return s.tidyResult(cmd, t, saved)
		}
	}
	o, _, _, err := s.prepareStream(t)
	if err != nil {
		return &cli.RefusedError{Err: err}
	}
	if err := s.makeDir(); err != nil {
		return &cli.RefusedError{Err: err}
	}
	files, err := outofcore.Open(t.workPath(), t.Space, s.force)
	if err != nil {
		return refused(err)
	}
	defer files.Close() // what is lost by an error here is a lock that nobody holds
	opening, err := s.beginOpening(t, files, &o)
	if err != nil {
		return err
	}
	defer opening.close()
	limitHeap(o.Options)
	p, stop := s.watch(cmd, &o.Options, t)
	var scheduler StreamSolver = alone{files}
	if s.sharing != nil {
		scheduler = s.sharing.Stream(t, p.Say)
	}
	defer scheduler.Close()
	solved, err := scheduler.Solve(cmd.Context(), o, false)
	if s.force && s.isLost(err) {
		if err = opening.discard(t, &o); err == nil {
			solved, err = scheduler.Solve(cmd.Context(), o, true)
		}
	}
	stop()
	if err != nil {
		return s.explain(err)
	}
	r, err := newResult(t.Rules, t.Space, t.Moves, solved)
	if err != nil {
		return err
	}
	if err := r.agree(*s.dir, t.Rules, t.Space.Taken, solved.Cells); err != nil {
		return err
	}
	// Only when all is saved can the work files go.
	table, err := opening.finish(t)
	if err != nil {
		return err
	}
	if err := scheduler.Saving(r.SHA256); err != nil {
		return err
	}
	if err := r.save(t.resultPath()); err != nil {
		return fmt.Errorf("%w; what was solved is kept: the same command saves it then", err)
	}
	if err := files.Remove(); err != nil {
		return err
	}
	if err := scheduler.Finish(); err != nil {
		return fmt.Errorf("the result is saved, but %w", err)
	}
	if err := removeShared(t.StreamDir()); err != nil {
		return err
	}
	report := streamReport{
		result: r, Path: t.resultPath(), Resumed: solved.Resumed, Work: WorkText(o.Packed), Opening: table, name: t.Name(),
		Seconds: time.Since(began).Seconds(), PeakMemory: machine.PeakMemory(), Read: solved.Read, Written: solved.Written, shared: s.sharing != nil,
	}
	return s.print(cmd, report)
}

// isLost reports whether a solve ended with an error that only beginning anew can mend.
func (s *solver) isLost(err error) bool {
	if errors.Is(err, outofcore.ErrDamaged) || errors.Is(err, outofcore.ErrGone) {
		return true
	}
	if s.sharing == nil || err == nil {
		return false
	}
	_, lost := s.sharing.Ended(err)
	return lost
}

// The words of --work.
const (
	workRaw    = "raw"
	workPacked = "packed"
)

func WorkText(packed bool) string {
	if packed {
		return workPacked
	}
	return workRaw
}

// prepareStream says how a solve is streamed and what its work files take, and
// refuses what cannot be solved here, before any work.
func (s *solver) prepareStream(t *Target) (o outofcore.Options, work plan.Work, processes Processes, err error) {
	var source MemorySource
	o.Options, source = s.options()
	classes := 0
	if s.keep.word == keepOpening {
		if classes = plan.OpeningClasses(t.Space, s.keep.bytes); classes == 0 {
			return o, work, processes, fmt.Errorf("no class of %s fits in %s; give more with --keep opening=SIZE", t.Name(), cli.BytesText(s.keep.bytes))
		}
		o.Opening = &outofcore.Opening{Classes: classes}
	}
	free := s.streamFree(t)
	if s.sharing != nil {
		processes, work, err = s.sharing.PlanStream(t, &o, source, s.work.String(), classes, free)
		return o, work, processes, err
	}
	p := o.Plan(t.Space)
	work = p.Work(o.Memory)
	if Packs(s.work.String(), work.Disk, free) {
		o.Packed, p.Packed = true, true
		work = p.Work(o.Memory)
	}
	if good, least := p.Memory(), p.Least(); o.Memory > 0 && least > o.Memory {
		return o, work, processes, fmt.Errorf("solving %s takes at least %s of memory, and is fastest with %s, but no more than %s may be used (%s); %s",
			t.Name(), cli.BytesText(least), cli.BytesText(good), cli.BytesText(o.Memory), source, source.Remedy(least))
	}
	if free != machine.Unknown && work.Disk > free {
		return o, work, processes, fmt.Errorf("the work files of %s take up to %s %s, but only %s are free in %s; make room there, or choose another place with --dir",
			t.Name(), cli.BytesText(work.Disk), WorkText(o.Packed), cli.BytesText(free), *s.dir)
	}
	return o, work, processes, nil
}

// Packs reports whether work files are packed: by choice, or else where those that
// are not take more than is free.
func Packs(choice string, raw, free int64) bool {
	return choice == workPacked || choice == "" && free != machine.Unknown && raw > free
}

// streamFree returns the bytes that work files can take, where those of an
// interrupted solve count as free, or machine.Unknown.
func (s *solver) streamFree(t *Target) int64 {
	free := machine.FreeDisk(*s.dir)
	if free == machine.Unknown {
		return free
	}
	if s.sharing != nil {
		return free + bytesBelow(t.StreamDir()) + machine.FileSize(partialPath(t.Path))
	}
	return free + outofcore.Left(t.workPath()) + machine.FileSize(partialPath(t.Path))
}

// bytesBelow returns the bytes of the files in a directory and below it.
func bytesBelow(dir string) (bytes int64) {
	filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be seen does not count
		}
		if info, err := entry.Info(); err == nil && entry.Type().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}

// printStreamPlan says what a streamed solve takes.
func (s *solver) printStreamPlan(cmd *cobra.Command, t *Target) error {
	o, work, processes, obstacle := s.prepareStream(t)
	p := o.Plan(t.Space)
	memory, least := p.Memory(), p.Least()
	if o.Memory > 0 { // it takes what it may, to read the class above less often
		memory = max(least, min(memory, o.Memory))
	}
	if s.sharing != nil {
		memory = processes.Own
	}
	what, opening := t.Name()+", result only", 0
	if o.Opening != nil {
		opening = o.Opening.Classes
		what = fmt.Sprintf("%s, result and table of the %d emptiest classes", t.Name(), o.Opening.Classes)
	}
	report := s.newPlan(t, planned{
		what: what, options: o.Options, source: s.source, memory: memory, disk: work.Disk, free: s.streamFree(t), obstacle: obstacle,
		processes: processes, streams: true, opening: opening,
	})
	report.Work, report.Written, report.Read = WorkText(o.Packed), work.Written, work.Read
	report.Seconds += int64(work.Seconds + 0.5)
	return report.print(cmd, s.format)
}

// streamReport is what is said at the end of a streamed solve.
type streamReport struct {
	*result
	Path       string         `json:"path"`
	Existing   bool           `json:"existing,omitempty"` // it was there, and nothing was solved
	Resumed    int            `json:"resumed_classes"`
	Seconds    float64        `json:"seconds"`
	PeakMemory int64          `json:"peak_memory_bytes"`
	Work       string         `json:"work"`
	Read       int64          `json:"bytes_read"`
	Written    int64          `json:"bytes_written"`
	Opening    *openingReport `json:"opening,omitempty"`
	name       string
	shared     bool // by several processes
}

// addSolve says what the solve took.
func (r streamReport) addSolve(rows cli.Rows) {
	rows.Add("time", "%s", time.Duration(r.Seconds*float64(time.Second)).Round(time.Millisecond))
	if r.Resumed > 0 {
		rows.Add("resumed", "after %d of %d classes", r.Resumed, len(r.Classes))
	} else {
		rows.Add("speed", "%s", progress.RateText(float64(r.States)/r.Seconds, "states"))
	}
	rows.Add("peak memory", "%s", cli.BytesText(r.PeakMemory))
	where := "work files"
	if r.shared {
		where = "store"
	}
	rows.Add(where, "%s read, %s written, %s", cli.BytesText(r.Read), cli.BytesText(r.Written), r.Work)
}

func (r streamReport) writeText(w io.Writer) error {
	rows := cli.NewRows(w)
	rows.Add("game", "%s", r.name)
	rows.Add("states", "%s", cli.CountText(r.States))
	rows.Add("wins", "%s", cli.Share(r.Wins, r.States))
	rows.Add("losses", "%s", cli.Share(r.Losses, r.States))
	rows.Add("start position", "%s for the player to move", r.Start.Outcome)
	rows.Add("winner", "the %s player", r.Winner)
	rows.Add("first moves", "%s", movesText(r.Moves))
	if r.Existing {
		addExisting(rows)
	} else {
		r.addSolve(rows)
	}
	rows.Add("result", "%s", r.Path)
	rows.Add("sha256", "%s", r.SHA256)
	if o := r.Opening; o != nil {
		rows.Add("opening table", "%s", o.Path)
		rows.Add("classes in it", "%d to 0", o.Classes-1)
		rows.Add("bytes in it", "%s (%s)", cli.CountText(uint64(o.Bytes)), cli.BytesText(o.Bytes))
		rows.Add("identity", "%s", o.Identity)
	}
	return rows.Flush()
}

// movesText says which first moves win.
func movesText(moves []resultMove) string {
	var win []string
	for _, m := range moves {
		if m.Outcome == outcomeText(true) {
			win = append(win, m.Move)
		}
	}
	switch len(win) {
	case 0:
		return fmt.Sprintf("none of %d wins", len(moves))
	case len(moves):
		return fmt.Sprintf("all %d win", len(moves))
	}
	return fmt.Sprintf("%d of %d win: %s", len(win), len(moves), strings.Join(win, ", "))
}
