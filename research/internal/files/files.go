// Package files writes the results of research, and checks before long work that it can.
package files

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"

	"backsolve/internal/durable"
	"backsolve/internal/strict"
)

// Write creates or replaces a file, and its directory if need be. On errors the old file stays.
func Write(path string, write func(io.Writer) error) error {
	if err := durable.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	err := durable.Write(path, func(f *os.File) error {
		buffer := bufio.NewWriter(f)
		if err := write(buffer); err != nil {
			return err
		}
		return buffer.Flush()
	})
	if on := (*durable.Error)(nil); err != nil && !errors.As(err, &on) {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return err
}

// WriteBytes writes a file as Write does.
func WriteBytes(path string, data []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteJSON writes a value as indented JSON.
func WriteJSON(path string, v any) error {
	return Write(path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		return e.Encode(v)
	})
}

// ReadJSON reads a value of WriteJSON without unknown fields. The error names the file; it is
// fs.ErrNotExist if there is none.
func ReadJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := strict.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s cannot be read: %w", path, err)
	}
	return nil
}

// ReadLines reads values of JSON, one a line. Its errors are like those of ReadJSON.
func ReadLines[T any](path string) (all []T, err error) {
	data, err := os.ReadFile(path)
	for lines := json.NewDecoder(bytes.NewReader(data)); err == nil && lines.More(); {
		var one T
		if err := lines.Decode(&one); err != nil {
			return nil, fmt.Errorf("%s cannot be read: %w", path, err)
		}
		all = append(all, one)
	}
	return all, err
}

// WriteLines writes what ReadLines reads.
func WriteLines[T any](w io.Writer, all []T) (err error) {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for i := 0; i < len(all) && err == nil; i++ {
		err = e.Encode(all[i])
	}
	return err
}

// WriteTable writes a table as CSV. The first row names the columns.
func WriteTable(path string, rows [][]string) error {
	return Write(path, func(w io.Writer) error { return csv.NewWriter(w).WriteAll(rows) })
}

// ReadTable reads a table as CSV. The error names the file; it is fs.ErrNotExist if there is none.
func ReadTable(path string) ([][]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	return rows, nil
}

// WriteCSV writes structs as CSV with the JSON tags as names. Infinite and unknown numbers are empty.
func WriteCSV[R any](w io.Writer, rows []R) error {
	fields := reflect.VisibleFields(reflect.TypeFor[R]())
	table := make([][]string, 1+len(rows))
	for _, f := range fields {
		table[0] = append(table[0], f.Tag.Get("json"))
		for i := range rows {
			v := reflect.ValueOf(rows[i]).FieldByIndex(f.Index)
			text := fmt.Sprint(v)
			if v.CanFloat() && (math.IsInf(v.Float(), 0) || math.IsNaN(v.Float())) {
				text = ""
			}
			table[i+1] = append(table[i+1], text)
		}
	}
	return csv.NewWriter(w).WriteAll(table)
}

// Writable returns a *durable.Error if files could not be written into a directory, and creates none.
func Writable(dir string) error {
	above := filepath.Clean(dir)
	for ; ; above = filepath.Dir(above) {
		if _, err := os.Stat(above); !errors.Is(err, fs.ErrNotExist) || above == filepath.Dir(above) {
			break
		}
	}
	// Permissions do not tell of full or read-only disks.
	f, err := os.CreateTemp(above, ".backsolve-*")
	if err == nil {
		if err = errors.Join(f.Close(), os.Remove(f.Name())); err == nil {
			return nil
		}
	}
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		err = at.Err
	}
	return &durable.Error{Path: dir, Doing: "write to", Err: err, Remedy: "make it writable, or choose another directory"}
}
