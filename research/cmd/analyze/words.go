package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/dustin/go-humanize"
)

// count groups digits by thousands: 43,046,721.
func count(n uint64) string { return humanize.Comma(int64(n)) }

// percent returns a share of 1: 61.4 %.
func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// ratio returns n/all, 0 if all is 0.
func ratio(n, all uint64) float64 {
	if all == 0 {
		return 0
	}
	return float64(n) / float64(all)
}

func (e estimate) percent() string {
	switch {
	case !e.known():
		return "–"
	case e.margin == 0:
		return percent(e.value)
	}
	return fmt.Sprintf("%s ± %s", percent(e.value), shortPercent(e.margin))
}

// shortPercent formats a margin with one or two significant digits.
func shortPercent(share float64) string {
	if share < 0.0005 {
		return fmt.Sprintf("%.2g %%", 100*share)
	}
	return percent(share)
}

// number formats the estimate of a mean: 4.2.
func (e estimate) number() string {
	if !e.known() {
		return "–"
	}
	return fmt.Sprintf("%.1f", e.value)
}

// states formats the estimate of a number of states, with no more digits than are known.
func (e estimate) states() string {
	switch {
	case !e.known():
		return "–"
	case e.margin == 0:
		return count(uint64(math.Round(e.value)))
	}
	unit := math.Pow10(max(0, int(math.Floor(math.Log10(max(1, e.margin))))-1))
	round := func(v float64) string { return count(uint64(math.Round(v/unit) * unit)) }
	return fmt.Sprintf("%s ± %s", round(e.value), round(e.margin))
}

// list joins words: a, b and c.
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// sideBySide puts captioned diagrams of the same height beside each other.
func sideBySide(captions, diagrams []string, perRow int) string {
	var b strings.Builder
	for first := 0; first < len(diagrams); first += perRow {
		end := min(first+perRow, len(diagrams))
		var columns [][]string
		width := 0
		for i := first; i < end; i++ {
			column := append([]string{captions[i]}, strings.Split(strings.TrimRight(diagrams[i], "\n"), "\n")...)
			for _, line := range column {
				width = max(width, len(line))
			}
			columns = append(columns, column)
		}
		for row := range columns[0] {
			var line strings.Builder
			for _, column := range columns {
				fmt.Fprintf(&line, "%-*s   ", width, column[row])
			}
			b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
		}
		if end < len(diagrams) {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
