package chart

import (
	"bytes"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// examples are charts of every kind.
func examples() map[string]func() *Chart {
	frame := func(title string) Frame {
		return Frame{Title: title, X: Axis{Name: "Class"}, Y: Axis{Name: "Share of the states (%)"}}
	}
	places := []int{0, 1, 2, 3}
	outcomes := []Bars{
		{"win", Win, []float64{100, 50, 0, 20}},
		{"draw", Draw, []float64{0, 25, 0, 30}},
		{"lose", Lose, []float64{0, 25, 100, 50}},
	}
	return map[string]func() *Chart{
		"stacked": func() *Chart { return Stacked(frame("Outcomes"), places, outcomes) },
		"grouped": func() *Chart {
			f := frame("Steps")
			f.Y.Log = true
			return Grouped(f, places, []Bars{
				{"win", Win, []float64{1, 1000, 0, 2_000_000}},
				{"lose", Lose, []float64{12, 0, 3, 45_678}},
			})
		},
		"lines": func() *Chart {
			f := Frame{
				Title: "Strength", X: Axis{Name: "Iterations", Log: true},
				Y: Axis{Name: "Score", From: 0, To: 50},
			}
			return Lines(f, []Line{
				{"p = 0", ByPlace, []Point{{0, 1, 0.5, 1.5}, {100, 20, 18, 22}, {1000, 40, 38, 42}, {10_000, 49, 0, 0}}},
				{"p = 0.1", ByPlace, []Point{{0, 5, 4, 6}, {100, 30, 28, 33}, {1000, 45, 44, 46}, {10_000, 50, 0, 0}}},
			})
		},
		"unnamed": func() *Chart {
			return Lines(frame("One line"), []Line{{Points: []Point{{1, 0.25, 0, 0}, {2, 0.5, 0, 0}}}})
		},
	}
}

func TestSVGIsGolden(t *testing.T) {
	for name, example := range examples() {
		c := example()
		var b bytes.Buffer
		if err := c.writeSVG(&b); err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", name+".svg")
		if *update {
			if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%s is not drawn as in %s; see whether it should be, and run the test with -update", name, golden)
		}
		for _, label := range []string{"NaN", "Inf"} {
			if strings.Contains(b.String(), label) {
				t.Errorf("%s shows %s", name, label)
			}
		}
	}
}

// Write makes the directory, and the same chart has the same bytes.
func TestWrite(t *testing.T) {
	for name, example := range examples() {
		var written [2][]byte
		for i := range written {
			c := example()
			path := filepath.Join(t.TempDir(), "plots", name)
			if err := c.Write(path); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(path + ".svg")
			if err != nil {
				t.Fatal(err)
			}
			written[i] = text
		}
		golden, err := os.ReadFile(filepath.Join("testdata", name+".svg"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(written[0], written[1]) || !bytes.Equal(written[0], golden) {
			t.Errorf("%s has other bytes when it is written, or written again", name)
		}
	}
}

func TestWriteFails(t *testing.T) {
	c := examples()["stacked"]()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := c.Write(filepath.Join(file, "plot")); err == nil {
		t.Error("a file has become a directory")
	}
}

func TestWhatCannotBeDrawn(t *testing.T) {
	log := Frame{Title: "logs", X: Axis{Name: "x", Log: true}, Y: Axis{Name: "y", Log: true}}
	logY := Frame{Title: "log y", Y: Axis{Name: "y", Log: true}}
	line := func(f Frame, points ...Point) func() *Chart {
		return func() *Chart { return Lines(f, []Line{{Points: points}}) }
	}
	for want, draw := range map[string]func() *Chart{
		`"x" has no values`:         line(Frame{X: Axis{Name: "x"}}),
		`"x" has no place for -1`:   line(log, Point{X: -1, Y: 1}),
		`"y" has no values above 0`: line(log, Point{X: 1, Y: 0}),
		`no place for NaN`:          line(Frame{}, Point{X: math.NaN()}),
		`no place for +Inf`:         line(Frame{}, Point{Y: 1, High: math.Inf(1)}),
		`has no places`:             func() *Chart { return Grouped(Frame{}, nil, nil) },
		`"y" has no values`: func() *Chart {
			return Grouped(logY, []int{1}, []Bars{{Values: []float64{0}}})
		},
	} {
		if err := draw().Write(filepath.Join(t.TempDir(), "plot")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want: %s", err, want)
		}
	}
}
