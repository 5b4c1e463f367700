//go:build !unix

package ugi

import (
	"os"
	"os/exec"
)

// ownGroup does nothing: a command is on its own here.
func ownGroup(*exec.Cmd) {}

// killGroup kills a process; what it has started is not known.
func killGroup(p *os.Process) error { return p.Kill() }
