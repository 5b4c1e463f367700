package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// three files: a uses b and c, b uses c twice in one function and through a method,
// and c uses b.
var three = map[string]string{
	"a.go": `package p
func A() { B(); C(); B(); helper() }
func helper() {}`,
	"b.go": `package p
type T[E any] struct{}
func (T[E]) M() {}
func B() { C(); C(); f := D; f() }`,
	"c.go": `package p
func C() { var t T[int]; t.M() }
func D() {}`,
}

func TestCount(t *testing.T) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range []string{"a.go", "b.go", "c.go"} {
		f, err := parser.ParseFile(fset, name, three[name], 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	if _, err := new(types.Config).Check("p", fset, files, info); err != nil {
		t.Fatal(err)
	}
	got := count("p", fset, files, info)
	want := calls{path: "p", files: []string{"a.go", "b.go", "c.go"}, total: 5, up: 1, rising: []string{"C of c.go uses M of b.go"}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(calls{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var b strings.Builder
	if err := writeCounts(&b, []calls{got, {path: "q"}}); err != nil {
		t.Fatal(err)
	}
	if want := "package  files  down  up\np        3      4     1\nall             4     1\n\np from the top down: a.go, b.go, c.go\n  up: C of c.go uses M of b.go\n"; b.String() != want {
		t.Errorf("%s", b.String())
	}
}

// up counts the arrows up in an order, the plain way.
func up(weight [][]int, order []int) (n int) {
	for at, i := range order {
		for _, before := range order[:at] {
			n += weight[i][before]
		}
	}
	return n
}

// fewest tries all orders.
func fewest(weight [][]int, order []int, at int) int {
	if at == len(order) {
		return up(weight, order)
	}
	best := 1 << 30
	for i := at; i < len(order); i++ {
		order[at], order[i] = order[i], order[at]
		best = min(best, fewest(weight, order, at+1))
		order[at], order[i] = order[i], order[at]
	}
	return best
}

// The exact order is the best of all; the one by moving files is an order that no
// single move betters.
func TestOrders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(t, "files")
		weight, numbers := make([][]int, n), make([]int, n)
		for i := range weight {
			weight[i] = rapid.SliceOfN(rapid.IntRange(0, 3), n, n).Draw(t, "weights")
			weight[i][i], numbers[i] = 0, i
		}
		best := fewest(weight, numbers, 0)
		if got := up(weight, exactOrder(weight)); got != best {
			t.Fatalf("%d up, %d are the fewest", got, best)
		}
		moved := sifted(weight)
		reached := up(weight, moved)
		if reached < best || len(moved) != n {
			t.Fatalf("%d up in %v, %d are the fewest", reached, moved, best)
		}
		for from := range moved {
			rest := append(append([]int{}, moved[:from]...), moved[from+1:]...)
			for to := range moved {
				other := append(append(append([]int{}, rest[:to]...), moved[from]), rest[to:]...)
				if up(weight, other) < reached {
					t.Fatalf("%v has fewer up than %v", other, moved)
				}
			}
		}
	})
}

// The code of this command has calls that run down, and is read as a whole.
func TestCountCalls(t *testing.T) {
	all, err := countCalls(".", nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 || !strings.HasSuffix(all[0].path, "/tools/house") || all[0].total < 4 || all[0].up > 0 {
		t.Errorf("%+v", all)
	}
	if _, err := countCalls(".", []string{"./nowhere"}); err == nil {
		t.Error("a package that is not there is counted")
	}
}
