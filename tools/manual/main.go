// Command manual writes the man pages of the programs from what they print for
// --help, so that the two cannot differ, and no program carries the means to write
// pages along.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
)

// programs are those that have pages, with the line by which man -k finds them.
var programs = []struct{ name, short string }{
	{"tbsolve", "solve board games completely and keep the answers as tables"},
	{"tbquery", "say what a table knows of a position of a board game"},
	{"tbserve", "serve tables of solved board games over HTTP and in the browser"},
	{"tbplay", "play a board game by its table, against people and programs"},
	{"ladder", "grade players of board games against each other and against perfect play"},
	{"analyze", "report in plots and numbers what a table knows of its game"},
	{"bench", "measure solves, lookups and cold starts of backsolve"},
	{"learn", "train networks by games against themselves, and grade players of board games"},
}

func main() { cli.Main(newCommand(), func(error) int { return cli.StatusFailed }) }

const long = `Writes the man pages of all programs, and of their commands, from what they print
for --help. The date of the pages is $SOURCE_DATE_EPOCH, in seconds, or today.

Exit status: 0 written; 1 a program cannot be run, or its help has a form that is
not known; 2 the command line cannot be understood.`

func newCommand() *cobra.Command {
	var bin, out, release string
	cmd := &cobra.Command{
		Use:     "manual",
		Short:   "Write the man pages of the programs",
		Long:    long,
		Example: "  manual --bin bin --out share/man/man1 --release v0.1.0",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			date, err := pageDate()
			if err != nil {
				return err
			}
			return writeAll(cmd.Context(), bin, out, footer{release, date})
		},
	}
	cmd.Flags().StringVar(&bin, "bin", "bin", "`directory` of the programs")
	cmd.Flags().StringVar(&out, "out", filepath.Join("share", "man", "man1"), "`directory` of the pages")
	cmd.Flags().StringVar(&release, "release", "devel", "`version` that the pages are of")
	return cmd
}

// pageDate returns the date that pages bear: the same where the same is built again.
func pageDate() (time.Time, error) {
	epoch := os.Getenv("SOURCE_DATE_EPOCH")
	if epoch == "" {
		return time.Now().UTC(), nil
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("$SOURCE_DATE_EPOCH is %.40q; set it to a number of seconds since 1970", epoch)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// writeAll writes the pages of all programs.
func writeAll(ctx context.Context, bin, out string, foot footer) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, p := range programs {
		path := filepath.Join(bin, p.name)
		if runtime.GOOS == "windows" {
			path += ".exe"
		}
		ask := func(args ...string) (string, error) { return printed(ctx, path, args...) }
		pages, err := pagesOf(ask, p.name, p.short, foot)
		if err != nil {
			return err
		}
		for name, text := range pages {
			if err := os.WriteFile(filepath.Join(out, name), []byte(text), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// printed returns what a program prints.
func printed(ctx context.Context, path string, args ...string) (string, error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s cannot be asked for help: %w %s; build it with make build", path, err, strings.TrimSpace(errs.String()))
	}
	return out.String(), nil
}

// pagesOf returns the pages of a program and all its commands, by the names of their
// files. What ask returns is what the program prints for some arguments.
func pagesOf(ask func(args ...string) (string, error), program, short string, foot footer) (map[string]string, error) {
	pages := map[string]string{}
	var add func(path []string, short string, others []string) error
	add = func(path []string, short string, others []string) error {
		text, err := ask(append(path[1:len(path):len(path)], "--help")...)
		if err != nil {
			return err
		}
		h, err := parse(text)
		if err != nil {
			return fmt.Errorf("the help of %s: %w", strings.Join(path, " "), err)
		}
		for _, c := range h.commands {
			if err := add(append(path[:len(path):len(path)], c.name), lowerFirst(c.text), []string{program}); err != nil {
				return err
			}
		}
		name := strings.Join(path, "-")
		pages[name+".1"] = page(name, short, h, others, foot)
		return nil
	}
	var others []string
	for _, p := range programs {
		if p.name != program {
			others = append(others, p.name)
		}
	}
	return pages, add([]string{program}, short, others)
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }
