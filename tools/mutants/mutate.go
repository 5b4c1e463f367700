package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
)

// mutant is one change at one place of a file.
type mutant struct {
	// Package is a folder below the root of the module, File a path below it.
	Package string `json:"package"`
	File    string `json:"file"`
	// Func is the function that is changed, Line its number in the file, Text what
	// stands in it.
	Func string `json:"func"`
	Line int    `json:"line"`
	Text string `json:"text"`
	// Change says what is put in the place of what.
	Change string `json:"change"`

	from, to int    // the bytes of the file that are replaced
	by       string // what they are replaced by
}

// swaps are the operators that take each other's place.
var swaps = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL,
	token.AND: token.OR, token.OR: token.AND, token.AND_NOT: token.AND, token.XOR: token.OR,
	token.SHL: token.SHR, token.SHR: token.SHL, token.REM: token.QUO,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN,
	token.AND_ASSIGN: token.OR_ASSIGN, token.OR_ASSIGN: token.AND_ASSIGN, token.AND_NOT_ASSIGN: token.AND_ASSIGN, token.XOR_ASSIGN: token.OR_ASSIGN,
	token.SHL_ASSIGN: token.SHR_ASSIGN, token.SHR_ASSIGN: token.SHL_ASSIGN,
	token.INC: token.DEC, token.DEC: token.INC,
}

// mutantsOf returns all mutants of a file, in the order of its text. What has been
// generated has none.
func mutantsOf(pkg, file, path string) ([]mutant, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, path, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(tree) {
		return nil, err
	}
	w := &walk{fset: fset, source: source, lines: strings.Split(string(source), "\n"), pkg: pkg, file: file}
	for _, d := range tree.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			w.fn = fn.Name.Name
			ast.Inspect(fn.Body, w.visit)
		}
	}
	slices.SortStableFunc(w.all, func(a, b mutant) int { return a.from - b.from })
	return w.all, nil
}

// walk gathers the mutants of a file.
type walk struct {
	fset      *token.FileSet
	source    []byte
	lines     []string
	pkg, file string
	fn        string // the function that is visited
	all       []mutant
}

// replace adds the mutant in which the text from one place up to another is
// replaced.
func (w *walk) replace(from, to token.Pos, by, change string) {
	at := w.fset.Position(from)
	w.all = append(w.all, mutant{
		Package: w.pkg, File: w.file, Func: w.fn, Line: at.Line, Text: strings.TrimSpace(w.lines[at.Line-1]), Change: change,
		from: at.Offset, to: w.fset.Position(to).Offset, by: by,
	})
}

// apply returns the source with the mutant's change.
func (m *mutant) apply(source []byte) []byte {
	return slices.Concat(source[:m.from], []byte(m.by), source[m.to:])
}

// text returns the source of a node.
func (w *walk) text(n ast.Node) string {
	return string(w.source[w.fset.Position(n.Pos()).Offset:w.fset.Position(n.End()).Offset])
}

func (w *walk) swap(at token.Pos, op token.Token) {
	if other, ok := swaps[op]; ok {
		w.replace(at, at+token.Pos(len(op.String())), other.String(), fmt.Sprintf("%s → %s", op, other))
	}
}

func (w *walk) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		w.swap(n.OpPos, n.Op)
	case *ast.AssignStmt:
		w.swap(n.TokPos, n.Tok)
	case *ast.IncDecStmt:
		w.swap(n.TokPos, n.Tok)
	case *ast.BasicLit:
		if n.Kind == token.INT {
			w.replace(n.Pos(), n.End(), "("+n.Value+" + 1)", fmt.Sprintf("%s → %[1]s + 1", n.Value))
		}
	case *ast.IfStmt:
		w.replace(n.Cond.Pos(), n.Cond.End(), "!("+w.text(n.Cond)+")", "condition negated")
	case *ast.ReturnStmt:
		w.dropError(n)
	case *ast.BlockStmt:
		w.remove(n.List)
	case *ast.CaseClause:
		w.remove(n.Body)
	case *ast.CommClause:
		w.remove(n.Body)
	}
	return true
}

// anError is an expression that is an error.
var anError = regexp.MustCompile(`^(err$|(fmt\.Errorf|errors\.New|errors\.Join|context\.Cause)\()`)

// dropError returns nil in place of an error.
func (w *walk) dropError(n *ast.ReturnStmt) {
	if len(n.Results) == 0 {
		return
	}
	if last := n.Results[len(n.Results)-1]; anError.MatchString(w.text(last)) {
		w.replace(last.Pos(), last.End(), "nil", "error dropped")
	}
}

// remove takes statements away, one at a time.
func (w *walk) remove(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue // others use what it defines
			}
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.DeferStmt, *ast.BranchStmt:
		default:
			continue
		}
		w.replace(s.Pos(), s.End(), "", "statement removed")
	}
}
