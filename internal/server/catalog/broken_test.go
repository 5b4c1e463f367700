package catalog

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"backsolve/internal/probe"
	"backsolve/tablebase"
)

// brokenCase is a way in which a file cannot be opened.
type brokenCase struct {
	file string
	make func(t testing.TB, dir string)
	is   error // nil for the system's own
	says string
}

// text returns what makes a file of a text.
func text(file, text string) func(t testing.TB, dir string) {
	return func(t testing.TB, dir string) {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// linkTo returns what makes the table of Quixo 3×3 a link.
func linkTo(to string) func(t testing.TB, dir string) {
	return func(t testing.TB, dir string) { link(t, dir, to, "quixo-3x3.tb") }
}

// What cannot be opened is listed with its error, is not reopened at each scan,
// and is gone when the file is. No other table is touched by it.
func TestBroken(t *testing.T) {
	outside := filepath.Join(newDir(t), "quixo-2x2.tb")
	for name, test := range map[string]brokenCase{
		"empty":       {"quixo-3x3.tb", text("quixo-3x3.tb", ""), tablebase.ErrTruncated, "0 bytes"},
		"text":        {"quixo-3x3.tb", text("quixo-3x3.tb", "hello\n"), tablebase.ErrForeign, "not a backsolve table"},
		"packed text": {"quixo-3x3.tb.zst", text("quixo-3x3.tb.zst", "hello\n"), tablebase.ErrForeign, "not a backsolve table"},
		"no board":    {"hello.tb", text("hello.tb", "hello\n"), tablebase.ErrForeign, "not a backsolve table"},
		"cut short": {"quixo-3x3.tb", func(t testing.TB, dir string) {
			solve(t, dir, "quixo", 3, 0)
			truncate(t, dir, "quixo-3x3.tb", 100)
		}, tablebase.ErrTruncated, "cut short"},
		"damaged start": {"quixo-3x3.tb", func(t testing.TB, dir string) {
			solve(t, dir, "quixo", 3, 0)
			damage(t, dir, "quixo-3x3.tb", 0)
		}, tablebase.ErrDamaged, "wrong checksum"},
		"another board": {"quixo-3x3.tb", func(t testing.TB, dir string) {
			duplicate(t, dir, "quixo-2x2.tb", "quixo-3x3.tb")
		}, probe.ErrOtherBoard, "give it back its name, quixo-2x2.tb"},
		"another name": {"copy.tb", func(t testing.TB, dir string) {
			duplicate(t, dir, "quixo-2x2.tb", "copy.tb")
		}, probe.ErrOtherBoard, "give it back its name, quixo-2x2.tb"},
		"directory": {"quixo-3x3.tb", func(t testing.TB, dir string) {
			if err := os.Mkdir(filepath.Join(dir, "quixo-3x3.tb"), 0o755); err != nil {
				t.Fatal(err)
			}
		}, tablebase.ErrForeign, "directory"},
		"link out":        {"quixo-3x3.tb", linkTo(outside), nil, "escapes"},
		"link up and out": {"quixo-3x3.tb", linkTo("../../" + filepath.Base(outside)), nil, "escapes"},
		"link to nowhere": {"quixo-3x3.tb", linkTo("nowhere"), fs.ErrNotExist, "cannot open the table"},
		"link to itself":  {"quixo-3x3.tb", linkTo("quixo-3x3.tb"), nil, "cannot open the table"},
	} {
		t.Run(name, func(t *testing.T) { checkBroken(t, test) })
	}
}

func checkBroken(t *testing.T, test brokenCase) {
	dir := newDir(t)
	c, said := open(t, dir)
	test.make(t, dir)
	said.take()
	c.Scan()
	var err error
	for _, i := range c.List().Tables {
		if i.File == test.file {
			err = i.Err
		}
	}
	if err == nil || test.is != nil && !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.says) ||
		!strings.Contains(err.Error(), filepath.Join(dir, test.file)) {
		t.Errorf("%v, want %v that names the file and says %q", err, test.is, test.says)
	}
	if strings.HasPrefix(test.file, "quixo-3x3") {
		if got := second(c.Find("quixo", 3, "")); got != err {
			t.Errorf("found is %v, want %v", got, err)
		}
	}
	if got := said.take(); !strings.Contains(got, `msg="table broken" file=`+test.file) || strings.Count(got, "\n") != 1 {
		t.Errorf("logged:\n%s", got)
	}
	before, list := c.Totals(), c.List()
	if before.Broken != 1 || before.OK != 4 {
		t.Errorf("totals %+v", before)
	}
	c.Scan()
	if got := said.take(); got != "" || c.Totals() != before || c.List() != list {
		t.Errorf("what has not changed changes the catalogue; logged:\n%s", got)
	}
	remove(t, dir, test.file)
	wantFiles(t, c, whole)
}

// A file that was broken is well again once it is another one.
func TestBrokenIsMended(t *testing.T) {
	dir := newDir(t)
	text("quixo-3x3.tb", "hello\n")(t, dir)
	c, _ := open(t, dir)
	wantFiles(t, c, whole+" quixo-3x3.tb!")
	text("quixo-3x3.tb", "good-bye\n")(t, dir)
	wantFiles(t, c, whole+" quixo-3x3.tb!")
	remove(t, dir, "quixo-3x3.tb")
	solve(t, dir, "quixo", 3, 0)
	wantFiles(t, c, whole+" quixo-3x3.tb")
}

// What was checked and then overwritten is not answered from where everything is
// checked always.
func TestCheckAlways(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not let a mapped file be written to")
	}
	dir := newDir(t)
	c, err := Open([]string{dir}, Options{CheckAlways: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	h := find(t, c, "quixo", 2, "")
	defer h.Release()
	if _, err := h.Answerer().Ask("XO/OX x", probe.NoLine); err != nil {
		t.Fatal(err)
	}
	damage(t, dir, "quixo-2x2.tb", 0)
	if _, err := h.Answerer().Ask("XO/OX x", probe.NoLine); !errors.Is(err, tablebase.ErrDamaged) {
		t.Errorf("overwritten: %v", err)
	}
}

// A table that is cut short while it is in use answers with that, and is broken
// from the next scan on; what is damaged inside is known by those who ask for it.
// All others go on.
func TestDamageInUse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not let a mapped file be shortened")
	}
	dir := newDir(t)
	damage(t, dir, "quixo-2x2.tb", 1)
	c, said := open(t, dir)
	quixo, notakto, other := find(t, c, "quixo", 2, ""), find(t, c, "notakto", 2, ""), find(t, c, "notakto", 3, "")
	defer quixo.Release()
	defer other.Release()
	ask := func(h Handle, position string, want error) {
		t.Helper()
		if _, err := h.Answerer().Ask(position, probe.NoLine); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", position, err, want)
		}
	}
	ask(quixo, "../.. x", nil)
	ask(quixo, "XO/OX x", tablebase.ErrDamaged)
	truncate(t, dir, "notakto-2x2.tb", 1)
	ask(notakto, "../..", tablebase.ErrTruncated)
	said.take()
	wantFiles(t, c, strings.Replace(whole, "notakto-2x2.tb", "notakto-2x2.tb!", 1))
	if got := said.take(); !strings.Contains(got, "cut short") {
		t.Errorf("logged:\n%s", got)
	}
	if err := second(c.Find("notakto", 2, "")); !errors.Is(err, tablebase.ErrTruncated) {
		t.Errorf("%v, want %v", err, tablebase.ErrTruncated)
	}
	ask(other, ".../.../...", nil)
	notakto.Release()
	ask(notakto, "../..", tablebase.ErrClosed)
}
