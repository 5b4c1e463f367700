package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// release is a version that is built.
type release struct {
	name, goTool, share, out string
	date                     time.Time
	log                      io.Writer
	version                  version
}

// platform is what programs are built for.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "-" + p.arch }

// program returns the file name of a program.
func (p platform) program(name string) string {
	if p.os == "windows" {
		return name + ".exe"
	}
	return name
}

var platforms = []platform{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

// programs are what is published, by the directory of their module.
var programs = map[string][]string{
	".":        {"./cmd/tbsolve", "./cmd/tbquery", "./cmd/tbserve", "./cmd/tbplay"},
	"cluster":  {"./cmd/tbcluster"},
	"mcp":      {"./cmd/tbmcp"},
	"research": {"./cmd/analyze", "./cmd/ladder", "./cmd/learn"},
	"tools":    {"./bench"},
}

// cLibrary is the C library, which the wheels contain.
const cLibrary = "libbacksolve"

// build builds everything.
func (r *release) build(ctx context.Context) (err error) {
	if r.version, err = parseVersion(r.name); err != nil {
		return err
	}
	if err := checkChangelog(r.version); err != nil {
		return err
	}
	if there, err := os.ReadDir(r.out); err == nil && len(there) > 0 {
		return fmt.Errorf("%s has files already; remove it", r.out)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	work, err := os.MkdirTemp("", "backsolve-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	for _, p := range platforms {
		fmt.Fprintf(r.log, "%v: compiling\n", p)
		if err := r.compile(ctx, p, filepath.Join(work, p.String())); err != nil {
			return err
		}
	}
	inWheels, err := r.compileLibraries(ctx, work)
	if err != nil {
		return err
	}
	parts, err := partsOf(ctx, r.goTool, work, inWheels)
	if err != nil {
		return err
	}
	texts, err := licenseTexts(".", parts)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	notices := filepath.Join(work, "THIRD-PARTY-LICENSES.txt")
	if err := os.WriteFile(notices, texts, 0o644); err != nil {
		return err
	}
	if err := r.writeBill(parts); err != nil {
		return err
	}
	for _, p := range platforms {
		fmt.Fprintf(r.log, "%v: packing\n", p)
		if err := r.publish(p, filepath.Join(work, p.String()), notices); err != nil {
			return fmt.Errorf("%v: %w", p, err)
		}
	}
	fmt.Fprintln(r.log, "Python: packing")
	for p, library := range inWheels {
		if err := r.packWheel(ctx, p, library, "python", notices); err != nil {
			return err
		}
	}
	return writeSums(r.out)
}

// compile builds the programs for a platform into a directory.
func (r *release) compile(ctx context.Context, p platform, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	path, err := exec.CommandContext(ctx, r.goTool, "list", "-m").Output() // a fork has its own
	if err != nil {
		return fmt.Errorf("%s list -m: %w", r.goTool, err)
	}
	for module, packages := range programs {
		args := []string{"build", "-C", module, "-trimpath", "-buildvcs=false",
			"-ldflags", "-s -w -X " + strings.TrimSpace(string(path)) + "/cmd/cli.version=" + r.name, "-o", dir + string(filepath.Separator)}
		cmd := exec.CommandContext(ctx, r.goTool, append(args, packages...)...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=")
		cmd.Stdout, cmd.Stderr = r.log, r.log
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("the programs cannot be built for %v: %w", p, err)
		}
	}
	return nil
}

// publish writes what there is for one platform, of programs in a directory.
func (r *release) publish(p platform, bin, notices string) error {
	files, err := treeOf(p, bin, r.share, notices)
	if err != nil {
		return err
	}
	if err := r.writeArchive(p, files); err != nil {
		return err
	}
	if p.os != "linux" {
		return nil
	}
	if err := r.writePackages(p, files); err != nil {
		return err
	}
	return writeContext(r.out, p, files)
}

// baseName returns the name of a program: what
// "./cmd/tbsolve" and "bin/tbsolve.exe" have in common.
func baseName(path string) string {
	return strings.TrimSuffix(filepath.Base(path), ".exe")
}

// programNames returns the names of all programs in order.
func programNames() (names []string) {
	for _, packages := range programs {
		for _, path := range packages {
			names = append(names, baseName(path))
		}
	}
	slices.Sort(names)
	return names
}
