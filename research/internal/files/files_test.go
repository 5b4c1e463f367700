package files

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"backsolve/internal/durable"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func TestWriteReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "page.md")
	for _, want := range []string{"first", "second"} {
		if err := Write(path, text(want)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
}

func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "page.md")
	if err := Write(path, text("before")); err != nil {
		t.Fatal(err)
	}
	failure := errors.New("no more ink")
	err := Write(path, func(w io.Writer) error { return errors.Join(text("half")(w), failure) })
	if !errors.Is(err, failure) || err.Error() != "cannot write "+path+": no more ink" {
		t.Errorf("error %v", err)
	}
	if got, _ := os.ReadFile(path); string(got) != "before" {
		t.Errorf("%q was left", got)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%v are there", entries)
	}
	if err := Write(filepath.Join(path, "below-a-file"), text("")); err == nil {
		t.Error("a file has become a directory")
	}
}

// Writable tells whether a directory can be written or made, and leaves nothing.
func TestWritable(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, can := range []string{dir, filepath.Join(dir, "new"), filepath.Join(dir, "new", "below", "it")} {
		if err := Writable(can); err != nil {
			t.Errorf("%s: %v", can, err)
		}
	}
	for _, cannot := range []string{file, filepath.Join(file, "below"), filepath.Join(file, "below", "it")} {
		err := Writable(cannot)
		var on *durable.Error
		if !errors.As(err, &on) || on.Path != cannot || on.Remedy == "" {
			t.Errorf("%s: %v", cannot, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// A value is read as it was written; what is damaged or something else is an error.
func TestReadJSON(t *testing.T) {
	type value struct{ A string }
	path := filepath.Join(t.TempDir(), "value.json")
	var got value
	if err := ReadJSON(path, &got); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of no file: %v", err)
	}
	if err := WriteJSON(path, value{"<b>"}); err != nil {
		t.Fatal(err)
	}
	if err := ReadJSON(path, &got); err != nil || got.A != "<b>" {
		t.Errorf("%+v, %v", got, err)
	}
	for _, content := range []string{"", "{", `{"A": 1}`, `{"B": "b"}`} {
		if err := Write(path, text(content)); err != nil {
			t.Fatal(err)
		}
		if err := ReadJSON(path, &got); err == nil || !strings.HasPrefix(err.Error(), path+" cannot be read: ") {
			t.Errorf("%q: %v", content, err)
		}
	}
}

func TestTables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.csv")
	if err := WriteTable(path, [][]string{{"a", "b, c"}, {"1", "x \"y\""}}); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "a,\"b, c\"\n1,\"x \"\"y\"\"\"\n" {
		t.Errorf("%q, %v", got, err)
	}
	type row struct {
		Name  string  `json:"name"`
		Count int     `json:"count"`
		Share float64 `json:"share"`
	}
	var b strings.Builder
	if err := WriteCSV(&b, []row{{"a, b", 1, 0.25}, {"c", -1, math.Inf(1)}, {"d", 0, math.NaN()}}); err != nil {
		t.Fatal(err)
	}
	if want := "name,count,share\n\"a, b\",1,0.25\nc,-1,\nd,0,\n"; b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
}
