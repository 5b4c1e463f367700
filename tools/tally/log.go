package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// How a test ends, in the words of go test -json.
const (
	passed  = "pass"
	failed  = "fail"
	skipped = "skip"
)

// test is a test of a package, or a part of one.
type test struct{ pkg, name string }

// tally is what the logs of some steps say.
type tally struct {
	count   map[string]int // by how tests ended
	ran     map[test]bool  // in one step at least
	why     map[test]string
	leftOut []string
}

func newTally() *tally {
	return &tally{count: map[string]int{}, ran: map[test]bool{}, why: map[test]string{}}
}

// event is a line of a log.
type event struct{ Action, Package, Test, Output string }

// reason is a line by which a test says why it is skipped.
var reason = regexp.MustCompile(`^\s+\w+\.go:\d+: (.*\S)`)

// read adds a log.
func (t *tally) read(log io.Reader) error {
	said := map[test]string{}
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 64<<20)
	for number := 1; lines.Scan(); number++ {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return fmt.Errorf("line %d is not of go test -json: %w", number, err)
		}
		if e.Test == "" {
			continue // it is about the whole package
		}
		key := test{e.Package, e.Test}
		switch e.Action {
		case "output":
			if m := reason.FindStringSubmatch(e.Output); m != nil {
				said[key] = m[1] // the last one is that of the skip
			}
		case passed, failed:
			t.count[e.Action]++
			t.ran[key] = true
		case skipped:
			t.count[skipped]++
			t.why[key] = said[key]
		}
	}
	return lines.Err()
}

// again returns the arguments with which go test runs what no step ran: whole tests,
// where parts were skipped, too.
func (t *tally) again() string {
	if len(t.leftOut) > 0 {
		return "./..."
	}
	var tests, packages []string
	for key := range t.why {
		if t.ran[key] {
			continue
		}
		whole, _, _ := strings.Cut(key.name, "/")
		tests, packages = append(tests, whole), append(packages, key.pkg)
	}
	if tests == nil {
		return "-run ^$ ." // none
	}
	slices.Sort(tests)
	slices.Sort(packages)
	return "-run ^(" + strings.Join(slices.Compact(tests), "|") + ")$ " + strings.Join(slices.Compact(packages), " ")
}

// skip is a reason with the tests that give it.
type skip struct {
	reason string
	tests  []string
}

// skips returns the tests that no step ran, by reason.
func (t *tally) skips() (all []skip) {
	byReason := map[string][]string{}
	for key, why := range t.why {
		if t.ran[key] {
			continue
		}
		if why == "" {
			why = "for no reason that it gives"
		}
		_, room, found := strings.Cut(key.pkg, "/")
		if !found {
			room = key.pkg
		}
		byReason[why] = append(byReason[why], room+" "+key.name)
	}
	for why, tests := range byReason {
		slices.Sort(tests)
		all = append(all, skip{why, tests})
	}
	slices.SortFunc(all, func(a, b skip) int { return strings.Compare(a.reason, b.reason) })
	return all
}
