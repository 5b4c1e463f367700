package policy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"backsolve"
)

// layers are the directories of the module, from the ground up: each imports only what stands
// before it. The dot is the package of the module itself, internal what no other layer below it has.
var layers = []string{
	"internal", "bitboard", "internal/bitslice", "game", "internal/search", "tablebase", "partition",
	"internal/plan", "retro", "internal/probe", "internal/solve", ".", "internal/player", "internal/server", "cmd",
}

// layerOf returns the layer of a directory, and -1 if it has none.
func layerOf(dir string) int {
	parts := strings.SplitN(filepath.ToSlash(dir), "/", 3)
	if len(parts) > 1 {
		if i := slices.Index(layers, parts[0]+"/"+parts[1]); i >= 0 {
			return i
		}
	}
	return slices.Index(layers, parts[0])
}

// TestImportsRunDownwards holds the order of docs/background/architecture.md. It reads the files
// rather than ask go list, so that it covers every platform and go test knows what it read.
func TestImportsRunDownwards(t *testing.T) {
	module := reflect.TypeFor[backsolve.Table]().PkgPath()
	eachSource(t, func(path string) error {
		from := layerOf(filepath.Dir(path))
		if from < 0 {
			t.Errorf("%s is in no layer; add its directory to the list in this test and to docs/background/architecture.md", path)
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			below, ours := strings.CutPrefix(imported, module+"/")
			if imported == module {
				below, ours = ".", true
			}
			if ours && layerOf(below) > from {
				t.Errorf("%s imports %s, which is above it", path, imported)
			}
		}
		return nil
	})
}

// TestLibraryLeavesProcessAlone looks for calls that change the runtime of the whole process, which
// only programs may do.
func TestLibraryLeavesProcessAlone(t *testing.T) {
	changes := regexp.MustCompile(`runtime\.GOMAXPROCS\([^0]|debug\.Set(GC|Max|Memory)|machine\.LimitHeap\(|os\.(Setenv|Chdir)\(|signal\.`)
	eachSource(t, func(path string) error {
		top, _, _ := strings.Cut(filepath.ToSlash(path), "/")
		text, err := os.ReadFile(path)
		if found := changes.Find(text); found != nil && top != "cmd" && filepath.ToSlash(path) != "internal/machine/machine.go" {
			t.Errorf("%s: %s", path, found)
		}
		return err
	})
}

// eachSource calls f for each Go file of the module that is not a test.
func eachSource(t *testing.T, f func(path string) error) {
	files := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if _, err := os.Stat(filepath.Join(path, "go.mod")); d.IsDir() && path != "." && (err == nil || d.Name() == "testdata" || d.Name()[0] == '.') {
			return fs.SkipDir // another module, or no package
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		files++
		return f(path)
	})
	if err != nil || files < 300 {
		t.Errorf("%d files are read: %v", files, err)
	}
}

// TestOneProgress looks for what tells progress by anything else than an event. C has no such type.
func TestOneProgress(t *testing.T) {
	events := []string{"func(Event)", "func(progress.Event)", "func(tablebase.Event)"}
	found := 0
	eachSource(t, func(path string) error {
		if strings.HasPrefix(filepath.ToSlash(path), "cmd/libbacksolve/") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			field, ok := n.(*ast.Field)
			if !ok || len(field.Names) != 1 || !strings.EqualFold(field.Names[0].Name, "progress") {
				return true
			}
			if shape, ok := field.Type.(*ast.FuncType); ok {
				if found++; !slices.Contains(events, types.ExprString(shape)) {
					t.Errorf("%s tells progress by %s, not by an event", path, types.ExprString(shape))
				}
			}
			return true
		})
		return nil
	})
	if found < 10 {
		t.Errorf("%d functions tell progress", found)
	}
}

// TestLayersOfThePage compares the list of layers in docs/background/architecture.md, which
// begins at the top, and the boxes of its picture with the list above.
func TestLayersOfThePage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("docs", "background", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	find := func(pattern string) (names []string) {
		for _, found := range regexp.MustCompile(pattern).FindAllSubmatch(page, -1) {
			names = append(names, string(found[1]))
		}
		return names
	}
	listed := find("(?m)^\\| `([a-z./]+)` \\|")
	slices.Reverse(listed)
	if !slices.Equal(listed, layers) {
		t.Errorf("the page lists the layers %q from the ground up, want %q", listed, layers)
	}
	boxes := find(`(?m)^ +([a-z]+)\["<b>`)
	for _, layer := range layers {
		if layer == "." {
			layer = "backsolve"
		}
		layer = path.Base(layer)
		if !slices.Contains(boxes, layer) {
			t.Errorf("the picture has no box %q", layer)
		}
	}
}

// TestWalks looks for the functions that docs/background/architecture.md calls one after the other,
// each of which is in the layer of the one before or below it.
func TestWalks(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("docs", "background", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	dirs, functions := map[string]string{}, map[string]bool{} // by the name of the package
	eachSource(t, func(path string) error {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dirs[file.Name.Name] = filepath.Dir(path)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				name := f.Name.Name
				if f.Recv != nil {
					name = strings.TrimPrefix(types.ExprString(f.Recv.List[0].Type), "*") + "." + name
				}
				functions[file.Name.Name+"."+name] = true
			}
		}
		return nil
	})
	walks := regexp.MustCompile("(?m)^- (`[a-z]+\\.[A-Za-z.]+`(?:, `[a-z]+\\.[A-Za-z.]+`)+)$").FindAllSubmatch(page, -1)
	for _, walk := range walks {
		before := len(layers)
		for name := range strings.SplitSeq(string(walk[1]), ", ") {
			name = strings.Trim(name, "`")
			pkg, _, _ := strings.Cut(name, ".")
			layer := layerOf(dirs[pkg])
			if !functions[name] || layer > before {
				t.Errorf("%s: is a function: %v; in layer %d, after %d", name, functions[name], layer, before)
			}
			before = layer
		}
	}
	if len(walks) != 4 {
		t.Errorf("the page has %d walks, not 4", len(walks))
	}
}
