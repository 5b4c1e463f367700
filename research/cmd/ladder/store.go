package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"backsolve/cmd/cli"
	"backsolve/internal/durable"
	"backsolve/internal/machine"
	"backsolve/research/internal/files"
)

// settings are all that the points of a series depend on besides what stands in the
// points themselves. Points of other settings do not belong in the same file.
type settings struct {
	Measure string `json:"measure"`
	Game    string `json:"game"`
	Size    int    `json:"size"`
	// Table is the identity of the table, and Start what the empty board is worth.
	Table string `json:"table"`
	Start string `json:"start"`
	// Games are those of each point, States the positions, 0 where it has none.
	Games     int `json:"games"`
	TurnLimit int `json:"turn_limit"`
	// Replies says that the opponent begins all games.
	Replies bool `json:"replies,omitempty"`
	States  int  `json:"states"`
	// Seed is that of each point, so that ladder match repeats any of them.
	Seed uint64 `json:"seed"`
	// Outcomes says that the table has no steps.
	Outcomes bool `json:"-"`
}

// takes reports whether points of other settings belong to those of s. Who plays by the
// outcomes draws from the same moves with the same probabilities whether a table has steps,
// too, or not; so matches by one that has none may be added to those by one that has them.
// The same seed does not make the same games of both, as steps put the moves into another
// order.
func (s settings) takes(other settings) bool {
	if other.Outcomes && other.Games > 0 && strings.HasPrefix(s.Start, other.Start) {
		other.Table, other.Start = s.Table, s.Start
	}
	other.Outcomes = s.Outcomes
	return s == other
}

// run is who made points, and where.
type run struct {
	Command string          `json:"command"`
	Version string          `json:"version"`
	Machine machine.Machine `json:"machine"`
	Threads int             `json:"threads"`
	// Table is the identity of the table of outcomes that was played by, where the
	// settings have another; games are played again by that one.
	Table string `json:"table,omitempty"`
}

// newRun describes this process.
func newRun(threads int) run {
	return run{Command: commandLine(os.Args), Version: cli.Version(), Machine: machine.This(), Threads: threads}
}

// commandLine writes the arguments of the process so that a shell can read them.
func commandLine(args []string) string {
	words := []string{filepath.Base(args[0])}
	for _, arg := range args[1:] {
		if arg == "" || strings.ContainsAny(arg, " \t\n\"'\\$`*?[](){}<>|&;#~!") {
			arg = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		words = append(words, arg)
	}
	return strings.Join(words, " ")
}

// data is what a file of a series holds: the settings, the runs in which its points
// were made, and these, each a line of CSV that is added when it is known. Settings
// and runs are comment lines of JSON; a run stands before the points that it made.
type data[P any] struct {
	Settings settings `json:"settings"`
	Runs     []run    `json:"runs"`
	Points   []P      `json:"points"`
}

// runs are those of data that may not be there.
func (d *data[P]) runs() []run {
	if d == nil {
		return nil
	}
	return d.Runs
}

// store is the file of a series, open for further points.
type store[P any] struct {
	data[P]
	path string // without a suffix
	file *os.File
	run  run // that adds points
}

// The beginnings of comment lines.
const (
	settingsMark = "# settings "
	runMark      = "# run "
)

// openStore opens the file path.csv for the points of a run, and makes it where it
// is not there. One that does not take points of these settings is refused, unless force
// says that it is to be begun anew.
func openStore[P any](path string, s settings, r run, force bool) (*store[P], error) {
	st := &store[P]{data: data[P]{Settings: s}, path: path, run: r}
	text, err := os.ReadFile(path + ".csv")
	begun := err == nil && !force
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if begun {
		// What a killed process wrote last may be half a line, or the first line alone.
		text = text[:bytes.LastIndexByte(text, '\n')+1]
		begun = len(text) > 0 && !(bytes.HasPrefix(text, []byte(settingsMark)) && bytes.Count(text, []byte("\n")) == 1)
	}
	if begun {
		if err := st.resume(text, s); err != nil {
			return nil, cli.Usagef("%s.csv cannot be gone on with: %w; start over with --force, or name another place with --out", path, err)
		}
	}
	if err := st.open(int64(len(text)), begun); err != nil {
		return nil, err
	}
	if !begun {
		err = st.begin()
	}
	if err != nil {
		return nil, errors.Join(err, st.file.Close())
	}
	return st, nil
}

func (st *store[P]) resume(text []byte, s settings) error {
	read, err := parseData[P](text)
	if err != nil {
		return err
	}
	if !read.Settings.takes(s) {
		return fmt.Errorf("it was made with other settings, %s instead of %s", compact(read.Settings), compact(s))
	}
	if read.Settings.Table != s.Table {
		st.run.Table = s.Table
	}
	st.data = *read
	return nil
}

func (st *store[P]) open(size int64, begun bool) (err error) {
	if err := os.MkdirAll(filepath.Dir(st.path), 0o755); err != nil {
		return err
	}
	if st.file, err = durable.Open(st.path+".csv", os.O_WRONLY|os.O_CREATE); err != nil {
		return err
	}
	if !begun {
		size = 0
	}
	if err := st.file.Truncate(size); err != nil {
		return errors.Join(err, st.file.Close())
	}
	_, err = st.file.Seek(size, io.SeekStart)
	return err
}

// begin writes what stands before the points.
func (st *store[P]) begin() error {
	return st.writeLines(settingsMark+compact(st.Settings)+"\n", columnNames[P]())
}

// addRun names the run, unless it was the last one before.
func (st *store[P]) addRun() error {
	if n := len(st.Runs); n > 0 && st.Runs[n-1] == st.run {
		return nil
	}
	st.Runs = append(st.Runs, st.run)
	return st.writeLines(runMark+compact(st.run)+"\n", nil)
}

// add adds a point to the file, and before the first one of the run what that is.
func (st *store[P]) add(point P) error {
	if err := st.addRun(); err != nil {
		return err
	}
	st.Points = append(st.Points, point)
	return st.writeLines("", cells(point))
}

// writeLines writes a comment and a record of CSV at once, so that a process that is
// killed leaves at most one of them cut short.
func (st *store[P]) writeLines(comment string, record []string) error {
	b := bytes.NewBufferString(comment)
	if record != nil {
		w := csv.NewWriter(b)
		if err := w.Write(record); err != nil {
			return err
		}
		w.Flush()
	}
	_, err := st.file.Write(b.Bytes())
	return err
}

// has reports whether a point is there for which is says yes.
func (st *store[P]) has(is func(P) bool) bool { return slices.ContainsFunc(st.Points, is) }

// close closes the file and writes all of it as JSON beside it.
func (st *store[P]) close() error {
	if err := st.file.Close(); err != nil {
		return err
	}
	return files.Write(st.path+".json", func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		return e.Encode(st.data)
	})
}

// loadData reads the file path.csv of a series.
func loadData[P any](path string) (*data[P], error) {
	text, err := os.ReadFile(path + ".csv")
	if err != nil {
		return nil, err
	}
	d, err := parseData[P](text)
	if err != nil {
		return nil, fmt.Errorf("%s.csv is not the data of a series: %w", path, err)
	}
	return d, nil
}

func parseData[P any](text []byte) (*data[P], error) {
	d := &data[P]{}
	for line := range strings.Lines(string(text)) {
		if body, ok := strings.CutPrefix(line, settingsMark); ok {
			if err := json.Unmarshal([]byte(body), &d.Settings); err != nil {
				return nil, fmt.Errorf("its settings cannot be read: %w", err)
			}
		}
		if body, ok := strings.CutPrefix(line, runMark); ok {
			var r run
			if err := json.Unmarshal([]byte(body), &r); err != nil {
				return nil, fmt.Errorf("a run in it cannot be read: %w", err)
			}
			d.Runs = append(d.Runs, r)
		}
	}
	reader := csv.NewReader(bytes.NewReader(text))
	reader.Comment = '#'
	records, err := reader.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(records) == 0 || !slices.Equal(records[0], columnNames[P]()) {
		return nil, fmt.Errorf("its columns are not %s", strings.Join(columnNames[P](), ","))
	}
	for _, record := range records[1:] {
		point, err := parseCells[P](record)
		if err != nil {
			return nil, err
		}
		d.Points = append(d.Points, point)
	}
	return d, nil
}

// compact writes a value as JSON on one line.
func compact(v any) string {
	var b strings.Builder
	if err := cli.WriteJSON(&b, v); err != nil {
		panic(err) // no value of this program fails
	}
	return strings.TrimSuffix(b.String(), "\n")
}
