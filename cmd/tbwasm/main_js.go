// Command tbwasm is the prober for browsers: it answers from tables that lie on the web
// server that the page comes from, or on another one. docs/howto/web-tables.md says how a page uses
// it. It puts one object into the page:
//
//	backsolve.open(address) → Promise of a table
//	table.ask(position, {line: true}) → Promise of an answer
//	table.close()
package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"syscall/js"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/tablebase"
)

// version is set by the build, with -ldflags "-X main.version=…".
var version = "devel"

func main() {
	js.Global().Set("backsolve", map[string]any{"version": version, "open": js.FuncOf(open)})
	select {} // as long as the page is there
}

// open is backsolve.open. The address may be relative to the page's.
func open(_ js.Value, args []js.Value) any {
	return promise(func() (any, error) {
		if len(args) < 1 || args[0].Type() != js.TypeString {
			return nil, errors.New("open takes the address of a table; an example is: backsolve.open('quixo-4x4.tb.zst')")
		}
		address, err := absolute(args[0].String())
		if err != nil {
			return nil, err
		}
		t, err := probe.OpenURL(context.Background(), address)
		if err != nil {
			return nil, err
		}
		return object(t), nil
	})
}

// absolute returns an address as seen from the page, or from the script of a worker.
func absolute(address string) (string, error) {
	here := ""
	if d := js.Global().Get("document"); d.Truthy() {
		here = d.Get("baseURI").String()
	} else if l := js.Global().Get("location"); l.Truthy() {
		here = l.Get("href").String()
	}
	base, err := url.Parse(here)
	if err != nil {
		return "", err
	}
	whole, err := base.Parse(address)
	if err != nil {
		return "", err
	}
	return whole.String(), nil
}

// object is a table in JavaScript. Its functions are never released, as the page may call them after close.
func object(t *probe.Table) map[string]any {
	identity := t.Stored().Identity()
	board := t.Info()
	var size any = board.Size
	if s := game.Size(board.Size); !s.Plain() {
		size = s.String()
	}
	return map[string]any{
		"game": board.Name, "size": size, "board": t.Board(),
		"hasSteps": t.HasSteps(), "identity": hex.EncodeToString(identity[:]),
		"start": t.Rules().Format(t.Start()), "example": t.Example(),
		"ask": js.FuncOf(func(_ js.Value, args []js.Value) any {
			return promise(func() (any, error) { return ask(t, args) })
		}),
		"close": js.FuncOf(func(js.Value, []js.Value) any {
			t.Close() // nothing is written, so nothing is lost where that fails
			return nil
		}),
	}
}

func ask(t *probe.Table, args []js.Value) (any, error) {
	if len(args) < 1 || args[0].Type() != js.TypeString {
		return nil, fmt.Errorf("ask takes the text of a position; an example is: table.ask(%q)", t.Example())
	}
	maxPlies := probe.NoLine
	if len(args) > 1 && args[1].Type() == js.TypeObject && args[1].Get("line").Truthy() {
		maxPlies = probe.WholeLine
	}
	a, err := t.Ask(args[0].String(), maxPlies)
	if err != nil {
		return nil, err
	}
	return js.Global().Get("JSON").Call("parse", string(a.AppendJSON(nil))), nil
}

// promise does work, which may wait, and returns a promise of the result.
func promise(work func() (any, error)) any {
	begin := js.FuncOf(func(_ js.Value, args []js.Value) any {
		resolve, reject := args[0], args[1]
		go func() {
			value, err := work()
			if err != nil {
				e := js.Global().Get("Error").New(err.Error())
				e.Set("code", code(err)) // for programs
				reject.Invoke(e)
				return
			}
			resolve.Invoke(value)
		}()
		return nil
	})
	defer begin.Release() // it is called before New returns
	return js.Global().Get("Promise").New(begin)
}

func code(err error) string {
	var syntax *game.SyntaxError
	switch {
	case errors.As(err, &syntax), errors.Is(err, probe.ErrPosition):
		return "position"
	case errors.Is(err, fs.ErrNotExist):
		return "missing"
	case tablebase.Unusable(err):
		return "table"
	}
	return "failed"
}
