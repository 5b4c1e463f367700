package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
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

// NoCompletion says that nothing, and no file, completes the values of flags.
func NoCompletion(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		cobra.CheckErr(cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions))
	}
}

// The formats of output.
const (
	Text = "text"
	JSON = "json"
	CSV  = "csv"
)

// Format is the output format of a command: --format, and --json for short.
type Format struct {
	choice *Choice
	given  bool // --format
	json   bool
}

// FormatFlags adds --format with some of the formats, of which the first is the
// default, and -j, --json for --format json.
func FormatFlags(cmd *cobra.Command, formats ...string) *Format {
	f := &Format{choice: NewChoice(formats...)}
	last := len(formats) - 1
	f.choice.Register(cmd, "format", strings.Join(formats[:last], ", ")+" or "+formats[last])
	cmd.Flags().Lookup("format").Value = formatFlag{f.choice, f}
	cmd.Flags().VarPF(jsonFlag{f}, "json", "j", "same as --format json").NoOptDefVal = "true"
	return f
}

// formatFlag is --format, and jsonFlag --json. Each refuses to contradict the other.
type formatFlag struct {
	*Choice
	format *Format
}

func (v formatFlag) Set(text string) error {
	v.format.given = true
	return errors.Join(v.Choice.Set(text), v.format.check())
}

type jsonFlag struct{ format *Format }

func (v jsonFlag) String() string { return strconv.FormatBool(v.format.json) }
func (v jsonFlag) Type() string   { return "bool" }

func (v jsonFlag) Set(text string) (err error) {
	if v.format.json, err = strconv.ParseBool(text); err != nil {
		return err
	}
	return v.format.check()
}

// check refuses --json with another format.
func (f *Format) check() error {
	if f.json && f.given && f.choice.word != JSON {
		return errors.New("--json and --format ask for different formats; leave one of them out")
	}
	return nil
}

// Print writes a value to the output of a command, as a line of JSON if that is the format.
func Print[T any](cmd *cobra.Command, f *Format, v T, text func(w io.Writer, v T) error) error {
	if f.Word() == JSON {
		return WriteJSON(cmd.OutOrStdout(), v)
	}
	return text(cmd.OutOrStdout(), v)
}

// Word returns the format, Text of a nil *Format.
func (f *Format) Word() string {
	switch {
	case f == nil:
		return Text
	case f.json:
		return JSON
	}
	return f.choice.word
}
