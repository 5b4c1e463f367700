package measure

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"github.com/dustin/go-humanize"

	"backsolve/tools/load/grid"
)

// Write writes the report for people.
func (r *Report) Write(w io.Writer, table grid.Writer) error {
	fmt.Fprintf(w, "%s, %d cores, %s, %s; table of %s; %d rounds of %s each, median (least–most)\n\n",
		cmp.Or(r.Machine.Processor, "unknown processor"), r.Machine.Cores, r.Machine.Platform, r.Machine.Go, r.Table,
		r.Rounds, secondsText(r.RoundTime))
	if err := table(w, r.rateRows()); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := table(w, r.latencyRows()); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if len(r.Memory) > 0 {
		if err := table(w, r.memoryRows()); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	for _, one := range r.Workloads {
		fmt.Fprintf(w, "- %s: %s\n", one.Name, one.Description)
	}
	_, err := fmt.Fprintf(w, "\n%s answers were compared with the table: %s differ. %s requests failed.\n",
		humanize.Comma(r.Checked), humanize.Comma(r.Differences), humanize.Comma(r.Failed))
	for _, failure := range r.Failures {
		_, err = fmt.Fprintf(w, "\n%s\n", failure)
	}
	return err
}

func (r *Report) rateRows() [][]string {
	rows := [][]string{{"workload", "connections", "bytes an answer", "tbserve, requests/s", "constant handler, requests/s", "ratio"}}
	for _, f := range r.Workloads {
		rows = append(rows, []string{
			f.Name, fmt.Sprint(f.Connections), humanize.Comma(int64(f.Mean)),
			spreadText(f.Served.PerSecond, rateText), spreadText(f.Constant.PerSecond, rateText), spreadText(f.Ratio, ratioText),
		})
	}
	return rows
}

func (r *Report) latencyRows() [][]string {
	rows := [][]string{{"workload", "server", "answers", "p50", "p99", "p999", "its CPU/request", "load's CPU/request"}}
	for _, f := range r.Workloads {
		for _, s := range []struct {
			name string
			SubjectFigures
		}{{"tbserve", f.Served}, {"constant handler", f.Constant}} {
			rows = append(rows, []string{
				f.Name, s.name, humanize.Comma(s.Answers), secondsText(s.P50), secondsText(s.P99), secondsText(s.P999),
				optionalText(s.CPU), optionalText(s.ClientCPU),
			})
		}
	}
	return rows
}

func (r *Report) memoryRows() [][]string {
	rows := [][]string{{"requests", "resident", "heap in use", "goroutines"}}
	for _, m := range r.Memory {
		rows = append(rows, []string{
			humanize.Comma(m.Requests), humanize.IBytes(uint64(m.Resident)), humanize.IBytes(uint64(m.Heap)), fmt.Sprint(m.Goroutines),
		})
	}
	return rows
}

func spreadText(s Spread, number func(float64) string) string {
	return fmt.Sprintf("%s (%s–%s)", number(s.Median), number(s.Least), number(s.Most))
}

// rateText writes a rate with three digits at least.
func rateText(perSecond float64) string {
	if perSecond < 100 {
		return fmt.Sprintf("%.1f", perSecond)
	}
	return humanize.Comma(int64(perSecond + 0.5))
}

func ratioText(ratio float64) string { return fmt.Sprintf("%.2f", ratio) }

// secondsText writes seconds with three digits, in the unit that suits them.
func secondsText(s float64) string {
	d := time.Duration(s * float64(time.Second))
	unit := time.Nanosecond
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit).String()
}

func optionalText(seconds *float64) string {
	if seconds == nil {
		return "–"
	}
	return secondsText(*seconds)
}
