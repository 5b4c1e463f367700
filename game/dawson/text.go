package dawson

import (
	"fmt"
	"strings"

	"backsolve/game"
)

// What stands for a file in the text of a position.
const (
	open    = '.' // pawns face each other on it
	blocked = 'X' // a move was made on it
	empty   = '-' // its pawns have captured, or been captured
)

func (r *rules) fileMark(p position, file int) byte {
	switch {
	case p>>uint(file)&1 == 1:
		return blocked
	case r.openFiles(p)>>uint(file)&1 == 1:
		return open
	}
	return empty
}

// Parse reads the text that Format writes, with or without white space around it.
func (r *rules) Parse(text string) (position, error) {
	s := game.NewScanner(text, r.Example())
	if s.Peek() == "" {
		return 0, s.Fail("there is no position; write the %d files from left to right", r.n)
	}
	var p position
	for file := range r.n {
		switch c := s.Peek(); c {
		case ".", "-":
		case "X":
			p |= 1 << uint(file)
		case "":
			return 0, s.Fail("the position ends after %d of %d files", file, r.n)
		default:
			return 0, s.Fail("%q is not a file; write . where pawns face each other, X where a move was made, or - where the file is empty", c)
		}
		s.Skip()
	}
	if err := s.End(fmt.Sprintf("the position continues after its %d files", r.n)); err != nil {
		return 0, err
	}
	if err := r.check(p, text); err != nil {
		return 0, err
	}
	return p, nil
}

// check compares the text of a position, all of whose files were read, with the moves that were
// made.
func (r *rules) check(p position, text string) error {
	s := game.NewScanner(text, r.Example())
	for file := range r.n {
		beside := (p<<1|p>>1)>>uint(file)&1 == 1
		switch c := s.Peek(); {
		case beside && c != "-":
			return s.Fail("a move was made on a file beside %c, which is empty then; write -", 'a'+file)
		case !beside && c == "-":
			return s.Fail("no move was made on a file beside %c, which is not empty then; write . or X", 'a'+file)
		}
		s.Skip()
	}
	return nil
}

// Format returns the files from left to right: . where pawns face each other, X where a
// move was made, - where the file is empty.
func (r *rules) Format(p position) string { return string(r.AppendFormat(nil, p)) }

// AppendFormat appends the text of p, as Format returns it.
func (r *rules) AppendFormat(dst []byte, p position) []byte {
	for file := range r.n {
		dst = append(dst, r.fileMark(p, file))
	}
	return dst
}

// ParseMove reads the letter of a file.
func (r *rules) ParseMove(p position, text string) (game.Move, error) {
	s := game.NewScanner(text, "a")
	file, err := s.Letter(r.n, "a file")
	if err == nil {
		err = s.End("a move is the letter of a file")
	}
	if err != nil {
		return game.Move{}, err
	}
	m := game.Move{From: uint8(file), To: uint8(file)}
	reason := ""
	switch {
	case r.openFiles(p) == 0:
		reason = "the game is over, as no file is open"
	case r.fileMark(p, file) == blocked:
		reason = fmt.Sprintf("file %c is blocked; move on an open one", 'a'+file)
	case r.fileMark(p, file) == empty:
		reason = fmt.Sprintf("file %c is empty; move on an open one", 'a'+file)
	}
	return game.Legal(m, r.FormatMove(m), reason)
}

// FormatMove returns the letter of the file.
func (*rules) FormatMove(m game.Move) string { return string(rune('a' + m.To)) }

// Diagram draws the files as Format writes them, with their letters below.
func (r *rules) Diagram(p position) string {
	var files, letters strings.Builder
	for file := range r.n {
		fmt.Fprintf(&files, " %c", r.fileMark(p, file))
		fmt.Fprintf(&letters, " %c", 'a'+file)
	}
	return files.String() + "\n" + letters.String() + "\n"
}

// Example returns the text after a move on the second file, or on the first if the board has two,
// or none if it has one.
func (r *rules) Example() string {
	switch {
	case r.n < 3:
		return r.Format(r.Start())
	case r.n == 3:
		return r.Format(1)
	}
	return r.Format(2)
}
