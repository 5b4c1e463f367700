package ugi

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"backsolve/game"
	"backsolve/player"
)

// ErrEngine is the cause where an external engine did not do its part: it could
// not be started, was silent for too long, ended, or answered what is no legal
// move. Whose engine it is has lost the game.
var ErrEngine = errors.New("the engine failed")

// Limits are how long an engine may take. Each is more than 0.
type Limits struct {
	// Start is the time in which it must answer all that takes no thinking: in which
	// it says who it is, and in which it is ready for a game or a move.
	Start time.Duration
	// Move is the time that the engine is told to think about a move. Whole
	// milliseconds of it count.
	Move time.Duration
	// Grace is how much longer than Move is waited.
	Grace time.Duration
	// Quit is the time after quit in which the process may end by itself.
	Quit time.Duration
}

// DefaultLimits are those of one who has no others.
var DefaultLimits = Limits{Start: 10 * time.Second, Move: time.Second, Grace: 5 * time.Second, Quit: time.Second}

// agent is an external engine, one process for each game.
type agent struct {
	ctx     context.Context
	rules   game.Rules
	command string
	words   []string
	limits  Limits
}

// Engine returns the agent named engine:COMMAND for which an external program
// plays that speaks UGI on its standard input and output. The command line is split
// at white space, but for what stands between quotes, single or double. Each game
// has a process of its own, with those that it starts ended at the latest by
// Player.Close, or when ctx ends. Where the engine has an option named Seed it is set
// to the lower 31 bits of the game's seed.
//
// Player.Close returns no error. All other errors of the players, and those of
// Begin, wrap ErrEngine or are the cause of a context. After one the process is
// gone, and each further move has the same error. Engine's own error says what is
// wrong with the command or the limits.
func Engine(ctx context.Context, rules game.Rules, command string, l Limits) (player.Agent, error) {
	words, err := splitCommand(command)
	if err != nil {
		return nil, err
	}
	if min(l.Start, l.Move, l.Grace, l.Quit) <= 0 {
		return nil, fmt.Errorf("the limits of an engine must be more than 0, but they are %+v", l)
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return nil, fmt.Errorf("the engine cannot be started: %w; name a program that is there and may be executed", err)
	}
	return &agent{ctx, rules, command, words, l}, nil
}

func (a *agent) Name() string { return "engine:" + a.command }

func (a *agent) Begin(seed uint64) (player.Player, error) {
	process, err := startProcess(a.ctx, a.words, a.limits.Quit)
	if err != nil {
		return nil, fmt.Errorf("%w: it cannot be started: %w", ErrEngine, err)
	}
	e := &engine{agent: a, process: process}
	if err := e.greet(seed); err != nil {
		process.kill()
		return nil, err
	}
	return e, nil
}

func (a *agent) Close() error { return nil }

// engine is an external engine in one game.
type engine struct {
	*agent
	*process
	// failed is why the engine plays no more.
	failed error
}

// Move asks the engine. It is told the position each time, so that it may be any.
func (e *engine) Move(ctx context.Context, p game.State) (game.Move, error) {
	if e.failed != nil {
		return game.Move{}, e.failed
	}
	m, err := e.ask(ctx, p)
	if err != nil {
		e.failed = err
		e.process.kill()
	}
	return m, err
}

func (e *engine) Close() error {
	e.process.end()
	return nil
}

// greet makes a new process ready to play.
func (e *engine) greet(seed uint64) error {
	seeded := false
	e.send("ugi")
	if _, err := e.await(e.ctx, e.limits.Start, "ugi", func(words []string) bool {
		if len(words) > 3 && words[0] == "option" && words[1] == "name" && strings.EqualFold(words[2], "Seed") && words[3] == "type" {
			seeded = true
		}
		return words[0] == "ugiok"
	}); err != nil {
		return err
	}
	if seeded {
		e.send("setoption name Seed value " + strconv.FormatUint(seed&(1<<31-1), 10))
	}
	e.send("uginewgame")
	return e.ready(e.ctx)
}

// ready waits until the engine has done all that it was told, and leaves behind
// what it had still to say.
func (e *engine) ready(ctx context.Context) error {
	e.send("isready")
	_, err := e.await(ctx, e.limits.Start, "isready", func(words []string) bool { return words[0] == "readyok" })
	return err
}

// ask returns the engine's move in a position.
func (e *engine) ask(ctx context.Context, p game.State) (game.Move, error) {
	e.send("position fen " + e.rules.Format(p))
	if err := e.ready(ctx); err != nil {
		return game.Move{}, err
	}
	e.send(fmt.Sprintf("go movetime %d", max(1, e.limits.Move.Milliseconds())))
	trouble := "" // that the engine told of
	words, err := e.await(ctx, e.limits.Move+e.limits.Grace, "go", func(words []string) bool {
		if len(words) > 2 && words[0] == "info" && words[1] == "string" {
			trouble = fmt.Sprintf("; the last that it told of was %.200q", strings.Join(words[2:], " "))
		}
		return words[0] == "bestmove"
	})
	if err != nil {
		return game.Move{}, err
	}
	if len(words) < 2 {
		return game.Move{}, e.fail("it answered bestmove without a move")
	}
	m, err := e.rules.ParseMove(p, words[1])
	if err != nil {
		return game.Move{}, e.fail("its answer in %s was bestmove %.40q: %v%s", e.rules.Format(p), words[1], err, trouble)
	}
	return m, nil
}

// await returns the words of the first line that is the answer to a command, which
// must come within a limit; all others are let pass.
func (e *engine) await(ctx context.Context, limit time.Duration, command string, is func(words []string) bool) ([]string, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	last := "" // line that the engine wrote
	for {
		select {
		case line := <-e.lines:
			words := strings.Fields(line)
			if len(words) == 0 {
				continue
			}
			if is(words) {
				return words, nil
			}
			last = line
		case <-e.tooLong:
			return nil, e.fail("it wrote a line of more than %d bytes instead of an answer to %s", maxReply, command)
		case <-e.exited:
			if e.ctx.Err() != nil {
				return nil, context.Cause(e.ctx)
			}
			return nil, e.fail("it ended (%s) without an answer to %s%s", e.state(), command, lastLine(last))
		case <-timer.C:
			return nil, e.fail("it did not answer %s within %v%s", command, limit, lastLine(last))
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// lastLine says what was the last that an engine wrote.
func lastLine(line string) string {
	if line == "" {
		return "; it wrote nothing"
	}
	return fmt.Sprintf("; the last that it wrote was %.80q", line)
}

// fail returns an error with the last lines of the engine's standard error.
func (e *engine) fail(format string, args ...any) error {
	complaint := ""
	if lines := e.complaints(); lines != "" {
		complaint = fmt.Sprintf("; its standard error ends with %q", lines)
	}
	return fmt.Errorf("%w: %s%s", ErrEngine, fmt.Sprintf(format, args...), complaint)
}
