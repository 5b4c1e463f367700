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

// settings are common to all points of a file.
type settings struct {
	Measure   string `json:"measure"`
	Game      string `json:"game"`
	Size      int    `json:"size"`
	Table     string `json:"table"` // its identity
	Start     string `json:"start"` // the value of the empty board
	Games     int    `json:"games"` // for each point
	TurnLimit int    `json:"turn_limit"`
	Replies   bool   `json:"replies,omitempty"` // the opponent begins all games
	States    int    `json:"states"`            // for each point
	Seed      uint64 `json:"seed"`              // of each point, so that ladder match replays it
	Outcomes  bool   `json:"-"`                 // the table has no steps
}

// takes reports whether points of other settings belong to those of s. An optimal player has
// the same moves and probabilities by a table without steps, so its matches may be added to
// those by a table with steps. The games differ, as steps change the order of the moves.
func (s settings) takes(other settings) bool {
	if other.Outcomes && other.Games > 0 && strings.HasPrefix(s.Start, other.Start) {
		other.Table, other.Start = s.Table, s.Start
	}
	other.Outcomes = s.Outcomes
	return s == other
}

// run says how points were made.
type run struct {
	Command string          `json:"command"`
	Version string          `json:"version"`
	Machine machine.Machine `json:"machine"`
	Threads int             `json:"threads"`
	Table   string          `json:"table,omitempty"` // its identity, if not that of the settings
}

func newRun(threads int) run {
	return run{Command: commandLine(os.Args), Version: cli.Version(), Machine: machine.This(), Threads: threads}
}

// commandLine quotes the arguments of the process for a shell.
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

// data is the content of a file: settings and runs are comment lines of JSON, and points are
// lines of CSV, each behind its run.
type data[P any] struct {
	Settings settings `json:"settings"`
	Runs     []run    `json:"runs"`
	Points   []P      `json:"points"`
}

// runs returns the runs, none of nil.
func (d *data[P]) runs() []run {
	if d == nil {
		return nil
	}
	return d.Runs
}

// store is an open file of points.
type store[P any] struct {
	data[P]
	path string // without a suffix
	file *os.File
	run  run // that adds points
}

const (
	settingsMark = "# settings "
	runMark      = "# run "
)

// openStore opens or creates the file path.csv. It refuses a file of other settings, unless
// force discards it.
func openStore[P any](path string, s settings, r run, force bool) (*store[P], error) {
	st := &store[P]{data: data[P]{Settings: s}, path: path, run: r}
	text, err := os.ReadFile(path + ".csv")
	begun := err == nil && !force
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if begun {
		// A killed process may leave half a line, or the first line alone.
		text = text[:bytes.LastIndexByte(text, '\n')+1]
		begun = len(text) > 0 && !(bytes.HasPrefix(text, []byte(settingsMark)) && bytes.Count(text, []byte("\n")) == 1)
	}
	if begun {
		if err := st.resume(text, s); err != nil {
			return nil, cli.Usagef("%s.csv cannot be resumed: %w; start over with --force, or name another place with --out", path, err)
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

func (st *store[P]) begin() error {
	return st.writeLines(settingsMark+compact(st.Settings)+"\n", columnNames[P]())
}

// add adds a point, and before the first one of a run the run.
func (st *store[P]) add(point P) error {
	if n := len(st.Runs); n == 0 || st.Runs[n-1] != st.run {
		st.Runs = append(st.Runs, st.run)
		if err := st.writeLines(runMark+compact(st.run)+"\n", nil); err != nil {
			return err
		}
	}
	st.Points = append(st.Points, point)
	return st.writeLines("", cells(point))
}

// writeLines writes a comment and a record at once, so that a kill cuts at most one of them.
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

func (st *store[P]) has(is func(P) bool) bool { return slices.ContainsFunc(st.Points, is) }

// close closes the file, and writes its data as JSON beside it.
func (st *store[P]) close() error {
	if err := st.file.Close(); err != nil {
		return err
	}
	return files.WriteJSON(st.path+".json", st.data)
}

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

// compact formats a value as one line of JSON.
func compact(v any) string {
	var b strings.Builder
	if err := cli.WriteJSON(&b, v); err != nil {
		panic(err) // no value of this program fails
	}
	return strings.TrimSuffix(b.String(), "\n")
}
