package stamp

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Open is an open file whose stamp can be read. Once the file is closed, another file may have
// its handle; its stamp differs.
type Open windows.Handle

// Watch returns the file, which must be open.
func Watch(file *os.File) Open { return Open(file.Fd()) }

// Stamp returns the stamp of the file, or the zero one if the system gives none. It has no
// size: a new size comes with a new time of the last change.
func (f Open) Stamp() Stamp {
	var basic struct { // FILE_BASIC_INFO
		created, accessed, written, changed int64
		attributes, _                       uint32
	}
	err := windows.GetFileInformationByHandleEx(windows.Handle(f), windows.FileBasicInfo, (*byte)(unsafe.Pointer(&basic)), uint32(unsafe.Sizeof(basic)))
	if err != nil {
		return Stamp{}
	}
	return Stamp{0, basic.written, basic.changed}
}
