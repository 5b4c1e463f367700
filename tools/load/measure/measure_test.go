package measure

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backsolve/game/games"
	"backsolve/partition"
	"backsolve/probe"
	"backsolve/retro"
	"backsolve/tablebase"
	"backsolve/tools/load/grid"
)

// solve returns the table of Quixo 3×3.
func solve(t *testing.T) *probe.Table {
	t.Helper()
	rules, err := games.NewGrid("quixo", 3)
	if err != nil {
		t.Fatal(err)
	}
	space, err := partition.New(rules)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	w, err := tablebase.Create(filepath.Join(dir, probe.FileName(rules.Info())),
		tablebase.Shape{Game: "quixo", Size: 3, Planes: 2, Steps: true}, false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := retro.Solve(t.Context(), space, w, retro.Options{Steps: true}); err != nil {
		t.Fatal(err)
	}
	table, err := probe.Open(dir, rules)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

// serve answers from a table, the plain way, and returns the address.
func serve(t *testing.T, table *probe.Table) string {
	t.Helper()
	const base = "/v1/quixo/3/"
	mux := http.NewServeMux()
	ask := func(text string, plies int) *probe.Answer {
		a, err := table.Ask(text, plies)
		if err != nil {
			t.Error(err)
		}
		return a
	}
	mux.HandleFunc("GET "+base+"position", func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode(ask(r.FormValue("p"), probe.NoLine))
	})
	mux.HandleFunc("GET "+base+"line", func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode(ask(r.FormValue("p"), linePlies))
	})
	mux.HandleFunc("GET "+base+"move", func(w http.ResponseWriter, r *http.Request) {
		a := ask(r.FormValue("p"), probe.NoLine)
		v := valueOf(a.Value)
		m := move{a.Moves[0].Move, v, a.Moves[0].Position}
		json.NewEncoder(w).Encode(map[string]any{"position": a.Position, "outcome": v.Outcome, "steps": v.Steps, "move": m})
	})
	mux.HandleFunc("POST "+base+"positions", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var texts []string
		if r.Header.Get("Content-Type") == "application/json" {
			json.Unmarshal(body, &texts)
		} else {
			texts = strings.Split(strings.TrimSpace(string(body)), "\n")
		}
		answers := []*probe.Answer{}
		for _, text := range texts {
			answers = append(answers, ask(text, probe.NoLine))
		}
		if r.Header.Get("Content-Type") == "application/json" {
			json.NewEncoder(w).Encode(answers)
			return
		}
		for _, a := range answers {
			json.NewEncoder(w).Encode(a)
		}
	})
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "go_memstats_heap_inuse_bytes 1e6\ngo_goroutines 5\n")
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// spoil serves what a server does with answers changed, and returns the address.
func spoil(t *testing.T, addr string, change func(path string, a *http.Response)) string {
	t.Helper()
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: addr})
	proxy.ModifyResponse = func(a *http.Response) error {
		change(a.Request.URL.Path, a)
		return nil
	}
	s := httptest.NewServer(proxy)
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// plain is a constant handler in this process.
func plain(t *testing.T) Constant {
	return func(_ context.Context, means map[Kind]int) (Server, func(), error) {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			size := means[Kind(r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:])]
			if size == 0 {
				t.Errorf("nothing was measured of %s", r.URL)
			}
			w.Write(make([]byte, size))
		}))
		return Server{s.Listener.Addr().String(), noCPU}, s.Close, nil
	}
}

func noCPU() (float64, bool) { return 0, false }

var tiny = Options{Sizes: Sizes{Connections: 3, Positions: 500, Batch: 40}, Rounds: 2, RoundTime: 20 * time.Millisecond, Requests: 1500}

func TestRun(t *testing.T) {
	table := solve(t)
	cpu := 0.0
	served := Server{serve(t, table), func() (float64, bool) { cpu++; return cpu, true }}
	r, err := Run(t.Context(), table, served, plain(t), tiny, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if !r.OK() || len(r.Failures) > 0 || r.Checked < 500 {
		t.Fatalf("%d answers checked, %d differ, %d requests failed: %q", r.Checked, r.Differences, r.Failed, r.Failures)
	}
	var names []string
	for _, w := range r.Workloads {
		names = append(names, w.Name)
		checkSubject(t, w.Name, &w.Served)
		checkSubject(t, w.Name, &w.Constant)
		if w.Ratio.Median <= 0 || w.Ratio.Least > w.Ratio.Most || w.Mean <= 0 {
			t.Errorf("%s: ratio %+v, %d bytes", w.Name, w.Ratio, w.Mean)
		}
		if w.Served.CPU == nil || *w.Served.CPU != 2/float64(w.Served.Answers) || w.Constant.CPU != nil {
			t.Errorf("%s: CPU %v of two seconds, constant %v", w.Name, w.Served.CPU, w.Constant.CPU)
		}
	}
	if diff := cmp.Diff([]string{"position", "mix", "array", "lines"}, names); diff != "" {
		t.Error(diff)
	}
	if n := len(r.Memory); n != memoryPoints+1 || r.Memory[n-1].Requests != tiny.Requests || r.Memory[n-1].Heap == 0 || r.Memory[n-1].Goroutines == 0 {
		t.Errorf("memory %+v", r.Memory)
	}
	testWriting(t, r)
}

func checkSubject(t *testing.T, name string, s *SubjectFigures) {
	t.Helper()
	if s.Answers == 0 || s.PerSecond.Least <= 0 || s.PerSecond.Least > s.PerSecond.Median || s.PerSecond.Median > s.PerSecond.Most ||
		s.P50 <= 0 || s.P50 > s.P99 || s.P99 > s.P999 {
		t.Errorf("%s: %+v", name, s)
	}
}

// testWriting checks that each way of writing a report has its figures.
func testWriting(t *testing.T, r *Report) {
	var out bytes.Buffer
	if err := r.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(*r, back); diff != "" {
		t.Errorf("read back from JSON (-want +got):\n%s", diff)
	}
	r.Failures = []string{"what failed"}
	for _, table := range []grid.Writer{grid.Text, grid.Markdown} {
		out.Reset()
		if err := r.Write(&out, table); err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"quixo 3×3", "position", "mix", "constant handler", "80 % position", "p999", "1,500", "what failed", "0 differ"} {
			if !strings.Contains(out.String(), part) {
				t.Errorf("%q is missing in:\n%s", part, out.String())
			}
		}
	}
}

// A value that is not that of the table is found in an answer of each kind.
func TestWrongAnswers(t *testing.T) {
	table := solve(t)
	addr := serve(t, table)
	for _, kind := range []Kind{Position, Move, Line, Batch} {
		wrong := spoil(t, addr, func(path string, a *http.Response) {
			if strings.HasSuffix(path, "/"+string(kind)) {
				body, _ := io.ReadAll(a.Body)
				body = bytes.Replace(body, []byte(`"outcome":"win"`), []byte(`"outcome":"los"`), 1)
				a.Body = io.NopCloser(bytes.NewReader(body))
			}
		})
		o := tiny
		o.Rounds, o.Requests = 1, 0
		r, err := Run(t.Context(), table, Server{wrong, noCPU}, plain(t), o, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if r.Differences == 0 || r.OK() || len(r.Failures) == 0 || r.Failed > 0 {
			t.Errorf("%s: %d of %d answers differ, %d requests failed, %q", kind, r.Differences, r.Checked, r.Failed, r.Failures)
		}
	}
}

// Requests that fail are counted, and the others are answered all the same.
func TestFailures(t *testing.T) {
	table := solve(t)
	var count atomic.Int64
	broken := spoil(t, serve(t, table), func(path string, a *http.Response) {
		if strings.HasPrefix(path, "/v1/") && count.Add(1)%100 == 0 {
			a.StatusCode = http.StatusInternalServerError
		}
	})
	r, err := Run(t.Context(), table, Server{broken, noCPU}, plain(t), tiny, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if r.OK() || r.Differences > 0 || r.Failed < 5 || r.Failed > r.Workloads[0].Served.Answers+2000 || !strings.Contains(strings.Join(r.Failures, " "), "status 500") {
		t.Errorf("%d requests failed, %d differ: %q", r.Failed, r.Differences, r.Failures)
	}
}

func TestNobodyAnswers(t *testing.T) {
	table := solve(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	if _, err := Run(t.Context(), table, Server{addr, noCPU}, plain(t), tiny, io.Discard); err == nil || !strings.Contains(err.Error(), "no request was answered") {
		t.Errorf("error %v", err)
	}
}

func TestInterrupted(t *testing.T) {
	table := solve(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := io.ErrClosedPipe
	cancel(cause)
	if _, err := Run(ctx, table, Server{serve(t, table), noCPU}, plain(t), tiny, io.Discard); err != cause {
		t.Errorf("error %v, want the cause", err)
	}
}

func TestTooSmall(t *testing.T) {
	table := solve(t)
	if _, err := NewWorkloads(table, Sizes{Connections: 1, Positions: 30_000, Batch: 1}); err == nil || !strings.Contains(err.Error(), "--positions") {
		t.Errorf("error %v", err)
	}
}

// No position is asked twice, and kinds have their shares.
func TestWorkloads(t *testing.T) {
	table := solve(t)
	workloads, err := NewWorkloads(table, Sizes{Connections: 2, Positions: 3000, Batch: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range workloads {
		seen, kinds := map[string]bool{}, map[Kind]int{}
		for _, q := range w.questions {
			kinds[q.kind]++
			for _, p := range q.positions {
				text := table.Rules().Format(p)
				if seen[text] {
					t.Errorf("%s asks %q twice", w.Name, text)
				}
				seen[text] = true
			}
		}
		if w.Name != "mix" {
			continue
		}
		for _, s := range shares {
			if got := kinds[s.kind] * 100 / len(w.questions); got < s.percent/2 || got > s.percent*2 {
				t.Errorf("%d %% of the mix are %s, want %d", got, s.kind, s.percent)
			}
		}
	}
}

// A question arrives as it was written, with the token.
func TestAsk(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %d %s %s %s", r.Method, r.RequestURI, r.ContentLength, r.Header.Get("Content-Type"), r.Header.Get("Authorization"), body)
	}))
	defer s.Close()
	a := newAsker(s.Listener.Addr().String(), "secret")
	defer a.close()
	batch := question{kind: Batch, method: "POST", target: "/v1/quixo/3/positions", media: "application/jsonl", body: []byte("one\ntwo\n")}
	single := question{kind: Position, method: "GET", target: "/v1/quixo/3/position?p=X..%2F..."}
	for range 2 { // nothing of one question is in the next one
		for q, want := range map[*question]string{
			&batch:  "POST /v1/quixo/3/positions 8 application/jsonl Bearer secret one\ntwo\n",
			&single: "GET /v1/quixo/3/position?p=X..%2F... 0  Bearer secret ",
		} {
			if got, err := a.ask(q); err != nil || string(got) != want {
				t.Errorf("%q, %v; want %q", got, err, want)
			}
		}
	}
}
