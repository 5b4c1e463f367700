package querying

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"backsolve/cmd/cli"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
)

// newBatch returns a batch that asks the table of Notakto n×n.
func newBatch(t testing.TB, n int) *batch {
	t.Helper()
	dir := t.TempDir()
	probetest.Solve(t, dir, probetest.Rules(t, "notakto", n), 0, n > 2)
	board, err := cli.ParseBoard("notakto", strconv.Itoa(n), "")
	if err != nil {
		t.Fatal(err)
	}
	from, closeTable, err := board.Open(t.Context(), dir, probe.OnDemand{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeTable() })
	return &batch{board: board, from: from, maxPlies: probe.NoLine}
}

// A line is answered before the next one comes, also when half of that is there
// already.
func TestLinesAreAnsweredAtOnce(t *testing.T) {
	b := newBatch(t, 2)
	questions, ask := io.Pipe()
	answers, reply := io.Pipe()
	done := make(chan error)
	go func() {
		err := b.run(questions, reply)
		reply.Close()
		done <- err
	}()
	line := make([]byte, 1<<10)
	for _, question := range []string{"../..\n", "X./..\nXX", "/..\n"} {
		if _, err := io.WriteString(ask, question); err != nil {
			t.Fatal(err)
		}
		n, err := answers.Read(line)
		if err != nil || bytes.Count(line[:n], []byte("\n")) != 1 {
			t.Fatalf("%q: %q, %v", question, line[:n], err)
		}
	}
	ask.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Lines without end and lines by the thousand end neither the run nor the
// memory.
func TestManyAndLongLines(t *testing.T) {
	const many = 20_000
	b := newBatch(t, 2)
	long := strings.Repeat("X", 1<<20)
	var out bytes.Buffer
	err := b.run(strings.NewReader(long+"\n"+strings.Repeat("../..\n", many)+long), &out)
	if err == nil || cli.TableStatus(err) != 2 {
		t.Errorf("status %d: %v", cli.TableStatus(err), err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != many+2 {
		t.Fatalf("%d lines", len(lines))
	}
	for i, line := range lines {
		if bad := i == 0 || i == many+1; bad != strings.HasPrefix(line, `{"line":`+strconv.Itoa(i+1)+`,"error":`) {
			t.Fatalf("line %d: %.100s", i+1, line)
		}
	}
	if out.Len() > 500*many {
		t.Errorf("%d bytes written", out.Len())
	}
}

// A table over which another one is written between two lines is not answered from, even if
// nothing contradicts and the modification time is set back.
func TestTableRewrittenInPlace(t *testing.T) {
	const a1, b2 = 1 << 12, 1 << 9
	dir, rules := t.TempDir(), probetest.Rules(t, "notakto", 4)
	probetest.Solve(t, dir, rules, a1, true)
	probetest.Solve(t, dir, rules, b2, true)
	board, err := cli.ParseBoard("notakto", "4", "a1")
	if err != nil {
		t.Fatal(err)
	}
	from, closeTable, err := board.Open(t.Context(), dir, probe.OnDemand{})
	if err != nil {
		t.Fatal(err)
	}
	defer closeTable()
	b := &batch{from: from, maxPlies: probe.NoLine}
	ask := func() (lines []string, err error) {
		const positions = ".X.X/...X/..../X.X.\n.XXX/.X../X..X/X..X\nXX.X/.X.X/..XX/XXX.\n..X./X.XX/X..X/X.X.\n"
		var out bytes.Buffer
		err = b.run(strings.NewReader(positions), &out)
		return strings.Split(out.String(), "\n"), err
	}
	before, err := ask()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "notakto-4x4-after-a1.tb")
	file, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(filepath.Join(dir, "notakto-4x4-after-b2.tb"))
	if err != nil || int64(len(other)) != file.Size() {
		t.Fatalf("the other table has %d bytes, not %d: %v", len(other), file.Size(), err)
	}
	time.Sleep(10 * time.Millisecond) // the clock of a filesystem goes in ticks
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096 // the first and the last one stay
	_, err = f.WriteAt(other[page:len(other)-page], page)
	if err := errors.Join(err, f.Close(), os.Chtimes(path, time.Time{}, file.ModTime())); err != nil {
		t.Fatal(err)
	}
	after, err := ask()
	if cli.TableStatus(err) != 4 {
		t.Errorf("status %d: %v", cli.TableStatus(err), err)
	}
	for i, line := range after {
		if line != before[i] && !strings.Contains(line, "the table is damaged") {
			t.Errorf("%s\nbefore %s", line, before[i])
		}
	}
}

// A full disk or a closed pipe is an error.
func TestAnswersThatCannotBeWritten(t *testing.T) {
	b := newBatch(t, 2)
	r, w := io.Pipe()
	r.CloseWithError(io.ErrShortWrite)
	if err := b.run(strings.NewReader("../..\n"), w); err != io.ErrShortWrite {
		t.Error(err)
	}
}

// Fields of the value take a lookup and few allocations a line, however many lines there are.
func TestValuesOfLinesAllocateLittle(t *testing.T) {
	const many = 1 << 12
	b := newBatch(t, 2)
	fields, err := chooseFields([]string{"outcome"})
	if err != nil {
		t.Fatal(err)
	}
	b.fields, b.format, b.maxPlies = fields, cli.Text, pliesOf(fields, false)
	positions := strings.Repeat("X./..\n", many)
	allocated := testing.AllocsPerRun(3, func() {
		if err := b.run(strings.NewReader(positions), io.Discard); err != nil {
			t.Error(err)
		}
	})
	if most := 7.0; allocated/many > most {
		t.Errorf("%.1f allocations a line, more than %.0f", allocated/many, most)
	}
}

// BenchmarkValuesOfLines measures what tbquery takes for a line of values.
func BenchmarkValuesOfLines(b *testing.B) {
	of := newBatch(b, 4)
	of.format = cli.Text
	of.fields, _ = chooseFields([]string{"outcome"})
	for name, maxPlies := range map[string]int{"alone": pliesOf(of.fields, false), "ranked": probe.NoLine} {
		b.Run(name, func(b *testing.B) {
			of.maxPlies = maxPlies
			if err := of.run(strings.NewReader(strings.Repeat("X.../.X../..../...X\n", b.N)), io.Discard); err != nil {
				b.Error(err)
			}
		})
	}
}
