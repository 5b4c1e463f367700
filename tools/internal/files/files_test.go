package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
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
