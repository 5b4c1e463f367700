//go:build !unix

package tablebase

import "os"

// watched is a file whose stamp is asked for.
type watched struct{ *os.File }

func watch(file *os.File) watched { return watched{file} }

// stamp returns the stamp of the file, the zero one where the system does not tell.
func (w watched) stamp() stamp {
	info, err := w.Stat()
	if err != nil {
		return stamp{}
	}
	written := info.ModTime()
	return stamp{info.Size(), written.Unix(), int64(written.Nanosecond())}
}
