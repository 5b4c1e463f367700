package main

import (
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/player/zero"
	"backsolve/research/internal/files"
	"backsolve/research/nn"
)

func exportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "export FILE FILE",
		Short: "Write a network as ONNX or NPZ, for other programs",
		Long: `Write a network, the first file, for other programs. The second file ends in .onnx, for
onnxruntime and others, or in .npz, for NumPy. docs/howto/python.md explains the input,
which is the canonical image of a position.`,
		Example: `  learn export notakto-4x4/0040.weights notakto-4x4.onnx
  learn export notakto-4x4/0040.weights notakto-4x4.npz`,
		Args: cli.Args(2),
		RunE: func(_ *cobra.Command, args []string) error {
			format := map[string]func(*zero.Weights) ([]byte, error){".onnx": nn.ONNX, ".npz": nn.NPZ}[filepath.Ext(args[1])]
			if format == nil {
				return cli.Usagef("%s: name a file that ends in .onnx or .npz", args[1])
			}
			w, err := zero.Load(args[0])
			if err != nil {
				return err
			}
			content, err := format(w)
			if err != nil {
				return err
			}
			return files.Write(args[1], func(to io.Writer) error {
				_, err := to.Write(content)
				return err
			})
		},
	}
}
