package main

import (
	"context"

	"github.com/chromedp/chromedp"
)

// shot is a picture of the page.
type shot struct {
	name          string
	width, height int64
	phone         bool
	scheme        string // light or dark
	language      string // that the browser asks for; "" for English
	fragment      string
	prepare       []string // what is clicked before, as CSS selectors
	until         string   // what must be true then, in JavaScript; "" where nothing is waited for
	whole         bool     // all of the page, not only what is on the screen
}

var shots = []shot{
	{name: "page-quixo", width: 1180, height: 1000, scheme: "light", fragment: "#quixo/4?p=XXOO/O.XO/O..X/XXO._x", prepare: []string{"main-line summary"}, until: `document.querySelector("main-line li")`},
	{name: "page-notakto", width: 1180, height: 1000, scheme: "dark", fragment: "#notakto/5?mode=play&p=.XX../.X..X/..XX./..XXX/..X..&values=1"},
	{name: "page-phone", width: 360, height: 800, phone: true, scheme: "light", fragment: "#notakto/4?moves=b3.c2.a4"},
	{name: "page-stats", width: 1180, height: 1280, scheme: "light", fragment: "#quixo/4?mode=statistics"},
}

// take shows the page in a new tab and returns a picture of it as PNG.
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
	if s.language != "" {
		if err := tab.Speak(s.language); err != nil {
			return nil, err
		}
	}
	if err := tab.Open(s.fragment); err != nil {
		return nil, err
	}
	for _, selector := range s.prepare {
		if err := tab.Click(selector); err != nil {
			return nil, err
		}
	}
	if s.until != "" {
		if err := tab.Wait(s.until); err != nil {
			return nil, err
		}
	}
	if s.whole {
		return chromedp.Run(tab.ctx, chromedp.FullScreenshot(100)) // as PNG
	}
	return chromedp.Run(tab.ctx, chromedp.CaptureScreenshot())
}
