package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/scripts"
	"backsolve/internal/durable"
)

// noWait is for $GORACE: the race detector makes every process wait for a second before it
// ends.
const noWait = "atexit_sleep_ms=0"

var program = scripts.Program{Main: main, Root: newRoot, Commands: map[string]func(*testscript.TestScript, bool, []string){"unzstd": unzstd, "falsify": falsify, "hold": hold}}

func TestMain(m *testing.M) { program.TestMain(m) }

func TestScripts(t *testing.T) {
	rules, err := filepath.Abs("../../game/wasm/testdata")
	if err != nil {
		t.Fatal(err)
	}
	program.Test(t, "", "RULES="+rules)
}

// unzstd prints the contents of a compressed file: unzstd FILE.
func unzstd(ts *testscript.TestScript, _ bool, args []string) {
	packed, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	decoder, err := zstd.NewReader(nil)
	ts.Check(err)
	defer decoder.Close()
	text, err := decoder.DecodeAll(packed, nil)
	ts.Check(err)
	_, err = ts.Stdout().Write(text)
	ts.Check(err)
}

// hold holds the lock of a file until the script ends, as a solve does: hold FILE.
func hold(ts *testscript.TestScript, _ bool, args []string) {
	lock, err := durable.Lock(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Defer(func() { lock.Unlock() })
}

// runHere runs tbsolve within the test, and returns its status and output, or its error.
func runHere(t *testing.T, args ...string) (code int, says string) {
	t.Helper()
	var out bytes.Buffer
	root := newRoot()
	root.SilenceUsage, root.SilenceErrors = true, true
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&out)
	if err := root.ExecuteContext(t.Context()); err != nil {
		return cli.TableStatus(err), cli.Sentence(err)
	}
	return 0, out.String()
}

// falsify changes a count of a result and signs it again: falsify x.json.
func falsify(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	text, err := os.ReadFile(path)
	ts.Check(err)
	text, err = countsMore(text, winsOfClasses)
	ts.Check(err)
	ts.Check(os.WriteFile(path, text, 0o666))
}

// The wins of a result, and those of the first class of each list of classes.
var (
	winsOfAll     = regexp.MustCompile(`(?s)\A.*?"wins": `)
	winsOfClasses = regexp.MustCompile(`"classes": \[\s*\{[^}]*?"wins": `)
)

// countsMore adds one to the numbers after a pattern in a result, and signs it again.
func countsMore(text []byte, before *regexp.Regexp) ([]byte, error) {
	number := regexp.MustCompile(before.String() + `\d+`)
	text = number.ReplaceAllFunc(text, func(found []byte) []byte {
		digits := bytes.LastIndexByte(found, ' ') + 1
		n, _ := strconv.Atoi(string(found[digits:])) // the pattern has digits alone there
		return strconv.AppendInt(found[:digits:digits], int64(n+1), 10)
	})
	signature := regexp.MustCompile(`"sha256": "[0-9a-f]*"`)
	var line bytes.Buffer
	if err := json.Compact(&line, signature.ReplaceAll(text, []byte(`"sha256": ""`))); err != nil {
		return nil, err
	}
	return signature.ReplaceAll(text, fmt.Appendf(nil, `"sha256": "%x"`, sha256.Sum256(line.Bytes()))), nil
}
