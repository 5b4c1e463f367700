package browser

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Wasm puts the prober for browsers with its example page into dir: from $BACKSOLVE_BIN,
// where make wasm has put it, or else built now.
func Wasm(ctx context.Context, dir string) error {
	if given := os.Getenv("BACKSOLVE_BIN"); given != "" {
		return os.CopyFS(dir, os.DirFS(filepath.Join(given, "wasm")))
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-C", root, "-buildvcs=false", "-ldflags", "-s -w", "-o", filepath.Join(dir, "backsolve.wasm"), "./cmd/tbwasm")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=js", "GOARCH=wasm")
	if err := runs(build); err != nil {
		return err
	}
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	for _, path := range []string{
		filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec.js"),
		filepath.Join(root, "cmd", "tbwasm", "example", "index.html"),
	} {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(path)), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
