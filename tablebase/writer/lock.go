package writer

import (
	"errors"

	"backsolve/internal/durable"
	"backsolve/tablebase"
)

// otherDir is the remedy where files cannot be written.
const otherDir = "make the directory writable, or choose another one"

// lock takes the advisory lock that keeps two processes from writing one table.
func lock(table string) (*durable.Locked, error) {
	l, err := tablebase.Lock(table)
	if err != nil {
		return nil, lockFailed(table, err)
	}
	return l, nil
}

// lockFailed says why there is no lock.
func lockFailed(table string, err error) error {
	if errors.Is(err, durable.ErrHeld) {
		return &tablebase.Error{Path: table, Err: tablebase.ErrBusy, Remedy: "wait for it, or stop it: a solver keeps what it has solved"}
	}
	return tablebase.Failed(table+durable.LockSuffix, "lock the table", err, otherDir)
}
