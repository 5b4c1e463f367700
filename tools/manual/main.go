// Command manual writes the man pages of the programs from what they say of themselves, so
// that no program carries the means to write pages.
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"backsolve/cmd/cli"
)

// programs are those that have pages, with the line by which man -k finds them.
var programs = []struct{ name, short string }{
	{"tbsolve", "solve board games completely and write tables of the results"},
	{"tbquery", "show the value of a position of a board game"},
	{"tbserve", "serve tables of solved board games over HTTP and in the browser"},
	{"tbplay", "play a board game by its table, against people and programs"},
	{"tbcluster", "solve boards with many processes, on one or more machines"},
	{"tbmcp", "answer assistants from tables of solved board games"},
	{"bench", "measure solves, lookups and cold starts of backsolve"},
	{"lab", "train players of board games, and measure them by exact values"},
}

func main() { cli.Main(newCommand(), func(error) int { return cli.StatusFailed }) }

const long = `Write the man pages of all programs and of their commands. The date of the pages is
$SOURCE_DATE_EPOCH, in seconds, or today.`

func newCommand() *cobra.Command {
	var bin, out, release string
	cmd := &cobra.Command{
		Use:     "manual",
		Short:   "Write the man pages of the programs",
		Long:    long,
		Example: "  manual --bin bin --out share/man/man1 --release v0.1.0",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := os.MkdirAll(out, 0o755); err != nil {
				return err
			}
			for _, p := range programs {
				about, err := ask(filepath.Join(bin, p.name))
				if err == nil {
					err = write(about, p.short, out, release)
				}
				if err != nil {
					return fmt.Errorf("%s: %w; build the programs with make build", p.name, err)
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&bin, "bin", "bin", "`DIR` directory of the programs")
	cmd.Flags().StringVar(&out, "out", filepath.Join("share", "man", "man1"), "`DIR` directory of the pages")
	cmd.Flags().StringVar(&release, "release", "devel", "version of the pages")
	return cmd
}

func ask(path string) (d cli.Description, err error) {
	text, err := exec.Command(path, cli.Describe).Output()
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	return d, err
}

func write(about cli.Description, short, out, release string) error {
	date := time.Now()
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return fmt.Errorf("$SOURCE_DATE_EPOCH is %.40q; set it to a number of seconds since 1970", epoch)
		}
		date = time.Unix(seconds, 0)
	}
	date = date.UTC()
	about.Short = short
	return doc.GenManTreeFromOpts(command(about), doc.GenManTreeOptions{
		Header: &doc.GenManHeader{Section: "1", Date: &date, Source: "backsolve " + strings.TrimPrefix(release, "v"), Manual: "User Commands"},
		Path:   out, CommandSeparator: "-",
	})
}

// command returns a command that looks like the one that was described, with its texts in
// Markdown, which is what pages are made of.
func command(d cli.Description) *cobra.Command {
	c := &cobra.Command{
		Use: d.Use, Short: plain(d.Short), Long: markdown(cmp.Or(d.Long, d.Short)) + "\n\n# EXIT STATUS\n" + markdown(cli.ExitCodes), Example: d.Example,
		Run: func(*cobra.Command, []string) {}, DisableAutoGenTag: true,
	}
	for _, f := range d.Flags {
		flags := c.Flags()
		if f.Global {
			flags = c.PersistentFlags()
		}
		flag := flags.VarPF(value(cmp.Or(f.Value, "true")), f.Name, f.Shorthand, plain(strings.ReplaceAll(f.Usage, "\n", " ")))
		if f.Value == "" {
			flag.NoOptDefVal = "true"
		}
	}
	for _, sub := range d.Commands {
		c.AddCommand(command(sub))
	}
	return c
}

// value is the type of a flag's value. It replaces the default in the output; the flag's
// text names the default where it matters.
type value string

var _ pflag.Value = value("")

func (v value) String() string   { return string(v) }
func (v value) Set(string) error { return nil }
func (v value) Type() string     { return "value" }

var (
	// columns is of lines that must stay as they are.
	columns = regexp.MustCompile(`(?m)^[ \t]|\S {2,}\S`)
	special = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "<", `\<`, "[", `\[`, "#", `\#`)
)

func plain(text string) string { return special.Replace(text) }

// markdown returns a text in Markdown. Columns become a code block.
func markdown(text string) string {
	parts := strings.Split(strings.Trim(text, "\n"), "\n\n")
	for i, part := range parts {
		if columns.MatchString(part) {
			parts[i] = "    " + strings.ReplaceAll(part, "\n", "\n    ")
		} else {
			parts[i] = plain(part)
		}
	}
	return strings.Join(parts, "\n\n")
}
