package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// errPath: the new path is none that a module can have.
var errPath = errors.New("not the path of a module")

// renaming is a change of the module's path in work.
type renaming struct {
	dir      string
	old, new string
	packages map[string]bool // directories below dir that have Go code or a module, with slashes
	named    *regexp.Regexp  // finds what may be a package by its path
	imported *regexp.Regexp  // finds an import of the module's own package in a page
}

// newRenaming reads which module a directory has and which packages.
func newRenaming(dir, path string) (*renaming, error) {
	if err := module.CheckImportPath(path); err != nil {
		return nil, fmt.Errorf("%w: %w", errPath, err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return nil, fmt.Errorf("%w; give the directory of the module with --dir", err)
	}
	r := &renaming{dir: dir, old: modfile.ModulePath(data), new: path, packages: map[string]bool{}}
	switch {
	case r.old == "":
		return nil, fmt.Errorf("%s names no module", filepath.Join(dir, "go.mod"))
	case r.old == r.new:
		return nil, fmt.Errorf("%w: %s is what it is called already", errPath, path)
	}
	quoted := regexp.QuoteMeta(r.old)
	r.named = regexp.MustCompile(`(^|[^\w./@~-])` + quoted + `((?:/[\w-]+)+)`)
	r.imported = regexp.MustCompile(`(?m)^([ \t]*(?:import[ \t]+)?)"` + quoted + `"([ \t]*)$`)
	return r, r.each(func(path string) error {
		if strings.HasSuffix(path, ".go") || filepath.Base(path) == "go.mod" {
			below, err := filepath.Rel(dir, filepath.Dir(path))
			r.packages[filepath.ToSlash(below)] = true
			return err
		}
		return nil
	})
}

// skipped are directories with nothing of the module's own.
var skipped = []string{".git", "bin", "dist", "tables", "node_modules"}

// each calls do for each file of the module.
func (r *renaming) each(do func(path string) error) error {
	return filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != r.dir && slices.Contains(skipped, d.Name()):
			return filepath.SkipDir
		case !d.Type().IsRegular(), d.Name() == ".git": // of a worktree
			return nil
		}
		return do(path)
	})
}

// run rewrites the files, and returns how many of them were.
func (r *renaming) run() (changed int, err error) {
	err = r.each(func(path string) error {
		before, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		after, err := r.rewritten(filepath.Base(path), before)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if bytes.Equal(before, after) {
			return nil
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		changed++
		return os.WriteFile(path, after, info.Mode().Perm())
	})
	return changed, err
}

// rewritten returns the contents of a file after the renaming.
func (r *renaming) rewritten(name string, data []byte) ([]byte, error) {
	switch {
	case name == "go.mod":
		return r.inModule(data)
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		return data, nil
	case strings.HasSuffix(name, ".go"):
		return r.inGo(data)
	}
	return r.imported.ReplaceAll(r.inText(data), []byte(`${1}"`+r.new+`"${2}`)), nil
}

// renamed returns the new path of a module or package, and whether it is one of ours.
func (r *renaming) renamed(path string) (string, bool) {
	below, ours := strings.CutPrefix(path, r.old)
	if !ours || below != "" && below[0] != '/' {
		return path, false
	}
	return r.new + below, true
}

// inModule rewrites the name of a module, and what it requires and replaces of ours.
func (r *renaming) inModule(data []byte) ([]byte, error) {
	f, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		return nil, err
	}
	if to, ours := r.renamed(f.Module.Mod.Path); ours {
		if err := f.AddModuleStmt(to); err != nil {
			return nil, err
		}
	}
	// The words of a line are changed, so that it stays in its place.
	rename := func(line *modfile.Line, path string) {
		if to, ours := r.renamed(path); ours {
			if at := slices.Index(line.Token, path); at >= 0 {
				line.Token[at] = to
			}
		}
	}
	for _, require := range f.Require {
		rename(require.Syntax, require.Mod.Path)
	}
	for _, replace := range f.Replace {
		rename(replace.Syntax, replace.Old.Path)
	}
	return modfile.Format(f.Syntax), nil
}

// inGo rewrites the imports of a Go file and what its comments and texts name, and puts
// the imports into their order.
func (r *renaming) inGo(data []byte) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", data, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	at := fset.File(file.Package).Offset
	var after []byte
	end := 0
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		if to, ours := r.renamed(path); ours {
			after = append(after, data[end:at(spec.Path.Pos())]...)
			after = strconv.AppendQuote(after, to)
			end = at(spec.Path.End())
		}
	}
	after = r.inText(append(after, data[end:]...))
	if bytes.Equal(after, data) {
		return data, nil
	}
	return format.Source(after)
}

// inText rewrites the packages that a text names: the module's path with a directory behind
// it that has Go code, and no other path before it.
func (r *renaming) inText(data []byte) []byte {
	return r.named.ReplaceAllFunc(data, func(found []byte) []byte {
		parts := r.named.FindSubmatch(found)
		below := strings.TrimPrefix(string(parts[2]), "/")
		if !r.packages[below] {
			return found
		}
		return slices.Concat(parts[1], []byte(r.new), parts[2])
	})
}
