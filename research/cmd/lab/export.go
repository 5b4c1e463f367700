package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/internal/player/zero"
	"backsolve/research/internal/files"
	"backsolve/research/nn"
)

func exportCommand(s *shared) *cobra.Command {
	simulations := 0
	cmd := &cobra.Command{
		Use:   "export FILE FILE",
		Short: "Write a network as ONNX or NPZ, for other programs",
		Long: `Convert a network, the first file, for other programs. The second file ends in .onnx, for
onnxruntime and others, or in .npz, for NumPy. docs/howto/python.md explains the input,
which is the canonical image of a position.

With --sims the .npz file also has the moves of a champion: the moves of the search with
that number of simulations, in each state to which any opponent can lead from the start.`,
		Example: `  lab export notakto-4x4/0040.weights notakto-4x4.onnx
  lab export notakto-4x4/0040.weights notakto-4x4.npz
  lab export notakto-4x4/0040.weights notakto-4x4.npz --sims 50 --dir tables`,
		Args: cli.Args(2),
		RunE: func(cmd *cobra.Command, args []string) error { return s.export(cmd, args, simulations) },
	}
	cmd.Flags().IntVar(&simulations, "sims", 0, "number of simulations for each move of a champion (default no moves)")
	return cmd
}

func (s *shared) export(cmd *cobra.Command, args []string, simulations int) error {
	if err := checkNumbers(number{"sims", simulations, 0, zero.MaxSimulations}); err != nil {
		return err
	}
	searched, format := cmd.Flags().Changed("sims"), filepath.Ext(args[1])
	switch {
	case format != ".onnx" && format != ".npz":
		return cli.Usagef("%s: name a file that ends in .onnx or .npz", args[1])
	case searched && format != ".npz":
		return cli.Usagef("--sims adds moves to .npz files only; leave it out, or name such a file instead of %s", args[1])
	}
	n, err := loadNetwork(args[0])
	if err != nil {
		return err
	}
	var played *nn.Played
	if searched {
		if played, err = s.played(cmd, n, simulations); err != nil {
			return err
		}
	}
	var content []byte
	if format == ".onnx" {
		content, err = nn.ONNX(n.Weights)
	} else {
		content, err = nn.NPZ(n.Weights, played)
	}
	if err != nil {
		return err
	}
	return files.WriteBytes(args[1], content)
}

// played returns the moves of a champion against all replies.
func (s *shared) played(cmd *cobra.Command, n *network, simulations int) (*nn.Played, error) {
	env := newEnv(n.rules, *s.dir, *s.threads)
	defer env.Close()
	subject, err := newSubject(cmd.Context(), env, false, *s.threads)
	if err != nil {
		return nil, err
	}
	agent, err := zero.New(n.rules, n.Weights, simulations)
	if err != nil {
		return nil, err
	}
	subject.Agent, subject.From = agent, n.start
	sides, err := subject.Sides()
	if err != nil {
		return nil, err
	}
	all := &nn.Played{}
	for _, side := range sides {
		w, err := s.champion(cmd, subject, side)
		if err != nil {
			return nil, err
		}
		if !w.Champion {
			return nil, fmt.Errorf("%s is not a champion, so its moves are not written; give more --sims, or leave it out", agent.Name())
		}
		for _, p := range w.Played {
			inputs, action := agent.Choice(p.State, p.Move)
			all.Inputs, all.Actions = append(all.Inputs, inputs), append(all.Actions, action)
		}
	}
	return all, nil
}
