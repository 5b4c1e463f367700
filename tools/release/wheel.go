package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

var host = platform{runtime.GOOS, runtime.GOARCH}

// crossCompilers are the C compilers that build for other platforms, by Debian's names. Wheels for
// macOS are made on a Mac, as only it comes with the libraries that linking needs.
var crossCompilers = map[platform]string{
	{"linux", "amd64"}:   "x86_64-linux-gnu-gcc",
	{"linux", "arm64"}:   "aarch64-linux-gnu-gcc",
	{"windows", "amd64"}: "x86_64-w64-mingw32-gcc",
}

// compileLibraries builds the C library of the wheels for this platform, and for others if their C
// compiler is installed, and returns the paths.
func (r *release) compileLibraries(ctx context.Context, work string) (map[platform]string, error) {
	libraries := map[platform]string{}
	for _, p := range platforms {
		compiler := ""
		if p != host {
			compiler = crossCompilers[p]
			if _, err := exec.LookPath(compiler); err != nil {
				fmt.Fprintf(r.log, "Python: no wheel for %v, as %s is not installed\n", p, cmp.Or(compiler, "a C compiler for it"))
				continue
			}
		}
		path, err := r.compileLibrary(ctx, p, compiler, filepath.Join(work, "library-"+p.String()))
		if err != nil {
			return nil, err
		}
		libraries[p] = path
	}
	return libraries, nil
}

// compileLibrary builds the C library for a platform into a directory, and returns its path. The
// compiler "" is this machine's own.
func (r *release) compileLibrary(ctx context.Context, p platform, compiler, dir string) (string, error) {
	name, flags := "libbacksolve.so", "-extldflags=-Wl,-soname,libbacksolve.so"
	switch p.os {
	case "darwin":
		name, flags = "libbacksolve.dylib", ""
	case "windows":
		name, flags = "libbacksolve.dll", ""
	}
	path := filepath.Join(dir, name)
	cmd := exec.CommandContext(ctx, r.goTool, "build", "-trimpath", "-buildvcs=false", "-buildmode=c-shared",
		"-ldflags", "-s -w -X main.version="+r.name+" "+flags, "-o", path, "./cmd/"+cLibrary)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "GOOS="+p.os, "GOARCH="+p.arch, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=")
	if compiler != "" {
		cmd.Env = append(cmd.Env, "CC="+compiler)
	}
	cmd.Stdout, cmd.Stderr = r.log, r.log
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("the C library for the wheel of %v cannot be built: %w; install a C compiler", p, err)
	}
	return path, nil
}

// packWheel packs the package below a directory with a library for a platform.
func (r *release) packWheel(ctx context.Context, p platform, library, python, notices string) error {
	cmd := exec.CommandContext(ctx, "python3", filepath.Join(python, "wheel.py"), library, r.name, p.os+"/"+p.arch, r.out, notices)
	cmd.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.date.Unix()))
	cmd.Stdout, cmd.Stderr = r.log, r.log
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the wheel cannot be packed: %w; install Python 3", err)
	}
	return nil
}
