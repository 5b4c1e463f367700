// Package quixo has the rules of Quixo. A player takes a border tile that is blank or shows their
// own mark, and pushes it back in, their mark up, from another end of its row or column. A row,
// column or main diagonal of the player's own mark wins. A player who completes one of the
// opponent's loses, even when also completing their own; in variants that wins or draws, or lines
// are straight runs of some length.
package quixo

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"backsolve/bitboard"
	"backsolve/game"
)

const (
	name    = "quixo"
	title   = "Quixo"
	pushing = "Each player in turn takes a tile of the border that is blank or shows the player's own mark, and pushes it " +
		"back in, own mark up, from another end of its row or column. "
	summary = pushing + "A full row, column or main diagonal of one's own mark " +
		"wins; whoever completes one of the opponent's loses, even when completing one's own by the same push."
)

// Game is the entry in the list of games.
var Game = game.Game{
	Name:    name,
	Title:   title,
	Summary: summary,
	MinSize: 2,
	MaxSize: bitboard.MaxSize,
	New:     func(n int) game.Rules { return game.Opaque[game.Position](New(n)) },
	Variants: game.Variants{
		Least: 2, Most: 12, Runs: true,
		Rules: bitboard.BothWin | bitboard.BothDraw, Exclude: bitboard.BothWin | bitboard.BothDraw,
	},
}

// rules are Quixo on one board. Every board of blank, X and O tiles with either
// side to move is a position: 2·3^cells of them.
type rules struct {
	game.Board
	both   game.Outcome // of the player to move where both have lines
	border uint64
	// slides is the geometry of all moves and moves the moves themselves, both in the order of
	// the moves' texts.
	slides []bitboard.Slide
	moves  []game.Move
	texts  []string // of the moves
	// number is the index in slides of the slide from one cell to another.
	number [64][64]uint8
}

// New returns the rules of Quixo on a board of 2 to 12 rows and columns and at most 64 cells.
func New(n int) game.Grid {
	corner := game.Corner(n)
	r := &rules{
		Board: game.NewBoard(game.Info{
			Name: name, Title: title, Size: n, Marks: 2, Summary: summaryOf(game.Size(n)),
			MoveForm: "the cell that is taken and the cell where it is pushed back in",
			MoveKind: game.Pushes, CompleteLine: game.OwnerWins, Symmetries: game.OfSquare,
		}, corner[:len(corner)-1]+"O x"),
		both:   game.Win,
		border: bitboard.Border(n),
		slides: bitboard.Slides(n),
	}
	switch variant := game.Size(n); {
	case variant.Has(bitboard.BothWin):
		r.both = game.Lose
	case variant.Has(bitboard.BothDraw):
		r.both = game.Draw
	}
	text := func(s bitboard.Slide) string { return game.CellName(n, s.From) + game.CellName(n, s.To) }
	slices.SortFunc(r.slides, func(a, b bitboard.Slide) int { return cmp.Compare(text(a), text(b)) })
	for i, s := range r.slides {
		r.moves = append(r.moves, game.Move{From: uint8(s.From), To: uint8(s.To)})
		r.texts = append(r.texts, text(s))
		r.number[s.From][s.To] = uint8(i)
	}
	return r
}

func summaryOf(s game.Size) string {
	if s.Plain() {
		return summary
	}
	line := "full row or column"
	switch {
	case s.Run() > 0:
		line = fmt.Sprintf("straight run of %d tiles", s.Run())
	case s.Rows() == s.Cols():
		line = "full row, column or main diagonal"
	}
	both := "loses"
	switch {
	case s.Has(bitboard.BothWin):
		both = "wins"
	case s.Has(bitboard.BothDraw):
		both = "draws"
	}
	return pushing + fmt.Sprintf("A %s of one's own mark wins, and one of the opponent's loses; whoever completes both by the same push %s.", line, both)
}

// Terminal returns the variant's outcome if both players have a line: the player who has just
// moved completed both.
func (r *rules) Terminal(p game.Position) (game.Outcome, bool) {
	mover, waiting := r.Complete(p.Mover()), r.Complete(p.Waiting())
	switch {
	case mover && waiting:
		return r.both, true
	case mover:
		return game.Win, true
	case waiting:
		return game.Lose, true
	}
	return game.Draw, false
}

// Moves finds a move in every position that is not over: if the whole border is the opponent's,
// the opponent has lines and the game is over.
func (r *rules) Moves(buf []game.Move, p game.Position) []game.Move {
	if _, over := r.Terminal(p); over {
		return buf
	}
	free := r.border &^ p.Waiting()
	for _, m := range r.moves {
		if free>>(m.From&63)&1 == 1 {
			buf = append(buf, m)
		}
	}
	return buf
}

func (r *rules) Play(p game.Position, m game.Move) game.Position {
	slide := &r.slides[r.number[m.From&63][m.To&63]]
	p.X, p.O = slide.Shift(p.X), slide.Shift(p.O)
	if p.Mark == game.X {
		p.X |= 1 << (m.To & 63)
	} else {
		p.O |= 1 << (m.To & 63)
	}
	p.Mark = p.Mark.Other()
	return p
}

func (r *rules) ParseMove(p game.Position, text string) (game.Move, error) {
	cells, err := r.ParseCells(text, 2, r.FormatMove(r.moves[0]))
	if err != nil {
		return game.Move{}, err
	}
	m := game.Move{From: uint8(cells[0]), To: uint8(cells[1])}
	return game.Legal(m, r.FormatMove(m), r.illegal(p, m))
}

// illegal says why m is not a legal move in p, or "" if it is.
func (r *rules) illegal(p game.Position, m game.Move) string {
	from := game.CellName(r.Size(), int(m.From))
	var ends []string
	for _, s := range r.moves {
		if s.From == m.From {
			ends = append(ends, game.CellName(r.Size(), int(s.To)))
		}
	}
	_, over := r.Terminal(p)
	switch {
	case over:
		return "the game is over, as a line is complete"
	case ends == nil:
		return from + " is not on the border; take a tile of the border"
	case p.Waiting()>>m.From&1 == 1:
		return from + " holds a tile of the opponent; take a blank one or one of your own"
	case !slices.Contains(r.moves, m):
		return "the tile of " + from + " goes back in at " + strings.Join(ends, " or ")
	}
	return ""
}

func (r *rules) FormatMove(m game.Move) string {
	if i := r.number[m.From&63][m.To&63]; r.moves[i] == m {
		return r.texts[i]
	}
	return game.CellName(r.Size(), int(m.From)) + game.CellName(r.Size(), int(m.To))
}
