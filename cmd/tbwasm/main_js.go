// Command tbwasm is the prober for browsers: it answers from tables that lie on the web
// server that the page comes from, or on another one. docs/howto/web-tables.md says how a page uses
// it. It puts one object into the page:
//
//	backsolve.open(address) → Promise of a table
//	table.ask(position, {line: true}) → Promise of an answer
//	table.close()
package main

import "syscall/js"

// version is set by the build, with -ldflags "-X main.version=…".
var version = "devel"

func main() {
	js.Global().Set("backsolve", map[string]any{"version": version, "open": js.FuncOf(open)})
	select {} // as long as the page is there
}
