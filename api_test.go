package backsolve_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// promised are the types of other packages that the stable package names. They are as stable.
var promised = []string{"backsolve/game/custom.Game", "backsolve/game.Outcome"}

// The exported API of the stable package reaches nothing that may change: neither through
// signatures and exported fields nor through the types in them.
func TestStableNames(t *testing.T) {
	reached := map[string]bool{}
	for next := exported(t, "backsolve", ""); len(next) > 0; next = next[1:] {
		name := next[0]
		switch {
		case reached[name]:
			continue
		case !slices.Contains(promised, name):
			t.Errorf("the exported names lead to %s, which may change", name)
		}
		reached[name] = true
		dot := strings.LastIndexByte(name, '.')
		next = append(next, exported(t, name[:dot], name[dot+1:])...)
	}
	if len(reached) != len(promised) {
		t.Errorf("%v are reached, of %v", reached, promised)
	}
}

// exported returns the names from this module's other packages that a package's exported
// declarations, or those of one of its types, use.
func exported(t *testing.T, path, of string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(".", strings.TrimPrefix(path, "backsolve"), "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(path, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.FileExports(f)
		imported := map[string]string{}
		for _, spec := range f.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			imported[filepath.Base(path)] = path
		}
		look := func(n ast.Node) {
			ast.Inspect(n, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := s.X.(*ast.Ident); ok && strings.HasPrefix(imported[x.Name], "backsolve/") {
						names = append(names, imported[x.Name]+"."+s.Sel.Name)
					}
				}
				return true
			})
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if of == "" || d.Recv != nil && strings.TrimPrefix(name(d.Recv.List[0].Type), "*") == of {
					look(d.Type)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						if of == "" || s.Name.Name == of {
							look(s)
						}
					case *ast.ValueSpec:
						if of == "" && s.Type != nil {
							look(s.Type)
						}
					}
				}
			}
		}
	}
	return names
}

// name returns the name of a type, with its star.
func name(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return "*" + name(of.X)
	case *ast.IndexExpr:
		return name(of.X)
	case *ast.Ident:
		return of.Name
	}
	return ""
}
