package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"backsolve/game/nearest"
)

// flagError replaces errors of pflag that do not say what to write.
func flagError(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return unknownFlag(cmd, unknown)
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		f := missing.GetFlag()
		word, usage := FlagHelp(f)
		return fmt.Errorf("--%s needs a value: %s, %s", f.Name, word, usage)
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return invalidValue(invalid)
	}
	return err
}

// unknownFlag suggests the flag that was probably meant.
func unknownFlag(cmd *cobra.Command, e *pflag.NotExistError) error {
	text, name := "--"+e.GetSpecifiedName(), e.GetSpecifiedName()
	if letters := e.GetSpecifiedShortnames(); letters != "" {
		// After one dash there are letters, or a name with a dash too few.
		text, name = "-"+letters, letters
	}
	if cmd.Root().Name() == "tbsolve" && slices.Contains([]string{"workers", "cluster", "store"}, name) {
		return fmt.Errorf("--%s is a flag of tbcluster, which solves with several processes: tbcluster solve", name)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Deprecated == "" {
			names = append(names, f.Name)
		}
	})
	if meant := nearest.Name(name, names); meant != "" && len(name) > 1 {
		return fmt.Errorf("unknown flag: %.60s; did you mean --%s?", text, meant)
	}
	return fmt.Errorf("unknown flag: %.60s", text)
}

// invalidValue replaces the messages of Go's library for an invalid value of a flag.
func invalidValue(e *pflag.InvalidValueError) error {
	f := e.GetFlag()
	reason := e.Unwrap().Error()
	var number *strconv.NumError
	switch {
	case errors.As(e, &number) && errors.Is(number.Err, strconv.ErrRange):
		reason = "the number is out of range; " + remedyOf(f)
	case errors.As(e, &number), f.Value.Type() == "duration":
		reason = remedyOf(f)
	}
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	return fmt.Errorf("invalid argument %.60q for %q flag: %s", e.GetValue(), name, reason)
}

// remedyOf says which values a flag takes.
func remedyOf(f *pflag.Flag) string {
	switch kind := f.Value.Type(); {
	case kind == "bool":
		return "give true or false, or the flag alone"
	case kind == "duration":
		return "give a time with its unit, for example 500ms, 90s or 2h30m"
	case strings.HasPrefix(kind, "uint"):
		return "give a whole number from 0 on"
	case strings.HasPrefix(kind, "int"):
		return "give a whole number"
	}
	return "give a number, for example 0.5"
}
