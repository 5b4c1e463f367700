package ugi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"backsolve/game"
	"backsolve/internal/lines"
	"backsolve/player"
	"backsolve/probe"
)

// maxLine bounds a command, in bytes. A game of a hundred thousand moves fits.
const maxLine = 1 << 20

// Host is the game and the player that Serve exposes. Serve calls all of it from
// its own goroutine.
type Host struct {
	// Name and Author identify the engine.
	Name, Author string
	Rules        game.Rules
	// Start is the position that startpos means.
	Start game.State
	// Options are the options of setoption, in the order of their listing.
	Options []Option
	// Begin returns the player of the next game, set up by the options.
	Begin func() (player.Player, error)
	// Answers evaluates positions.
	Answers probe.Answerer
}

// Option is a setting of the engine. A change takes effect with the next move.
type Option struct {
	// Name has no white space. It is not case-sensitive.
	Name string
	// Type declares the option, as in: string default 0.
	Type string
	// Set sets a value. Its error is a sentence.
	Set func(value string) error
}

// session is one conversation.
type session struct {
	*Host
	out      *bufio.Writer
	position game.State
	// refused reports that the last position command failed.
	refused bool
	// lines is MultiPV: how many moves to report.
	lines int
	// player is nil until the first go.
	player player.Player
}

// Serve reads commands until quit or the end of r and writes the answers to w, each
// before it reads the next command. A command that fails is answered with an info
// string that begins with error: and changes nothing. After a position that is
// refused there are no moves and no answers to queries until one is accepted. Every
// go is answered by one bestmove, which is 0000 if there is no move. The error is
// that of r or w, or the cause of ctx, which is checked between commands.
func Serve(ctx context.Context, r io.Reader, w io.Writer, h *Host) error {
	s := &session{Host: h, out: bufio.NewWriter(w), position: h.Start, lines: 1}
	defer s.dropPlayer()
	in := bufio.NewReaderSize(r, maxLine+1)
	for {
		line, long, err := lines.Next(in, maxLine)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case long:
			s.refused = true // as only a position can be that long
			s.fail(fmt.Errorf("the line is longer than %d bytes; no command is", maxLine))
			line = nil
		}
		words := strings.Fields(string(line))
		if len(words) > 0 && words[0] == "quit" {
			return nil
		}
		s.do(ctx, words)
		if err := s.out.Flush(); err != nil {
			return err
		}
	}
}

// do executes a command.
func (s *session) do(ctx context.Context, words []string) {
	if len(words) == 0 {
		return
	}
	args := words[1:]
	switch words[0] {
	case "ugi":
		s.identify()
	case "isready":
		s.say("readyok")
	case "setoption":
		s.try(s.setOption(args))
	case "uginewgame":
		s.dropPlayer()
		s.position, s.refused = s.Start, false
	case "position":
		err := s.setPosition(args)
		s.refused = err != nil
		s.try(err)
	case "go": // time limits are ignored: a move takes next to no time
		s.move(ctx)
	case "stop": // go has already answered
	case "query":
		s.try(s.query(args))
	default:
		s.fail(fmt.Errorf("%.40q is no command; the commands are %s", words[0],
			"ugi, isready, setoption, uginewgame, position, go, stop, query, quit"))
	}
}

// say writes a line.
func (s *session) say(format string, args ...any) { fmt.Fprintf(s.out, format+"\n", args...) }

// fail reports an error.
func (s *session) fail(err error) {
	s.say("info string error: %s", strings.Join(strings.Fields(err.Error()), " "))
}

// try reports an error, if there is one.
func (s *session) try(err error) {
	if err != nil {
		s.fail(err)
	}
}

// dropPlayer ends the player's game, if there is one.
func (s *session) dropPlayer() {
	if s.player != nil {
		s.player.Close()
		s.player = nil
	}
}
