package main

import (
	"bytes"
	"context"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/evanw/esbuild/pkg/api"
)

const (
	sources = "../../internal/server/page/src"
	dist    = "../../internal/server/page/dist"
)

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// read returns the files below a directory by their path.
func read(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := make(map[string][]byte)
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files[path], err = fs.ReadFile(root, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestDistIsWhatTheSourcesGive(t *testing.T) {
	want, err := bundle(absolute(t, sources))
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, dist); !maps.EqualFunc(got, want, bytes.Equal) {
		t.Errorf("server/page/dist has %v, the sources give %v, or others of the same name; run go generate ./internal/server/page",
			slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

func TestWriteLeavesNothingElse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dist")
	if err := os.MkdirAll(filepath.Join(dir, "assets"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "assets", "old.js"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := write(sources, dir); err != nil {
		t.Fatal(err)
	}
	if got, want := read(t, dir), read(t, dist); !maps.EqualFunc(got, want, bytes.Equal) {
		t.Errorf("written are %v, want %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

func TestErrorsInTheSources(t *testing.T) {
	for name, change := range map[string]struct{ file, content, want string }{
		"syntax":      {"app.ts", "let = = 1", "app.ts"},
		"module":      {"app.ts", `import "./nowhere.js"`, "nowhere"},
		"placeholder": {"index.html", "<html></html>", "{{script}}"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(sources)); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, change.file), []byte(change.content), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := bundle(dir); err == nil || !strings.Contains(err.Error(), change.want) {
				t.Errorf("the error is %v, want one that names %s", err, change.want)
			}
		})
	}
}

// Node.js, if there is one, runs the tests of the page's modules.
func TestModules(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no Node.js on this machine to run the tests in tools/page/test")
	}
	tests, err := filepath.Glob("test/*.test.ts")
	if err != nil || len(tests) == 0 {
		t.Fatalf("there are no tests in tools/page/test: %v", err)
	}
	dir := t.TempDir()
	result := api.Build(api.BuildOptions{
		AbsWorkingDir: absolute(t, "."), EntryPoints: tests, Outdir: dir, Write: true, Bundle: true,
		Platform: api.PlatformNode, Format: api.FormatESModule, OutExtension: map[string]string{".js": ".mjs"}, TsconfigRaw: "{}",
	})
	if err := problems(result.Errors, result.Warnings); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	args := []string{"--test", "--test-reporter=spec"}
	for _, name := range tests {
		args = append(args, filepath.Join(dir, strings.TrimSuffix(filepath.Base(name), ".ts")+".mjs"))
	}
	out, err := exec.CommandContext(ctx, node, args...).CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}
