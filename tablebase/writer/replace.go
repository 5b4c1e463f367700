package writer

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"backsolve/internal/durable"
	"backsolve/tablebase"
)

// replaceFile writes a file beside path, checks it and gives it the name path when it is on the
// disk. If anything fails, path is as before and the new file is removed. ErrExists where path
// exists and is not to be overwritten, ErrBusy while another process writes it.
func replaceFile(path string, overwrite bool, write func(io.WriterAt) error, check func(path string) error) error {
	if strings.HasSuffix(path, tablebase.PackedSuffix) { // durable.Write takes only a lock of the packed form
		l, err := lock(path)
		if err != nil {
			return err
		}
		defer l.Unlock()
	}
	err := durable.Write(path, func(f *os.File) error {
		if err := (target{path: path}).checkPlace(overwrite); err != nil {
			return err
		}
		if err := write(f); err != nil {
			return err
		}
		return check(f.Name())
	})
	if on := (*durable.Error)(nil); errors.As(err, &on) && on.Doing == "lock" {
		return lockFailed(path, err)
	}
	var said *tablebase.Error
	switch {
	case err == nil || errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &said):
		return said
	}
	return tablebase.Failed(path, "write the table", err, "check the disk, and try again")
}
