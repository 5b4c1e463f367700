package browser

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// underscored writes a position as addresses of the page have it.
func underscored(position string) string { return strings.ReplaceAll(position, " ", "_") }

// goingRound returns a drawn position and moves of its main line, the last of which repeats a
// position.
func goingRound(t *testing.T) (start string, moves []string, last string) {
	t.Helper()
	for seed := range 100 {
		a := ask(t, "v1/quixo/4/random", url.Values{"outcome": {"draw"}, "seed": {fmt.Sprint(seed)}})
		line := ask(t, "v1/quixo/4/line", url.Values{"p": {a.Position}, "max_plies": {"60"}}).Line
		if line.Repeats == nil {
			continue
		}
		for _, ply := range line.Plies {
			moves = append(moves, ply.Move)
		}
		end := len(moves) - 1
		before := a.Position
		if end > 0 {
			before = line.Plies[end-1].Position
		}
		return a.Position, moves, before
	}
	t.Fatal("no drawn position was found from which best play goes round in less than 60 plies")
	return "", nil, ""
}

// A drawn game can end: the page announces a repeated position and offers a draw, which
// the address then records.
func TestDrawnGameEnds(t *testing.T) {
	start, moves, before := goingRound(t)
	you := "first"
	if strings.HasSuffix(before, " o") {
		you = "second"
	}
	end := len(moves) - 1
	v := visit(t, fmt.Sprintf("#quixo/4?mode=play&p=%s&moves=%s&you=%s", url.QueryEscape(underscored(start)), strings.Join(moves[:end], "."), you))
	v.wait(".headline", "Your move")
	if eval[bool](v, `document.querySelector("draw-offer").checkVisibility()`) {
		t.Error("a draw is offered before a position has come back")
	}
	v.cells(moves[end][:2], moves[end][2:])
	v.wait("draw-offer", "The position after move ")
	v.wait("draw-offer", "With best play this is a draw.")
	v.do(v.tab.Ready())
	v.click("draw-offer button")
	v.wait(".headline", "A draw")
	v.wait(".detail", "Ended as a draw")
	v.do(v.tab.Wait(`location.hash.endsWith("end=draw")`))
	if eval[bool](v, `document.querySelector("draw-offer").checkVisibility()`) {
		t.Error("a draw is offered in a game that is over")
	}
	v.wait("#live", "A draw. Ended as a draw")
	count := eval[int](v, `document.querySelectorAll("move-history li").length`)
	hash := eval[string](v, "location.hash")

	v = visit(t, hash) // the link shows the end, too, and play does not continue
	v.wait(".headline", "A draw")
	if again := eval[int](v, `document.querySelectorAll("move-history li").length`); again != count {
		t.Errorf("there are %d moves, with the start, where there were %d", again, count)
	}
	v.click("opponent-panel .buttons button:nth-child(2)") // after a takeback the game continues
	v.wait(".headline", "Your move")
}

// Where no position has come back, a link cannot end a game.
func TestNoDrawWithoutRepetition(t *testing.T) {
	v := visit(t, "#tictactoe/3?mode=play&you=first&end=draw")
	v.wait(".headline", "Your move")
}

// Two people play at one board: nobody answers by itself, and the winner is named as a player.
func TestTwoPeople(t *testing.T) {
	v := visitOn(t, serve(t), "#tictactoe/3?mode=play", 1200, 900)
	v.choose("#side", "both")
	v.waitHash("#tictactoe/3?mode=play&you=both")
	v.wait("opponent-panel", "Two people at one board")
	if eval[bool](v, `document.querySelector("#level").checkVisibility()`) {
		t.Error("the strength of an opponent can be chosen, but there is none")
	}
	v.wait(".headline", "X is to move")
	v.cells("b2")
	v.wait(".headline", "O is to move")
	v.wantLabel("a1", "a1 empty, a move")
	v.wait("#live", "b2 played. O is to move.")
	v.cells("b3", "a3", "a2")
	v.click("opponent-panel .buttons button:nth-child(2)") // takes back one move
	v.waitHash("#tictactoe/3?mode=play&moves=b2.b3.a3&lines=3.a2&you=both")
	v.wait(".headline", "O is to move")
	v.cells("a2")
	v.click("opponent-panel .buttons button:nth-child(3)")
	v.wait("#toast", "Hint: c1")
	v.cells("c1")
	v.wait(".headline", "X has won")
	v.wait(".detail", "The diagonal from a3 to c1 is full of X.")
	v.wait("move-history .chip.spoiled", "✗") // O's b3, or a2
}

// The language is chosen in the page, which remembers it and declares it; the address and the
// view stay.
func TestLanguage(t *testing.T) {
	v := visitOn(t, serve(t), "#notakto/3?moves=a1.b2&at=1", 1200, 900)
	v.wait("game-status", "Win in 6")
	v.switchTo("de")
	v.wait("game-status", "Gewinn in 6")
	v.wait("nav", "Aufstellen")
	v.wait("#rules", "Wer eine Zeile, Spalte oder große Diagonale voll macht, verliert.")
	v.wantLabel("a1", "a1 X, letzter Zug")
	v.wait("move-ranking", "bis auf Symmetrie")
	v.wait("move-history .review", "a1 verdirbt es: aus Gewinn in 6 mit b2 wurde Verlust in 7.")
	v.waitHash("#notakto/3?moves=a1.b2&at=1")
	if got := eval[string](v, `document.documentElement.lang + " " + document.activeElement.id`); got != "de language" {
		t.Errorf("the language and the focus are %q", got)
	}
	v.do(v.tab.Do(chromedp.Reload()))
	v.wait("game-status", "Gewinn in 6")
	v.do(v.tab.Open("#notakto/3?mode=statistics"))
	v.wait("table-statistics", "Ergebnisse nach Klassen")
	v.switchTo("fr")
	v.wait("table-statistics", "Résultats par classe")
	v.do(v.tab.Open("#nonsense"))
	v.wait("page-notice", "«\u00a0nonsense\u00a0» ne désigne aucun plateau")
	v.switchTo("en")
	v.wait("table-list", "Games, solved")
}

// In each language every game has its rules, and what can be translated of its name.
func TestGamesInEveryLanguage(t *testing.T) {
	s := serve(t)
	for language, want := range map[string]struct{ name, rules string }{
		"en": {"Dawson's chess 3×9", "Pawns face each other on N files, and captures are forced"},
		"de": {"Dawsons Schach 3×9", "und es herrscht Schlagzwang: Ein Zug auf einer Linie nimmt sie und die Linien daneben aus dem Spiel. Wer den letzten Zug macht, verliert."},
		"fr": {"Échecs de Dawson 3×9", "et la prise est obligatoire\u00a0: un coup sur une colonne la retire du jeu avec celles d’à côté. Celui qui joue le dernier coup perd."},
	} {
		v := visitOn(t, s, "#dawson/9", 1200, 900)
		v.switchTo(language)
		v.wait("#board-name", want.name)
		v.wait("#rules", want.rules)
		v.click("#open-help")
		if got := eval[[]string](v, `[...new Set([...document.querySelectorAll("#help-rules dd")].map((rules) => rules.lang))]`); len(got) != 1 || got[0] != language {
			t.Errorf("%s: the rules of the games are in %q", language, got)
		}
		v.click("#help [data-close]")
		v.do(v.tab.Open("#"))
		v.wait("table-list", strings.Fields(want.name)[0])
	}
}

// Longer texts of other languages also fit a phone.
func TestLanguagesOnAPhone(t *testing.T) {
	s := serve(t)
	for _, language := range []string{"de", "fr"} {
		v := visitOn(t, s, "", 360, 740, chromedp.EmulateMobile, chromedp.EmulateTouch)
		v.switchTo(language)
		for _, fragment := range []string{
			"#quixo/4?moves=a1a4.d4a4", "#quixo/3?mode=play&policy=optimal&blunder=0.2", "#quixo/3?mode=edit", "#quixo/3?mode=statistics",
			"#dawson-normal/26", "#nim-misere/8?mode=edit", "#notakto-boards/8", "#othello/8", "#uttt/9?mode=play",
		} {
			v.do(v.tab.Open(fragment))
			if wide := eval[int](v, "document.documentElement.scrollWidth"); wide > 360 {
				t.Errorf("%s: %q is %d pixels wide", language, fragment, wide)
			}
		}
	}
}

// switchTo chooses a language and waits until the page has it.
func (v *visitor) switchTo(language string) {
	v.Helper()
	eval[bool](v, fmt.Sprintf(`(() => { const s = document.querySelector("#language"); s.value = %s; return s.dispatchEvent(new Event("change")) })()`, quote(language)))
	for deadline := time.Now().Add(timeout); ; time.Sleep(20 * time.Millisecond) {
		// While the page is loaded again there is nothing to be asked.
		got, err := Eval[string](v.tab, "document.documentElement.lang + document.readyState")
		if err == nil && got == language+"complete" {
			break
		}
		if time.Now().After(deadline) {
			v.Fatalf("the language is %q, %v; want %s", got, err, language)
		}
	}
	v.do(v.tab.Ready())
}

// On the first visit the page has the browser's language.
func TestLanguageOfTheBrowser(t *testing.T) {
	v := visitOn(t, serve(t), "", 1200, 900)
	v.do(v.tab.Speak("pt-BR,fr-CH,en"))
	v.do(v.tab.Do(chromedp.Reload()))
	v.wait("table-list", "Des jeux résolus")
	v.wait("table-list", "X gagne en")
}
