package main

import (
	"context"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// compileLibrary builds the C library of the wheel for this platform alone, as it needs this
// machine's C compiler, and returns its path.
func (r *release) compileLibrary(ctx context.Context, work string) (string, error) {
	name, flags := "libbacksolve.so", "-extldflags=-Wl,-soname,libbacksolve.so"
	switch runtime.GOOS {
	case "darwin":
		name, flags = "libbacksolve.dylib", ""
	case "windows":
		name, flags = "libbacksolve.dll", ""
	}
	path := filepath.Join(work, name)
	cmd := exec.CommandContext(ctx, r.goTool, "build", "-trimpath", "-buildvcs=false", "-buildmode=c-shared",
		"-ldflags", "-s -w -X main.version="+r.name+" "+flags, "-o", path, "./cmd/"+cLibrary)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=")
	cmd.Stdout, cmd.Stderr = r.log, r.log
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("the C library for the wheel cannot be built: %w; install a C compiler", err)
	}
	return path, nil
}

// packWheel packs the package below a directory with a library.
func (r *release) packWheel(ctx context.Context, library, python, notices string) error {
	tag, err := wheelTag(library)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "python3", filepath.Join(python, "wheel.py"), library, r.name, tag, r.out, notices)
	cmd.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.date.Unix()))
	cmd.Stdout, cmd.Stderr = r.log, r.log
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the wheel cannot be packed: %w; install Python 3", err)
	}
	return nil
}

// wheelTag returns the platform tag for a library: on Linux with glibc the manylinux tag of the
// latest version whose symbols it imports, so that pip refuses older systems.
func wheelTag(library string) (string, error) {
	if runtime.GOOS != "linux" {
		return "native", nil
	}
	f, err := elf.Open(library)
	if err != nil {
		return "", err
	}
	defer f.Close()
	symbols, err := f.ImportedSymbols()
	if err != nil {
		return "", err
	}
	latest := 17 // the oldest that pip knows by this form of tag
	for _, s := range symbols {
		minor := 0
		if _, err := fmt.Sscanf(s.Version, "GLIBC_2.%d", &minor); err == nil {
			latest = max(latest, minor)
		}
	}
	machine := strings.NewReplacer("amd64", "x86_64", "arm64", "aarch64").Replace(runtime.GOARCH)
	return fmt.Sprintf("manylinux_2_%d_%s", latest, machine), nil
}
