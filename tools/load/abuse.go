package main

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/tools/load/abuse"
	"backsolve/tools/load/child"
	"backsolve/tools/load/grid"
)

const abuseLong = `Attacks a tbserve of its own in the ways that clients, by malice or by mistake,
and broken files do. Each attack has a server of its own, on copies of the tables,
with timeouts of a few seconds so that the run is short. It is ok if the server
does what it should, if others who ask for positions and small batches meanwhile
are answered rightly and soon, and if it gives back afterwards what the attack has
taken.

Without names all attacks are run, which takes some minutes.

Exit status: 0 all is ok; 1 something is not, or an attack could not be run; 2 the
command line cannot be understood; 3 there is no table; 4 it is damaged.`

const abuseExamples = `  load abuse
  load abuse --markdown > attacks.md
  load abuse 'slow headers' 'idle connections'`

// abuseOptions are what the flags of abuse say.
type abuseOptions struct {
	tbserve        programFlag
	json, markdown bool
}

func abuseCommand() *cobra.Command {
	var o abuseOptions
	cmd := &cobra.Command{
		Use:       "abuse [ATTACK...]",
		Short:     "Attack tbserve and see what it withstands",
		Long:      abuseLong + "\n\nThe attacks are\n  " + strings.Join(abuse.Names(), "\n  "),
		Example:   abuseExamples,
		ValidArgs: abuse.Names(),
		RunE:      func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	o.tbserve.register(cmd)
	cmd.Flags().BoolVar(&o.json, "json", false, "print the results as one JSON object")
	cmd.Flags().BoolVar(&o.markdown, "markdown", false, "print the results as tables of Markdown")
	cmd.MarkFlagsMutuallyExclusive("json", "markdown")
	return cmd
}

// errNotOK is the error where the server has not withstood.
var errNotOK = errors.New("the server has not withstood all attacks; the report tells which")

func (o *abuseOptions) run(cmd *cobra.Command, names []string) error {
	for _, name := range names {
		if !slices.Contains(abuse.Names(), name) {
			return cli.Usagef("%.40q is no attack; 'load abuse --help' lists them", name)
		}
	}
	program, err := o.tbserve.find()
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	dir, err := os.MkdirTemp("", "load-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	attacked, err := newTable(ctx, "quixo", 4, dir)
	if err != nil {
		return err
	}
	bystander, err := newTable(ctx, "notakto", 3, dir)
	if err != nil {
		return err
	}
	r, err := abuse.Run(ctx, abuse.Options{
		Rules: attacked, Bystander: bystander, Dir: dir, Only: names,
		Start: func(ctx context.Context, args ...string) (string, abuse.Process, error) {
			p, err := child.Start(ctx, program, args...)
			if err != nil {
				return "", nil, err
			}
			return p.Addr, p, nil
		},
	}, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	if err := o.write(cmd.OutOrStdout(), r); err != nil {
		return err
	}
	if !r.OK() {
		return errNotOK
	}
	return nil
}

// newTable solves a board into a directory and returns its rules.
func newTable(ctx context.Context, name string, n int, dir string) (game.Grid, error) {
	rules, err := games.NewGrid(name, n)
	if err != nil {
		return nil, err
	}
	return rules, solve(ctx, rules, dir)
}

func (o *abuseOptions) write(w io.Writer, r *abuse.Report) error {
	switch {
	case o.json:
		return r.WriteJSON(w)
	case o.markdown:
		return r.Write(w, grid.Markdown)
	default:
		return r.Write(w, grid.Text)
	}
}
