package main

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"backsolve/cmd/cli"
	"backsolve/internal/machine"
)

// A limit of address space limits memory: a solve that does not fit it is refused before any
// work, not ended by the Go runtime.
func TestAddressSpace(t *testing.T) {
	if limit, _ := machine.AddressSpace(); limit != machine.Unknown {
		t.Skip("it is limited here")
	}
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &before); err != nil {
		t.Fatal(err)
	}
	limited := before
	limited.Cur = 1 << 50
	if err := unix.Setrlimit(unix.RLIMIT_AS, &limited); err != nil {
		t.Fatal(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_AS, &before)
	_, taken := machine.AddressSpace()
	if taken > 1<<40 {
		t.Skip("the race detector takes whatever address space there is")
	}
	limited.Cur = uint64(taken) + 150<<20
	if err := unix.Setrlimit(unix.RLIMIT_AS, &limited); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for args, want := range map[string]string{
		"quixo 2":                 "solving quixo 2×2 without steps takes about ",
		"quixo 2 --memory 1GiB":   "--memory allows more, but that is what is available now",
		"notakto 3 --keep result": "solving notakto 3×3 takes at least ",
	} {
		status, says := runHere(t, append(strings.Fields(args), "--quiet", "--dir", dir)...)
		if status != cli.StatusRefused || !strings.Contains(says, want) || !strings.Contains(says, "raise the limit of the control group or ulimit -v") {
			t.Errorf("%s: status %d, %s", args, status, says)
		}
	}
}
