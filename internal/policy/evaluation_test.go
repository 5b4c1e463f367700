package policy

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// misread returns where a file relies on an order of evaluation that Go does not promise.
// cmp.Or evaluates all its arguments, so none may be a call: cmp.Or(err, clear()) clears
// even after an error. What has no effects is let through, as eachCall says. And
// in return p, load(&p) Go may read p before the call.
func misread(name string, source any) (faults []string, err error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, source, parser.SkipObjectResolution)
	fault := func(at ast.Node, what string) {
		faults = append(faults, fmt.Sprintf("%v: %s", fset.Position(at.Pos()), what))
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if of, ok := n.Fun.(*ast.SelectorExpr); ok && of.Sel.Name == "Or" && isNamed(of.X, "cmp") {
				for _, argument := range n.Args {
					eachCall(argument, func(call *ast.CallExpr) {
						fault(call, "cmp.Or makes this call whatever stands before it; write an if")
					})
				}
			}
		case *ast.ReturnStmt:
			for _, result := range n.Results {
				ast.Inspect(result, func(within ast.Node) bool {
					if of, ok := within.(*ast.UnaryExpr); ok && of.Op == token.AND && slices.ContainsFunc(n.Results, func(r ast.Expr) bool { return r != result && sameName(r, of.X) }) {
						fault(n, "the variable may be returned as it was before the call; make the call first")
					}
					return true
				})
			}
		}
		return true
	})
	return faults, err
}

func isNamed(x ast.Expr, name string) bool {
	of, ok := x.(*ast.Ident)
	return ok && of.Name == name
}

func sameName(a, b ast.Expr) bool {
	of, ok := a.(*ast.Ident)
	return ok && isNamed(b, of.Name)
}

// eachCall finds the calls in an expression, except comparisons, len, String, Getenv, those of
// package strings, and calls in the bodies of function literals.
func eachCall(x ast.Expr, found func(*ast.CallExpr)) {
	ast.Inspect(x, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			_, isFunc := n.(*ast.FuncLit)
			return !isFunc
		}
		name := ""
		switch of := call.Fun.(type) {
		case *ast.Ident:
			name = of.Name
		case *ast.SelectorExpr:
			if name = of.Sel.Name; isNamed(of.X, "strings") {
				name = "String"
			}
		}
		if name == "len" || name == "String" || name == "Getenv" || strings.HasPrefix(strings.ToLower(name), "compare") {
			return false
		}
		found(call)
		return true
	})
}

// No code of the repository relies on an order of evaluation that Go does not promise.
func TestEvaluation(t *testing.T) {
	files := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		faults, err := misread(path, source)
		for _, f := range faults {
			t.Error(f)
		}
		return err
	})
	if err != nil || files < 500 {
		t.Errorf("%d files: %v", files, err)
	}
}

func TestMisread(t *testing.T) {
	for body, want := range map[string]int{
		"return cmp.Or(err, f.Close())":                      1,
		"return cmp.Or(clear(), clear())":                    2,
		"return cmp.Or(first, nested(a) - 1)":                1,
		"return cmp.Or(a, cmp.Compare(key(a), key(b)))":      0,
		"return cmp.Or(cmp.Compare(a, b), x.compare(a, b))":  0,
		"return cmp.Or(len(a)-len(b), a.x)":                  0,
		"return other.Or(err, f.Close())":                    0,
		"return p, load(&p)":                                 1,
		"return w.load(1, &p), p":                            1,
		"return q, load(&p)":                                 0,
		"return load(&p)":                                    0,
		"f := func() error { return cmp.Or(err, g()) }; f()": 1,
	} {
		faults, err := misread("x.go", "package p\nfunc f() { "+body+" }")
		if err != nil || len(faults) != want {
			t.Errorf("%s: %q, %v", body, faults, err)
		}
	}
}
