// Browser shows the page in a headless Chromium. Its tests click through it; the
// program itself writes the pictures of docs/reference/page.md:
//
//	go run -C tools/browser . ../../docs/reference
//
// or pictures of all views, to look through, in English or another language of the page:
//
//	go run -C tools/browser . views DIRECTORY
//	go run -C tools/browser . views DIRECTORY de
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
	args, taken := os.Args[1:], shots
	switch {
	case len(args) == 2 && args[0] == "views":
		args, taken = args[1:], viewShots("en")
	case len(args) == 3 && args[0] == "views":
		args, taken = args[1:2], viewShots(args[2])
	case len(args) != 1:
		fmt.Fprintln(os.Stderr, "usage: browser DIRECTORY, or browser views DIRECTORY [LANGUAGE]")
		os.Exit(2)
	}
	if err := pictures(context.Background(), args[0], taken); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// pictures writes pictures into a directory.
func pictures(ctx context.Context, dir string, taken []shot) error {
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
	for _, board := range [][]string{{"quixo", "4", "--steps"}, {"notakto", "3", "--steps"}, {"notakto", "4", "--steps"}, {"notakto", "5", "--steps"}, {"tictactoe", "3", "--steps"}} {
		if err := Solve(ctx, programs, tables, board...); err != nil {
			return err
		}
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
	for _, s := range taken {
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
