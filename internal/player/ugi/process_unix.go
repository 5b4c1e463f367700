//go:build unix

package ugi

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup puts a command into its own process group, so that a Ctrl-C at the
// terminal does not reach it and that all it starts can be killed with it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(p *os.Process) error {
	if err := syscall.Kill(-p.Pid, syscall.SIGKILL); err == syscall.ESRCH {
		return os.ErrProcessDone
	} else {
		return err
	}
}
