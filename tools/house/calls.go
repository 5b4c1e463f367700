package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/tools/go/packages"
)

// calls is how the files of a package use each other's functions.
type calls struct {
	path string
	// files are in the order that has the fewest arrows up, the highest first.
	files []string
	// total is the number of arrows between files: from a function to another one
	// that it uses, once for each pair. up of them lead to a file before.
	total, up int
	// rising names the arrows up.
	rising []string
}

// arrow leads from a function to one of another file that it uses.
type arrow struct{ from, to *ast.FuncDecl }

// countCalls counts the arrows of the packages of a module, all of them where no
// patterns are given.
func countCalls(dir string, patterns []string) ([]calls, error) {
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports
	loaded, err := packages.Load(&packages.Config{Mode: mode, Dir: dir}, patterns...)
	if err != nil {
		return nil, err
	}
	var all []calls
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("%s cannot be read: %w", p.PkgPath, p.Errors[0])
		}
		all = append(all, count(p.PkgPath, p.Fset, p.Syntax, p.TypesInfo))
	}
	return all, nil
}

// count counts the arrows between the files of a package.
func count(path string, fset *token.FileSet, files []*ast.File, info *types.Info) calls {
	file := func(n ast.Node) string { return filepath.Base(fset.Position(n.Pos()).Filename) }
	declared := map[types.Object]*ast.FuncDecl{}
	c := calls{path: path}
	for _, f := range files {
		c.files = append(c.files, file(f))
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				declared[info.Defs[fn.Name]] = fn
			}
		}
	}
	slices.Sort(c.files)
	arrows := arrowsBetween(files, declared, info, file)
	weight := make([][]int, len(c.files))
	index := func(fn *ast.FuncDecl) int { i, _ := slices.BinarySearch(c.files, file(fn)); return i }
	for i := range weight {
		weight[i] = make([]int, len(c.files))
	}
	for _, a := range arrows {
		weight[index(a.from)][index(a.to)]++
	}
	best := fewestUp(weight)
	at := make([]int, len(best))
	for place, i := range best {
		at[i] = place
	}
	for _, a := range arrows {
		c.total++
		if at[index(a.from)] > at[index(a.to)] {
			c.up++
			c.rising = append(c.rising, fmt.Sprintf("%s of %s uses %s of %s", a.from.Name.Name, file(a.from), a.to.Name.Name, file(a.to)))
		}
	}
	sorted := make([]string, len(best))
	for place, i := range best {
		sorted[place] = c.files[i]
	}
	c.files = sorted
	return c
}

// arrowsBetween returns the arrows between functions of different files, each
// once, in the order of the text.
func arrowsBetween(files []*ast.File, declared map[types.Object]*ast.FuncDecl, info *types.Info, file func(ast.Node) string) (all []arrow) {
	seen := map[arrow]bool{}
	for _, f := range files {
		for _, d := range f.Decls {
			from, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(from, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if !ok {
					return true
				}
				used := info.Uses[id]
				if fn, ok := used.(*types.Func); ok {
					used = fn.Origin()
				}
				a := arrow{from, declared[used]}
				if a.to != nil && file(a.from) != file(a.to) && !seen[a] {
					seen[a] = true
					all = append(all, a)
				}
				return true
			})
		}
	}
	return all
}

// writeCounts writes a line for each package that has arrows, and below it those
// that run up.
func writeCounts(w io.Writer, all []calls) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "package\tfiles\tdown\tup")
	var sum calls
	for _, c := range all {
		if c.total > 0 {
			fmt.Fprintf(t, "%s\t%d\t%d\t%d\n", c.path, len(c.files), c.total-c.up, c.up)
		}
		sum.total, sum.up = sum.total+c.total, sum.up+c.up
	}
	fmt.Fprintf(t, "all\t\t%d\t%d\n", sum.total-sum.up, sum.up)
	if err := t.Flush(); err != nil {
		return err
	}
	for _, c := range all {
		if c.total == 0 {
			continue
		}
		if _, err := fmt.Fprintf(w, "\n%s from the top down: %s\n", c.path, strings.Join(c.files, ", ")); err != nil {
			return err
		}
		for _, r := range c.rising {
			fmt.Fprintf(w, "  up: %s\n", r)
		}
	}
	return nil
}
