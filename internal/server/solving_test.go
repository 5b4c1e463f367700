package server

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"backsolve/game/games"
	"backsolve/internal/server/api"
	"backsolve/internal/server/jobs"
)

// solver stands in for tbsolve: it ends once the file end exists.
const solver = `#!/bin/sh
memory=1000
if [ "$2" = 5 ]; then memory=99999999999; fi
case "$1" in *.wasm) if tr -d '\0' <"$1" | grep -q wrong-1; then echo 'error: at 9: expand does not end' >&2; exit 6; fi;; esac
case "$*" in dobutsu*--plan*) until [ -e end ]; do sleep 0.01; done;; esac
case "$*" in *--plan*) echo "{\"stored_states\":7,\"memory_bytes\":$memory,\"disk_bytes\":9,\"seconds\":1}"; exit;; esac
trap 'exit 143' TERM
i=0
until [ -e end ]; do
	i=$((i+1))
	echo "{\"at\":\"class 3\",\"unit\":\"states\",\"done\":$i,\"total\":100,\"per_second\":2,\"seconds_left\":null}" >&2
	sleep 0.05
done
`

var takeRules = readRules("take21")

func readRules(name string) string {
	text, err := os.ReadFile("../../game/wasm/testdata/" + name + ".wasm")
	if err != nil {
		panic(err)
	}
	return string(text)
}

// renamed returns take-21 under another name of as many letters, of two bytes each in AssemblyScript.
func renamed(name string) string {
	wide := func(text string) string { return strings.Join(strings.Split(text+"\x00", ""), "\x00")[:2*len(text)] }
	return strings.Replace(takeRules, wide(`"take-21"`), wide(`"`+name+`"`), 1)
}

// queueOf returns a queue in a new directory.
func queueOf(t *testing.T) *jobs.Queue {
	t.Helper()
	return queueIn(t, t.TempDir())
}

func queueIn(t *testing.T, dir string) *jobs.Queue {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the solver of the tests is a shell script")
	}
	file := filepath.Join(dir, "solver")
	if err := os.WriteFile(file, []byte(solver), 0o755); err != nil {
		t.Fatal(err)
	}
	q, err := jobs.Open(jobs.Options{Dir: dir, Solver: file, Memory: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

const quixo4 = `{"game":"quixo","size":4}`

// Only a token with the right to solve starts and stops jobs. Others may look at them if they may ask at all.
func TestJobsNeedARight(t *testing.T) {
	t.Parallel()
	q := queueOf(t)
	for tokens, wants := range map[string]map[string]int{
		"":                     {"": 403, "any": 403},
		"solver solve\nreader": {"": 401, "any": 401, "reader": 403, "solver": 202},
		"solver solve\n*":      {"": 401, "any": 401, "solver": 202},
	} {
		s := start(t, func(o *Options) {
			o.Jobs = q
			if tokens != "" {
				o.Tokens = tokensOf(t, tokens)
			}
		})
		for token, want := range wants {
			var header []string
			if token != "" {
				header = []string{"Authorization", "Bearer " + token}
			}
			r := s.post("/v1/jobs", "application/json", quixo4, header...)
			r.want(t, want)
			read := 200
			if want == 401 && !(token == "" && strings.Contains(tokens, "*")) {
				read = 401
			}
			s.do(http.MethodGet, "/v1/jobs", "", header...).want(t, read)
			if want == http.StatusAccepted {
				s.do(http.MethodDelete, r.header.Get("Location"), "", header...).want(t, 200, `"state":"stopped"`)
			} else {
				s.do(http.MethodDelete, "/v1/jobs/x", "", header...).want(t, want)
			}
		}
	}
	for _, j := range q.List() {
		if j.State != api.JobStateStopped {
			t.Errorf("%+v", j)
		}
	}
}

// A request for a job that cannot be one is refused with the reason, and queues nothing.
func TestJobsAreRefused(t *testing.T) {
	t.Parallel()
	q := queueOf(t)
	s := start(t, func(o *Options) { o.Jobs, o.Tokens = q, tokensOf(t, "secret solve") })
	ask := func(contentType, body string) reply {
		t.Helper()
		return s.post("/v1/jobs", contentType, body, "Authorization", "Bearer secret")
	}
	for body, want := range map[string]struct {
		status int
		says   string
	}{
		`{"game":"quixo","size":5}`:                      {422, "93 GiB of memory"},
		`{"game":"quixo","size":3}`:                      {409, "GET /v1/quixo/3 describes it"},
		`{"game":"quixo","size":3,"has_steps":true}`:     {409, "the table of quixo 3×3 exists"},
		`{"game":"quixo","size":9}`:                      {404, "there is no quixo board of size 9"},
		`{"game":"--help","size":4}`:                     {404, "there is no game"},
		`{"game":"nim","size":3}`:                        {404, "formula"},
		`{"game":"quixo","size":"4; rm -rf /"}`:          {400, "the body is not a job"},
		`{"game":"quixo","size":4,"command":"x"}`:        {400, "unknown field"},
		`{"game":"quixo","size":4,"after":"--force"}`:    {400, "after: "},
		`{"game":"connect4-4x4","size":1,"packed":true}`: {400, "packed: "},
		quixo4 + quixo4:                                  {400, "something follows"},
		`{"game":"quixo","size":4,"size":5}`:             {400, "\\\"size\\\" is given twice"},
		`{"game":"quixo","SIZE":5,"size":4}`:             {400, "is given twice"},
		`{`:                                              {400, "the body is not a job"},
		`{"game":"` + strings.Repeat("x", 5000) + `"`:    {413, "4096 bytes"},
	} {
		ask("application/json", body).want(t, want.status, want.says)
	}
	ask("text/plain", quixo4).want(t, 415, "application/json")
	if list := q.List(); len(list) > 0 {
		t.Errorf("%+v", list)
	}
	r := ask("application/json", `{"game":"notakto","size":4,"has_steps":true}`) // whose table has none
	r.want(t, 202, `"state":"queued"`)
	if again := ask("application/json", `{"game":"notakto","size":4,"has_steps":true}`); again.header.Get("Location") != r.header.Get("Location") {
		t.Errorf("%s is queued again as %s", r.header.Get("Location"), again.header.Get("Location"))
	}
	start(t, func(o *Options) { o.Tokens = tokensOf(t, "secret solve") }).
		post("/v1/jobs", "application/json", quixo4, "Authorization", "Bearer secret").want(t, 404, "does not solve boards")
}

// A rules file makes a game once its solver has planned it. Invalid rules, or rules of another
// game with the same name, leave nothing behind.
func TestRules(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	q := queueIn(t, dir)
	s := start(t, func(o *Options) { o.Jobs, o.Tokens = q, tokensOf(t, "secret solve\nreader\n*") })
	post := func(body, media string) reply {
		return s.post("/v1/rules", media, body, "Authorization", "Bearer secret")
	}
	const wasm = "application/wasm"
	start(t, func(o *Options) { o.Tokens = tokensOf(t, "secret solve") }).
		post("/v1/rules", wasm, takeRules, "Authorization", "Bearer secret").want(t, 404, "does not solve boards")
	s.post("/v1/rules", wasm, takeRules).want(t, 401, "requires a token")
	s.post("/v1/rules", wasm, takeRules, "Authorization", "Bearer reader").want(t, 403, "the right to solve")
	post(takeRules, "text/plain").want(t, 415, wasm)
	post("(module)", wasm).want(t, 422, "it is not WebAssembly")
	post(takeRules[:1000], wasm).want(t, 422, "this is not a file of rules")
	post(takeRules+strings.Repeat("x", 256<<10), wasm).want(t, 413, "262144 bytes")
	post(renamed("notakto"), wasm).want(t, 409, "another game has this name")
	post(renamed("chomp-x"), wasm).want(t, 201)
	post(readRules("connect4"), wasm).want(t, 409)
	post(renamed("../take"), wasm).want(t, 422, "the name")
	tables := jobs.TablesDir(dir)
	if err := os.WriteFile(filepath.Join(tables, "take-20.tb.zst"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	post(renamed("take-20"), wasm).want(t, 409)
	post(renamed("wrong-1"), wasm).want(t, 422, "at 9: expand does not end")

	for range 2 { // the second time it is there
		if r := post(takeRules, wasm); r.header.Get("Location") != "/v1/take-21/1" {
			t.Errorf("%d %s", r.status, r.body)
		}
	}
	post(strings.Replace(renamed("jobs   "), "s\x00 \x00 \x00 \x00\"\x00", "s\x00\"\x00 \x00 \x00 \x00", 1), wasm).want(t, 409, "rename yours")
	post(strings.Replace(takeRules, "T\x00a\x00k\x00e\x00 ", "B\x00a\x00k\x00e\x00 ", 1), wasm).want(t, 409)
	s.want(200, "/v1/take-21/1/moves?p=18", `"move":"17"`)
	s.post("/v1/jobs", "application/json", `{"game":"take-21","size":1}`, "Authorization", "Bearer secret").want(t, 202, `"game":"take-21"`)

	// Rules that show to be wrong later are an answer.
	if _, err := games.AddRules(strings.NewReader(readRules("endless")), "heap-9", ""); err != nil {
		t.Fatal(err)
	}
	s.want(500, "/v1/heap-9/1/moves?p=9", `"error":"at 9: the rules are wrong: expand does not end`)
	s.post("/v1/heap-9/1/positions", "application/json", `["9","9","8"]`)
	s.want(200, "/v1/games", `"name":"heap-9"`)
	files, err := filepath.Glob(filepath.Join(tables, "*"))
	if err != nil || len(files) != 3 { // take-21, chomp-x and the table
		t.Errorf("%v, %v", files, err)
	}
	if has, err := os.ReadFile(filepath.Join(tables, "take-21.tb.wasm")); string(has) != takeRules {
		t.Errorf("%d bytes, %v", len(has), err)
	}
}

// Plans by samples need the right to solve; once made, they are for everyone.
func TestDearPlans(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	q := queueIn(t, dir)
	s := start(t, func(o *Options) { o.Jobs, o.Tokens = q, tokensOf(t, "secret solve\nreader\n*") })
	const dear = "/v1/plan?game=dobutsu&size=1"
	s.want(403, dear, "the right to solve")
	s.get(dear, "Authorization", "Bearer reader").want(t, 403)
	ctx, leave := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+dear, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer secret")
	time.AfterFunc(100*time.Millisecond, leave)
	if _, err := s.client.Do(req); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	s.wantLeft()
	if err := os.WriteFile(filepath.Join(dir, "end"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s.get(dear, "Authorization", "Bearer secret").want(t, 200, `"stored_states":7`)
	s.want(200, dear, `"stored_states":7`)
}

// A board that is not square or has a variant is planned and solved as it is written.
func TestJobsOfAnyShape(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *Options) { o.Jobs, o.Tokens = queueOf(t), tokensOf(t, "secret solve\n*") })
	for _, size := range []string{"4x5", "5x5,four", "4x5,three,both-draw"} {
		s.want(200, "/v1/plan?game=quixo&size="+size, `"size":"`+size+`"`)
		s.post("/v1/jobs", "application/json", `{"game":"quixo","size":"`+size+`"}`, "Authorization", "Bearer secret").want(t, 202, `"size":"`+size+`"`)
	}
	s.want(200, "/v1/plan?game=tictactoe&size=6", `"why":"`, `"possible":false`) // no table can have it
	for _, size := range []string{"", "4x", "x", "4x5,", "16777300"} {           // the last is how a program keeps a size
		s.want(400, "/v1/plan?game=quixo&size="+size, "must be the rows of the board")
	}
}

// A stream sends the job at each change until it ends, longer than requests may take, and
// compressed like any answer. It ends when the server stops.
func TestJobEvents(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	q := queueIn(t, dir)
	s := startDraining(t, makeTables(t), 10*time.Second, func(o *Options) {
		o.Jobs, o.Tokens = q, tokensOf(t, "secret solve\n*")
		o.Read, o.Write = 200*time.Millisecond, 200*time.Millisecond
	})
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { q.Run(ctx) })
	defer running.Wait()
	defer stop()
	add := func(steps bool) string { // itself, as a plan may take longer than a request here
		t.Helper()
		j, err := q.Add(t.Context(), api.JobRequest{Game: "quixo", Size: 4, HasSteps: &steps})
		if err != nil {
			t.Fatal(err)
		}
		return "/v1/jobs/" + j.Id
	}
	where := add(false)
	open := func() (*bufio.Scanner, io.Closer) {
		t.Helper()
		req, err := http.NewRequest(http.MethodGet, s.url+where, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", eventMedia)
		resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req) // which unpacks gzip
		if err != nil || resp.Header.Get("Content-Type") != eventMedia || resp.Header.Get("Cache-Control") != "no-store" {
			t.Fatalf("%v, %+v", err, resp)
		}
		return bufio.NewScanner(resp.Body), resp.Body
	}
	events, body := open()
	defer body.Close()
	next := func() (j api.Job, ok bool) {
		t.Helper()
		for events.Scan() {
			if text, ok := strings.CutPrefix(events.Text(), "data: "); ok {
				if err := json.Unmarshal([]byte(text), &j); err != nil {
					t.Fatal(err)
				}
				return j, true
			}
		}
		return j, false
	}
	began := time.Now()
	var j api.Job
	for time.Since(began) < 500*time.Millisecond || j.Progress == nil {
		ok := false
		if j, ok = next(); !ok {
			t.Fatalf("the stream ends after %v with %+v: %v", time.Since(began), j, events.Err())
		}
	}
	if j.State != api.JobStateRunning || j.Progress.At != "class 3" {
		t.Errorf("%+v", j)
	}
	other, otherBody := open()
	defer otherBody.Close()
	if err := os.WriteFile(filepath.Join(dir, "end"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for {
		now, ok := next()
		if !ok {
			break
		}
		j = now
	}
	if j.State != api.JobStateDone || events.Err() != nil {
		t.Errorf("%v, %+v", events.Err(), j)
	}
	for other.Scan() {
	}
	s.get(where).want(t, 200, `"state":"done"`)
	s.get("/v1/jobs/none", "Accept", eventMedia).want(t, 404, "there is no such job")

	// A job that waits has no changes.
	os.Remove(filepath.Join(dir, "end"))
	stop()
	running.Wait()
	where = add(true)
	events, body = open()
	defer body.Close()
	if j, _ := next(); j.State != api.JobStateQueued {
		t.Errorf("%+v", j)
	}
	s.stop()
	if _, ok := next(); ok || events.Err() != nil {
		t.Errorf("the stream goes on after the server's end: %v", events.Err())
	}
}
