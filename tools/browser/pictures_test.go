package browser

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

var pictures = flag.String("pictures", "", "`DIR` directory of the pictures to take, ../../docs/reference")

// TestDocumentedPictures takes the pictures of docs/reference/page.md, from tables that are whole.
func TestDocumentedPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("-pictures names no directory")
	}
	if _, err := Chromium(); err != nil {
		t.Fatal(err)
	}
	tables := t.TempDir()
	if err := Solve(t.Context(), programs, tables, "quixo 4 --steps", "notakto 4 --steps", "notakto 5 --steps"); err != nil {
		t.Fatal(err)
	}
	server, err := Serve(programs, tables)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	for _, s := range shots {
		picture, err := s.take(browser, server)
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if err := os.WriteFile(filepath.Join(*pictures, s.name+".png"), picture, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// shot is a picture of the page.
type shot struct {
	name          string
	width, height int64
	phone         bool
	scheme        string // light or dark
	fragment      string
	prepare       string // what is clicked before, as a CSS selector; "" where nothing is
	until         string // what must be true then, in JavaScript
}

var shots = []shot{
	{name: "page-quixo", width: 1180, height: 1000, scheme: "light", fragment: "#quixo/4?p=XXOO/O.XO/O..X/XXO._x", prepare: "main-line summary", until: `document.querySelector("main-line li")`},
	{name: "page-notakto", width: 1180, height: 1000, scheme: "dark", fragment: "#notakto/5?mode=play&p=.XX../.X..X/..XX./..XXX/..X..&values=1"},
	{name: "page-phone", width: 360, height: 800, phone: true, scheme: "light", fragment: "#notakto/4?moves=b3.c2.a4"},
}

// take shows the page in a new tab and returns a picture of it as PNG in 256 colours.
func (s shot) take(browser context.Context, server *Server) ([]byte, error) {
	var options []chromedp.EmulateViewportOption
	if s.phone {
		options = append(options, chromedp.EmulateMobile, chromedp.EmulateTouch)
	}
	browser, cancel := context.WithCancel(browser)
	defer cancel()
	tab, err := NewTab(browser, server, s.width, s.height, options...)
	if err != nil {
		return nil, err
	}
	if err := tab.Prefer("prefers-color-scheme", s.scheme); err != nil {
		return nil, err
	}
	if err := tab.Open(s.fragment); err != nil {
		return nil, err
	}
	if s.prepare != "" {
		if err := errors.Join(tab.Click(s.prepare), tab.Wait(s.until)); err != nil {
			return nil, err
		}
	}
	picture, err := chromedp.Run(tab.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		return nil, err
	}
	return inPalette(picture)
}
