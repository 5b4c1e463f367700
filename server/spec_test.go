package server

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"backsolve/bitboard"
	"backsolve/server/api"
	asking "backsolve/server/client"
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

// checkReply checks an answer against the description of the API: as that of its
// operation where it has one, as an error wherever it is one.
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

// The parameters that are let through are those of the description, each of which
// has words for what it must be.
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

// The client asks the server all that the description has, and understands it.
func TestClient(t *testing.T) {
	opponents, err := NewOpponents([]string{"any=random"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	queue := queueOf(t)
	s := start(t, func(o *Options) { o.Opponents, o.Jobs, o.Tokens = opponents, queue, tokensOf(t, "secret solve") })
	var asked []string
	id := "none"
	c := &asking.Client{Address: s.url + "/", Token: "secret", HTTP: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		path := strings.NewReplacer("/jobs/"+id, "/jobs/{id}", "/notakto/4", "/{game}/{size}", "/notakto/3", "/{game}/{size}", "/quixo/2", "/{game}/{size}").Replace(r.URL.Path)
		asked = append(asked, r.Method+" "+path)
		return s.client.Transport.RoundTrip(r)
	})}}
	ctx, after, start := t.Context(), "a1", ".../.../..."

	games, err := c.Games(ctx)
	if err != nil || len(games.Games) == 0 {
		t.Errorf("%v, %+v", err, games)
	}
	if tables, err := c.Tables(ctx); err != nil || len(tables.Tables) == 0 {
		t.Errorf("%v, %+v", err, tables)
	}
	if opponents, err := c.Opponents(ctx); err != nil || len(opponents.Opponents) != 1 {
		t.Errorf("%v, %+v", err, opponents)
	}
	if table, err := c.Table(ctx, "notakto", 3, api.GetTableParams{}); err != nil || table.Total.States != 512 {
		t.Errorf("%v, %+v", err, table)
	}
	good, err := c.Position(ctx, "notakto", 4, api.GetPositionParams{P: "..../..../..../X...", After: &after})
	if err != nil || good.Outcome != api.Win || len(good.Moves) != 15 {
		t.Errorf("%v, %+v", err, good)
	}
	plies := 2
	if line, err := c.Line(ctx, "notakto", 3, api.GetLineParams{P: start, MaxPlies: &plies}); err != nil || len(line.Line.Plies) != plies {
		t.Errorf("%v, %+v", err, line)
	}
	seed, blunder := int64(7), 0.5
	if move, err := c.Move(ctx, "notakto", 3, api.GetMoveParams{P: start, Seed: &seed, Blunder: &blunder}); err != nil || move.Seed != seed || move.Blunder != blunder {
		t.Errorf("%v, %+v", err, move)
	}
	if moves, err := c.Moves(ctx, "notakto", 3, api.GetMovesParams{P: start}); err != nil || len(moves.Moves) != 9 {
		t.Errorf("%v, %+v", err, moves)
	}
	if reply, err := c.Reply(ctx, "notakto", 3, api.GetReplyParams{P: start, Opponent: "any", Seed: &seed}); err != nil || reply.Move == "" {
		t.Errorf("%v, %+v", err, reply)
	}
	if playouts, err := c.Playouts(ctx, "notakto", 3, api.GetPlayoutsParams{P: start, Iterations: &plies}); err != nil || playouts.Move.Move == "" {
		t.Errorf("%v, %+v", err, playouts)
	}
	lost := api.Lose
	if random, err := c.Random(ctx, "quixo", 2, api.GetRandomParams{Outcome: &lost}); err != nil || random.Outcome != lost {
		t.Errorf("%v, %+v", err, random)
	}
	batch, err := c.Positions(ctx, "quixo", 2, []string{"../..", "X"}, api.PostPositionsParams{})
	if err != nil || len(batch) != 2 {
		t.Fatalf("%v, %+v", err, batch)
	}
	if unanswered, err := batch[1].AsBatchError(); err != nil || unanswered.Line != 2 {
		t.Errorf("%v, %+v", err, unanswered)
	}
	steps := true
	if plan, err := c.Plan(ctx, api.GetPlanParams{Game: "quixo", Size: 4, HasSteps: &steps}); err != nil || plan.States != 7 || !plan.HasSteps {
		t.Errorf("%v, %+v", err, plan)
	}
	if plan, err := c.Plan(ctx, api.GetPlanParams{Game: "quixo", Size: bitboard.Sized(4, 5, 3, 0)}); err != nil || plan.Size.String() != "4x5,three" {
		t.Errorf("%v, %+v", err, plan)
	}
	if moves, err := c.Moves(ctx, "quixo", bitboard.Sized(2, 3, 0, bitboard.BothDraw), api.GetMovesParams{P: ".../..."}); err != nil || moves.Size.String() != "2x3,both-draw" {
		t.Errorf("%v, %+v", err, moves)
	}
	job, err := c.Solve(ctx, api.JobRequest{Game: "quixo", Size: 4})
	if err != nil || job.State != api.JobStateQueued {
		t.Fatalf("%v, %+v", err, job)
	}
	id = job.Id
	if list, err := c.Jobs(ctx); err != nil || len(list.Jobs) != 1 {
		t.Errorf("%v, %+v", err, list)
	}
	if job, err := c.Job(ctx, id); err != nil || job.Id != id {
		t.Errorf("%v, %+v", err, job)
	}
	if job, err := c.Stop(ctx, id); err != nil || job.State != api.JobStateStopped {
		t.Errorf("%v, %+v", err, job)
	}
	for path, item := range description().doc.Paths.Map() {
		for method, operation := range item.Operations() {
			if tag := operation.Tags[0]; tag != "server" && tag != "uwapi" && !slices.Contains(asked, method+" "+path) {
				t.Errorf("%s %s is not asked", method, path)
			}
		}
	}

	var bad *asking.Error
	_, err = c.Move(ctx, "notakto", 3, api.GetMoveParams{P: "X"})
	if !errors.As(err, &bad) || bad.Status != http.StatusBadRequest || bad.Problem.Column == nil || *bad.Problem.Parameter != "p" || err.Error() != bad.Problem.Detail {
		t.Errorf("%v", err)
	}
	if _, err = c.Table(ctx, "a/../b", 3, api.GetTableParams{}); !errors.As(err, &bad) || bad.Status != http.StatusNotFound {
		t.Errorf("%v", err)
	}
}

// A token is sent, and an answer of something else than a tbserve is an error with its status.
func TestClientElsewhere(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer secret" {
			io.WriteString(w, "<html>")
			return
		}
		http.Error(w, "no", http.StatusTeapot)
	}))
	defer elsewhere.Close()
	_, err := (&asking.Client{Address: elsewhere.URL}).Games(t.Context())
	var status *asking.Error
	if !errors.As(err, &status) || status.Status != http.StatusTeapot || err.Error() != "the server answers 418 I'm a teapot" {
		t.Errorf("%v", err)
	}
	if _, err := (&asking.Client{Address: elsewhere.URL, Token: "secret"}).Games(t.Context()); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("%v", err)
	}
}

type transport func(r *http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
