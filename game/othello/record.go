package othello

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"backsolve/game"
)

var (
	// transcript matches the cells of a game one after another, with or without spaces.
	transcript = regexp.MustCompile(`^(?i)\s*(([a-h][1-8]|pass|pa|ps|--)\s*)+$`)
	inRecord   = regexp.MustCompile(`(?i)[a-h][1-8]|pass|pa|ps|--`)
	// property matches a property of SGF with its values, or a parenthesis around a line of play.
	property = regexp.MustCompile(`[()]|[A-Za-z]+\s*(?:\[(?:[^\]\\]|\\.|\\\n)*\]\s*)+`)
	value    = regexp.MustCompile(`\[((?:[^\]\\]|\\.|\\\n)*)\]`)
)

// ReadRecord returns the moves of a game from the start of a board, given as a transcript,
// f5d6c3, or as SGF or GGF, of which it reads the main line. It adds passes that are left out. ok
// is false if the text is none of these. These formats count rows from the top of the board but
// also mirror the start, so all cells have the same names.
func ReadRecord(board game.Grid, text string) (moves []string, ok bool, err error) {
	r := record{board: board, p: board.Start()}
	switch {
	case strings.HasPrefix(strings.TrimLeft(text, " \t\r\n0123456789"), "(;"):
		err = r.readSGF(text)
	case transcript.MatchString(text):
		for _, move := range inRecord.FindAllString(text, -1) {
			if err = r.play(move); err != nil {
				break
			}
		}
	default:
		return nil, false, nil
	}
	return r.moves, true, err
}

type record struct {
	board game.Grid
	p     game.Position
	moves []string
}

// play plays a move, after a pass if nothing else is legal.
func (r *record) play(text string) error {
	text = strings.ToLower(text)
	switch text {
	case "", "pa", "ps", "--", "tt":
		text = game.PassText
	}
	legal := r.board.Moves(nil, r.p)
	switch {
	case len(legal) == 0 && text == game.PassText: // some records end with passes
		return nil
	case len(legal) == 1 && legal[0] == game.Pass && text != game.PassText:
		if err := r.play(game.PassText); err != nil {
			return err
		}
	}
	m, err := r.board.ParseMove(r.p, text)
	if err != nil {
		return fmt.Errorf("move %d: %w", len(r.moves)+1, err)
	}
	r.p, r.moves = r.board.Play(r.p, m), append(r.moves, r.board.FormatMove(m))
	return nil
}

// readSGF plays the first line of play of the first game.
func (r *record) readSGF(text string) error {
	fail := func(at int, reason string) error {
		return &game.SyntaxError{Text: text, Column: utf8.RuneCountInString(text[:at]) + 1, Reason: reason, Example: "(;GM[2];B[f5];W[d6])"}
	}
	for _, at := range property.FindAllStringIndex(text, -1) {
		p := text[at[0]:at[1]]
		if p == "(" {
			continue
		}
		if p == ")" {
			break
		}
		name := strings.TrimSpace(p[:strings.Index(p, "[")])
		for _, v := range value.FindAllStringSubmatch(p, -1) {
			moves, err := len(r.moves), error(nil)
			switch value := strings.TrimSpace(v[1]); {
			case name == "B" || name == "W":
				move, _, _ := strings.Cut(value, "/") // GGF has an evaluation and a time after it
				err = r.play(cellOf(move))
			case !r.fits(name, value):
				err = fail(at[0], "the record is not of a game from the start of this board; give a position, and the moves after it")
			}
			if err != nil {
				return err
			}
			if mover := map[string]game.Side{"B": game.O, "W": game.X}[name]; len(r.moves) > moves && r.p.Mark != mover {
				return fail(at[0], "it is the other player's move; leave out nothing but passes")
			}
		}
	}
	if len(r.moves) == 0 {
		return fail(len(text), "the record has no moves")
	}
	return nil
}

// fits reports whether a property fits a game from the start of the board.
func (r *record) fits(name, value string) bool {
	switch n := r.board.Size(); name {
	case "GM":
		return value == "2" || strings.EqualFold(value, Game.Name)
	case "SZ":
		return value == fmt.Sprint(n)
	case "BO":
		return strings.Join(strings.Fields(value), "") == fmt.Sprint(n)+drawnStart(n)+"*"
	case "AB", "AW", "AE":
		at := strings.Index(cellNames(n), cellOf(value)+" ")
		return at >= 0 && drawnStart(n)[at/3] == map[string]byte{"AB": '*', "AW": 'O', "AE": '-'}[name]
	case "PL":
		return strings.HasPrefix(strings.ToUpper(value), "B")
	}
	return true
}

// cellOf returns the name of a cell that may be written as two letters, as in SGF.
func cellOf(text string) string {
	text = strings.ToLower(text)
	if len(text) == 2 && 'a' <= text[1] && text[1] <= 'h' {
		text = string([]byte{text[0], text[1] - 'a' + '1'})
	}
	return text
}

// cellNames returns the names of the cells in the order of a record, each followed by a space.
func cellNames(n int) string {
	var names strings.Builder
	for row := range n {
		for col := range n {
			fmt.Fprintf(&names, "%c%d ", 'a'+col, row+1)
		}
	}
	return names.String()
}

// drawnStart returns the start position in GGF.
func drawnStart(n int) string {
	p, cells := start(n), []byte(strings.Repeat("-", n*n))
	for cell := range cells {
		row, col := cell/n, cell%n
		switch at := uint64(1) << cell; {
		case p.X&at != 0:
			cells[(n-1-row)*n+col] = '*'
		case p.O&at != 0:
			cells[(n-1-row)*n+col] = 'O'
		}
	}
	return string(cells)
}
