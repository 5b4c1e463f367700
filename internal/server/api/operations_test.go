package api_test

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
)

// operation is an operation of the API with requests for it.
type operation struct {
	// template is its path in the description, good an address with an answer.
	template, good string
	// body is sent by those that are sent one, as JSON or media.
	body, media string
	// missing is an address with the status 404, wrong one with 400; each is empty where
	// there is none.
	missing, wrong string
	// elsewhere is an address with 404 at a site without jobs.
	elsewhere string
	// dear is an address with 403 for those without the right to solve.
	dear string
	// site is where it is asked, if not at the usual one, and method what it is asked by, if
	// not GET or POST. done is the status of good, if not 200.
	site, verb string
	done       int
	// header are fields of all its requests.
	header []string
	// refused are bodies, or values of Authorization, with the statuses that they get.
	refused map[int]string
	// kept says that an answer can be kept, board that it is from a table.
	kept, board bool
}

const (
	start      = ".../.../..."
	quixo      = "/v1/quixo/3"
	otherQuixo = "/v1/quixo/4"
	uwapi      = "/uwapi/quixo/3x3"
	jobID      = "0123456789abcdef"
	reader     = "Bearer reader"
)

var solver = []string{"Authorization", "Bearer solver"}

var operations = []operation{
	{template: "/v1/games", good: "/v1/games", wrong: "/v1/games?x=1", kept: true},
	{template: "/v1/tables", good: "/v1/tables", wrong: "/v1/tables?x=1", kept: true},
	{template: "/v1/opponents", good: "/v1/opponents", wrong: "/v1/opponents?x=1", kept: true},
	{template: "/v1/plan", site: solving, good: "/v1/plan?game=quixo&size=4", missing: "/v1/plan?game=chess&size=4", wrong: "/v1/plan", dear: "/v1/plan?game=connect4-4x4&size=1"},
	{template: "/v1/jobs", site: solving, good: "/v1/jobs", wrong: "/v1/jobs?x=1", elsewhere: "/v1/jobs"},
	{
		template: "/v1/jobs", site: solving, header: solver, done: 202, good: "/v1/jobs", wrong: "/v1/jobs?x=1", elsewhere: "/v1/jobs",
		body: `{"game":"quixo","size":4}`, refused: map[int]string{403: reader, 409: `{"game":"quixo","size":3}`, 413: strings.Repeat(" ", 5000), 422: `{"game":"quixo","size":5}`},
	},
	{
		template: "/v1/rules", site: solving, header: solver, done: 201, good: "/v1/rules", wrong: "/v1/rules?x=1", elsewhere: "/v1/rules", media: "application/wasm",
		body: rules("take21"), refused: map[int]string{403: reader, 409: rules("connect4"), 413: strings.Repeat(" ", 256<<10+1), 422: "(module)"},
	},
	{template: "/v1/jobs/{id}", site: solving, good: "/v1/jobs/" + jobID, missing: "/v1/jobs/x", wrong: "/v1/jobs/x?x=1"},
	{
		template: "/v1/jobs/{id}", verb: http.MethodDelete, site: solving, header: solver, good: "/v1/jobs/" + jobID,
		missing: "/v1/jobs/x", wrong: "/v1/jobs/x?x=1", refused: map[int]string{403: reader},
	},
	{template: "/v1/{game}/{size}", good: quixo, missing: otherQuixo, wrong: quixo + "?after=a1", kept: true, board: true},
	{template: "/v1/{game}/{size}/position", good: quixo + "/position?p=" + start, missing: otherQuixo + "/position?p=x", wrong: quixo + "/position?p=Z", kept: true, board: true},
	{template: "/v1/{game}/{size}/positions", good: quixo + "/positions", body: `["` + start + `","Z"]`, missing: otherQuixo + "/positions", wrong: quixo + "/positions?x=1", board: true},
	{template: "/v1/{game}/{size}/line", good: quixo + "/line?max_plies=3&p=" + start, missing: otherQuixo + "/line?p=x", wrong: quixo + "/line", kept: true, board: true},
	{template: "/v1/{game}/{size}/move", good: quixo + "/move?seed=1&p=" + start, missing: otherQuixo + "/move?p=x", wrong: quixo + "/move?policy=x&p=" + start, kept: true, board: true},
	{template: "/v1/{game}/{size}/reply", good: quixo + "/reply?opponent=any&seed=1&p=" + start, missing: quixo + "/reply?opponent=none&p=" + start, wrong: quixo + "/reply?opponent=any&p=Z"},
	{template: "/v1/{game}/{size}/moves", good: quixo + "/moves?p=" + start, missing: "/v1/chess/8/moves?p=x", wrong: quixo + "/moves?p=Z", kept: true, board: true},
	{template: "/v1/{game}/{size}/playouts", good: quixo + "/playouts?seed=1&iterations=9&p=" + start, missing: "/v1/chess/8/playouts?p=x", wrong: quixo + "/playouts?iterations=0&p=" + start, kept: true},
	{template: "/v1/{game}/{size}/random", good: quixo + "/random?seed=1", missing: quixo + "/random?steps=60000", wrong: quixo + "/random?steps=x", kept: true, board: true},
	{template: "/v1/openapi.yaml", good: "/v1/openapi.yaml", kept: true},
	{template: "/healthz", good: "/healthz"},
	{template: "/readyz", good: "/readyz"},
	{template: "/metrics", good: "/metrics"},
	{template: "/uwapi", good: "/uwapi", kept: true},
	{template: "/uwapi/{game}", good: "/uwapi/quixo", missing: "/uwapi/chess", kept: true},
	{template: "/uwapi/{game}/{variant}", good: uwapi, missing: "/uwapi/quixo/4x4", kept: true, board: true},
	{template: "/uwapi/{game}/{variant}/positions", good: uwapi + "/positions?p=" + start, missing: "/uwapi/quixo/4x4/positions?p=x", wrong: uwapi + "/positions", kept: true, board: true},
	{template: "/uwapi/{game}/{variant}/instructions", good: uwapi + "/instructions", missing: "/uwapi/quixo/4x4/instructions", kept: true, board: true},
}

// rules returns a file of rules.
func rules(name string) string {
	text, err := os.ReadFile("../../../game/wasm/testdata/" + name + ".wasm")
	if err != nil {
		panic(err)
	}
	return string(text)
}

// open reports whether the operation is available to everyone at any time.
func (o *operation) open() bool {
	return !strings.HasPrefix(o.template, "/v1/") && !strings.HasPrefix(o.template, "/uwapi") || o.template == "/v1/openapi.yaml"
}

// method is the method of its requests.
func (o *operation) method() string {
	if o.body != "" {
		return http.MethodPost
	}
	return cmp.Or(o.verb, http.MethodGet)
}

// asked is a request for an operation to one of the sites, and the status wanted.
type asked struct {
	*operation
	site    string
	address string
	status  int
	// header are fields, name after value; Host is one of them.
	header []string
	body   string
}

// requests returns requests for all statuses of an operation except those that only a fault of
// the server causes.
func (o *operation) requests() (all []asked) {
	usual := cmp.Or(o.site, usual)
	add := func(status int, site, address string, header ...string) {
		if address != "" {
			all = append(all, asked{o, site, address, status, slices.Concat(o.header, header), o.body})
		}
	}
	add(cmp.Or(o.done, 200), usual, o.good)
	add(404, narrow, o.elsewhere)
	add(403, usual, o.dear, "Authorization", reader)
	for status, what := range o.refused {
		if what == reader {
			add(status, usual, o.good, "Authorization", what)
			continue
		}
		all = append(all, asked{o, usual, o.good, status, o.header, what})
	}
	if o.kept {
		add(304, usual, o.good, "If-None-Match", "*")
	}
	add(421, usual, o.good, "Host", "evil.example")
	if strings.Contains(o.template, "{") {
		add(307, usual, "/."+o.good)
	}
	add(400, usual, o.wrong)
	add(404, usual, o.missing)
	if !o.open() || o.template == "/metrics" {
		add(401, secret, o.good)
	}
	if !o.open() || o.template == "/readyz" {
		add(503, begun, o.good)
	}
	if !o.open() {
		add(414, usual, o.good+"?"+strings.Repeat("x", 9000))
		add(429, hurried, o.good)
	}
	if o.board {
		add(500, damaged, o.good)
	}
	if o.body != "" {
		if o.refused == nil {
			add(413, narrow, o.good)
		}
		add(415, usual, o.good, "Content-Type", "text/plain")
		add(408, hasty, o.good, "Content-Length", fmt.Sprint(len(o.body)+100))
	}
	return all
}

// faults are the statuses that only a fault of the server's own would bring.
func (o *operation) faults() string {
	if o.board {
		return "never"
	}
	return fmt.Sprint(http.StatusInternalServerError)
}
