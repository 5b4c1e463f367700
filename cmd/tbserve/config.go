package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/coreos/go-systemd/v22/unit"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"backsolve/cmd/cli"
)

// configSection is the only section of a configuration file, which has the syntax of systemd's
// units: a heading, lines NAME = VALUE, comments.
const configSection = "tbserve"

// commandOnly are the flags that the environment and, as config, a file cannot set.
var commandOnly = []string{"health", "help", "version", "config"}

// configure sets the flags that the command line lacks: from the environment, else from the file
// of --config. The error is a *cli.UsageError unless the file cannot be read.
func (o *options) configure(cmd *cobra.Command) (err error) {
	flags := cmd.Flags()
	flags.VisitAll(func(f *pflag.Flag) {
		name := "TBSERVE_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		if value := os.Getenv(name); value != "" && !f.Changed && !slices.Contains(commandOnly[:3], f.Name) {
			err = errors.Join(err, set(cmd, f, "$"+name, value))
		}
	})
	if err != nil || o.config == "" {
		return err
	}
	given := map[string]bool{}
	flags.Visit(func(f *pflag.Flag) { given[f.Name] = true })
	lines, err := readConfig(o.config)
	for _, line := range lines {
		f := flags.Lookup(line.Name)
		switch {
		case f == nil || slices.Contains(commandOnly, f.Name):
			err = cli.Usagef("%s: there is no setting %.40q; the settings are the flags of tbserve --help, without --", o.config, line.Name)
		case given[f.Name]:
			continue
		case f.Changed && f.Value.Type() != "stringArray":
			err = cli.Usagef("%s: %s is there twice; give it once", o.config, f.Name)
		default:
			err = set(cmd, f, o.config, line.Value)
		}
		if err != nil {
			return err
		}
	}
	return err
}

// set sets a flag from a file or variable.
func set(cmd *cobra.Command, f *pflag.Flag, from, value string) error {
	if err := cmd.Flags().Set(f.Name, value); err != nil {
		return cli.Usagef("%s: %w", from, cmd.FlagErrorFunc()(cmd, err))
	}
	return nil
}

// readConfig reads the lines of a configuration file.
func readConfig(path string) ([]*unit.UnitEntry, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the configuration cannot be read: %w", err)
	}
	defer f.Close()
	sections, err := unit.DeserializeSections(f)
	if err == nil && (len(sections) != 1 || sections[0].Section != configSection) {
		err = errors.New("it does not have the one section that is known")
	}
	if err != nil {
		return nil, cli.Usagef("%s: %w; begin with the line [%s], and write NAME = VALUE in each further line", path, err, configSection)
	}
	return sections[0].Entries, nil
}

// reread returns a function that reads the configuration again and changes the level of the log.
// It tells which other settings of a running server's flags differ; these need a restart.
func (o *options) reread(running *cobra.Command, level *slog.LevelVar) func() ([]any, error) {
	before := values(running)
	return func() ([]any, error) {
		cmd := new(cobra.Command)
		now := newOptions(cmd)
		err := cmd.ParseFlags(os.Args[1:])
		if err == nil {
			err = now.configure(cmd)
		}
		if err == nil {
			err = now.check()
		}
		if err != nil {
			return nil, err
		}
		level.Set(now.logLevel)
		restart := []string{}
		for name, value := range values(cmd) {
			if name != "log-level" && value != before[name] {
				restart = append(restart, name)
			}
		}
		slices.Sort(restart)
		return []any{"need_restart", restart}, nil
	}
}

// values returns the values of a command's own flags as texts.
func values(cmd *cobra.Command) map[string]string {
	all := map[string]string{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) { all[f.Name] = f.Value.String() })
	return all
}
