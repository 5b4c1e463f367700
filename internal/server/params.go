package server

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"backsolve/internal/server/api"
)

const positionPattern = "GET /v1/{game}/{size}/position"

var queryParameters = map[string][]string{
	"GET /v1/games":                    nil,
	"GET /v1/tables":                   nil,
	"GET /v1/opponents":                nil,
	"GET /v1/plan":                     {"game", "size", "has_steps", "after", "packed"},
	"POST /v1/rules":                   nil,
	"GET /v1/jobs":                     nil,
	"POST /v1/jobs":                    nil,
	"GET /v1/jobs/{id}":                nil,
	"DELETE /v1/jobs/{id}":             nil,
	"GET /v1/{game}/{size}":            {"after", "identity"},
	positionPattern:                    {"p", "after", "identity", "fields"},
	"POST /v1/{game}/{size}/positions": {"after", "fields"},
	"GET /v1/{game}/{size}/line":       {"p", "max_plies", "after", "identity"},
	"GET /v1/{game}/{size}/move":       {"p", "policy", "blunder", "seed", "after", "identity"},
	"GET /v1/{game}/{size}/reply":      {"p", "opponent", "seed", "after"},
	"GET /v1/{game}/{size}/moves":      {"p"},
	"GET /v1/{game}/{size}/playouts":   {"p", "iterations", "seed"},
	"GET /v1/{game}/{size}/random":     {"outcome", "steps", "only", "seed", "after", "identity"},
}

// readQuery checks the parameters of a query. Unknown, repeated and malformed ones are errors;
// net/url ignores them. Unless values is nil, it gets each value at the index of its name in
// known. The bits of there say which are present.
func readQuery(query string, known, values []string) (there uint, err error) {
	for pair := range strings.SplitSeq(query, "&") {
		if pair == "" {
			continue
		}
		key, value, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(key)
		if err == nil {
			value, err = url.QueryUnescape(value)
		}
		if err == nil && strings.Contains(pair, ";") {
			err = errors.New("parameters are separated by & and a semicolon is written %3B")
		}
		i := slices.Index(known, name)
		switch {
		case err != nil:
			return 0, &parameterError{printable(name), fmt.Errorf("cannot be read: %w", err)}
		case i < 0 && known == nil:
			return 0, &parameterError{printable(name), errors.New("this address takes no parameters")}
		case i < 0:
			return 0, &parameterError{printable(name), fmt.Errorf("this address knows no such parameter, only %s", strings.Join(known, ", "))}
		case there&(1<<i) != 0:
			return 0, &parameterError{name, errors.New("is given twice; give it once")}
		}
		there |= 1 << i
		if values != nil {
			values[i] = value
		}
	}
	return there, nil
}

// printable returns a client's text shortened, with unprintable characters escaped.
func printable(text string) string {
	quoted := fmt.Sprintf("%.40q", text)
	return quoted[1 : len(quoted)-1]
}

var errMissing = errors.New("is missing; add it to the address behind a ?")

func bindingError(err error) error {
	if required, ok := errors.AsType[*api.RequiredParamError](err); ok {
		return &parameterError{required.ParamName, errMissing}
	}
	if format, ok := errors.AsType[*api.InvalidParamFormatError](err); ok {
		return &parameterError{format.ParamName, fmt.Errorf("must be %s", kinds[format.ParamName])}
	}
	return refusal(http.StatusBadRequest, "%v", err)
}

var kinds = map[string]string{
	"fields":     "outcome,steps",
	"game":       "the name of a game",
	"size":       "the rows of the board, or rows and columns, for example 4 or 4x5",
	"p":          "the text of a position",
	"after":      "the names of cells, separated by commas",
	"identity":   "the identity of a table, 64 hexadecimal digits in lower case",
	"max_plies":  "a whole number from 0 to 10000",
	"policy":     "optimal, shortest or trap",
	"blunder":    "a probability, from 0 to 1",
	"seed":       "a whole number from 0 to 9223372036854775807",
	"outcome":    "win, lose or draw",
	"steps":      "a whole number from 0 to 65535",
	"opponent":   "the name of an opponent from /v1/opponents",
	"has_steps":  "true or false",
	"packed":     "true or false",
	"only":       "true or false",
	"id":         "the id of a job",
	"iterations": "a whole number from 1 to 10000",
}

func check(name string, ok bool) error {
	if ok {
		return nil
	}
	return &parameterError{name, fmt.Errorf("must be %s", kinds[name])}
}

// or returns *p, or a default if p is nil.
