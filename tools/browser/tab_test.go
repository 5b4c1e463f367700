package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// timeout bounds the wait for a condition, on a busy machine too.
const timeout = 60 * time.Second

// Chromium returns the path of a Chromium or Chrome; the error says how to get one.
func Chromium() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("there is no Chromium on this machine; apt-get install chromium brings one")
}

// Browser starts a browser with its own profile. The returned context is for NewTab; the
// function ends the browser and removes the profile.
func Browser(ctx context.Context) (context.Context, context.CancelFunc, error) {
	path, err := Chromium()
	if err != nil {
		return nil, nil, err
	}
	profile, err := os.MkdirTemp("", "backsolve-browser-")
	if err != nil {
		return nil, nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.UserDataDir(profile),
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("process-per-site", true), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("lang", "en-US"), chromedp.Flag("accept-lang", "en-US")) // which the page follows
	ctx, stopProcess := chromedp.NewExecAllocator(ctx, options...)
	ctx, stop := chromedp.NewContext(ctx)
	end := func() {
		stop()
		stopProcess()
		os.RemoveAll(profile)
	}
	if err := chromedp.Do(ctx); err != nil {
		end()
		return nil, nil, err
	}
	return ctx, end, nil
}

// Tab is a tab that shows the page.
type Tab struct {
	ctx    context.Context
	server *Server
}

// NewTab opens a tab on a screen of width×height pixels. It closes when ctx ends.
func NewTab(ctx context.Context, server *Server, width, height int64, options ...chromedp.EmulateViewportOption) (*Tab, error) {
	ctx, _ = chromedp.NewContext(ctx) // ends with its parent
	return &Tab{ctx, server}, chromedp.Do(ctx, chromedp.EmulateViewport(width, height, options...))
}

// Do runs actions in order.
func (t *Tab) Do(actions ...chromedp.Action[chromedp.Void]) error {
	ctx, cancel := context.WithTimeout(t.ctx, timeout)
	defer cancel()
	return chromedp.Do(ctx, actions...)
}

// Open shows the page at a fragment and waits until it is ready. If only the fragment
// changes, the document stays.
func (t *Tab) Open(fragment string) error {
	if err := t.Do(chromedp.Navigate(t.server.URL + fragment)); err != nil {
		return err
	}
	return t.Ready()
}

// Ready waits until the page is idle.
func (t *Tab) Ready() error {
	return t.Wait(`document.querySelector("main")?.getAttribute("aria-busy") === "false"`)
}

// Wait waits until a JavaScript expression is true.
func (t *Tab) Wait(expression string) error {
	ctx, cancel := context.WithTimeout(t.ctx, timeout)
	defer cancel()
	for {
		_, err := chromedp.Run(ctx, chromedp.Poll[bool]("!!("+expression+")", chromedp.WithPollingTimeout(timeout)))
		if err == nil {
			return nil
		}
		if strings.Contains(err.Error(), "Cannot find context") {
			continue // the document has been loaded anew just now
		}
		return fmt.Errorf("waiting for %s: %w; the page: %s", expression, err, t.text("body"))
	}
}

// Click clicks the first visible element of a CSS selector with the mouse.
func (t *Tab) Click(selector string) error {
	if err := t.Do(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible)); err != nil {
		return fmt.Errorf("clicking %s: %w; the page: %s", selector, err, t.text("body"))
	}
	return t.Ready()
}

func (t *Tab) text(selector string) string {
	text, err := Eval[string](t, fmt.Sprintf("document.querySelector(%s)?.innerText ?? ''", quote(selector)))
	if err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(text), " ")
}

// Eval returns the value of a JavaScript expression.
func Eval[T any](t *Tab, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(t.ctx, timeout)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression))
}

// Prefer sets media features such as prefers-color-scheme.
func (t *Tab) Prefer(name, value string) error {
	features := []*emulation.MediaFeature{{Name: name, Value: value}}
	_, err := chromedp.Call(t.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
	return err
}

func quote(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string can always be written
	}
	return string(quoted)
}
