package tablebase

import (
	"errors"

	"backsolve/internal/durable"
)

// lock takes the advisory lock that keeps two processes from writing one table;
// unwritable is what to do where no lock file can be written.
func lock(table, unwritable string) (*durable.Locked, error) {
	l, err := durable.Lock(table)
	if err != nil {
		return nil, lockFailed(table, err, unwritable)
	}
	return l, nil
}

// lockFailed says why there is no lock.
func lockFailed(table string, err error, unwritable string) error {
	if errors.Is(err, durable.ErrHeld) {
		return &Error{Path: table, Err: ErrBusy, Remedy: "wait for it, or stop it: a solver keeps what it has solved"}
	}
	return failed(table+durable.LockSuffix, "lock the table", err, unwritable)
}
