//go:build !linux

package jobs

import "os/exec"

// isolate does nothing: only Linux can stop a command when the server dies.
func isolate(*exec.Cmd) {}

// limit does nothing: plans alone hold the limits.
func (q *Queue) limit(int) {}
