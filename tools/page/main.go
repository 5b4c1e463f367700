// Page makes internal/server/page/dist, what tbserve shows in a browser, from the
// TypeScript and the style sheets in internal/server/page/src:
//
//	go generate ./internal/server/page
//
// It takes the directory of the sources and the one to write. The types are checked
// by another program: npm ci && npm run check.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: page SOURCES DIRECTORY")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// write makes the page from the sources in src the only content of dir.
func write(src, dir string) error {
	src, err := filepath.Abs(src)
	if err != nil {
		return err
	}
	files, err := bundle(src)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
