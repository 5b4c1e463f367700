package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// makeSite puts the prober for browsers with its example page and two packed tables into a
// directory.
func makeSite(ctx context.Context) error {
	if err := Solve(ctx, programs, site, "quixo 4 --steps --packed", "notakto 4 --steps --packed"); err != nil {
		return err
	}
	return Wasm(ctx, site)
}

// staticSite is a plain web server with a copy of the site, which notes how it answered.
type staticSite struct {
	*httptest.Server
	dir string

	lock     sync.Mutex
	answered map[string][]int // by path, the statuses
}

func newStaticSite(t *testing.T, handler func(http.Handler) http.Handler) *staticSite {
	t.Helper()
	if _, err := Chromium(); err != nil {
		t.Skip(err)
	}
	s := &staticSite{dir: t.TempDir(), answered: map[string][]int{}}
	if err := os.CopyFS(s.dir, os.DirFS(site)); err != nil {
		t.Fatal(err)
	}
	files := handler(http.FileServerFS(os.DirFS(s.dir)))
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		files.ServeHTTP(&statusNoter{w, s, r.URL.Path}, r)
	}))
	t.Cleanup(s.Close)
	return s
}

type statusNoter struct {
	http.ResponseWriter
	site *staticSite
	path string
}

func (n *statusNoter) WriteHeader(status int) {
	n.site.lock.Lock()
	n.site.answered[n.path] = append(n.site.answered[n.path], status)
	n.site.lock.Unlock()
	n.ResponseWriter.WriteHeader(status)
}

func asItIs(h http.Handler) http.Handler { return h }

// visitStatic opens the example page in a tab, and waits until the prober is ready.
func visitStatic(t *testing.T, s *staticSite, query string) *visitor {
	t.Helper()
	ctx, cancel := context.WithCancel(browser)
	t.Cleanup(cancel)
	tab, err := NewTab(ctx, &Server{URL: s.URL + "/"}, 800, 600)
	if err != nil {
		t.Fatal(err)
	}
	v := newVisitor(t, tab)
	v.do(tab.Do(chromedp.Navigate(s.URL + "/" + query)))
	v.do(tab.Wait("globalThis.backsolve"))
	return v
}

// await returns a promise's value as JSON, or the code and message of its error.
func (v *visitor) await(promise string) string {
	v.Helper()
	ctx, cancel := context.WithTimeout(v.tab.ctx, timeout)
	defer cancel()
	got, err := chromedp.Run(ctx, chromedp.Evaluate[string](
		`(async () => { try { return JSON.stringify(await (async () => {`+promise+`})()) } catch (e) { return e.code + ": " + e.message } })()`, chromedp.EvalAwaitPromise))
	v.do(err)
	return got
}

// asked returns tbquery's answers for positions, a line for each, and for all that follow from
// each by one move.
func asked(t *testing.T, game, n string, positions ...string) (all, answers []string) {
	t.Helper()
	ask := func(positions []string) []string {
		cmd := exec.Command(filepath.Join(programs, "tbquery"), game, n, "--dir", site)
		cmd.Stdin = strings.NewReader(strings.Join(positions, "\n") + "\n")
		var complaint bytes.Buffer
		cmd.Stderr = &complaint
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, &complaint)
		}
		return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	}
	all = positions
	for _, line := range ask(positions) {
		var answer struct {
			Moves []struct{ Position string }
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatal(err)
		}
		for _, m := range answer.Moves {
			all = append(all, m.Position)
		}
	}
	return all, ask(all)
}

// In the browser a table on a plain web server gives exactly tbquery's answers, by range requests
// alone.
func TestWasm(t *testing.T) {
	s := newStaticSite(t, asItIs)
	v := visitStatic(t, s, "")
	for _, board := range []struct {
		game, n, file string
		positions     []string
	}{
		{"quixo", "4", "quixo-4x4.tb.zst", []string{"..../..../..../.... x", "XXOO/O.XO/O..X/XXO. x", "XXXX/..../..../OO.O o"}},
		{"notakto", "4", "notakto-4x4.tb.zst", []string{"..../..../..../....", "X.../..X./..../.X..", "XXXX/..../..../...."}},
	} {
		positions, want := asked(t, board.game, board.n, board.positions...)
		list, err := json.Marshal(positions)
		if err != nil {
			t.Fatal(err)
		}
		got := v.await(`const t = await backsolve.open(` + quote(board.file) + `); const all = await Promise.all(` + string(list) +
			`.map(p => t.ask(p))); t.close(); return {board: t.board, hasSteps: t.hasSteps, answers: all.map(a => JSON.stringify(a))}`)
		var answered struct {
			Board    string
			HasSteps bool
			Answers  []string
		}
		if err := json.Unmarshal([]byte(got), &answered); err != nil {
			t.Fatalf("%s: %v", got, err)
		}
		if len(answered.Answers) != len(want) || len(want) < 10 || !answered.HasSteps || answered.Board != board.game+" "+board.n+"×"+board.n {
			t.Fatalf("%d answers of %s, want %d", len(answered.Answers), answered.Board, len(want))
		}
		for i := range want {
			if answered.Answers[i] != want[i] {
				t.Errorf("%s: %s, want %s", positions[i], answered.Answers[i], want[i])
			}
		}
		statuses := s.answered["/"+board.file]
		if len(statuses) < 2 {
			t.Errorf("%s was asked for %d times", board.file, len(statuses))
		}
		for _, status := range statuses {
			if status != http.StatusPartialContent {
				t.Errorf("%s: status %d", board.file, status)
			}
		}
	}
	line := v.await(`const t = await backsolve.open("notakto-4x4.tb.zst"); return (await t.ask("X.../..X./..../.X..", {line: true})).line.plies.length`)
	if line == "0" || strings.Contains(line, ":") {
		t.Errorf("the main line has %s plies", line)
	}
}

// What fails has a code and the sentence that tbquery prints.
func TestWasmErrors(t *testing.T) {
	s := newStaticSite(t, func(files http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Has("whole") {
				r.Header.Del("Range")
			}
			files.ServeHTTP(w, r)
		})
	})
	if err := os.WriteFile(filepath.Join(s.dir, "text.tb.zst"), []byte("not a table"), 0o644); err != nil {
		t.Fatal(err)
	}
	v := visitStatic(t, s, "")
	for promise, want := range map[string]string{
		`return backsolve.open()`:                                                                              "failed: open takes the address of a table",
		`return backsolve.open("nowhere.tb.zst")`:                                                              "missing: " + s.URL + "/nowhere.tb.zst: cannot open the table",
		`return backsolve.open("text.tb.zst")`:                                                                 "table: " + s.URL + "/text.tb.zst: not a backsolve table",
		`return backsolve.open("quixo-4x4.tb.zst?whole")`:                                                      "failed: " + s.URL + "/quixo-4x4.tb.zst: the server does not answer range requests",
		`return backsolve.open("http://me:secret@example.org/t.tb")`:                                           "failed: http://example.org/t.tb: cannot open the table: browsers take no address with a password",
		`const t = await backsolve.open("quixo-4x4.tb.zst"); return t.ask("XX/XX")`:                            "position: ",
		`const t = await backsolve.open("quixo-4x4.tb.zst"); return t.ask(3)`:                                  "failed: ask takes the text of a position",
		`const t = await backsolve.open("quixo-4x4.tb.zst"); t.close(); return t.ask("..../..../..../.... x")`: "failed: " + s.URL + "/quixo-4x4.tb.zst: the table is closed",
		`const t = await backsolve.open("quixo-4x4.tb.zst"); t.close(); t.close(); return "closed twice"`:      `"closed twice"`,
	} {
		if got := v.await(promise); !strings.HasPrefix(got, want) || strings.Contains(got, "secret") {
			t.Errorf("%s: %s, want %s", promise, got, want)
		}
	}
	v.expectProblems("404")
}

// A page notices if a table that it has open is replaced.
func TestWasmTableChanges(t *testing.T) {
	s := newStaticSite(t, asItIs)
	v := visitStatic(t, s, "")
	v.await(`globalThis.opened = await backsolve.open("quixo-4x4.tb.zst"); return true`)
	if err := os.Rename(filepath.Join(s.dir, "notakto-4x4.tb.zst"), filepath.Join(s.dir, "quixo-4x4.tb.zst")); err != nil {
		t.Fatal(err)
	}
	got := v.await(`return opened.ask("XXOO/O.XO/O..X/XXO. x")`)
	if !strings.HasPrefix(got, "failed: ") || !strings.Contains(got, "has changed since it was opened") {
		t.Error(got)
	}
}

// The example page shows the answers.
func TestWasmPage(t *testing.T) {
	s := newStaticSite(t, asItIs)
	v := visitStatic(t, s, "")
	v.wait("[role=status]", "quixo 4×4: win in 11")
	if n := eval[int](v, `document.querySelectorAll("tbody tr").length`); n != 15 {
		t.Errorf("%d moves are shown", n)
	}
	fill := func(name, value string) {
		eval[bool](v, `(() => { document.querySelector("[name=`+name+`]").value = `+quote(value)+`; return true })()`)
	}
	fill("address", "notakto-4x4.tb.zst")
	fill("position", "..../..../..../....")
	v.do(v.tab.Do(chromedp.Click(chromedp.CSS("button"))))
	v.wait("[role=status]", "notakto 4×4: ")
	if n := eval[int](v, `document.querySelectorAll("tbody tr").length`); n != 16 {
		t.Errorf("%d moves are shown", n)
	}
	fill("position", "XX")
	v.do(v.tab.Do(chromedp.Click(chromedp.CSS("button"))))
	v.wait("[role=alert]", "column")
	if problems := v.problems.take(); problems != nil {
		t.Error(problems)
	}
}
