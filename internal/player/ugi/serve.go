package ugi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"backsolve/game"
	"backsolve/internal/lines"
	"backsolve/internal/player"
	"backsolve/internal/probe"
)

// maxLine bounds a command, in bytes. A game of a hundred thousand moves fits.
const maxLine = 1 << 20

// Host is the game and the player that Serve exposes. Serve makes one call to it at a time.
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

// session is one conversation. While a search runs beside it, only say may be called.
type session struct {
	*Host
	lock     sync.Mutex // of out
	out      *bufio.Writer
	failed   error // of out
	position game.State
	// refused reports that the last position command failed.
	refused bool
	// lines is MultiPV: how many moves to report.
	lines  int
	player player.Player
	// stop stops a search, which is endless if infinite; searched is closed when it has ended.
	stop     context.CancelFunc
	endless  bool
	searched chan struct{}
}

// Serve reads commands until quit or the end of r and writes the answers to w. It goes on reading
// during a search: isready is answered; stop, uginewgame and quit end the search. All other commands
// wait for its bestmove, so that piped input has the same answers at any speed. They end an infinite
// search first, and so does the end of r. After quit, the commands that waited are answered by
// searches that end at once. A command that fails is answered with an info
// string that begins with error: and changes nothing. After a position that is
// refused there are no moves and no answers to queries until one is accepted. Every
// go is answered by one bestmove, which is 0000 if there is no move. The error is
// that of r or w, or the cause of ctx.
func Serve(ctx context.Context, r io.Reader, w io.Writer, h *Host) error {
	s := &session{Host: h, out: bufio.NewWriter(w), position: h.Start, lines: 1, stop: func() {}, searched: make(chan struct{})}
	close(s.searched)
	defer func() {
		s.end()
		s.dropPlayer()
	}()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	commands := readCommands(ctx, r)
	var waiting []command // for the end of the search
	for {
		var c command
		if len(waiting) > 0 && (s.endless || !s.searching()) {
			c, waiting = waiting[0], waiting[1:]
		} else {
			searched := s.searched
			if len(waiting) == 0 {
				searched = nil
			}
			select {
			case c = <-commands:
			case <-searched:
				continue
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			if c.hasName("uginewgame") {
				s.stop()
			}
			if !c.urgent() && !s.endless && (len(waiting) > 0 || s.searching()) {
				waiting = append(waiting, c)
				continue
			}
			for ; c.hasName("quit") && len(waiting) > 0; waiting = waiting[1:] {
				s.stop()
				if done, err := s.handle(ctx, waiting[0]); done || err != nil {
					return err
				}
			}
		}
		if done, err := s.handle(ctx, c); done || err != nil {
			return err
		}
	}
}

func (s *session) searching() bool {
	select {
	case <-s.searched:
		return false
	default:
		return true
	}
}

// handle executes a command. It returns true after the last one.
func (s *session) handle(ctx context.Context, c command) (done bool, err error) {
	switch {
	case c.err == io.EOF || c.hasName("quit"):
		s.end()
		return true, s.written()
	case c.err != nil:
		return true, c.err
	case c.long:
		s.end()
		s.refused = true // as only a position can be that long
		s.fail(fmt.Errorf("the line is longer than %d bytes; no command is", maxLine))
	}
	s.execute(ctx, c.words)
	return false, s.written()
}

// command is a line of input, or the reason why there is none.
type command struct {
	words []string
	long  bool
	err   error
}

func (c command) hasName(word string) bool { return len(c.words) > 0 && c.words[0] == word }

// urgent reports whether a command does not wait for the end of a search.
func (c command) urgent() bool {
	return c.hasName("isready") || c.hasName("stop") || c.hasName("quit") || c.err != nil && c.err != io.EOF
}

// readCommands reads lines until quit, an error, or the end of ctx.
func readCommands(ctx context.Context, r io.Reader) <-chan command {
	commands := make(chan command)
	in := bufio.NewReaderSize(r, maxLine+1)
	go func() {
		for {
			var c command
			line, long, err := lines.Next(in, maxLine)
			if c.long, c.err = long, err; err == nil && !long {
				c.words = strings.Fields(string(line))
			}
			select {
			case commands <- c:
			case <-ctx.Done():
				return
			}
			if err != nil || c.hasName("quit") {
				return
			}
		}
	}()
	return commands
}

func (s *session) execute(ctx context.Context, words []string) {
	if len(words) == 0 {
		return
	}
	if words[0] == "isready" {
		s.print("readyok")
		return
	}
	s.end()
	args := words[1:]
	switch words[0] {
	case "ugi":
		s.identify()
	case "setoption":
		s.try(s.setOption(args))
	case "uginewgame":
		s.dropPlayer()
		s.position, s.refused = s.Start, false
	case "position":
		err := s.setPosition(args)
		s.refused = err != nil
		s.try(err)
	case "go":
		s.begin(ctx, args)
	case "stop": // end has done it
	case "query":
		s.try(s.query(args))
	default:
		s.fail(fmt.Errorf("%.40q is not a command; the commands are %s", words[0],
			"ugi, isready, setoption, uginewgame, position, go, stop, query, quit"))
	}
}

func (s *session) end() {
	s.stop()
	<-s.searched
}

func (s *session) print(format string, args ...any) {
	s.lock.Lock()
	defer s.lock.Unlock()
	fmt.Fprintf(s.out, format+"\n", args...)
	if err := s.out.Flush(); s.failed == nil {
		s.failed = err
	}
}

func (s *session) written() error {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.failed
}

func (s *session) fail(err error) {
	s.print("info string error: %s", strings.Join(strings.Fields(err.Error()), " "))
}

func (s *session) try(err error) {
	if err != nil {
		s.fail(err)
	}
}

func (s *session) dropPlayer() {
	if s.player != nil {
		s.player.Close()
		s.player = nil
	}
}
