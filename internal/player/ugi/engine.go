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
	"backsolve/internal/player"
)

// ErrEngine: an engine did not start, timed out, exited, or made an illegal move, and lost the game.
var ErrEngine = errors.New("the engine failed")

// Limits are an engine's time limits. Each must be more than 0.
type Limits struct {
	// Start limits every answer that needs no search: ugiok and readyok.
	Start time.Duration
	// Move is the movetime sent to the engine, in whole milliseconds.
	Move time.Duration
	// Grace is the time allowed for a move beyond Move.
	Grace time.Duration
	// Quit is how long the process may take to exit after quit.
	Quit time.Duration
}

// DefaultLimits are the limits used by default.
var DefaultLimits = Limits{Start: 10 * time.Second, Move: time.Second, Grace: 5 * time.Second, Quit: time.Second}

// agent is an external engine, one process for each game.
type agent struct {
	ctx    context.Context
	rules  game.Rules
	name   string
	words  []string
	limits Limits
}

// Engine returns an agent for which an external program plays, speaking UGI on standard input and output. The
// command line is split at white space outside single or double quotes. Each game has its own process;
// Player.Close, or the end of ctx, kills it and its children. Begin sets an option named Seed to the lower 31
// bits of the game's seed.
//
// Player.Close returns no error. All other errors of players, and those of Begin, wrap ErrEngine or are the
// cause of a context. The first one ends the process, and each further move returns it. Engine's own error is
// for a bad command.
func Engine(ctx context.Context, rules game.Rules, name, command string, l Limits) (player.Agent, error) {
	words, err := splitCommand(command)
	if err != nil {
		return nil, err
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return nil, fmt.Errorf("the engine cannot be started: %w; name a program that exists and may be executed", err)
	}
	return &agent{ctx, rules, name, words, l}, nil
}

func (a *agent) Name() string { return a.name }

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

type engine struct {
	*agent
	*process
	failed error
}

// Think asks the engine, which has its own limits. Each request has the whole position, so p may be any.
func (e *engine) Think(ctx context.Context, p game.State, _ *player.Search) (game.Move, error) {
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

// ready waits until the engine has executed all commands, and discards its output.
func (e *engine) ready(ctx context.Context) error {
	e.send("isready")
	_, err := e.await(ctx, e.limits.Start, "isready", func(words []string) bool { return words[0] == "readyok" })
	return err
}

func (e *engine) ask(ctx context.Context, p game.State) (game.Move, error) {
	e.send("position fen " + e.rules.Format(p))
	if err := e.ready(ctx); err != nil {
		return game.Move{}, err
	}
	e.send(fmt.Sprintf("go movetime %d", max(1, e.limits.Move.Milliseconds())))
	trouble := "" // the engine's last info string
	words, err := e.await(ctx, e.limits.Move+e.limits.Grace, "go", func(words []string) bool {
		if len(words) > 2 && words[0] == "info" && words[1] == "string" {
			trouble = fmt.Sprintf("; its last message was %.200q", strings.Join(words[2:], " "))
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

// await returns the first line that answers a command, in words, and skips others until limit.
func (e *engine) await(ctx context.Context, limit time.Duration, command string, is func(words []string) bool) ([]string, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	last := "" // the engine's last line
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
			return nil, e.fail("it ended (%s) without an answer to %s%s", e.cmd.ProcessState, command, lastLine(last))
		case <-timer.C:
			return nil, e.fail("it did not answer %s within %v%s", command, limit, lastLine(last))
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func lastLine(line string) string {
	if line == "" {
		return "; it wrote nothing"
	}
	return fmt.Sprintf("; its last line was %.80q", line)
}

// fail returns an error with the last lines of the engine's standard error.
func (e *engine) fail(format string, args ...any) error {
	complaint := ""
	if lines := e.stderr.String(); lines != "" {
		complaint = fmt.Sprintf("; its standard error ends with %q", lines)
	}
	return fmt.Errorf("%w: %s%s", ErrEngine, fmt.Sprintf(format, args...), complaint)
}
