// Browser shows the page in a headless Chromium. Its tests click through it; the
// program itself writes the pictures of docs/reference/page.md:
//
//	go run -C tools/browser . ../../docs/reference
//
// It is run in its directory and makes its own tables with tbsolve and tbserve from
// $BACKSOLVE_BIN, or else builds these.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: browser DIRECTORY")
		os.Exit(2)
	}
	if err := pictures(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// pictures writes pictures into a directory.
func pictures(ctx context.Context, dir string) error {
	work, err := os.MkdirTemp("", "backsolve-pictures-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	programs, err := Programs(ctx, work)
	if err != nil {
		return err
	}
	tables := filepath.Join(work, "tables")
	if err := Solve(ctx, programs, tables, "quixo 4 --steps", "notakto 4 --steps", "notakto 5 --steps"); err != nil {
		return err
	}
	server, err := Serve(programs, tables)
	if err != nil {
		return err
	}
	defer server.Close()
	browser, end, err := Browser(ctx)
	if err != nil {
		return err
	}
	defer end()
	for _, s := range shots {
		picture, err := s.take(browser, server)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, s.name+".png"), picture, 0o644); err != nil {
			return err
		}
	}
	return nil
}
