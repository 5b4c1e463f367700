package ugi

import (
	"bytes"
	"context"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// maxReply is the longest line, in bytes, that an engine may write.
const maxReply = 1 << 16

// process is an external program whose standard output is read line by line.
type process struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	quit time.Duration // that it may take to end by itself

	// lines are those of its standard output. It waits until they are taken.
	lines chan string
	// tooLong is closed once it has written a line of more than maxReply bytes;
	// all that it writes from then on is thrown away.
	tooLong chan struct{}
	// unheard is closed when nobody takes lines any more.
	unheard     chan struct{}
	stopHearing sync.Once
	// exited is closed when the process is gone and all it wrote has been taken.
	exited chan struct{}

	unfinished []byte // the line that is being written
	stderr     tail
}

// startProcess starts a program with its arguments, in a process group of its own
// where there are any. It is killed when ctx ends.
func startProcess(ctx context.Context, words []string, quit time.Duration) (*process, error) {
	p := &process{
		cmd: exec.CommandContext(ctx, words[0], words[1:]...), quit: quit,
		lines: make(chan string), tooLong: make(chan struct{}),
		unheard: make(chan struct{}), exited: make(chan struct{}),
	}
	p.cmd.Stdout, p.cmd.Stderr = (*lineWriter)(p), &p.stderr
	p.cmd.Cancel = func() error { return killGroup(p.cmd.Process) }
	// What the program started may still hold its output open.
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
		p.cmd.Wait() // its state says how it ended
		killGroup(p.cmd.Process)
		close(p.exited)
	}()
	return p, nil
}

// send writes a line. That it cannot be written shows where an answer is awaited.
// At most a position and one more command are on the way at any time, as an answer to
// isready is awaited in between: they fit any pipe, so that nothing waits here.
func (p *process) send(line string) { io.WriteString(p.in, line+"\n") }

// end ends the process: by asking it, and then by force. After it nothing of it is
// left.
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

// kill ends the process by force.
func (p *process) kill() {
	p.stopHearing.Do(func() { close(p.unheard) })
	select {
	case <-p.exited: // its number may be another one's by now
	default:
		killGroup(p.cmd.Process)
		<-p.exited
	}
}

// state says how the process ended.
func (p *process) state() string { return p.cmd.ProcessState.String() }

// complaints returns the last lines that it wrote to standard error.
func (p *process) complaints() string { return p.stderr.String() }

// lineWriter is what takes the standard output of a process.
type lineWriter process

func (w *lineWriter) Write(data []byte) (int, error) {
	p := (*process)(w)
	for rest := data; len(rest) > 0; {
		part, after, whole := bytes.Cut(rest, []byte("\n"))
		rest = after
		if p.isTooLong() {
			continue
		}
		if len(p.unfinished)+len(part) > maxReply {
			close(p.tooLong)
			continue
		}
		p.unfinished = append(p.unfinished, part...)
		if !whole {
			break
		}
		select {
		case p.lines <- string(p.unfinished):
		case <-p.unheard:
		}
		p.unfinished = p.unfinished[:0]
	}
	return len(data), nil
}

func (p *process) isTooLong() bool {
	select {
	case <-p.tooLong:
		return true
	default:
		return false
	}
}

// tail keeps the end of what is written to it.
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
