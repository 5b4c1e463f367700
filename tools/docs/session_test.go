//go:build unix

package docs

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// timeout is how long a command may take.
const timeout = 3 * time.Minute

// session follows a page as a reader would: a shell in a directory, and the servers that
// the page starts.
type session struct {
	dir     string
	shell   *exec.Cmd
	script  *os.File // where the shell reads commands
	output  *bufio.Reader
	servers map[string]*service // by the address that the page has for them
}

// service is a server that a page has started.
type service struct {
	address string // its actual address
	end     func()
}

// newSession starts a shell in a directory that has programs in bin/.
func newSession(dir string) (*session, error) {
	s := &session{dir: dir, servers: map[string]*service{}}
	read, script, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	s.script = script
	s.shell = s.command("bash", "/dev/fd/3")
	s.shell.ExtraFiles = []*os.File{read}
	output, input, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.shell.Stdout, s.shell.Stderr = input, input
	s.output = bufio.NewReader(output)
	err = s.shell.Start()
	input.Close()
	return s, err
}

// command returns a command in the directory of the page, in a process group of its own.
func (s *session) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = s.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		switch name {
		case "MAKEFLAGS", "MFLAGS", "MAKELEVEL", "BACKSOLVE_TABLES":
		default:
			cmd.Env = append(cmd.Env, variable)
		}
	}
	cmd.Env = append(cmd.Env, "PWD="+s.dir, "PATH="+filepath.Join(s.dir, "bin")+":"+os.Getenv("PATH"), "TERM=dumb", "CURL_HOME="+s.dir)
	return cmd
}

// close ends the shell, the servers, and what the shell has left running.
func (s *session) close() {
	for _, server := range s.servers {
		server.end()
	}
	s.script.Close()
	kill(s.shell)
	s.shell.Wait()
}

// kill ends a process and its children.
func kill(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// run runs an example in the way its kind needs. It returns the output and the status.
func (s *session) run(e *example) (string, int, error) {
	text := e.text
	for shown, server := range s.servers {
		text = strings.ReplaceAll(text, shown, server.address)
	}
	var out string
	var status int
	var err error
	switch {
	case serves.MatchString(text):
		out, err = s.serve(text)
	case site.MatchString(e.text):
		s.serveSite(site.FindStringSubmatch(e.text))
	case typed(e.want, "> ") != nil:
		out, status, err = s.feed(text, typed(e.want, "> "))
	case typed(e.want, `\w+> `) != nil:
		out, status, err = s.atTerminal(text, typed(e.want, `\w+> `))
	default:
		out, status, err = s.inShell(text)
	}
	for shown, server := range s.servers {
		out = strings.ReplaceAll(out, server.address, shown)
	}
	return trimOutput(out), status, err
}

var (
	// logged is a log line. Most report progress, which depends on the machine's speed.
	logged  = regexp.MustCompile(`(?m)^(time=\d|\{"time":").*\n`)
	trailed = regexp.MustCompile(`(?m)[ \r]+$`)
)

// trimOutput removes what pages do not show: log lines and trailing blanks.
func trimOutput(out string) string {
	return strings.TrimRight(trailed.ReplaceAllString(logged.ReplaceAllString(out, ""), ""), "\n")
}

// inShell runs commands in the shell, after those before them.
func (s *session) inShell(text string) (string, int, error) {
	// Nothing else prints this, so it marks the end of the output.
	const end = "\x01"
	if _, err := fmt.Fprintf(s.script, "%s\nprintf '%s%%d\\n' $?\n", text, end); err != nil {
		return "", 0, err
	}
	late := time.AfterFunc(timeout, func() { kill(s.shell) })
	defer late.Stop()
	var out strings.Builder
	for {
		line, err := s.output.ReadString('\n')
		before, after, ended := strings.Cut(line, end)
		out.WriteString(before)
		if ended {
			status, err := strconv.Atoi(strings.TrimSpace(after))
			return out.String(), status, err
		}
		if err != nil {
			return out.String(), 0, errors.New("the shell has ended, or it took too long")
		}
	}
}

var (
	serves = regexp.MustCompile(`^(?:bin/)?tbserve\b`)
	listen = regexp.MustCompile(`http://([0-9.:]+)/`)
	site   = regexp.MustCompile(`^npx http-server (\S+) -p (\d+)`)
)

// serve starts tbserve on a free port and returns its output. The server runs until the
// page ends or starts another one.
func (s *session) serve(text string) (string, error) {
	const shown = "127.0.0.1:8080"
	if before := s.servers[shown]; before != nil {
		before.end()
	}
	at := serves.FindStringIndex(text)[1]
	cmd := s.command("bash", "-c", "exec "+text[:at]+" --listen 127.0.0.1:0"+text[at:])
	said, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return "", err
	}
	s.servers[shown] = &service{shown, func() {
		kill(cmd)
		cmd.Wait()
	}}
	var out strings.Builder
	lines := bufio.NewReader(said)
	for {
		line, err := lines.ReadString('\n')
		out.WriteString(line)
		if found := listen.FindStringSubmatch(line); found != nil {
			s.servers[shown].address = found[1]
			go io.Copy(io.Discard, lines) // else the server would wait for a reader
			return out.String(), nil
		}
		if err != nil {
			return out.String(), errors.New("the server does not listen")
		}
	}
}

// serveSite serves a directory in place of the page's npx http-server.
func (s *session) serveSite(found []string) {
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(s.dir, found[1]))))
	s.servers["127.0.0.1:"+found[2]] = &service{server.Listener.Addr().String(), server.Close}
}

// typed returns what follows a prompt in lines that begin with it.
func typed(lines []string, prompt string) (all []string) {
	at := regexp.MustCompile("^" + prompt)
	for _, line := range lines {
		if p := at.FindString(line); p != "" {
			all = append(all, line[len(p):])
		}
	}
	return all
}

// feed writes lines to a command's standard input and returns its output.
func (s *session) feed(text string, lines []string) (string, int, error) {
	cmd := s.command("bash", "-c", text)
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	late := time.AfterFunc(timeout, func() { kill(cmd) })
	defer late.Stop()
	status, err := ended(cmd.Run())
	return out.String(), status, err
}

// atTerminal types lines at a terminal, each after a prompt, and returns what the terminal
// shows.
func (s *session) atTerminal(text string, lines []string) (string, int, error) {
	cmd := s.command("bash", "-c", text)
	cmd.SysProcAttr.Setpgid = false // it has a session of its own
	terminal, err := pty.Start(cmd)
	if err != nil {
		return "", 0, err
	}
	defer terminal.Close()
	late := time.AfterFunc(timeout, func() { kill(cmd) })
	defer late.Stop()
	prompted := regexp.MustCompile(`(?:^|\n)\w+> $`)
	var out []byte
	buffer := make([]byte, 1<<12)
	for {
		n, err := terminal.Read(buffer)
		out = append(out, buffer[:n]...)
		if err != nil { // EIO at the end on Linux
			break
		}
		if len(lines) > 0 && prompted.Match(out) {
			if _, err := terminal.WriteString(lines[0] + "\n"); err != nil {
				return string(out), 0, err
			}
			lines = lines[1:]
		}
	}
	status, err := ended(cmd.Wait())
	return strings.ReplaceAll(string(out), "\r\n", "\n"), status, err
}

// ended returns a command's exit status.
func ended(err error) (int, error) {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}
