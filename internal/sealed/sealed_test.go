package sealed

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

type header struct {
	Name string `json:"name"`
	Size int    `json:"size"`
}

var format = Format{Name: "backsolve test", Version: 3, MaxSize: 1 << 12}

// written returns the path and the bytes of a file.
func written(t *testing.T, numbers []byte) (path string, data []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "file")
	if err := format.Write(path, header{"a\nb", 7}, numbers); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, data
}

func TestRoundTrip(t *testing.T) {
	for _, numbers := range [][]byte{nil, {10}, bytes.Repeat([]byte{0, 10, 255}, 100)} {
		path, _ := written(t, numbers)
		var h header
		got, err := format.Read(path, &h)
		if err != nil || !bytes.Equal(got, numbers) || h != (header{"a\nb", 7}) {
			t.Errorf("%v, %+v, %v", got, h, err)
		}
	}
}

// Every byte that is changed, and every byte that is missing, is noticed.
func TestDamageIsFound(t *testing.T) {
	path, data := written(t, []byte{1, 2, 3, 4, 5, 6, 7, 8})
	refused := func(changed []byte, what string, at int) {
		t.Helper()
		if err := os.WriteFile(path, changed, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := format.Read(path, new(header)); !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrForeign) && !errors.Is(err, ErrVersion) {
			t.Errorf("%s %d: %v", what, at, err)
		}
	}
	for i := range data {
		changed := bytes.Clone(data)
		changed[i] ^= 1
		refused(changed, "byte", i)
		refused(data[:i], "cut to", i)
	}
	refused(append(bytes.Clone(data), 0), "longer", len(data)+1)
	refused(make([]byte, format.MaxSize+1), "zeros", int(format.MaxSize)+1)
}

func TestOthersAreRefused(t *testing.T) {
	path, _ := written(t, nil)
	newer, other := format, format
	newer.Version, other.Name = 4, "backsolve other"
	if _, err := newer.Read(path, new(header)); !errors.Is(err, ErrVersion) {
		t.Error(err)
	}
	if _, err := other.Read(path, new(header)); !errors.Is(err, ErrForeign) {
		t.Error(err)
	}
	if _, err := format.Read(path, &struct{ Name string }{}); err == nil {
		t.Error("a header with a field too many is read")
	}
	if _, err := format.Read(filepath.Join(t.TempDir(), "none"), new(header)); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
