package server

import (
	"net/http"
	"strings"
)

// shortcut takes requests for a position, which nearly all are, straight to their handler,
// where the address is such that the mux would do nothing else. The mux has all others.
func shortcut(position, others http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, _, plain := plainPosition(r); plain {
			r.Pattern = positionPattern
			position.ServeHTTP(w, r)
			return
		}
		others.ServeHTTP(w, r)
	})
}

// plainPosition returns what {game} and {size} stand for in the address of a GET of a
// position. plain is false for any other request, and where they are written in another
// way than by small letters, digits and hyphens, so that a mux may have to change them.
func plainPosition(r *http.Request) (game, size string, plain bool) {
	rest, begins := strings.CutPrefix(r.URL.Path, "/v1/")
	rest, ends := strings.CutSuffix(rest, "/position")
	if !begins || !ends || r.Method != http.MethodGet || r.URL.RawPath != "" {
		return "", "", false
	}
	game, size, _ = strings.Cut(rest, "/")
	return game, size, isSimple(game) && isSimple(size)
}

// isSimple reports whether a word is there and has only small letters, digits and hyphens.
func isSimple(word string) bool {
	for i := range len(word) {
		if c := word[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return word != ""
}
