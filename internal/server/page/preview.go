package page

import (
	"bytes"
	"fmt"
	"html"
	"net/http"
	"strings"

	"backsolve/game"
	"backsolve/game/games"
)

// A link to share has the view in its query, not behind #: /?quixo/4?p=…&moves=…. So the server
// can describe its game to programs that show previews of links.

func previewPath(query string) string {
	name, _, _ := strings.Cut(query, "/")
	return "/assets/previews/" + name + ".png"
}

// described adds to the page what previews show for a query's board. The picture needs an
// absolute address: the request's own, with https if there is TLS or a proxy says so.
func described(index []byte, r *http.Request, pictured bool) []byte {
	board, _, _ := strings.Cut(r.URL.RawQuery, "?")
	name, word, _ := strings.Cut(board, "/")
	size, ok := game.ParseSize(word)
	if !ok {
		return index
	}
	rules, err := games.New(name, int(size))
	if err != nil {
		return index
	}
	info := rules.Info()
	tags := fmt.Sprintf(`<meta property="og:title" content="%s"><meta property="og:description" content="%s">`,
		html.EscapeString(strings.TrimSpace(info.Title+" "+info.Variant)), html.EscapeString(info.Summary))
	if pictured {
		scheme := "http"
		if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
			scheme = "https"
		}
		base, _, _ := strings.Cut(r.RequestURI, "?")
		tags += fmt.Sprintf(`<meta property="og:image" content="%s"><meta name="twitter:card" content="summary_large_image">`,
			html.EscapeString(scheme+"://"+r.Host+strings.TrimSuffix(base, "/")+previewPath(r.URL.RawQuery)))
	}
	return bytes.Replace(index, []byte("</head>"), []byte(tags+"</head>"), 1)
}
