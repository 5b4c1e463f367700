// Package abuse attacks a tbserve of its own in the ways that clients, by malice
// or by mistake, and broken files do, and judges what comes of it: whether the
// server does what it should, whether others are served meanwhile, and whether it
// gives back what the attack has taken.
package abuse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"backsolve/game"
	"backsolve/probe"
	"backsolve/tools/load/child"
)

// Process is a server that was started for an attack.
type Process interface {
	// Terminate asks it to end.
	Terminate() error
	// Ended is closed when it has ended, and Err tells then how: nil for the exit
	// status 0.
	Ended() <-chan struct{}
	Err() error
	// Kill ends it at once.
	Kill()
}

// Start starts a server with arguments beside the address to listen on, which it
// returns.
type Start func(ctx context.Context, args ...string) (addr string, p Process, err error)

// Options say what is attacked.
type Options struct {
	// Start starts a tbserve.
	Start Start
	// Rules are those of the board that is attacked, and Bystander those of another
	// one, that others ask about meanwhile. Dir has the tables of both; it is not
	// changed.
	Rules, Bystander game.Grid
	Dir              string
	// Only are the names of the attacks to run, none for all.
	Only []string
}

// What the timeouts of the server under attack are, so that a run does not take
// long.
const (
	headerTimeout = 2 * time.Second
	readTimeout   = 2 * time.Second
	writeTimeout  = 2 * time.Second
	idleTimeout   = 4 * time.Second
)

// serverArgs are the arguments of every server under attack.
func serverArgs(dir string) []string {
	return []string{
		"--dir", dir, "--header-timeout", headerTimeout.String(), "--read-timeout", readTimeout.String(),
		"--write-timeout", writeTimeout.String(), "--idle-timeout", idleTimeout.String(),
	}
}

// attack is one way to harm a server.
type attack struct {
	name string
	// sent says what is done, in a sentence.
	sent string
	// args are further arguments of the server, and token is what it wants.
	args  func(dir string) ([]string, error)
	token string
	// from is the address that the others come from, "" for any.
	from string
	// run attacks. It returns what the server did; the error is what it should not
	// have done.
	run func(ctx context.Context, a *arena) (observed string, err error)
	// ends says that the server has ended after the attack.
	ends bool
}

// Names returns the names of all attacks.
func Names() (names []string) {
	for _, a := range attacks() {
		names = append(names, a.name)
	}
	return names
}

// elsewhere is another address of this machine than that of attackers, "" where
// it has none.
var elsewhere = func() string {
	if runtime.GOOS == "linux" {
		return "127.0.0.2"
	}
	return ""
}()

func attacks() []attack {
	return slices.Concat(slowAttacks(), connectionAttacks(), requestAttacks(), tableAttacks(), ruleAttacks())
}

// Run runs attacks, each on a server of its own. An error says that they were
// not run to the end; what the server did wrong is in the report.
func Run(ctx context.Context, o Options, progress io.Writer) (*Report, error) {
	r := &Report{}
	for _, a := range attacks() {
		if len(o.Only) > 0 && !slices.Contains(o.Only, a.name) {
			continue
		}
		fmt.Fprintf(progress, "attacking: %s\n", a.name)
		result, err := a.do(ctx, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.name, err)
		}
		r.Attacks = append(r.Attacks, *result)
	}
	return r, nil
}

// do runs an attack on a server of its own, with its own copy of the tables.
func (a *attack) do(ctx context.Context, o Options) (*Result, error) {
	dir, err := os.MkdirTemp("", "abuse-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for _, rules := range []game.Grid{o.Rules, o.Bystander} {
		if err := copyFile(filepath.Join(dir, probe.FileName(rules.Info())), filepath.Join(o.Dir, probe.FileName(rules.Info()))); err != nil {
			return nil, err
		}
	}
	args := serverArgs(dir)
	if a.args != nil {
		more, err := a.args(dir)
		if err != nil {
			return nil, err
		}
		args = append(args, more...)
	}
	addr, process, err := o.Start(ctx, args...)
	if err != nil {
		return nil, err
	}
	defer process.Kill()
	place := newArena(addr, process, dir, o, a.token)
	result, err := a.judge(ctx, place)
	if err != nil {
		return nil, err
	}
	return result, context.Cause(ctx)
}

// judge attacks, and looks at the server before, meanwhile and after.
func (a *attack) judge(ctx context.Context, place *arena) (*Result, error) {
	r := &Result{Name: a.name, Sent: a.sent}
	others := newBystander(place, a.from)
	if err := others.begin(ctx); err != nil {
		return nil, fmt.Errorf("the server does not answer before the attack: %w", err)
	}
	before, err := place.usage(ctx)
	if err != nil {
		return nil, err
	}
	place.before = before
	stop := others.start(ctx)
	observed, err := a.run(ctx, place)
	if !a.ends {
		wait(ctx, shortest) // for quick attacks
	}
	stop()
	r.Observed, r.Before = observed, before
	if err != nil {
		r.problem("%v", err)
	}
	if a.ends {
		r.Others = others.served(false)
		return r, nil
	}
	r.Others = others.served(true)
	r.judgeOthers()
	r.After, err = place.settle(ctx, before)
	if err != nil {
		r.problem("%v", err)
	}
	return r, nil
}

// What others may have to bear during an attack.
const (
	// worstP99 is the longest that 99 of 100 answers may take.
	worstP99 = 500 * time.Millisecond
	// leastRequests is how many others must have sent, lest nothing was seen; after
	// an attack they go on for so long.
	leastRequests = 5
	shortest      = 20 * pause
)

func (r *Result) judgeOthers() {
	if r.Others.Failed > 0 {
		r.problem("%d of %d requests of others were not answered as before the attack: %s", r.Others.Failed, r.Others.Requests, r.Others.Failure)
	}
	if p99 := time.Duration(r.Others.P99 * float64(time.Second)); p99 > worstP99 {
		r.problem("others wait %v", p99.Round(time.Millisecond))
	}
	if r.Others.Requests < leastRequests {
		r.problem("others have sent only %d requests", r.Others.Requests)
	}
}

// What a server may keep after an attack.
const (
	spareGoroutines = 20
	spareHeap       = 64 << 20
)

// settle waits until the server has given back what the attack has taken. It asks
// meanwhile, since garbage is collected only where there is work. The error says
// what the server keeps.
func (a *arena) settle(ctx context.Context, before child.Usage) (child.Usage, error) {
	for end := time.Now().Add(a.pace.settle); ; {
		u, err := a.usage(ctx)
		if err != nil {
			return u, fmt.Errorf("the server does not answer after the attack: %w", err)
		}
		goroutines, heap := u.Goroutines-before.Goroutines, u.Heap-before.Heap
		if goroutines <= spareGoroutines && heap <= spareHeap {
			return u, nil
		}
		if time.Now().After(end) {
			return u, fmt.Errorf("%v after the attack there are %d goroutines more than before, and the heap has %d bytes more", a.pace.settle, goroutines, heap)
		}
		if err := a.askForAWhile(ctx); err != nil {
			return u, err
		}
	}
}

// askForAWhile sends good requests for a fifth of a second.
func (a *arena) askForAWhile(ctx context.Context) error {
	c := a.newClient("", true)
	defer c.close()
	request, _ := a.others()
	for end := time.Now().Add(time.Second / 5); time.Now().Before(end); {
		if _, err := c.ask(ctx, request); err != nil {
			return fmt.Errorf("the server does not answer after the attack: %w", err)
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
	}
	return nil
}

// wait waits for a time, or returns the cause of ctx where that ends before.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
