package ugi

import (
	"bufio"
	"context"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// maxReply is the longest line, in bytes, that an engine may write.
const maxReply = 1 << 16

// process is an external program whose standard output is read by lines.
type process struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	quit time.Duration // the time to exit after quit

	// lines has the lines of its standard output, unbuffered.
	lines chan string
	// tooLong is closed after a line of more than maxReply bytes, and later output discarded.
	tooLong chan struct{}
	// unheard is closed when lines has no receiver any more.
	unheard     chan struct{}
	stopHearing sync.Once
	// exited is closed when the process has exited and its output has been read.
	exited chan struct{}

	stderr tail
}

// startProcess makes a process group on systems that have them. The end of ctx kills it.
func startProcess(ctx context.Context, words []string, quit time.Duration) (*process, error) {
	p := &process{
		cmd: exec.CommandContext(ctx, words[0], words[1:]...), quit: quit,
		lines: make(chan string), tooLong: make(chan struct{}),
		unheard: make(chan struct{}), exited: make(chan struct{}),
	}
	read, write := io.Pipe()
	p.cmd.Stdout, p.cmd.Stderr = write, &p.stderr
	p.cmd.Cancel = func() error { return killGroup(p.cmd.Process) }
	// The program's children may still hold its output open.
	p.cmd.WaitDelay = quit
	ownGroup(p.cmd)
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.cmd.Wait() // ProcessState has the exit status
		killGroup(p.cmd.Process)
		write.Close()
	}()
	go func() {
		defer close(p.exited)
		p.listen(read)
	}()
	return p, nil
}

// listen passes on the lines of out, until it ends or a line is too long.
func (p *process) listen(out io.Reader) {
	in := bufio.NewScanner(out)
	in.Buffer(nil, maxReply)
	for in.Scan() {
		select {
		case p.lines <- in.Text():
		case <-p.unheard:
		}
	}
	if in.Err() != nil {
		close(p.tooLong)
	}
	io.Copy(io.Discard, out)
}

// send does not block: at most a position and one more command are unread, as isready follows each, which
// fit any pipe. A failure shows when an answer is awaited.
func (p *process) send(line string) { io.WriteString(p.in, line+"\n") }

func (p *process) end() {
	p.stopHearing.Do(func() { close(p.unheard) })
	p.send("quit")
	p.in.Close()
	select {
	case <-p.exited:
	case <-time.After(p.quit):
		p.kill()
	}
}

func (p *process) kill() {
	p.stopHearing.Do(func() { close(p.unheard) })
	select {
	case <-p.exited: // another process may have its number by now
	default:
		killGroup(p.cmd.Process)
		<-p.exited
	}
}

type tail struct {
	lock sync.Mutex
	text []byte
}

// The number of bytes and lines that a tail keeps.
const (
	tailBytes = 512
	tailLines = 5
)

func (t *tail) Write(data []byte) (int, error) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.text = append(t.text, data[max(0, len(data)-tailBytes):]...)
	t.text = append(t.text[:0], t.text[max(0, len(t.text)-tailBytes):]...)
	return len(data), nil
}

// String returns the last lines without the line feed at the end.
func (t *tail) String() string {
	t.lock.Lock()
	defer t.lock.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}
