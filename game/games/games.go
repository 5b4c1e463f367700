// Package games is the one place where the games are listed: callers that ask it for a game need
// not know the others.
package games

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"backsolve/game"
	"backsolve/game/boards"
	"backsolve/game/custom"
	"backsolve/game/dawson"
	"backsolve/game/nearest"
	"backsolve/game/nim"
	"backsolve/game/notakto"
	"backsolve/game/othello"
	"backsolve/game/quixo"
	"backsolve/game/tictactoe"
	"backsolve/game/uttt"
)

// All returns the games by name, and then those that were added.
func All() []game.Game {
	lock.RLock()
	defer lock.RUnlock()
	return slices.Clone(list)
}

var (
	lock sync.RWMutex
	list = []game.Game{
		dawson.Game, dawson.Normal,
		nim.Game, nim.Misere,
		notakto.Game, boards.Game, othello.Game, quixo.Game, tictactoe.Game, uttt.Game,
	}
	version int
	files   = map[string]file{} // of rules, by the name of the game
)

// file is a rules file, and its path if it was given by one.
type file struct {
	rules []byte
	path  string
}

// Add adds games, as a program does before it uses any other function here. The error says
// which name is taken.
func Add(games ...game.Game) error {
	lock.Lock()
	defer lock.Unlock()
	for _, g := range games {
		if indexOf(g.Name) >= 0 {
			return fmt.Errorf("there are two games called %s; rename one", g.Name)
		}
		list = append(list, g)
	}
	return nil
}

// indexOf returns the index of a game in the list, or -1.
func indexOf(name string) int {
	return slices.IndexFunc(list, func(g game.Game) bool { return g.Name == name })
}

const (
	// RulesSuffix is the suffix of the names of rules files.
	RulesSuffix = ".wasm"
	// MaxRules is the most bytes of a rules file.
	MaxRules = 256 << 10
)

// ReadRules reads a rules file. A program that reads some sets it.
var ReadRules = func([]byte) (custom.Listed, error) {
	return nil, errors.New("this program reads no files of rules")
}

// IsRules reports whether a word is the path of a rules file.
func IsRules(word string) bool { return strings.HasSuffix(word, RulesSuffix) }

// AddRules adds the game of a rules file, whose path may be "", in place of a game by its
// positions with the same name. The error is a *custom.Fault, also if the name is not the one
// wanted, or that of the file.
func AddRules(from io.Reader, wanted, path string) (g game.Game, err error) {
	rules, err := io.ReadAll(io.LimitReader(from, MaxRules+1))
	if err != nil {
		return g, err
	}
	g, known := OfRules(rules)
	if !known {
		l, err := ReadRules(rules)
		if err != nil {
			return g, err
		}
		g = custom.Entry(l)
	}
	if wanted != "" && g.Name != wanted {
		return g, &custom.Fault{What: "these are the rules of " + g.Name + ", and not of " + wanted}
	}
	if known {
		return g, nil
	}
	lock.Lock()
	defer lock.Unlock()
	if i := indexOf(g.Name); i < 0 {
		list = append(list, g)
	} else if _, replaceable := list[i].New(list[i].MinSize).(custom.Listed); replaceable {
		list[i] = g
	} else {
		return g, &custom.Fault{What: "there is a game called " + g.Name + " already; rename the one of these rules"}
	}
	files[g.Name], version = file{rules, path}, version+1
	return g, nil
}

// OfRules returns the game of a rules file that was added.
func OfRules(rules []byte) (g game.Game, known bool) {
	lock.RLock()
	defer lock.RUnlock()
	for name, f := range files {
		if bytes.Equal(f.rules, rules) {
			return list[indexOf(name)], true
		}
	}
	return g, false
}

// Version returns a number that changes whenever rules are added.
func Version() int {
	lock.RLock()
	defer lock.RUnlock()
	return version
}

// Word returns the word that names a game on command lines: its name, or the path of its rules.
func Word(name string) string {
	lock.RLock()
	defer lock.RUnlock()
	return cmp.Or(files[name].path, name)
}

// maxEcho is the longest name, in bytes, that an error message repeats.
const maxEcho = 32

// maxNamed is the largest number of games that an error message names.
const maxNamed = 16

// Lookup returns the game with that name. The error for an unknown one lists the games and says
// which was probably meant.
func Lookup(name string) (game.Game, error) {
	var names []string
	for _, g := range All() {
		if g.Name == name {
			return g, nil
		}
		names = append(names, g.Name)
	}
	listed := names[:min(len(names), maxNamed)]
	known := "the games are " + strings.Join(listed, ", ")
	if more := len(names) - len(listed); more > 0 {
		known += fmt.Sprintf(" and %d more", more)
	}
	if len(name) > maxEcho {
		return game.Game{}, fmt.Errorf("there is no game with this name; %s", known)
	}
	if meant := nearest.Name(name, names); meant != "" {
		return game.Game{}, fmt.Errorf("there is no game %q; did you mean %s? (%s)", name, meant, known)
	}
	return game.Game{}, fmt.Errorf("there is no game %q; %s", name, known)
}

// New returns the rules of a game on the board of size n, a game.Size. The error says which
// games or sizes there are.
func New(name string, n int) (game.Rules, error) {
	g, err := Lookup(name)
	if err != nil {
		return nil, err
	}
	if !g.Has(n) {
		size, others := game.Size(n), ""
		if !size.Plain() {
			others = g.Variants.String()
		}
		return nil, fmt.Errorf("there is no %s board of size %v; %s%s", g.Name, size, sizesText(g), others)
	}
	return g.New(n), nil
}

func sizesText(g game.Game) string {
	switch {
	case g.MinSize == g.MaxSize:
		return fmt.Sprintf("its size is %d", g.MinSize)
	case g.Step > 1:
		return fmt.Sprintf("sizes go from %d to %d in steps of %d", g.MinSize, g.MaxSize, g.Step)
	}
	return fmt.Sprintf("sizes go from %d to %d", g.MinSize, g.MaxSize)
}

// NewGrid is New without Opaque. The error comes from New, or says that the board is not a grid
// of at most 8×8 cells.
func NewGrid(name string, n int) (game.Grid, error) {
	r, err := New(name, n)
	if err != nil {
		return nil, err
	}
	g, ok := game.GridOf(r)
	if !ok {
		return nil, fmt.Errorf("%v is not played on a grid of at most 8×8 cells", r.Info())
	}
	return g, nil
}
