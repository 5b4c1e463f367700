package browser

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// root is the directory of the module backsolve, where the tests run.
const root = "../.."

// Server is a tbserve that runs for these tests only, and its tables.
type Server struct {
	// URL is where the page is, with a slash at the end.
	URL string
	// Tables is the directory of the tables.
	Tables string

	cmd  *exec.Cmd
	done chan struct{} // closed when the server has written its last line
}

// Programs returns the directory of tbsolve, tbserve and tbquery: $BACKSOLVE_BIN, or else dir,
// into which it builds them.
func Programs(ctx context.Context, dir string) (string, error) {
	if given := os.Getenv("BACKSOLVE_BIN"); given != "" {
		return filepath.Abs(given)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return dir, run(ctx, "go", "build", "-C", root, "-buildvcs=false", "-o", dir+string(filepath.Separator), "./cmd/tbsolve", "./cmd/tbserve", "./cmd/tbquery")
}

// Solve puts the tables of boards into dir with the tbsolve in programs; a board is what stands
// on its command line: quixo 3 --steps.
func Solve(ctx context.Context, programs, dir string, boards ...string) error {
	for _, board := range boards {
		if err := run(ctx, filepath.Join(programs, "tbsolve"), append(strings.Fields(board), "--dir", dir)...); err != nil {
			return err
		}
	}
	return nil
}

// Serve starts the tbserve in programs with the tables in dir and waits until it
// listens, on a port that is free.
func Serve(programs, dir string, flags ...string) (*Server, error) {
	flags = append([]string{"--dir", dir, "--listen", "127.0.0.1:0"}, flags...)
	s := &Server{Tables: dir, cmd: exec.Command(filepath.Join(programs, "tbserve"), flags...), done: make(chan struct{})}
	log, err := s.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(log)
	said := ""
	for s.URL == "" && lines.Scan() {
		said = lines.Text()
		s.URL = address.FindString(said)
	}
	go func() {
		defer close(s.done)
		io.Copy(io.Discard, log) // else the server would wait for a reader
	}()
	if s.URL == "" {
		return nil, errors.Join(fmt.Errorf("tbserve ended without listening: %s", said), s.Close())
	}
	return s, nil
}

// address is where tbserve says it answers.
var address = regexp.MustCompile(`http://[0-9.:]+/`)

// Close stops the server and waits for its end.
func (s *Server) Close() error {
	err := s.cmd.Process.Signal(os.Interrupt)
	if err != nil {
		err = s.cmd.Process.Kill() // where processes cannot be asked to end
	}
	<-s.done
	s.cmd.Wait() // interrupted, it ends with what status it likes
	return err
}

// run runs a command; the error includes its output.
func run(ctx context.Context, name string, args ...string) error {
	return runs(exec.CommandContext(ctx, name, args...))
}

func runs(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
	}
	return nil
}
