package server

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"backsolve/game"
	"backsolve/partition"
	"backsolve/probe"
	"backsolve/probe/survey"
	"backsolve/server/api"
	"backsolve/server/catalog"
	"backsolve/tablebase"
)

// httpError is an error with an HTTP status.
type httpError struct {
	status int
	text   string
	// retryAfter is when it is worth trying again, 0 where it never is.
	retryAfter time.Duration
	// allow and challenge are the headers Allow and WWW-Authenticate, if any.
	allow, challenge string
}

func (e *httpError) Error() string { return e.text }

// parameterError says which parameter of a request an error is about.
type parameterError struct {
	name string
	err  error
}

func (e *parameterError) Error() string { return e.name + ": " + e.err.Error() }
func (e *parameterError) Unwrap() error { return e.err }

// boardError says which parameter is to blame where a board cannot be found.
func boardError(err error) error {
	if errors.Is(err, probe.ErrAfter) {
		return &parameterError{"after", err}
	}
	return err
}

// positionError says which parameter is to blame where a position has no answer.
func positionError(err error) error {
	var syntax *game.SyntaxError
	switch {
	case errors.As(err, &syntax), errors.Is(err, probe.ErrPosition):
		return &parameterError{"p", err}
	case errors.Is(err, probe.ErrBusy):
		return errThinking
	}
	return err
}

// otherTable says that a board's table is not the one that was asked for.
func otherTable(h catalog.Handle) error {
	return &httpError{status: http.StatusNotFound, text: fmt.Sprintf("the table of %v is another one, with the identity %s; GET /v1/tables lists the tables",
		h.Table().Board(), h.Identity())}
}

// noSteps says that a policy needs what only a table with steps knows.
func noSteps(h catalog.Handle, err error) error {
	t := h.Table()
	if t == nil {
		return &parameterError{"policy", fmt.Errorf("%w; the pairing that answers for this board knows none", err)}
	}
	return &parameterError{"policy", t.NoSteps()}
}

// statusOf returns the status that an error comes to. What nothing is known of is
// the server's own fault.
func statusOf(err error) int {
	var refused *httpError
	var missing *probe.MissingError
	var directory *catalog.DirError
	var parameter *parameterError
	switch {
	case errors.As(err, &refused):
		return refused.status
	case errors.As(err, &directory), errors.Is(err, context.Canceled):
		return http.StatusServiceUnavailable
	case errors.As(err, &missing), errors.Is(err, probe.ErrNoBoard), partition.HasNone(err),
		errors.Is(err, probe.ErrUnknown), errors.Is(err, survey.ErrNoSuchState):
		return http.StatusNotFound
	case errors.As(err, &parameter):
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

// ourTables is what clients are told instead of the name of a directory.
const ourTables = "the directory of the tables"

// forClients returns the sentence of an error as clients read it: it names no directories of this
// machine. The log has them.
func forClients(err error) string { return withoutPaths(err.Error(), err) }

// withoutPaths takes out of a text what it has of the directories in an error.
func withoutPaths(text string, err error) string {
	switch e := err.(type) {
	case *probe.MissingError:
		here := *e
		here.Dir = ourTables
		text = strings.ReplaceAll(text, e.Error(), here.Error())
	case *catalog.DirError:
		here := *e
		here.Dir = ourTables
		text = strings.ReplaceAll(text, e.Error(), here.Error())
	case *tablebase.Error:
		here := *e
		here.Path = filepath.Base(e.Path)
		text = strings.ReplaceAll(text, e.Error(), here.Error())
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		if cause := e.Unwrap(); cause != nil {
			text = withoutPaths(text, cause)
		}
	case interface{ Unwrap() []error }:
		for _, cause := range e.Unwrap() {
			text = withoutPaths(text, cause)
		}
	}
	return text
}

// describe returns what a client is told of an error: the members of RFC 9457, with
// no type but the status, and what else is known.
func describe(err error, status int) api.Error {
	text := forClients(err)
	e := api.Error{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: text, Error: text}
	if parameter, ok := errors.AsType[*parameterError](err); ok {
		e.Parameter = &parameter.name
	}
	if syntax, ok := errors.AsType[*game.SyntaxError](err); ok {
		e.Column = &syntax.Column
	}
	return e
}

// failIf answers a request with an error, if there is one.
func failIf(w http.ResponseWriter, err error) {
	if err != nil {
		fail(w, err)
	}
}

// fail answers a request with an error. It must not have been answered yet.
func fail(w http.ResponseWriter, err error) {
	h := w.Header()
	for _, name := range []string{"Etag", "Content-Length", "Content-Encoding"} {
		h.Del(name)
	}
	if refused, ok := errors.AsType[*httpError](err); ok {
		setIf(h, "Allow", refused.allow)
		setIf(h, "Www-Authenticate", refused.challenge)
		if refused.retryAfter > 0 {
			h.Set("Retry-After", strconv.Itoa(int(math.Ceil(refused.retryAfter.Seconds()))))
		}
	}
	status := statusOf(err)
	if status == http.StatusServiceUnavailable && h.Get("Retry-After") == "" {
		h.Set("Retry-After", "5")
	}
	body := describe(err, status)
	body.RequestId = h.Get(requestIDHeader)
	noteError(w, err)
	h["Cache-Control"] = noStore
	writeBody(w, status, problemType, mustMarshal(body))
}

func setIf(h http.Header, name, value string) {
	if value != "" {
		h.Set(name, value)
	}
}
