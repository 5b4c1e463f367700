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
		o.Fields = fmt.Sprintf("Authorization: Bearer %s\r\n", strings.TrimSpace(string(token)))
	}
	cpu := func() (float64, bool) {
		u, err := child.Scrape(ctx, addr, o.Fields)
		return u.CPU, err == nil && u.CPU > 0
	}
	return measure.Server{Addr: addr, CPU: cpu}, func() error { return nil }, nil
}

func (o *options) startServed(ctx context.Context, dir string) (measure.Server, func() error, error) {
	program, err := o.program()
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

// findServer returns the tbserve beside this program or in bin, "" where there is
// none.
func findServer() string {
	name := "tbserve"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	places := []string{"bin"}
	if self, err := os.Executable(); err == nil {
		places = slices.Insert(places, 0, filepath.Dir(self))
	}
	for _, dir := range places {
		path, err := filepath.Abs(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}
