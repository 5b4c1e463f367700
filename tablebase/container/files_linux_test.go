package container

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// open returns what the process has open and mapped.
func opened(t *testing.T) string {
	t.Helper()
	all, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip(err)
	}
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	for _, f := range files {
		to, _ := os.Readlink("/proc/self/fd/" + f.Name())
		all = append(all, to+"\n"...)
	}
	return string(all)
}

// What is refused is not open any more, and what is closed is neither open nor mapped. A pipe does not
// block.
func TestNothingStaysOpen(t *testing.T) {
	path := save(t, []byte("content"))
	pipe := filepath.Join(filepath.Dir(path), "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skip(err)
	}
	var called string
	_, err := Open(pipe, opens(&called))
	says(t, err, pipe, tablebase.ErrForeign, "it is not a regular file", "")
	if _, err := Open(filepath.Dir(path), opens(&called)); !errors.Is(err, tablebase.ErrForeign) {
		t.Error(err)
	}
	f := openFile(t, path)
	if _, err := f.Map(0, 0); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(opened(t), path); n != 2 {
		t.Errorf("it is open or mapped %d times", n)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if strings.Contains(opened(t), filepath.Dir(path)) {
		t.Errorf("it stays open:\n%s", opened(t))
	}
}

// The system is told that single pages of a mapping are touched, so that it reads no others.
func TestMappingIsRandom(t *testing.T) {
	path := save(t, make([]byte, 3*format.PageSize))
	f := openFile(t, path)
	if _, err := f.Map(0, 0); err != nil {
		t.Fatal(err)
	}
	b, _ := os.ReadFile("/proc/self/smaps")
	_, about, _ := strings.Cut(string(b), path)
	_, flags, ok := strings.Cut(about, "VmFlags:")
	if !ok {
		t.Skip("the system does not tell")
	}
	if flags, _, _ = strings.Cut(flags, "\n"); !strings.Contains(flags, " rr ") {
		t.Errorf("flags:%s", flags)
	}
}
