//go:build !unix && !windows

package stamp

import "os"

// Open is an open file whose stamp can be read.
type Open struct{ file *os.File }

// Watch returns the file, which must be open.
func Watch(file *os.File) Open { return Open{file} }

// Stamp returns the stamp of the file, or the zero one if the system gives none.
func (f Open) Stamp() Stamp {
	info, err := f.file.Stat()
	if err != nil {
		return Stamp{}
	}
	return stampOf(info)
}
