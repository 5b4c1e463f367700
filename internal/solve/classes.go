package solve

import (
	"time"

	"backsolve/game"
	"backsolve/internal/probe/survey"
	"backsolve/tablebase"
)

// Classes is the report of a solve down to a class, whose table is not finished.
type Classes struct {
	Game       string        `json:"game"`
	Size       game.Size     `json:"size"`
	Classes    []ClassCounts `json:"classes"`
	Seconds    float64       `json:"seconds"`
	PeakMemory int64         `json:"peak_memory_bytes"`
	// Board names the board for people, and All is the number of its classes.
	Board string `json:"-"`
	All   int    `json:"-"`
}

func (*Classes) report() {}

// ClassCounts counts the states of a class.
type ClassCounts struct {
	Class int `json:"class"`
	survey.Counts
	Stones []survey.StonesStats `json:"by_stones"`
}

func newClasses(j *Job, sealed []tablebase.ClassInfo, took time.Duration, peak int64) *Classes {
	r := &Classes{
		Game: j.Rules.Name(), Size: game.Size(j.Rules.Size()), Seconds: took.Seconds(), PeakMemory: peak,
		Board: j.Name(), All: j.Space.MaskBits + 1,
	}
	for _, info := range sealed {
		c := ClassCounts{Class: info.Class}
		for weight, n := range info.Counts.ByWeight {
			mover, other := j.Space.Stones(info.Class, weight)
			stones := survey.StonesStats{Mover: mover, Other: other}
			stones.Add(n)
			c.Add(n)
			c.Stones = append(c.Stones, stones)
		}
		r.Classes = append(r.Classes, c)
	}
	return r
}
