package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
	"backsolve/internal/probe/survey"
	"backsolve/internal/server/api"
	"backsolve/internal/server/catalog"
)

// listed asks for the tables.
func (s *site) listed() (list api.TableList) {
	s.t.Helper()
	if err := json.Unmarshal([]byte(s.want(http.StatusOK, "/v1/tables").body), &list); err != nil {
		s.t.Fatal(err)
	}
	return list
}

func TestListTables(t *testing.T) {
	var got []string
	for _, e := range start(t, nil).listed().Tables {
		text := e.File + " " + e.Start.Position + " " + string(e.Start.Outcome)
		if *e.HasSteps {
			text += " with steps"
		}
		got = append(got, text)
	}
	want := []string{
		"notakto-3x3.tb .../.../... win with steps",
		"notakto-4x4.tb ..../..../..../.... lose",
		"notakto-4x4-after-a1.tb ..../..../..../X... win with steps",
		"quixo-2x2.tb ../.. x win with steps",
		"quixo-3x3.tb .../.../... x win with steps",
		"tictactoe-3x3.tb .../.../... x draw with steps",
	}
	if !reflect.DeepEqual(want, got) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

// What a table holds is what tbsolve info --json prints.
func TestGetTable(t *testing.T) {
	s := start(t, nil)
	stats, err := survey.Summarize(t.Context(), open(t, "quixo", 3))
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(stats)
	if err != nil {
		t.Fatal(err)
	}
	if r := s.want(http.StatusOK, "/v1/quixo/3"); r.body != string(want)+"\n" {
		t.Errorf("%s\nwant %s", r.body, want)
	}
	s.want(http.StatusOK, "/v1/notakto/4?after=a1", `"after":["a1"]`)
	s.want(http.StatusNotFound, "/v1/quixo/5", "there is no table of quixo 5×5")
}

// until asks again and again until an address has a status.
func (s *site) until(status int, path string) reply {
	s.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if r := s.get(path); r.status == status {
			return r
		} else if time.Now().After(deadline) {
			s.t.Fatalf("%s has status %d, not %d: %s", path, r.status, status, r.body)
		}
	}
}

// New tables appear and deleted ones vanish; a table that is damaged or truncated, even while
// open, gives errors, and the others keep working.
func TestTablesThatChange(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []int{2, 3} {
		probetest.Solve(t, dir, probetest.Rules(t, "quixo", n), 0, true)
	}
	s := startDir(t, dir, nil)
	const two, three = "/v1/quixo/2/position?p=../..", "/v1/quixo/3/position?p=.../.../..."
	s.want(http.StatusOK, two)
	good := s.want(http.StatusOK, three)
	path := filepath.Join(dir, "quixo-3x3.tb")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before := s.get("/v1/tables").header.Get("ETag")

	if err := os.Truncate(path, int64(len(whole)/2)); err != nil {
		t.Fatal(err)
	}
	s.until(http.StatusInternalServerError, three).want(t, http.StatusInternalServerError, "cut short")
	if r := s.post("/v1/quixo/3/positions", linesMedia, ".../.../...\n"); strings.Contains(r.body, "outcome") || !strings.Contains(r.body, "cut short") {
		t.Errorf("a batch gets %s", r.body)
	}
	s.want(http.StatusOK, two)
	for !strings.Contains(s.get("/v1/tables").body, `"error":"`) { // until the catalogue has noticed it
		time.Sleep(time.Millisecond)
	}
	s.want(http.StatusInternalServerError, three, "cut short")
	if after := s.get("/v1/tables").header.Get("ETag"); after == before {
		t.Error("the list has its old tag")
	}

	checkNoPaths(t, s, dir, three, "/v1/tables")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	s.until(http.StatusNotFound, three).want(t, http.StatusNotFound, "there is no table of quixo 3×3")
	s.want(http.StatusOK, two)
	checkNoPaths(t, s, dir, three, "/v1/quixo/3", "/uwapi/quixo/3")

	if err := os.WriteFile(path, whole, 0o644); err != nil {
		t.Fatal(err)
	}
	if r := s.until(http.StatusOK, three); r.body != good.body {
		t.Errorf("%s\nwas %s", r.body, good.body)
	}

	if err := os.Rename(dir, dir+"-away"); err != nil {
		t.Fatal(err)
	}
	if r := s.until(http.StatusServiceUnavailable, "/v1/tables"); r.header.Get("Retry-After") == "" {
		t.Errorf("%v", r.header)
	}
	s.until(http.StatusServiceUnavailable, "/uwapi/")
	s.until(http.StatusServiceUnavailable, three)
	checkNoPaths(t, s, dir, three, "/v1/tables", "/uwapi/")
	if err := os.Rename(dir+"-away", dir); err != nil {
		t.Fatal(err)
	}
	s.until(http.StatusOK, three)
}

// checkNoPaths wants that no answer, nor that to a batch, tells where the tables are.
func checkNoPaths(t *testing.T, s *site, dir string, paths ...string) {
	t.Helper()
	replies := []reply{s.post("/v1/quixo/3/positions", linesMedia, ".../.../...\n")}
	for _, path := range paths {
		replies = append(replies, s.get(path))
	}
	for i, r := range replies {
		if strings.Contains(r.body, dir) || strings.Contains(r.body, filepath.Base(filepath.Dir(dir))) || !strings.Contains(r.body, `"error"`) {
			t.Errorf("reply %d: %d: %s", i, r.status, r.body)
		}
	}
}

// Damage within the data is found when it is first touched: the position has an
// error, in a batch in its place, and never a value.
func TestDamagedData(t *testing.T) {
	dir := t.TempDir()
	probetest.Solve(t, dir, probetest.Rules(t, "quixo", 3), 0, true)
	path := filepath.Join(dir, "quixo-3x3.tb")
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range file[8<<10 : len(file)/2] {
		file[8<<10+i] ^= 0xff
	}
	if err := os.WriteFile(path, file, 0o644); err != nil {
		t.Fatal(err)
	}
	s := startDir(t, dir, nil)
	good := open(t, "quixo", 3)
	damaged := 0
	all := everyPosition(good.Rules())[:2000]
	for i := 0; i < len(all); i += 5 {
		text := all[i]
		r := s.get(positionPath("quixo/3", text))
		if r.status != http.StatusOK {
			r.want(t, http.StatusInternalServerError, "damaged")
			damaged++
			continue
		}
		if a, err := good.Ask(text, probe.NoLine); err != nil || string(a.AppendJSON(nil)) != strings.TrimSuffix(r.body, "\n") {
			t.Fatalf("%s: %s", text, r.body)
		}
	}
	if damaged == 0 {
		t.Error("no damage was found")
	}
	if !strings.Contains(s.log.String(), `"level":"ERROR","msg":"request failed"`) {
		t.Error("it is not logged")
	}
}

// A table that is overwritten is not answered from, even if nothing contradicts and its
// modification time is set back. Once it is whole again, it is served again.
func TestTableRewrittenInPlace(t *testing.T) {
	const b2 = 1 << 9
	dir, rules := t.TempDir(), probetest.Rules(t, "notakto", 4)
	probetest.Solve(t, dir, rules, a1, true)
	probetest.Solve(t, dir, rules, b2, true)
	path := filepath.Join(dir, "notakto-4x4-after-a1.tb")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(filepath.Join(dir, "notakto-4x4-after-b2.tb"))
	if err != nil || len(other) != len(whole) {
		t.Fatalf("the other table has %d bytes, not %d: %v", len(other), len(whole), err)
	}
	s := startDir(t, dir, nil)
	var paths, answers []string
	for i, text := range everyPosition(rules) {
		if i%7 == 0 && text[15] == 'X' {
			paths = append(paths, positionPath("notakto/4", text)+"&after=a1")
			answers = append(answers, s.want(http.StatusOK, paths[len(paths)-1]).body)
		}
		if len(paths) == 200 {
			break
		}
	}
	ask := func() (refused int) {
		t.Helper()
		for i, path := range paths {
			if r := s.get(path); r.status != http.StatusOK {
				r.want(t, http.StatusInternalServerError, "damaged")
				refused++
			} else if r.body != answers[i] {
				t.Errorf("%s: %swas %s", path, r.body, answers[i])
			}
		}
		return refused
	}
	rewrite := func(content []byte) {
		t.Helper()
		time.Sleep(10 * time.Millisecond) // the clock of a filesystem goes in ticks
		before, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		const page = 4096 // the first and the last one stay
		_, err = f.WriteAt(content[page:len(content)-page], page)
		if err := errors.Join(err, f.Close(), os.Chtimes(path, time.Time{}, before.ModTime())); err != nil {
			t.Fatal(err)
		}
	}
	rewrite(other)
	if ask() == 0 {
		t.Error("nothing is refused")
	}
	rewrite(whole)
	s.until(http.StatusOK, paths[0])
	if n := ask(); n > 0 {
		t.Errorf("%d positions are refused when the table is whole again", n)
	}
}

// What takes longer than the server waits is given up with an answer.
func TestLate(t *testing.T) {
	c, err := catalog.Open([]string{makeTables(t)}, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	limits := DefaultLimits()
	limits.Write = 1
	s := New(Options{Catalog: c, Limits: limits})
	s.state.Store(ready)
	for _, path := range []string{"/v1/quixo/3", "/v1/quixo/3/random?outcome=win&steps=7"} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "10" {
			t.Errorf("%s: %d, %v, %s", path, w.Code, w.Header(), w.Body)
		}
	}
}

// An opening table answers as in tbquery; beyond it there is no table, and the error gives the
// command that makes a whole one.
func TestOpeningTable(t *testing.T) {
	whole := probetest.Open(t, probetest.Rules(t, "notakto", 4), 0, false)
	opening, dir := probetest.Opening(t, whole, 2)
	s := startDir(t, dir, nil)
	answers, beyond := 0, 0
	for i, text := range everyPosition(whole.Rules()) {
		if i%97 != 0 && i > 500 {
			continue
		}
		a, err := opening.Ask(text, probe.NoLine)
		if errors.Is(err, probe.ErrOutOfTable) {
			s.want(http.StatusNotFound, positionPath("notakto/4", text), "has only the classes 1 to 0 of notakto 4×4")
			beyond++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if r := s.want(http.StatusOK, positionPath("notakto/4", text)); r.body != string(a.AppendJSON(nil))+"\n" {
			t.Errorf("%s: %s", text, r.body)
		}
		answers++
	}
	if answers == 0 || beyond == 0 {
		t.Errorf("%d answers, %d beyond", answers, beyond)
	}
	s.want(http.StatusOK, "/v1/notakto/4/random?seed=3", `"position"`)
	s.want(http.StatusOK, "/v1/notakto/4", `"opening":true`)
}
