package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// front is the room of the module's own package, which is in no folder.
const front = "backsolve"

// order is that of the rooms, from the ground up: each may import those before it.
var order = []string{
	"internal", "bitboard", "bitslice", "game", "search", "partition", "tablebase",
	"retro", "probe", front, "player", "server", "cluster", "cmd", "learn", "tools",
}

// house is the packages of all rooms.
type house struct {
	module   string // the path that the imports of all packages begin with
	packages []pkg  // by path
}

// pkg is a package by its path below the module, that of the module itself by the name
// of its room, with what it imports of the house.
type pkg struct {
	path    string
	imports []string
	// helper says that it is there for tests: it imports testing.
	helper bool
}

// room returns the room that a package is in: the first folder of its path.
func room(path string) string {
	name, _, _ := strings.Cut(path, "/")
	return name
}

// load reads the imports of the module in a directory, of its learners and tools, without
// their tests. The C library is read where there is no C compiler, too.
func load(dir string) (*house, error) {
	h := &house{}
	for _, sub := range []string{".", "learn", "tools"} {
		config := &packages.Config{
			Mode: packages.NeedName | packages.NeedImports | packages.NeedModule, Dir: filepath.Join(dir, sub), Env: append(os.Environ(), "CGO_ENABLED=1"),
		}
		loaded, err := packages.Load(config, "./...")
		if err != nil {
			return nil, err
		}
		for _, p := range loaded {
			if len(p.Errors) > 0 {
				return nil, fmt.Errorf("%s cannot be read: %w", p.PkgPath, p.Errors[0])
			}
			if h.module == "" {
				h.module = p.Module.Path
			}
			h.add(p.PkgPath, slices.Collect(maps.Keys(p.Imports)))
		}
	}
	if len(h.packages) == 0 {
		return nil, errors.New("there are no packages; give the directory of the module with --dir")
	}
	slices.SortFunc(h.packages, func(a, b pkg) int { return cmp.Compare(a.path, b.path) })
	return h, nil
}

// add adds a package with its imports, of which those of the house are kept.
func (h *house) add(path string, imports []string) {
	p := pkg{path: path}
	if below, ours := h.below(path); ours {
		p.path = below
	}
	for _, i := range imports {
		if below, ours := h.below(i); ours {
			p.imports = append(p.imports, below)
		}
		p.helper = p.helper || i == "testing"
	}
	slices.Sort(p.imports)
	h.packages = append(h.packages, p)
}

// below returns the path of a package below the module, and whether it is of the house.
func (h *house) below(path string) (string, bool) {
	if path == h.module {
		return front, true
	}
	return strings.CutPrefix(path, h.module+"/")
}

// rooms returns the rooms that there are, those without a place in the order last.
func (h *house) rooms() []string {
	present := map[string]bool{}
	for _, p := range h.packages {
		present[room(p.path)] = true
	}
	all := slices.Sorted(maps.Keys(present))
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(place(a), place(b)) })
	return all
}

// place is where a room stands in the order, behind all others if nowhere.
func place(name string) int {
	if i := slices.Index(order, name); i >= 0 {
		return i
	}
	return len(order)
}

// in returns the packages of a room by their paths below it, its own package by its
// name.
func (h *house) in(name string) (paths []string) {
	for _, p := range h.packages {
		if room(p.path) != name {
			continue
		}
		path := strings.TrimPrefix(p.path, name+"/")
		if p.helper {
			path += " (for tests)"
		}
		paths = append(paths, path)
	}
	return paths
}

// imported returns the rooms that the packages of a room import, other than itself and
// without those that are there for tests, from the ground up.
func (h *house) imported(name string) []string {
	seen := map[string]bool{}
	for _, p := range h.packages {
		for _, i := range p.imports {
			if !p.helper && room(p.path) == name && room(i) != name {
				seen[room(i)] = true
			}
		}
	}
	all := slices.Sorted(maps.Keys(seen))
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(place(a), place(b)) })
	return all
}

// faults returns what is against the order: rooms without a place in it, and
// imports that run up. Without any of these no two rooms import each other, round
// about or directly.
func (h *house) faults() (all []error) {
	for _, name := range h.rooms() {
		if place(name) == len(order) {
			all = append(all, fmt.Errorf("%s/ is a room without a place; give it one in the order of tools/house", name))
		}
	}
	for _, p := range h.packages {
		for _, i := range p.imports {
			if place(room(i)) > place(room(p.path)) {
				all = append(all, fmt.Errorf("%s imports %s, which is above it", p.path, i))
			}
		}
	}
	return all
}
