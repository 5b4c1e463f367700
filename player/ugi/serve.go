package ugi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"backsolve/game"
	"backsolve/player"
	"backsolve/probe"
)

// maxLine is the longest command, in bytes, that is read. A game of a hundred
// thousand moves fits.
const maxLine = 1 << 20

// Host is the game and the player that Serve puts behind the protocol. All of it
// is called from the goroutine of Serve.
type Host struct {
	// Name and Author identify the engine.
	Name, Author string
	Rules        game.Rules
	// Start is the position that startpos means.
	Start game.State
	// Options are what setoption knows, in the order in which they are told.
	Options []Option
	// Begin returns the player of the next game, as the options say.
	Begin func() (player.Player, error)
	// Answers says what positions are worth.
	Answers probe.Answerer
}

// Option is what the other side may choose. A change counts from the next move on.
type Option struct {
	// Name has no white space. Capitals or not makes no difference.
	Name string
	// Type is how the option is told: string default 0.
	Type string
	// Set takes a value, or says in a sentence why not.
	Set func(value string) error
}

// session is one conversation.
type session struct {
	*Host
	out      *bufio.Writer
	position game.State
	// refused says that another position was to stand there, but could not be read.
	refused bool
	// lines is how many moves are told of before one is played.
	lines int
	// player is nil until a move is wanted.
	player player.Player
}

// Serve reads commands until quit or the end of r and writes the answers to w, each
// before the next command is read. What cannot be understood or done is answered
// with an info string that begins with error: and changes nothing, but that after a
// position which is refused there are no moves and no answers to queries until one is
// accepted. Every go is answered by one bestmove, which is 0000 where there is no
// move. The error is that of r or w, or the cause of ctx, which is looked at between
// commands.
func Serve(ctx context.Context, r io.Reader, w io.Writer, h *Host) error {
	s := &session{Host: h, out: bufio.NewWriter(w), position: h.Start, lines: 1}
	defer s.dropPlayer()
	in := bufio.NewReaderSize(r, 1<<16)
	for {
		line, err := readLine(in)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == io.EOF:
			return nil
		case errors.Is(err, errLong):
			s.refused = true // as nothing but a position is as long
			s.fail(err)
		case err != nil:
			return err
		}
		words := strings.Fields(line)
		if len(words) > 0 && words[0] == "quit" {
			return nil
		}
		s.do(ctx, words)
		if err := s.out.Flush(); err != nil {
			return err
		}
	}
}

// errLong is why a line is not read.
var errLong = fmt.Errorf("the line is longer than %d bytes; no command is", maxLine)

// readLine returns the next line. A longer one than maxLine is skipped, with errLong;
// after the last one comes io.EOF.
func readLine(in *bufio.Reader) (string, error) {
	var line []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (err != io.EOF || len(line) == 0 && !long):
			return "", err
		case long:
			return "", errLong
		}
		return string(line), nil
	}
}

// do obeys a command.
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
	case "go": // with whatever bounds: a move takes no time that is worth bounding
		s.move(ctx)
	case "stop": // the move has been told already
	case "query":
		s.try(s.query(args))
	default:
		s.fail(fmt.Errorf("%.40q is no command; the commands are %s", words[0],
			"ugi, isready, setoption, uginewgame, position, go, stop, query, quit"))
	}
}

// say writes a line.
func (s *session) say(format string, args ...any) { fmt.Fprintf(s.out, format+"\n", args...) }

// fail says what was wrong.
func (s *session) fail(err error) {
	s.say("info string error: %s", strings.Join(strings.Fields(err.Error()), " "))
}

// try says what was wrong, if anything.
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
