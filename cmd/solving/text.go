package solving

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/game"
	"backsolve/internal/solve"
)

func writeReport(w io.Writer, r solve.Report) error {
	switch r := r.(type) {
	case *solve.Summary:
		return writeSummary(w, r)
	case *solve.Saved:
		return writeSaved(w, r)
	}
	return writeClasses(w, r.(*solve.Classes))
}

func writeSummary(w io.Writer, s *solve.Summary) error {
	rows := cli.NewRows(w)
	rows.Add("game", "%s", s.Board)
	rows.Add("states", "%s", cli.CountText(s.States))
	rows.Add("wins", "%s", cli.Share(s.Wins, s.States))
	rows.Add("losses", "%s", cli.Share(s.Losses, s.States))
	rows.Add("draws", "%s", cli.Share(s.Draws, s.States))
	rows.AddStart(s.Start.Outcome, s.Start.Steps, s.Start.Nimber)
	if s.GreatestNimber != nil {
		rows.Add("nimbers", "0 to %d", *s.GreatestNimber)
	}
	if s.Existing {
		rows.Add("solved", "before; --force solves it again")
	} else {
		addEffort(rows, s.Seconds, s.StatesPerSecond, s.ResumedClasses, s.Classes, s.PeakMemory)
	}
	rows.Add("table", "%s", s.Path)
	if s.Packed > 0 {
		rows.Add("packed into", "%s (%s), of %s", cli.CountText(uint64(s.Packed)), cli.BytesText(s.Packed), cli.BytesText(s.Bytes))
	} else {
		rows.Add("bytes written", "%s (%s)", cli.CountText(uint64(s.Bytes)), cli.BytesText(s.Bytes))
	}
	if s.WorkWritten > 0 {
		rows.Add("work files", "%s written, %s read; at most %s on the disk at once", cli.BytesText(s.WorkWritten), cli.BytesText(s.WorkRead), cli.BytesText(s.Disk))
	}
	rows.Add("identity", "%s", s.Identity)
	return rows.Flush()
}

// addEffort adds the cost of a solve. Its speed is unknown, 0, if it resumed another.
func addEffort(rows cli.Rows, seconds, perSecond float64, resumed, classes int, peak int64) {
	rows.Add("time", "%s", duration(seconds))
	if perSecond > 0 {
		rows.Add("speed", "%s", progress.RateText(perSecond, "states"))
	}
	if resumed > 0 {
		rows.Add("resumed", "after %d of %d classes", resumed, classes)
	}
	rows.Add("peak memory", "%s", cli.BytesText(peak))
}

func writeSaved(w io.Writer, r *solve.Saved) error {
	rows := cli.NewRows(w)
	rows.Add("game", "%s", r.Name)
	rows.Add("states", "%s", cli.CountText(r.States))
	rows.Add("wins", "%s", cli.Share(r.Wins, r.States))
	rows.Add("losses", "%s", cli.Share(r.Losses, r.States))
	rows.Add("start position", "%s for the player to move", r.Start.Outcome)
	rows.Add("winner", "the %s player", r.Winner)
	rows.Add("first moves", "%s", movesText(r.Moves))
	if r.Existing {
		rows.Add("solved", "before; --force solves it again")
	} else {
		speed, where := 0.0, "work files"
		if r.Resumed == 0 {
			speed = float64(r.States) / r.Seconds
		}
		if r.Shared {
			where = "store"
		}
		addEffort(rows, r.Seconds, speed, r.Resumed, len(r.Classes), r.PeakMemory)
		rows.Add(where, "%s read, %s written, %s", cli.BytesText(r.Read), cli.BytesText(r.Written), r.Work)
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

func movesText(moves []solve.ResultMove) string {
	var win []string
	for _, m := range moves {
		if m.Outcome == game.Win.String() {
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

func belowGrid(w io.Writer, grid [][]string) (cli.Rows, error) {
	err := cli.WriteGrid(w, tabwriter.AlignRight, grid)
	fmt.Fprintln(w)
	return cli.NewRows(w), err
}

// writePlan writes a plan for people: with classes for a board, with tiers for a game defined by its positions.
func writePlan(w io.Writer, p *solve.Plan) error {
	bound := ""
	rows := cli.NewRows(w)
	if len(p.Classes) > 0 {
		grid := [][]string{{"CLASS", "BLOCKS", "STORED STATES", "BYTES"}}
		for _, c := range p.Classes {
			grid = append(grid, []string{strconv.Itoa(c.Class), cli.CountText(uint64(c.Blocks)), cli.CountText(c.States), cli.BytesText(c.Bytes)})
		}
		var err error
		if rows, err = belowGrid(w, grid); err != nil {
			return err
		}
	}
	rows.Add("solve", "%s", p.What)
	if there := TableText(&p.Table); there != "" {
		rows.Add("there already", "%s", there)
	}
	if len(p.Classes) > 0 {
		rows.Add("blocks", "%s", cli.CountText(uint64(p.Blocks)))
		rows.Add("stored states", "%s", cli.CountText(p.States))
	} else {
		bound = addStates(rows, p)
	}
	addNeeds(rows, p, bound)
	if p.Store > 0 {
		rows.Add("each worker", "%s of memory; %s started here", cli.BytesText(p.WorkerMemory), cli.CountOf(uint64(p.Workers), "is", "are"))
		rows.Add("store", "%s, until the solve is finished", cli.BytesText(p.Store))
	}
	if len(p.Classes) > 0 {
		like := ""
		if p.Elsewhere {
			like = " like those here"
		}
		rows.Add("time", "about %s with %s%s, by a short calibration", roughly(p.Seconds), cli.Plural(p.Threads, "thread"), like)
	} else {
		rows.Add("time", "about %s of processor time for %s", roughly(p.Seconds), cli.CountOf(max(p.States, p.Low), "state", "states"))
	}
	if p.LargePagesOff {
		rows.Add("large pages", "off, which makes the solve slower; the system should allow them (transparent_hugepage: madvise)")
	}
	if n, most := p.Shards(); n > 0 {
		rows.Add("shards", "%s exceed this memory; one is cut into up to %s", cli.CountOf(uint64(n), "class", "classes"), cli.Plural(most, "shard"))
	}
	if p.Written > 0 {
		rows.Add("work files", "%s: %s are written and %s read; a disk slower than %s/s takes longer",
			p.Work, cli.BytesText(p.Written), cli.BytesText(p.Read), cli.BytesText((p.Written+p.Read)/max(p.Seconds, 1)))
	}
	can, possible := "can be done here", "yes"
	if p.Elsewhere {
		can = "can be done there"
		rows.Add("machine", "not this one, which has less memory")
	}
	if p.Why != "" {
		possible = strings.TrimSuffix("no: "+p.Why+"; "+p.Remedy, "; ")
	}
	rows.Add(can, "%s", possible)
	return rows.Flush()
}

func addStates(rows cli.Rows, p *solve.Plan) (bound string) {
	bound = "at most "
	switch states, low := cli.CountText(p.States), cli.CountText(p.Low); {
	case p.Low == 0:
		bound = ""
		rows.Add("states", "%s, counted", states)
	case p.States == 0:
		bound = "at least "
		rows.Add("states", "unknown, but at least %s: in the time and memory of a plan too few positions can be visited", low)
	case p.High == 0:
		bound = "at least "
		rows.Add("states", "about %s, with 95 %% probability at least %s; the samples give no upper bound", states, low)
	default:
		rows.Add("states", "about %s, with 95 %% probability %s to %s", states, low, cli.CountText(p.High))
	}
	if p.Counted < p.Tiers {
		rows.Add("method", "%d of %s counted, the others estimated from %s samples", p.Counted, cli.Plural(p.Tiers, "tier"), cli.CountText(uint64(p.Samples)))
	}
	if p.AnyLength {
		rows.Add("plies", "any number; %s", LongGames)
	}
	return bound
}

func addNeeds(rows cli.Rows, p *solve.Plan, bound string) {
	allowed := "no limit is known"
	if p.MemoryAllowed > 0 {
		allowed = fmt.Sprintf("%s may be used (%s)", cli.BytesText(p.MemoryAllowed), p.Limit.Source)
	}
	rows.Add("memory", "%s%s; %s", bound, cli.BytesText(p.Memory), allowed)
	free := "what is free is not known"
	if p.DiskFree >= 0 {
		free = cli.BytesText(p.DiskFree) + " are free"
	}
	rows.Add("disk", "%s%s; %s", bound, cli.BytesText(p.Disk), free)
}

func duration(seconds float64) time.Duration {
	return time.Duration(seconds * float64(time.Second)).Round(time.Millisecond)
}

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

// TableText describes the existing table, "" if there is none.
func TableText(t *solve.State) string {
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
		switch {
		case t.Archive:
			steps += ", an archive"
		case t.State == "packed":
			steps += ", packed"
		}
		return fmt.Sprintf("solved %s, %s", steps, cli.BytesText(t.Bytes))
	case "unfinished":
		state := "unfinished"
		if t.Running {
			state = "being solved"
		}
		if t.Classes == 0 {
			return fmt.Sprintf("%s, %s so far", state, cli.BytesText(t.Bytes))
		}
		return fmt.Sprintf("%s %s, %s, %s so far", state, steps, cli.CountOf(uint64(t.Classes), "class", "classes"), cli.BytesText(t.Bytes))
	case "unusable":
		return "unusable: " + t.Reason
	}
	return ""
}

func writeClasses(w io.Writer, r *solve.Classes) error {
	grid := [][]string{{"CLASS", "WINS", "LOSSES", "DRAWS"}}
	for _, c := range r.Classes {
		grid = append(grid, []string{strconv.Itoa(c.Class), cli.CountText(c.Wins), cli.CountText(c.Losses), cli.CountText(c.Draws)})
	}
	rows, err := belowGrid(w, grid)
	if err != nil {
		return err
	}
	rows.Add("finished", "%d of %d classes of %s; without --down-to-class the same command resumes", len(r.Classes), r.All, r.Board)
	rows.Add("time", "%s", duration(r.Seconds))
	rows.Add("peak memory", "%s", cli.BytesText(r.PeakMemory))
	return rows.Flush()
}
