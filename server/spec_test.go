package server

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"backsolve/server/api"
	apiclient "backsolve/server/client"
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
	for _, media := range []string{linesMedia, ndjsonMedia, "application/yaml", "text/html"} {
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
	if r.header.Get(requestIDHeader) == "" || r.header.Get("Server") != "backsolve/devel" || r.header.Get("X-Content-Type-Options") != "nosniff" {
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

// The generated client asks the server and understands it.
func TestClient(t *testing.T) {
	s := start(t, nil)
	c, err := apiclient.NewClientWithResponses(s.url, apiclient.WithHTTPClient(s.client))
	if err != nil {
		t.Fatal(err)
	}
	after := "a1"
	good, err := c.GetPositionWithResponse(t.Context(), "notakto", 4, &apiclient.GetPositionParams{P: "..../..../..../X...", After: &after})
	if err != nil || good.JSON200 == nil || good.JSON200.Outcome != apiclient.Win || len(good.JSON200.Moves) != 15 {
		t.Errorf("%v, %+v", err, good)
	}
	bad, err := c.GetMoveWithResponse(t.Context(), "notakto", 3, &apiclient.GetMoveParams{P: "X"})
	if err != nil || bad.ApplicationproblemJSON400 == nil || bad.ApplicationproblemJSON400.Column == nil || *bad.ApplicationproblemJSON400.Parameter != "p" {
		t.Errorf("%v, %+v", err, bad)
	}
	batch, err := c.PostPositionsWithResponse(t.Context(), "quixo", 2, nil, []string{"../..", "X"})
	if err != nil || batch.JSON200 == nil || len(*batch.JSON200) != 2 {
		t.Fatalf("%v, %+v", err, batch)
	}
	if unanswered, err := (*batch.JSON200)[1].AsBatchError(); err != nil || unanswered.Line != 2 {
		t.Errorf("%v, %+v", err, unanswered)
	}
}
