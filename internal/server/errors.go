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
	"backsolve/internal/probe"
	"backsolve/internal/probe/survey"
	"backsolve/internal/server/api"
	"backsolve/internal/server/catalog"
	"backsolve/partition"
	"backsolve/tablebase"
)

type httpError struct {
	status           int
	text             string
	retryAfter       time.Duration // the header Retry-After, 0 for none
	allow, challenge string        // the headers Allow and WWW-Authenticate, "" for none
}

func (e *httpError) Error() string { return e.text }

func refusal(status int, format string, args ...any) *httpError {
	return &httpError{status: status, text: fmt.Sprintf(format, args...)}
}

func unavailable(retryAfter time.Duration, text string) *httpError {
	return &httpError{status: http.StatusServiceUnavailable, retryAfter: retryAfter, text: text}
}

type parameterError struct {
	name string
	err  error
}

func (e *parameterError) Error() string { return e.name + ": " + e.err.Error() }
func (e *parameterError) Unwrap() error { return e.err }

func boardError(err error) error {
	if errors.Is(err, probe.ErrAfter) {
		return &parameterError{"after", err}
	}
	return err
}

func positionError(err error) error {
	switch {
	case errors.As(err, new(*game.SyntaxError)), errors.As(err, new(*game.IllegalMoveError)), errors.Is(err, probe.ErrPosition):
		return &parameterError{"p", err}
	case errors.Is(err, probe.ErrBusy):
		return errThinking
	}
	return err
}

func statusOf(err error) int {
	var refused *httpError
	switch {
	case errors.As(err, &refused):
		return refused.status
	case errors.As(err, new(*catalog.DirError)), errors.Is(err, context.Canceled):
		return http.StatusServiceUnavailable
	case errors.As(err, new(*probe.MissingError)), errors.Is(err, probe.ErrNoBoard), partition.HasNone(err),
		errors.Is(err, probe.ErrUnknown), errors.Is(err, survey.ErrNoSuchState):
		return http.StatusNotFound
	case errors.As(err, new(*parameterError)):
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

const ourTables = "the directory of the tables"

// forClients returns the text of an error without this machine's directories; only the log has those.
func forClients(err error) string { return withoutPaths(err.Error(), err) }

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

// describe returns the problem document (RFC 9457) of an error.
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

func failIf(w http.ResponseWriter, err error) {
	if err != nil {
		fail(w, err)
	}
}

// fail sends an error. Nothing may be sent yet.
func fail(w http.ResponseWriter, err error) {
	h := w.Header()
	for _, name := range []string{"Etag", "Content-Length", "Content-Encoding"} {
		h.Del(name)
	}
	if refused, ok := errors.AsType[*httpError](err); ok {
		if refused.allow != "" {
			h.Set("Allow", refused.allow)
		}
		if refused.challenge != "" {
			h.Set("Www-Authenticate", refused.challenge)
		}
		if refused.retryAfter > 0 {
			h.Set("Retry-After", strconv.Itoa(int(math.Ceil(refused.retryAfter.Seconds()))))
		}
	}
	status := statusOf(err)
	if status == http.StatusServiceUnavailable && h.Get("Retry-After") == "" {
		h.Set("Retry-After", "5")
	}
	if h[requestIDHeader] == nil {
		h[requestIDHeader] = []string{requestID(nil)}
	}
	body := describe(err, status)
	body.RequestId = h.Get(requestIDHeader)
	noteError(w, err)
	h["Cache-Control"] = noStore
	writeBody(w, status, problemType, mustMarshal(body))
}
