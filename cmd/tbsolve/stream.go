package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cluster"
	"backsolve/cmd/cli/progress"
	"backsolve/cmd/tbsolve/machine"
	"backsolve/partition"
	"backsolve/retro"
	"backsolve/retro/outofcore"
)

// stream solves without keeping the table, or no more of it than the emptiest
// classes.
func (s *solver) stream(cmd *cobra.Command, t *target) error {
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
	o, _, err := s.prepareStream(t)
	if err != nil {
		return &refusedError{err}
	}
	if err := s.makeDir(); err != nil {
		return &refusedError{err}
	}
	files, err := outofcore.Open(t.workPath(), t.space, s.force)
	if err != nil {
		return err
	}
	defer files.Close() // what is lost by an error here is a lock that nobody holds
	opening, err := s.beginOpening(t, files, &o)
	if err != nil {
		return err
	}
	defer opening.close()
	limitHeap(o.Options)
	p, stop := s.watch(cmd, &o.Options, t)
	crew := streamCrew{solver: s, target: t, files: files, team: new(team)}
	defer crew.close()
	solved, err := crew.solve(cmd.Context(), o, false, p.Say)
	if s.force && (errors.Is(err, outofcore.ErrDamaged) || errors.Is(err, outofcore.ErrGone) || errors.Is(err, cluster.ErrLost)) {
		if err = opening.discard(t, &o); err == nil {
			solved, err = crew.solve(cmd.Context(), o, true, p.Say)
		}
	}
	stop()
	if err != nil {
		return explain(err, *s.dir)
	}
	r, err := newResult(t.rules, t.space, t.moves, solved)
	if err != nil {
		return err
	}
	if err := r.agree(*s.dir, t.rules, t.space.Taken, solved.Cells); err != nil {
		return err
	}
	// Only when all is saved can the work files go.
	table, err := opening.finish(t)
	if err != nil {
		return err
	}
	if err := crew.saving(r); err != nil {
		return err
	}
	if err := r.save(t.resultPath()); err != nil {
		return fmt.Errorf("%w; what was solved is kept: the same command saves it then", err)
	}
	if err := files.Remove(); err != nil {
		return err
	}
	if err := crew.finish(); err != nil {
		return err
	}
	report := streamReport{
		result: r, Path: t.resultPath(), Resumed: solved.Resumed, Work: workText(o.Packed), Opening: table, name: t.name(),
		Seconds: time.Since(began).Seconds(), PeakMemory: machine.PeakMemory(), Read: solved.Read, Written: solved.Written, shared: s.sharing.on(),
	}
	return s.print(cmd, report)
}

// The words of --work.
const (
	workRaw    = "raw"
	workPacked = "packed"
)

func workText(packed bool) string {
	if packed {
		return workPacked
	}
	return workRaw
}

// prepareStream says how a solve is streamed and what its work files take, and
// refuses what cannot be solved here, before any work.
func (s *solver) prepareStream(t *target) (o outofcore.Options, work outofcore.Work, err error) {
	var source memorySource
	o.Options, source = s.options()
	classes := 0
	if s.keep.word == keepOpening {
		if classes = outofcore.OpeningClasses(t.space, s.keep.bytes); classes == 0 {
			return o, work, fmt.Errorf("no class of %s fits in %s; give more with --keep opening=SIZE", t.name(), bytesText(s.keep.bytes))
		}
		o.Opening = &outofcore.Opening{Classes: classes}
	}
	if s.sharing.on() {
		work, err = s.prepareShared(t, &o, source, classes)
		return o, work, err
	}
	free := s.streamFree(t)
	work = outofcore.Reckon(t.space, o, classes)
	if packs(s.work.String(), work.Disk, free) {
		o.Packed = true
		work = outofcore.Reckon(t.space, o, classes)
	}
	if good, least := outofcore.Need(t.space, o); o.Memory > 0 && least > o.Memory {
		return o, work, fmt.Errorf("solving %s takes at least %s of memory, and is fastest with %s, but no more than %s may be used (%s); %s",
			t.name(), bytesText(least), bytesText(good), bytesText(o.Memory), source, source.remedy(least))
	}
	if free != machine.Unknown && work.Disk > free {
		return o, work, fmt.Errorf("the work files of %s take up to %s %s, but only %s are free in %s; make room there, or choose another place with --dir",
			t.name(), bytesText(work.Disk), workText(o.Packed), bytesText(free), *s.dir)
	}
	return o, work, nil
}

// packs reports whether work files are packed: by choice, or else where those that
// are not take more than is free.
func packs(choice string, raw, free int64) bool {
	return choice == workPacked || choice == "" && free != machine.Unknown && raw > free
}

// streamFree returns the bytes that work files can take, where those of an
// interrupted solve count as free, or machine.Unknown.
func (s *solver) streamFree(t *target) int64 {
	free := machine.FreeDisk(*s.dir)
	if free == machine.Unknown {
		return free
	}
	if s.sharing.on() {
		return free + bytesBelow(t.streamTeamDir()) + fileSize(partialPath(t.path))
	}
	return free + outofcore.Left(t.workPath()) + fileSize(partialPath(t.path))
}

// printStreamPlan says what a streamed solve takes.
func (s *solver) printStreamPlan(cmd *cobra.Command, t *target) error {
	o, work, obstacle := s.prepareStream(t)
	memory, least := outofcore.Need(t.space, o)
	if o.Memory > 0 { // it takes what it may, to read the class above less often
		memory = max(least, min(memory, o.Memory))
	}
	var workerMemory, store int64
	if s.sharing.on() {
		each, blocks := s.sharing.streamWorker(t.space, o)
		group := cluster.StreamGroup(t.space, blocks, s.sharing.workers.count, slices.Max(partition.BlockCounts(t.space)))
		memory, workerMemory = cluster.StreamOwn(t.space), cluster.StreamNeed(t.space, each, int(group))
		store = s.storeOf(t, o)
	}
	what := t.name() + ", result only"
	if o.Opening != nil {
		what = fmt.Sprintf("%s, result and table of the %d emptiest classes", t.name(), o.Opening.Classes)
	}
	p := s.newPlan(t, planned{
		what: what, options: o.Options, source: s.source, memory: memory, disk: work.Disk, free: s.streamFree(t), obstacle: obstacle,
		workerMemory: workerMemory, store: store,
		bits: func(class int) float64 { return retro.StateBits(t.space, o.Options, class, false) },
	})
	p.Work, p.Written, p.Read = workText(o.Packed), work.Written, work.Read
	p.Seconds += int64(work.Seconds + 0.5)
	return p.print(cmd, s.format)
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
func (r streamReport) addSolve(rows rows) {
	rows.add("time", "%s", time.Duration(r.Seconds*float64(time.Second)).Round(time.Millisecond))
	if r.Resumed > 0 {
		rows.add("resumed", "after %d of %d classes", r.Resumed, len(r.Classes))
	} else {
		rows.add("speed", "%s", progress.RateText(float64(r.States)/r.Seconds, "states"))
	}
	rows.add("peak memory", "%s", bytesText(r.PeakMemory))
	where := "work files"
	if r.shared {
		where = "store"
	}
	rows.add(where, "%s read, %s written, %s", bytesText(r.Read), bytesText(r.Written), r.Work)
}

func (r streamReport) writeText(w io.Writer) error {
	rows := newRows(w)
	rows.add("game", "%s", r.name)
	rows.add("states", "%s", countText(r.States))
	rows.add("wins", "%s", share(r.Wins, r.States))
	rows.add("losses", "%s", share(r.Losses, r.States))
	rows.add("start position", "%s for the player to move", r.Start.Outcome)
	rows.add("winner", "the %s player", r.Winner)
	rows.add("first moves", "%s", movesText(r.Moves))
	if r.Existing {
		rows.addExisting()
	} else {
		r.addSolve(rows)
	}
	rows.add("result", "%s", r.Path)
	rows.add("sha256", "%s", r.SHA256)
	if o := r.Opening; o != nil {
		rows.add("opening table", "%s", o.Path)
		rows.add("classes in it", "%d to 0", o.Classes-1)
		rows.add("bytes in it", "%s (%s)", countText(uint64(o.Bytes)), bytesText(o.Bytes))
		rows.add("identity", "%s", o.Identity)
	}
	return rows.flush()
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
