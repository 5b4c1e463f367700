// Package stamp detects writes to a file by its metadata.
package stamp

import (
	"io/fs"
	"os"
)

// Stamp is metadata that the system changes before the first byte of a write.
type Stamp struct {
	size int64
	// The times of the last write and of the last change, in units of the system. Programs
	// can set back the time of the last write; the time of the last change they cannot.
	written, changed int64
}

// Same reports whether two descriptions, each nil where there is no file, are of one file with
// the same contents. A file that was rewritten in place is another one, even if its size and
// its modification time are the same: rsync --inplace -t and cp -p keep these. Windows does
// not tell here when a file was last changed; there, only Open.Stamp sees that.
func Same(before, now fs.FileInfo) bool {
	if before == nil || now == nil {
		return before == nil && now == nil
	}
	return os.SameFile(before, now) && stampOf(before) == stampOf(now) && before.Mode() == now.Mode()
}

func stampOf(file fs.FileInfo) Stamp {
	return Stamp{file.Size(), file.ModTime().UnixNano(), changed(file)}
}
