package solving

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/internal/machine"
	"backsolve/retro"
	"backsolve/retro/outofcore"
	"backsolve/tablebase/writer"
)

// planReport is what --plan prints: what a solve takes, and whether it can be had here.
type planReport struct {
	Game    string      `json:"game"`
	Size    int         `json:"size"`
	Steps   bool        `json:"has_steps"`
	Nimbers bool        `json:"has_nimbers,omitempty"`
	Table   TableState  `json:"table"` // that is there
	Classes []planClass `json:"classes"`
	Blocks  int64       `json:"blocks"`
	States  uint64      `json:"stored_states"`

	Memory        int64  `json:"memory_bytes"`
	MemoryAllowed int64  `json:"memory_allowed_bytes"` // 0: no limit is known
	Disk          int64  `json:"disk_bytes"`
	DiskFree      int64  `json:"disk_free_bytes"` // −1: not known
	Threads       int    `json:"threads"`
	Seconds       int64  `json:"estimated_seconds"`
	Work          string `json:"work,omitempty"`               // raw or packed, where the table is not kept
	Written       int64  `json:"work_bytes_written,omitempty"` // where the table is not kept
	Read          int64  `json:"work_bytes_read,omitempty"`
	Workers       int    `json:"workers,omitempty"`             // processes it is shared out to
	WorkerMemory  int64  `json:"worker_memory_bytes,omitempty"` // of each
	Store         int64  `json:"store_bytes,omitempty"`         // that they share
	Possible      bool   `json:"possible"`                      // here and now
	Obstacle      string `json:"obstacle,omitempty"`
	obstacle      error
	what          string
	MemorySource  MemorySource
}

type planClass struct {
	Class  int    `json:"class"`
	Blocks int64  `json:"blocks"`
	States uint64 `json:"stored_states"`
	Bytes  int64  `json:"bytes"`
}

// planned is what is asked about: a solve, what it takes, and why it cannot be done
// here, nil if it can.
type planned struct {
	what         string
	options      retro.Options
	source       MemorySource
	memory, disk int64
	free         int64
	processes    Processes // that it is shared out to, if it is
	obstacle     error     // for want of memory or disk space
	streams      bool      // no table is kept, or but the opening table of so many classes
	opening      int
}

// newPlan reckons what a solve takes, and looks what there is of it.
func (s *solver) newPlan(t *Target, is planned) *planReport {
	o, there := is.options, FindTable(t.Rules, t.Space.Taken, *s.dir)
	if o.Nimbers {
		there = findNimbers(t)
	}
	reckoned := o.Plan(t.Space)
	p := &planReport{
		Game: t.Space.Game, Size: t.Space.Size, Steps: o.Steps, Nimbers: o.Nimbers, what: is.what, Table: there,
		Memory: is.memory, MemoryAllowed: o.Memory, MemorySource: is.source, Disk: is.disk, DiskFree: is.free,
		Threads: o.Threads, Seconds: int64(reckoned.Seconds() + 0.5),
	}
	if is.free == machine.Unknown {
		p.DiskFree = -1
	}
	for _, c := range reckoned.Classes {
		p.Classes = append(p.Classes, planClass{c.Class, c.Blocks, c.States, reckoned.ClassBytes(c, s.packed)})
	}
	p.Blocks, p.States = reckoned.Total()
	p.Workers, p.WorkerMemory, p.Store = is.processes.Count, is.processes.Memory, is.processes.Store
	p.obstacle = s.refusal(t, is)
	if p.Possible = p.obstacle == nil; !p.Possible {
		p.Obstacle = cli.Sentence(p.obstacle)
	}
	return p
}

// refusal returns the error with which the solve would end before any work; nil where it
// would begin, or has nothing to do.
func (s *solver) refusal(t *Target, is planned) error {
	if done, err := s.isDone(t, is.streams); done || err != nil {
		return err
	}
	obstacle := is.obstacle
	if obstacle == nil {
		obstacle = checkWritable(*s.dir)
	}
	if obstacle != nil {
		return &cli.RefusedError{Err: obstacle}
	}
	if _, err := os.Stat(*s.dir); errors.Is(err, fs.ErrNotExist) {
		return nil // it will be made, and has nothing in the way
	}
	if !is.streams {
		return writer.Check(t.Path, t.Shape, s.force)
	}
	done, err := outofcore.Check(t.workPath(), t.Space, s.force)
	if err != nil || is.opening == 0 || done && isOpening(t, is.opening) {
		return err
	}
	return writer.Check(t.Path, openingShape(t, is.opening), s.force)
}

// isDone reports whether what is wanted is there already.
func (s *solver) isDone(t *Target, streams bool) (bool, error) {
	switch {
	case s.force:
		return false, nil
	case streams:
		r, err := readResult(t.resultPath())
		return r != nil, err
	}
	table, err := s.existing(t)
	if table == nil || err != nil {
		return false, err
	}
	return true, table.Close()
}

// print prints the plan. The error is that of refusal unless printing fails.
func (p *planReport) print(cmd *cobra.Command, format *cli.Format) error {
	if err := p.write(cmd.OutOrStdout(), format); err != nil || p.Possible {
		return err
	}
	return p.obstacle
}

func (p *planReport) write(w io.Writer, format *cli.Format) error {
	if format.Word() == cli.JSON {
		return json.NewEncoder(w).Encode(p)
	}
	return p.writeText(w)
}

func (p *planReport) writeText(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "CLASS\tBLOCKS\tSTORED STATES\tBYTES\t")
	for _, c := range p.Classes {
		fmt.Fprintf(out, "%d\t%s\t%s\t%s\t\n", c.Class, cli.CountText(uint64(c.Blocks)), cli.CountText(c.States), cli.BytesText(c.Bytes))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	rows := cli.NewRows(w)
	rows.Add("solve", "%s", p.what)
	if there := p.Table.Text(); there != "" {
		rows.Add("there already", "%s", there)
	}
	rows.Add("blocks", "%s", cli.CountText(uint64(p.Blocks)))
	rows.Add("stored states", "%s", cli.CountText(p.States))
	allowed := "no limit is known"
	if p.MemoryAllowed > 0 {
		allowed = fmt.Sprintf("%s may be used (%s)", cli.BytesText(p.MemoryAllowed), p.MemorySource)
	}
	rows.Add("memory", "%s; %s", cli.BytesText(p.Memory), allowed)
	free := "what is free is not known"
	if p.DiskFree >= 0 {
		free = cli.BytesText(p.DiskFree) + " are free"
	}
	rows.Add("disk", "%s; %s", cli.BytesText(p.Disk), free)
	if p.Store > 0 {
		rows.Add("each worker", "%s of memory; %s started here", cli.BytesText(p.WorkerMemory), cli.CountOf(uint64(p.Workers), "is", "are"))
		rows.Add("store", "%s, until the solve is finished", cli.BytesText(p.Store))
	}
	rows.Add("time", "about %s with %d threads, by a short calibration", roughly(p.Seconds), p.Threads)
	if p.Written > 0 {
		rows.Add("work files", "%s: %s are written and %s read; a disk slower than %s/s takes longer",
			p.Work, cli.BytesText(p.Written), cli.BytesText(p.Read), cli.BytesText((p.Written+p.Read)/max(p.Seconds, 1)))
	}
	if p.Obstacle == "" {
		rows.Add("can be done here", "yes")
	} else {
		rows.Add("can be done here", "no: %s", p.Obstacle)
	}
	return rows.Flush()
}

// roughly writes an estimate of time with no more digits than it deserves.
func roughly(seconds int64) string {
	d := time.Duration(seconds) * time.Second
	switch {
	case seconds < 1:
		return "a second"
	case seconds < 120:
		return d.String()
	case d < 2*time.Hour:
		return fmt.Sprintf("%d minutes", (seconds+30)/60)
	}
	return fmt.Sprintf("%d hours", (seconds+1800)/3600)
}
