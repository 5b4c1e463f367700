// Command release builds what is published of a version: archives for six platforms,
// packages for Debian and for systems with RPM, the files that a container image is
// made of, Python wheels, a list of what the programs contain, and
// checksums. The same sources, compilers and version give the same bytes.
//
// It stands in for goreleaser, which wants a newer compiler than the programs do and
// brings some hundred modules.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := newCommand().ExecuteContext(ctx)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
		os.Exit(1)
	}
}

const long = `Builds what is published of a version, from the directory of the module: archives,
packages, the context of the container image (OUT/image), Python wheels, a bill
of materials in CycloneDX, and SHA256SUMS. make release calls it. The wheel for this
platform needs a C compiler and Python 3; those for other platforms need a cross compiler
as well (gcc-aarch64-linux-gnu, gcc-mingw-w64-x86-64), and those for macOS a Mac.

The date of everything is $SOURCE_DATE_EPOCH, in seconds since 1970.`

func newCommand() *cobra.Command {
	var r release
	cmd := &cobra.Command{
		Use:          "release",
		Short:        "Build what is published of a version",
		Long:         long,
		Example:      "  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) release --name v0.1.0 --share share --out dist",
		Args:         cobra.NoArgs,
		SilenceUsage: true, SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if r.date, err = buildDate(os.Getenv("SOURCE_DATE_EPOCH")); err != nil {
				return err
			}
			r.log = cmd.ErrOrStderr()
			return r.build(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.StringVar(&r.name, "name", "", "version, as printed by git describe")
	f.StringVar(&r.goTool, "go", "go", "go command")
	f.StringVar(&r.share, "share", "share", "`DIR` directory of man pages and completions")
	f.StringVar(&r.out, "out", "dist", "`DIR` directory to write to, which must not exist or be empty")
	return cmd
}

// buildDate reads the date that everything bears.
func buildDate(epoch string) (time.Time, error) {
	if epoch == "" {
		return time.Time{}, errors.New("$SOURCE_DATE_EPOCH is not set; set it to the date of the version, in seconds since 1970")
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("$SOURCE_DATE_EPOCH is %.40q; set it to a number of seconds since 1970", epoch)
	}
	return time.Unix(seconds, 0).UTC(), nil
}
