package cli

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Choice is a flag that takes one of a set of words. The first is the default.
type Choice struct {
	word  string
	words []string
}

// NewChoice returns a choice of words. With an empty first word there is no default.
func NewChoice(words ...string) *Choice {
	c := &Choice{word: words[0], words: words}
	if words[0] == "" {
		c.words = words[1:]
	}
	return c
}

// String returns the word.
func (c *Choice) String() string { return c.word }

// Type returns the word for values in help.
func (c *Choice) Type() string { return "WORD" }

// Set sets the word.
func (c *Choice) Set(text string) error {
	if !slices.Contains(c.words, text) {
		return fmt.Errorf("give one of %s", strings.Join(c.words, ", "))
	}
	c.word = text
	return nil
}

// Register adds the flag to a command, with the words as its completions.
func (c *Choice) Register(cmd *cobra.Command, name, usage string) {
	cmd.Flags().Var(c, name, usage)
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(c.words, cobra.ShellCompDirectiveNoFileComp)))
}

// The formats of output.
const (
	Text = "text"
	JSON = "json"
	CSV  = "csv"
)

// JSONFlag adds -j, --json.
func JSONFlag(flags *pflag.FlagSet) { flags.BoolP("json", "j", false, "print JSON") }

// FormatFlag adds --format to a command that has --json. The first format is the default.
func FormatFlag(cmd *cobra.Command, formats ...string) {
	last := len(formats) - 1
	NewChoice(formats...).Register(cmd, "format", strings.Join(formats[:last], ", ")+" or "+formats[last])
}

// Format returns the output format of a command: JSON with --json, else that of --format, if it has the flag, or text.
func Format(cmd *cobra.Command) string {
	if WantsJSON(cmd) {
		return JSON
	}
	if word := cmd.Flags().Lookup("format"); word != nil {
		return word.Value.String()
	}
	return Text
}

func checkFormat(cmd *cobra.Command) error {
	word := cmd.Flags().Lookup("format")
	if WantsJSON(cmd) && word != nil && word.Changed && word.Value.String() != JSON {
		return Usagef("--json and --format ask for different formats; leave one of them out")
	}
	return nil
}

// WantsJSON reports whether --json is given.
func WantsJSON(cmd *cobra.Command) bool {
	f := cmd.Flags().Lookup("json")
	return f != nil && f.Value.String() == "true"
}

// Print prints a value as JSON with --json, else as text.
func Print[T any](cmd *cobra.Command, v T, text func(w io.Writer, v T) error) error {
	if WantsJSON(cmd) {
		return WriteJSON(cmd.OutOrStdout(), v)
	}
	return text(cmd.OutOrStdout(), v)
}

// PrintLine prints a value as JSON with --json, else a line of text.
func PrintLine(cmd *cobra.Command, v any, format string, args ...any) error {
	return Print(cmd, v, func(w io.Writer, _ any) error {
		_, err := fmt.Fprintf(w, format+"\n", args...)
		return err
	})
}

// CountValue is a flag for a whole number from 1 to Max.
type CountValue struct {
	Count    int
	Max      int
	Standard string // the default in help
}

// NewCount returns a flag with a default.
func NewCount(count, most int) CountValue {
	return CountValue{Count: count, Max: most, Standard: strconv.Itoa(count)}
}

func (v *CountValue) String() string { return v.Standard }
func (v *CountValue) Type() string   { return "N" }

func (v *CountValue) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > v.Max {
		return fmt.Errorf("give a whole number from 1 to %d", v.Max)
	}
	v.Count = n
	return nil
}

// BytesValue is a flag for an amount of memory of at least 1 MiB, 0 if it is not given.
type BytesValue int64

func (v *BytesValue) String() string { return "" }
func (v *BytesValue) Type() string   { return "BYTES" }

func (v *BytesValue) Set(text string) error {
	n, err := humanize.ParseBytes(text)
	if err != nil || n < 1<<20 || n > math.MaxInt64 {
		return fmt.Errorf("give at least 1MiB, for example 8GiB, 500MB or 8000000000")
	}
	*v = BytesValue(n)
	return nil
}

// MaxThreads bounds --threads.
const MaxThreads = 4096

// ThreadsValue returns the value of --threads, all cores by default.
func ThreadsValue() CountValue {
	return CountValue{Count: runtime.GOMAXPROCS(0), Max: MaxThreads, Standard: "all cores"}
}
