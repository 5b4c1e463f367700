package abuse

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"backsolve/probe"
	"backsolve/tools/load/wire"
)

const (
	// askers ask for positions of the board whose table is harmed, each of so many.
	askers          = 8
	askedOfTheTable = 500
)

func tableAttacks() []attack {
	var all []attack
	for _, h := range harms {
		all = append(all, attack{
			name: "table " + h.name,
			sent: fmt.Sprintf("While %d clients ask the table, its file is %s; %v later the good one is put in its place again.", askers, h.done, usualPace.harm),
			run:  func(ctx context.Context, a *arena) (string, error) { return a.harm(ctx, h.do) },
		})
	}
	return all
}

// harms are what may happen to the file of a table.
var harms = []struct {
	name, done string
	do         func(path, other string) error
}{
	{"cut short", "cut to half its length", func(path, _ string) error {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		return os.Truncate(path, info.Size()/2)
	}},
	{"emptied", "cut to nothing", func(path, _ string) error { return os.Truncate(path, 0) }},
	{"deleted", "deleted", func(path, _ string) error { return os.Remove(path) }},
	{"damaged in place", "overwritten with random bytes, but for its first page", func(path, _ string) error { return scribble(path) }},
	{"replaced by that of another board", "replaced by the table of another board", func(path, other string) error { return replace(path, other) }},
	{"replaced by a link", "replaced by a link out of the directory", func(path, _ string) error {
		if err := os.Remove(path); err != nil {
			return err
		}
		return os.Symlink("/etc/passwd", path)
	}},
	{"replaced by a directory", "replaced by a directory", func(path, _ string) error {
		if err := os.Remove(path); err != nil {
			return err
		}
		return os.Mkdir(path, 0o755)
	}},
}

// scribble overwrites a file, as a failing disk or another program would.
func scribble(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	r := rand.NewChaCha8([32]byte{1})
	noise := make([]byte, 64<<10)
	for at := int64(4096); at < info.Size(); at += int64(len(noise)) {
		r.Read(noise)
		if _, err := f.WriteAt(noise[:min(int64(len(noise)), info.Size()-at)], at); err != nil {
			return err
		}
	}
	return nil
}

// replace puts a copy of a file into the place of another one, at once.
func replace(path, from string) error {
	if err := copyFile(path+".new", from); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// harm harms the table, and puts it right again. It wants every answer that has a
// value to be the one from before, and the table to be back in the end.
func (a *arena) harm(ctx context.Context, do func(path, other string) error) (string, error) {
	path := filepath.Join(a.dir, probe.FileName(a.rules.Info()))
	good := path + ".good"
	if err := copyFile(good, path); err != nil {
		return "", err
	}
	asked, err := a.askBefore(ctx)
	if err != nil {
		return "", err
	}
	during, cancel := context.WithCancel(ctx)
	tally := &tally{statuses: map[int]int{}}
	var asking sync.WaitGroup
	for i := range askers {
		asking.Go(func() { a.askOn(during, asked, i, tally) })
	}
	err = do(path, filepath.Join(a.dir, probe.FileName(a.other.Info())))
	if err == nil {
		err = wait(ctx, a.pace.harm)
	}
	cancel()
	asking.Wait()
	if err != nil {
		return "", err
	}
	observed := "Statuses: " + statusText(tally.statuses) + "."
	if tally.refusal != "" {
		observed += " The first refusal: " + strings.ReplaceAll(tally.refusal, a.dir, "tables") + "."
	}
	if tally.wrong != nil {
		return observed, tally.wrong
	}
	took, err := a.repair(ctx, path, good, asked)
	return observed + fmt.Sprintf(" It was back %.1f s after it was put right.", took.Seconds()), err
}

// known is a request with the answer that it should have.
type known struct{ request, answer []byte }

func (a *arena) askBefore(ctx context.Context) ([]known, error) {
	c := a.newClient("", true)
	defer c.close()
	r := rand.New(rand.NewPCG(15, 16))
	var asked []known
	for range askedOfTheTable {
		request := a.position(r)
		answer, err := c.ask(ctx, request)
		if err != nil || answer.Status != 200 {
			return nil, fmt.Errorf("before the attack there is the status %d: %w", answer.Status, err)
		}
		asked = append(asked, known{request, answer.Body})
	}
	return asked, nil
}

// tally is what came of questions about a table.
type tally struct {
	mu       sync.Mutex
	statuses map[int]int
	refusal  string
	wrong    error
}

func (t *tally) add(q *known, a wire.Answer, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.statuses[a.Status]++
	switch {
	case err != nil:
		t.wrong = firstError(t.wrong, err)
	case a.Status == 200:
		if !bytes.Equal(a.Body, q.answer) {
			t.wrong = firstError(t.wrong, fmt.Errorf("a wrong answer: %.300s instead of %.300s", a.Body, q.answer))
		}
	case !slices.Contains([]int{404, 500, 503}, a.Status):
		t.wrong = firstError(t.wrong, fmt.Errorf("status %d: %.300s", a.Status, a.Body))
	case t.refusal == "":
		t.refusal = fmt.Sprintf("%d, %s", a.Status, reason(a.Body))
	}
}

// reason returns the sentence of an error, all of the body where it has none.
func reason(body []byte) string {
	var refusal struct {
		Error string `json:"error"`
	}
	if err := json.Unmarshal(body, &refusal); err != nil || refusal.Error == "" {
		return string(body)
	}
	return refusal.Error
}

// askOn asks until ctx ends.
func (a *arena) askOn(ctx context.Context, asked []known, first int, t *tally) {
	c := a.newClient("", true)
	defer c.close()
	for i := first; ctx.Err() == nil; i += askers {
		q := &asked[i%len(asked)]
		answer, err := c.ask(ctx, q.request)
		t.add(q, answer, err)
		if err != nil {
			return
		}
	}
}

// repair puts the good table back, and waits until it is asked again. It returns
// how long that took.
func (a *arena) repair(ctx context.Context, path, good string, asked []known) (time.Duration, error) {
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		os.Remove(path) // a file cannot take the place of a directory
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	if err := replace(path, good); err != nil {
		return 0, err
	}
	start := time.Now()
	for {
		err := a.askOnce(ctx, &asked[0])
		if err == nil || time.Since(start) > a.pace.harm+slack {
			return time.Since(start), err
		}
		if err := wait(ctx, 50*time.Millisecond); err != nil {
			return 0, err
		}
	}
}

func (a *arena) askOnce(ctx context.Context, q *known) error {
	c := a.newClient("", false)
	answer, err := c.ask(ctx, q.request)
	if err == nil && !bytes.Equal(answer.Body, q.answer) {
		err = fmt.Errorf("the table that was put right answers with status %d: %.200s", answer.Status, answer.Body)
	}
	return err
}
