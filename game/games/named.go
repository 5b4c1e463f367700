package games

import (
	"fmt"
	"os"
	"strings"

	"backsolve/game"
)

// Named reads a board named in one word: a game, a colon, and the size of its board or, unless
// that is a size, the variant as in the names of files: quixo:4, notakto:4x5, nim:1-3-5. Several
// boards of a game are separated by plus signs: notakto:3+3+3. A game whose name implies its only
// board is named alone. It returns the game's name and the size for New; ok is false for a word
// without a colon, which may be anything. The error lists the games or boards. It reads no files,
// so the word may come from anybody.
func Named(word string) (name string, n int, ok bool, err error) {
	name, board, ok := strings.Cut(word, ":")
	if !ok {
		for _, g := range All() {
			if g.Name == word && g.New(g.MinSize).Info().Variant == "" {
				return word, g.MinSize, true, nil
			}
		}
		return "", 0, false, nil
	}
	g, err := Lookup(name)
	if err != nil {
		return "", 0, true, err
	}
	several := severalOf(name)
	size, isSize := game.ParseSize(board)
	for _, g := range append([]game.Game{g}, several...) {
		if isSize && g.Has(int(size)) {
			return g.Name, int(size), true, nil
		}
		for _, n := range g.Sizes() {
			if g.New(n).Info().Variant == board {
				return g.Name, n, true, nil
			}
		}
	}
	others := severalText(name, several)
	if strings.ContainsAny(board, "x,") {
		others = g.Variants.String()
	}
	sizes := g.Sizes()
	example := sizes[min(2, len(sizes)-1)] // neither tiny nor large
	return "", 0, true, fmt.Errorf("there is no %s board %.20q; %s, as in %s:%d%s", name, board, sizesText(g), name, example, others)
}

// Local is Named for a word from the user of this machine, which may be the path of a rules file.
// That adds its game.
func Local(word string) (name string, n int, ok bool, err error) {
	if !IsRules(word) {
		return Named(word)
	}
	file, err := os.Open(word)
	if err != nil {
		return "", 0, true, err
	}
	defer file.Close()
	g, err := AddRules(file, "", word)
	if err != nil {
		err = fmt.Errorf("%s: %w", word, err)
	}
	return g.Name, g.MinSize, true, err
}

// Board is Local for a text that may also have a space in place of the colon: quixo 4.
func Board(text string) (name string, n int, err error) {
	word := strings.Join(strings.Fields(text), ":")
	if IsRules(text) {
		word = text
	}
	name, n, named, err := Local(word)
	if err == nil && !named {
		if _, err = Lookup(strings.TrimSpace(text)); err == nil {
			err = fmt.Errorf("%.40q names no board; give a game and a size, as in quixo 4", text)
		}
	}
	return name, n, err
}

// severalOf returns the games in which several boards of a game are played at once.
func severalOf(name string) (several []game.Game) {
	for _, g := range All() {
		if g.Several == name {
			several = append(several, g)
		}
	}
	return several
}

// severalText ends a sentence that refuses a board: how several boards are named, or "" if there
// are no such games.
func severalText(name string, several []game.Game) string {
	text := ""
	for _, g := range several {
		sizes := g.Sizes()
		variant := func(n int) string { return g.New(n).Info().Variant }
		text += fmt.Sprintf("; several boards, from %d to %d of them, are named %s:%s", sizes[0], sizes[len(sizes)-1], name, variant(sizes[min(1, len(sizes)-1)]))
		if len(sizes) > 2 {
			text += ", " + name + ":" + variant(sizes[2]) + " and so on"
		}
		text += g.Variants.String()
	}
	return text
}
