package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/tools/load/child"
	"backsolve/tools/load/measure"
)

// served returns the server to measure: the one of --url, or a tbserve on the
// tables of a directory. It must be stopped; the error of that says that it did
// not end well.
func (o *options) served(ctx context.Context, dir string) (measure.Server, func() error, error) {
	if o.url == "" {
		return o.startServed(ctx, dir)
	}
	addr, err := hostPort(o.url)
	if err != nil {
		return measure.Server{}, nil, err
	}
	if o.tokenFile != "" {
		token, err := os.ReadFile(o.tokenFile)
		if err != nil {
			return measure.Server{}, nil, fmt.Errorf("the token cannot be read: %w", err)
		}
		o.Token = strings.TrimSpace(string(token))
	}
	cpu := func() (float64, bool) {
		u, err := child.Scrape(ctx, addr, o.Token)
		return u.CPU, err == nil && u.CPU > 0
	}
	return measure.Server{Addr: addr, CPU: cpu}, func() error { return nil }, nil
}

func (o *options) startServed(ctx context.Context, dir string) (measure.Server, func() error, error) {
	program, err := o.tbserve.find()
	if err != nil {
		return measure.Server{}, nil, err
	}
	p, err := child.Start(ctx, program, "--dir", dir)
	if err != nil {
		return measure.Server{}, nil, err
	}
	return serverOf(p), p.Stop, nil
}

func serverOf(p *child.Process) measure.Server {
	return measure.Server{Addr: p.Addr, CPU: func() (float64, bool) { return child.CPU(p.Pid()) }}
}

// startConstant starts this program as a constant handler.
func startConstant(ctx context.Context, means map[measure.Kind]int) (measure.Server, func(), error) {
	self, err := os.Executable()
	if err != nil {
		return measure.Server{}, nil, err
	}
	var sizes []string
	for _, kind := range slices.Sorted(maps.Keys(means)) {
		sizes = append(sizes, fmt.Sprintf("%s=%d", kind, means[kind]))
	}
	p, err := child.Start(ctx, self, constantName, "--sizes", strings.Join(sizes, ","))
	if err != nil {
		return measure.Server{}, nil, err
	}
	return serverOf(p), p.Kill, nil
}

// programFlag is --tbserve.
type programFlag string

func (p *programFlag) register(cmd *cobra.Command) {
	cmd.Flags().StringVar((*string)(p), "tbserve", "", "`program` to start (default tbserve beside this one, or in ./bin)")
}

// find returns the path of the tbserve to start.
func (p programFlag) find() (string, error) {
	if p != "" {
		if !isFile(string(p)) {
			return "", cli.Usagef("--tbserve %s is not a program; build it with make build", string(p))
		}
		return filepath.Abs(string(p))
	}
	name := "tbserve"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	places := []string{"bin"}
	if self, err := os.Executable(); err == nil {
		places = slices.Insert(places, 0, filepath.Dir(self))
	}
	for _, dir := range places {
		if path := filepath.Join(dir, name); isFile(path) {
			return filepath.Abs(path)
		}
	}
	return "", cli.Usagef("there is no tbserve beside load or in ./bin; build it with make build, or name it with --tbserve")
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
