package agents

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"backsolve/game"
	"backsolve/game/nearest"
	"backsolve/internal/player/qlearning"
	"backsolve/internal/player/zero"
)

// request is the parsed name of an agent, and its environment.
type request struct {
	ctx  context.Context
	env  *Env
	text string
	kind Kind
	// options are the options in the name by key, the one without a key as "".
	options map[string]option
	err     error // the first of the values of options
	// learned and network are the weights, once they are loaded.
	learned *qlearning.Weights
	network *zero.Weights
}

// option is one of the comma-separated parts after the colon.
type option struct {
	key, value string
	hasValue   bool
	// column and valueColumn count the characters of the name from 1.
	column, valueColumn int
}

func (r *request) wrong(column int, format string, args ...any) error {
	example := r.kind.Example
	if example == "" {
		example = "mcts:1000"
	}
	return &game.SyntaxError{Text: r.text, Column: column, Reason: fmt.Sprintf(format, args...), Example: example}
}

func (r *request) unknown(column int, name, what, all string, names []string) error {
	known := all + " are " + strings.Join(names, ", ")
	if meant := nearest.Name(name, names); meant != "" {
		return r.wrong(column, "there is no such %s; did you mean %s? (%s)", what, meant, known)
	}
	return r.wrong(column, "there is no such %s; %s", what, known)
}

func (r *request) end() int { return len([]rune(r.text)) + 1 }

// read reads the parts common to all agents: the kind, and the options with their keys.
func read(text string) (*request, error) {
	r := &request{text: text, options: map[string]option{}}
	name, rest, colon := strings.Cut(text, ":")
	at := slices.IndexFunc(Kinds(), func(k Kind) bool { return k.Name == name })
	if at < 0 {
		return nil, r.unknown(1, name, "agent", "agents", kindNames())
	}
	r.kind = Kinds()[at]
	if colon {
		s := scanner{r: r, text: []rune(rest), offset: len([]rune(name)) + 1}
		if err := s.options(); err != nil {
			return nil, err
		}
	}
	if o := r.options[""]; r.kind.value != "" && o.value == "" {
		return nil, r.wrong(max(o.valueColumn, len([]rune(name))+1), "expected %s", r.kind.value)
	}
	return r, nil
}

type scanner struct {
	r      *request
	text   []rune // after the colon
	at     int
	offset int // of the text in the name
}

func (s *scanner) column() int { return s.offset + s.at + 1 }

func (s *scanner) options() error {
	for first := true; ; first = false {
		o, err := s.option(first && s.r.kind.value != "")
		if err != nil {
			return err
		}
		if err := s.r.add(o); err != nil {
			return err
		}
		if s.at == len(s.text) {
			return nil
		}
		s.at++ // a comma
	}
}

// option reads the next option, which ends before a comma or with the text.
func (s *scanner) option(bare bool) (option, error) {
	o := option{column: s.column()}
	if !bare {
		start := s.at
		for s.at < len(s.text) && s.text[s.at] != '=' && s.text[s.at] != ',' {
			s.at++
		}
		o.key = string(s.text[start:s.at])
		if s.at == len(s.text) || s.text[s.at] == ',' {
			return o, nil
		}
		s.at++ // an equals sign
	}
	o.hasValue, o.valueColumn = true, s.column()
	var err error
	o.value, err = s.value()
	return o, err
}

// value reads up to the next comma or, after a double quote, to the closing one, which must end the option.
func (s *scanner) value() (string, error) {
	end := func(stop rune) string {
		start := s.at
		for s.at < len(s.text) && s.text[s.at] != stop {
			s.at++
		}
		return string(s.text[start:s.at])
	}
	if s.at == len(s.text) || s.text[s.at] != '"' {
		return end(','), nil
	}
	s.at++
	value := end('"')
	if s.at == len(s.text) {
		return "", s.r.wrong(s.column(), "the double quote is not closed")
	}
	s.at++
	if s.at < len(s.text) && s.text[s.at] != ',' {
		return "", s.r.wrong(s.column(), "after the closing quote goes a comma or nothing; within double quotes use single ones")
	}
	return value, nil
}

// add adds an option if the kind has it and it is not a duplicate.
func (r *request) add(o option) error {
	if o.key == "" && r.kind.value != "" && len(r.options) == 0 {
		r.options[""] = o
		return nil
	}
	switch {
	case len(r.kind.keys) == 0:
		return r.wrong(o.column, "%s has no options", r.kind.Name)
	case !slices.Contains(r.kind.keys, o.key):
		return r.unknown(o.column, o.key, "option", "options of "+r.kind.Name, r.kind.keys)
	case r.options[o.key].column > 0:
		return r.wrong(o.column, "%s is given twice", o.key)
	case o.hasValue && o.value == "":
		return r.wrong(o.valueColumn, "expected a value")
	}
	r.options[o.key] = o
	return nil
}

// fail keeps the first error of the values of options.
func (r *request) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *request) value(key string) (option, bool) {
	o, ok := r.options[key]
	if ok && !o.hasValue {
		r.fail(r.wrong(o.column+len([]rune(key)), "expected an equals sign and a value"))
	}
	return o, ok && o.hasValue
}

// valueOf parses an option; if parse refuses the value, the error says what is expected. An absent option is zero.
func valueOf[T any](r *request, key string, parse func(string) (T, bool), format string, args ...any) (v T) {
	if o, ok := r.value(key); ok {
		if v, ok = parse(o.value); !ok {
			r.fail(r.wrong(o.valueColumn, "expected "+format, args...))
		}
	}
	return v
}

// number returns an option's whole number, 0 if it is absent.
func (r *request) number(key string, least, most int) int {
	return valueOf(r, key, func(text string) (int, bool) {
		n, err := strconv.Atoi(text)
		return n, err == nil && n >= least && n <= most
	}, "a whole number from %d to %d", least, most)
}

// real returns an option's number, 0 if it is absent. says describes the expected value.
func (r *request) real(key string, least, most float64, says string) float64 {
	return valueOf(r, key, func(text string) (float64, bool) {
		x, err := strconv.ParseFloat(text, 64)
		return x, err == nil && x >= least && x <= most
	}, "%s", says)
}

// duration returns an option's time for a move, 0 if it is absent.
func (r *request) duration(key string) time.Duration {
	return valueOf(r, key, func(text string) (time.Duration, bool) {
		d, err := time.ParseDuration(text)
		return d, err == nil && d >= time.Millisecond && d <= maxTime
	}, "a time from 1ms to 24h, as 100ms or 2.5s")
}

func (r *request) weights() (path string, err error) {
	file, ok := r.value("weights")
	if !ok {
		r.fail(r.wrong(r.end(), "it needs a file of weights, which lab train makes"))
	}
	return file.value, r.err
}

// flag reports whether an option without a value is present.
func (r *request) flag(key string) bool {
	o, ok := r.options[key]
	if o.hasValue {
		r.fail(r.wrong(o.valueColumn-1, "%s takes no value", key))
	}
	return ok
}
