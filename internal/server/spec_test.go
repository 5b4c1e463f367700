package server

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"backsolve/internal/server/api"
)

// spec is the description of the API with what finds its operations.
type spec struct {
	doc    *openapi3.T
	router routers.Router
}

// description reads openapi.yaml, once.
var description = sync.OnceValue(func() spec {
	doc, err := openapi3.NewLoader().LoadFromData(api.Spec)
	if err != nil {
		panic(err)
	}
	router, err := legacy.NewRouter(doc)
	if err != nil {
		panic(err)
	}
	for _, media := range []string{linesMedia, ndjsonMedia, eventMedia, "application/yaml", "text/html"} {
		openapi3filter.RegisterBodyDecoder(media, func(body io.Reader, _ http.Header, _ *openapi3.SchemaRef, _ openapi3filter.EncodingFn) (any, error) {
			text, err := io.ReadAll(body)
			return string(text), err
		})
	}
	return spec{doc, router}
})

// checkReply checks an answer against the API's description: as an answer of its operation if
// there is one, otherwise as an error.
func checkReply(t testing.TB, req *http.Request, r reply) {
	t.Helper()
	d := description()
	// JSON has no headers that its clients do not need.
	asJSON, id := r.header.Get("Content-Type") == "application/json", r.status >= 400 || req.Header.Get(requestIDHeader) != ""
	plain := r.status/100 == 3 || r.status == http.StatusNoContent || req.URL.Path == "/metrics" || r.header.Get("Content-Type") == "" || asJSON && r.header.Get("Content-Length") != ""
	if (r.header.Get(requestIDHeader) != "") != id || (r.header.Get("Server") != "") != (req.URL.Path == "/healthz" && r.status < 400) || !plain && r.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%s: headers %v", req.URL, r.header)
	}
	if r.status >= 400 && req.Method != http.MethodHead {
		d.checkProblem(t, r)
		if got := r.header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: an error may be kept: %q", req.URL, got)
		}
	}
	// Only the path decides; the query may be one that is refused.
	route, params, err := d.router.FindRoute(&http.Request{Method: req.Method, URL: &url.URL{Path: req.URL.Path}})
	if err != nil || r.header.Get("Content-Encoding") != "" {
		return
	}
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: req, Route: route, PathParams: params},
		Status:                 r.status, Header: r.header, Options: &openapi3filter.Options{IncludeResponseStatus: true},
	}
	input.SetBodyBytes([]byte(r.body))
	if err := openapi3filter.ValidateResponse(context.Background(), input); err != nil {
		t.Errorf("%s %s: the answer is none of the API's: %v", req.Method, req.URL, err)
	}
	if media := r.header.Get("Content-Type"); media == linesMedia || media == ndjsonMedia {
		for line := range strings.Lines(r.body) {
			d.checkSchema(t, "BatchItem", line)
		}
	}
}

// checkProblem checks an error against its schema, and that its members agree.
func (d spec) checkProblem(t testing.TB, r reply) {
	t.Helper()
	d.checkSchema(t, "Error", r.body)
	var e api.Error
	if err := json.Unmarshal([]byte(r.body), &e); err != nil || e.Status != r.status || e.Title != http.StatusText(r.status) ||
		e.Detail != e.Error || e.RequestId != r.header.Get(requestIDHeader) || r.header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("%v, status %d with %v and %+v", err, r.status, r.header, e)
	}
}

// checkSchema checks JSON against a schema of the description.
func (d spec) checkSchema(t testing.TB, name, text string) {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Errorf("%.300q is no JSON: %v", text, err)
	} else if err := d.doc.Components.Schemas[name].Value.VisitJSON(v); err != nil {
		t.Errorf("%.300q is no %s: %v", text, name, err)
	}
}

// The accepted parameters are the described ones, and each has words for what it must be.
func TestParametersAreThoseOfTheDescription(t *testing.T) {
	described := map[string][]string{}
	for path, item := range description().doc.Paths.Map() {
		for method, operation := range item.Operations() {
			if slices.Contains([]string{"server", "uwapi"}, operation.Tags[0]) {
				continue // whose parameters nobody refuses
			}
			names := []string{}
			for _, p := range operation.Parameters {
				if _, found := kinds[p.Value.Name]; !found {
					t.Errorf("no words for %s", p.Value.Name)
				}
				if p.Value.In == "query" {
					names = append(names, p.Value.Name)
				}
			}
			described[method+" "+path] = names
		}
	}
	for pattern, names := range queryParameters {
		if !slices.Equal(slices.Sorted(slices.Values(names)), slices.Sorted(slices.Values(described[pattern]))) {
			t.Errorf("%s: %v, described are %v", pattern, names, described[pattern])
		}
	}
	if got, want := slices.Sorted(maps.Keys(queryParameters)), slices.Sorted(maps.Keys(described)); !slices.Equal(got, want) {
		t.Errorf("operations %v, described are %v", got, want)
	}
}

func TestDescriptionIsValidAndServed(t *testing.T) {
	if err := description().doc.Validate(context.Background()); err != nil {
		t.Error(err)
	}
	r := start(t, nil).want(http.StatusOK, "/v1/openapi.yaml")
	if r.body != string(api.Spec) || r.header.Get("Content-Type") != "application/yaml" {
		t.Errorf("%v with %d bytes", r.header, len(r.body))
	}
}

// operations has requests for every described operation, and what their answers contain.
var operations = []struct {
	request, body string
	texts         []string
}{
	{"GET /v1/games", "", []string{`"games":[{`}},
	{"GET /v1/tables", "", []string{`"tables":[{`}},
	{"GET /v1/opponents", "", []string{`"name":"any"`}},
	{"GET /v1/notakto/3", "", []string{`"states":512`}},
	{"GET /v1/notakto/4/position?p=..../..../..../X...&after=a1", "", []string{`"outcome":"win"`}},
	{"GET /v1/notakto/3/line?p=.../.../...&max_plies=2", "", []string{`"plies":[{`}},
	{"GET /v1/notakto/3/move?p=.../.../...&seed=7&blunder=0.5", "", []string{`"seed":7`, `"blunder":0.5`}},
	{"GET /v1/notakto/3/moves?p=.../.../...", "", []string{`"moves":[{`}},
	{"GET /v1/quixo/2x3,both-draw/moves?p=.../...", "", []string{`"size":"2x3,both-draw"`}},
	{"GET /v1/notakto/3/reply?p=.../.../...&opponent=any&seed=7", "", []string{`"move":"`}},
	{"GET /v1/notakto/3/playouts?p=.../.../...&iterations=2", "", []string{`"move":`}},
	{"GET /v1/quixo/2/random?outcome=lose", "", []string{`"outcome":"lose"`}},
	{"POST /v1/quixo/2/positions", `["../..","X"]`, []string{`"line":2`}},
	{"GET /v1/plan?game=quixo&size=4&has_steps=true", "", []string{`"stored_states":7`, `"has_steps":true`}},
	{"GET /v1/plan?game=quixo&size=4x5,three", "", []string{`"size":"4x5,three"`}},
	{"POST /v1/rules", takeRules, []string{`"name":"take-21"`}},
	{"POST /v1/jobs", `{"game":"quixo","size":4}`, []string{`"state":"queued"`}},
	{"GET /v1/jobs", "", []string{`"jobs":[{`}},
	{"GET /v1/jobs/{id}", "", []string{`"state":"queued"`}},
	{"DELETE /v1/jobs/{id}", "", []string{`"state":"stopped"`}},
}

// Every operation of the description answers as described: do checks each answer.
func TestEveryOperation(t *testing.T) {
	opponents, err := NewOpponents([]string{"any=random"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	queue := queueOf(t)
	s := start(t, func(o *Options) { o.Opponents, o.Jobs, o.Tokens = opponents, queue, tokensOf(t, "secret solve") })
	id := ""
	asked := map[string]bool{}
	board := regexp.MustCompile(`^/v1/(notakto|quixo)/[0-9a-z,-]+`)
	for _, c := range operations {
		method, path, _ := strings.Cut(c.request, " ")
		headers := []string{"Authorization", "Bearer secret"}
		switch c.body {
		case "":
		case takeRules:
			headers = append(headers, "Content-Type", "application/wasm")
		default:
			headers = append(headers, "Content-Type", "application/json")
		}
		r := s.do(method, strings.Replace(path, "{id}", id, 1), c.body, headers...)
		if r.status/100 != 2 {
			t.Errorf("%s: %d %s", c.request, r.status, r.body)
		}
		for _, text := range c.texts {
			if !strings.Contains(r.body, text) {
				t.Errorf("%s: no %s in %s", c.request, text, r.body)
			}
		}
		if c.request == "POST /v1/jobs" {
			var job api.Job
			if err := json.Unmarshal([]byte(r.body), &job); err != nil {
				t.Fatal(err)
			}
			id = job.Id
		}
		path, _, _ = strings.Cut(path, "?")
		asked[method+" "+board.ReplaceAllString(path, "/v1/{game}/{size}")] = true
	}
	var clients sync.WaitGroup
	for range 4 { // at once, for the race detector
		clients.Go(func() {
			for _, c := range operations {
				path, reads := strings.CutPrefix(c.request, "GET ")
				if !reads || strings.Contains(path, "{id}") {
					continue
				}
				req, err := http.NewRequest(http.MethodGet, s.url+path, nil)
				if err != nil {
					t.Error(err)
					return
				}
				req.Header.Set("Authorization", "Bearer secret")
				resp, err := s.client.Do(req)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode/100 != 2 {
					t.Errorf("%s beside other clients: %s, %v", c.request, resp.Status, err)
				}
				resp.Body.Close()
			}
		})
	}
	clients.Wait()
	for path, item := range description().doc.Paths.Map() {
		for method, operation := range item.Operations() {
			if tag := operation.Tags[0]; tag != "server" && tag != "uwapi" && !asked[method+" "+path] {
				t.Errorf("%s %s is not asked", method, path)
			}
		}
	}
}
