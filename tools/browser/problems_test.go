package browser

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"sync"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// problems are what goes wrong in a tab.
type problems struct {
	server string // its address

	mu  sync.Mutex
	all []string
}

// listen records the problems of a tab.
func (p *problems) listen(ctx context.Context) error {
	if err := chromedp.Listen(ctx, p.watch); err != nil {
		return err
	}
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	return err
}

// watch records console errors, which include violations of the content security
// policy, and requests to other hosts.
func (p *problems) watch(event any) {
	problem := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		problem = fmt.Sprintf("exception: %s %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception)
	case *runtime.EventConsoleAPICalled:
		problem = fmt.Sprintf("console: %v", e.Type)
	case *log.EventEntryAdded:
		problem = "log: " + e.Entry.Text + " " + e.Entry.URL
	case *network.EventRequestWillBeSent:
		if u, err := url.Parse(e.Request.URL); err != nil || u.Scheme != "data" && "http://"+u.Host+"/" != p.server {
			problem = "request to another host: " + e.Request.URL
		}
	}
	if problem != "" {
		p.mu.Lock()
		defer p.mu.Unlock()
		if !slices.Contains(p.all, problem) {
			p.all = append(p.all, problem)
		}
	}
}

// take returns the problems since the last call.
func (p *problems) take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.all
	p.all = nil
	return all
}

// Keys presses keys at the focus, and waits until the page is ready.
func (t *Tab) Keys(keys ...string) error {
	for _, key := range keys {
		if err := t.Do(chromedp.KeyEvent(key)); err != nil {
			return err
		}
	}
	return t.Ready()
}

// Speak sets the browser's languages, most preferred first: de-AT,de.
func (t *Tab) Speak(languages string) error {
	agent, err := Eval[string](t, "navigator.userAgent")
	if err != nil {
		return err
	}
	_, err = chromedp.Call(t.ctx, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: agent, AcceptLanguage: languages})
	return err
}
