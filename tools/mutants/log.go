package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// logFile has a line of JSON for each mutant that was tried. What is in it need not
// be tried again.
type logFile struct {
	path    string
	results map[string]*result // by key; of a mutant that was tried twice the last one, nil of one to be tried again
	order   []string           // the keys in the order of the file
}

// openLog reads a log; one that is not there is empty.
func openLog(path string) (*logFile, error) {
	l := &logFile{path: path, results: map[string]*result{}}
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var r result
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s is not the log of mutants: %w", path, err)
		}
		l.put(&r)
	}
	return l, nil
}

func (l *logFile) put(r *result) {
	if _, known := l.results[r.Key]; !known {
		l.order = append(l.order, r.Key)
	}
	l.results[r.Key] = r
}

func (l *logFile) has(key string) bool { return l.results[key] != nil }

// forgetSurvivors has those tried again that were not found, say because there are
// new tests.
func (l *logFile) forgetSurvivors() {
	for key, r := range l.results {
		if r.Fate == survived {
			l.results[key] = nil
		}
	}
}

// add appends a result.
func (l *logFile) add(r *result) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.Write(append(text, '\n')); err != nil {
		f.Close()
		return err
	}
	l.put(r)
	return f.Close()
}
