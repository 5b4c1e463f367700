package server

import (
	"fmt"

	"backsolve/game"
)

// AutoGUI describes boards for front ends of UWAPI. A position is the player to move, 1 or 2, and
// a character for each cell from the top left. A move has its place and sound.

// guiKind returns the version: v2 for static images of a board of cells, v0 for texts alone.
func guiKind(grid bool) string {
	if grid {
		return "v2"
	}
	return "v0"
}

const guiSound = "x"

func guiPosition(rules game.Grid, s game.State) string {
	p, on := s.(game.Position)
	if rules == nil || !on {
		return ""
	}
	player := byte('1')
	if rules.Turn(p) == game.O {
		player = '2'
	}
	text := []byte{player, '_'}
	for cell := range rules.Rows() * rules.Cols() {
		switch bit := uint64(1) << uint(cell); {
		case p.X&bit != 0:
			text = append(text, 'X')
		case p.O&bit != 0:
			text = append(text, 'O')
		default:
			text = append(text, '-')
		}
	}
	return string(text)
}

// guiMove returns a button on the marked cell, or an arrow from the tile that is taken to where it returns.
func guiMove(rules game.Grid, m game.Move) string {
	switch {
	case rules == nil:
		return ""
	case m.From == m.To:
		return fmt.Sprintf("A_h_%d_%s", m.To, guiSound)
	}
	return fmt.Sprintf("M_%d_%d_%s", m.From, m.To, guiSound)
}

type (
	guiThemes struct {
		Default string              `json:"defaultTheme"`
		Themes  map[string]guiTheme `json:"themes"`
	}
	guiTheme struct {
		Space      [2]int              `json:"space"`
		Centers    [][2]float64        `json:"centers"` // of the cells
		Images     map[string]guiImage `json:"charImages"`
		ArrowWidth float64             `json:"arrowWidth"`
		Sounds     map[string]string   `json:"sounds"`
		Animation  string              `json:"animationType"`
	}
	guiImage struct {
		Image string  `json:"image"`
		Scale float64 `json:"scale"`
	}
)

// themesOf returns a board's themes, with the front end's images for the game, or nil if it is not a grid.
func themesOf(rules game.Grid) *guiThemes {
	if rules == nil {
		return nil
	}
	rows, cols := rules.Rows(), rules.Cols()
	theme := guiTheme{
		Space: [2]int{cols, rows}, ArrowWidth: 0.06, Animation: "entityFade",
		Sounds: map[string]string{guiSound: "general/place.mp3"},
		Images: map[string]guiImage{
			"X": {rules.Name() + "/x.svg", 1},
			"h": {"general/basichitbox.svg", 0.9},
		},
	}
	if rules.Marks() == 2 {
		theme.Images["O"] = guiImage{rules.Name() + "/o.svg", 1}
	}
	for cell := range rows * cols {
		theme.Centers = append(theme.Centers, [2]float64{float64(cell%cols) + 0.5, float64(cell/cols) + 0.5})
	}
	return &guiThemes{"basic", map[string]guiTheme{"basic": theme}}
}
