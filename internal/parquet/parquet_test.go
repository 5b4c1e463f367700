package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// reader reads Thrift's compact protocol, without regard to what it means.
type reader struct{ b []byte }

func (r *reader) byte() byte {
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *reader) uvarint() int {
	n, size := binary.Uvarint(r.b)
	r.b = r.b[size:]
	return int(n)
}

func (r *reader) take(n int) []byte {
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

// value reads a value: an int64, a string, a list or, by number, the fields of a structure.
func (r *reader) value(kind byte) any {
	switch kind {
	case thriftI32, thriftI64:
		n, size := binary.Varint(r.b)
		r.b = r.b[size:]
		return n
	case thriftText:
		return string(r.take(r.uvarint()))
	case thriftList:
		head := r.byte()
		n := int(head >> 4)
		if n == 15 {
			n = r.uvarint()
		}
		items := make([]any, n)
		for i := range items {
			items[i] = r.value(head & 15)
		}
		return items
	case thriftStruct:
		fields, id := map[int]any{}, 0
		for head := r.byte(); head != 0; head = r.byte() {
			id += int(head >> 4)
			fields[id] = r.value(head & 15)
		}
		return fields
	}
	panic(fmt.Sprint("type ", kind))
}

func at[T any](fields any, id int) T { return fields.(map[int]any)[id].(T) }

// read returns the names of the columns, and the rows as text. Null is "-".
func read(t *testing.T, file []byte) (names []string, rows [][]string) {
	t.Helper()
	end := len(file) - 8
	if string(file[:4]) != magic || string(file[end+4:]) != magic {
		t.Fatal("no magic number")
	}
	footer := (&reader{file[end-int(binary.LittleEndian.Uint32(file[end:])) : end]}).value(thriftStruct)
	schema := at[[]any](footer, 2)[1:]
	for _, element := range schema {
		names = append(names, at[string](element, 4))
	}
	decoder, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range at[[]any](footer, 4) {
		first, n := len(rows), int(at[int64](group, 3))
		rows = append(rows, make([][]string, n)...)
		for i, chunk := range at[[]any](group, 1) {
			about := at[map[int]any](chunk, 3)
			r := &reader{file[at[int64](about, 9):]}
			header := r.value(thriftStruct)
			page := r.take(int(at[int64](header, 3)))
			if codec := at[int64](about, 4); codec != codecZSTD {
				t.Fatalf("the codec is %d", codec)
			}
			page, err = decoder.DecodeAll(page, nil)
			if err != nil || len(page) != int(at[int64](header, 2)) {
				t.Fatalf("%d bytes of a page, %v", len(page), err)
			}
			v := &reader{page}
			set := func(int) bool { return true }
			if at[int64](schema[i], 3) == optional {
				levels := &reader{v.take(int(binary.LittleEndian.Uint32(v.take(4))))}
				if head := levels.uvarint(); head != (n+7)/8<<1|1 {
					t.Fatalf("a run of levels begins with %d", head)
				}
				set = func(k int) bool { return levels.b[k/8]>>(k%8)&1 != 0 }
			}
			for k := range n {
				text := "-"
				switch kind := at[int64](schema[i], 1); {
				case !set(k):
				case kind == typeInt64:
					text = fmt.Sprint(int64(binary.LittleEndian.Uint64(v.take(8))))
				case kind == typeByteArray:
					text = string(v.take(int(binary.LittleEndian.Uint32(v.take(4)))))
				default:
					text = fmt.Sprint(v.b[k/8]>>(k%8)&1 != 0)
				}
				rows[first+k] = append(rows[first+k], text)
			}
		}
	}
	if int64(len(rows)) != at[int64](footer, 3) {
		t.Errorf("%d rows, and the metadata say %d", len(rows), at[int64](footer, 3))
	}
	return names, rows
}

// What is written is read again, in one row group, in two and in none. DuckDB 1.5 and hyparquet
// 1.33 read the same from such files.
func TestWriter(t *testing.T) {
	for _, n := range []int{0, 1, 1000, groupRows, groupRows + 9} {
		if testing.Short() && n == groupRows {
			continue // one thread takes long under the race detector
		}
		var file bytes.Buffer
		name, maybe, sure, odd := Text("name"), Int("maybe", true), Int("sure", false), Bool("odd")
		w, err := NewWriter(&file, name, maybe, sure, odd)
		if err != nil {
			t.Fatal(err)
		}
		var want [][]string
		for i := range n {
			row := []string{fmt.Sprintf("%b°", i), "-", fmt.Sprint(-i), fmt.Sprint(i%2 != 0)}
			name.AddText(row[0])
			if i%3 == 0 {
				maybe.AddNull()
			} else {
				maybe.AddInt(int64(i) << 40)
				row[1] = fmt.Sprint(int64(i) << 40)
			}
			sure.AddInt(-int64(i))
			odd.AddBool(i%2 != 0)
			if err := w.EndRow(); err != nil {
				t.Fatal(err)
			}
			want = append(want, row)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		names, rows := read(t, file.Bytes())
		if got := fmt.Sprint(names); got != "[name maybe sure odd]" {
			t.Errorf("the columns are %s", got)
		}
		if fmt.Sprint(rows) != fmt.Sprint(want) {
			t.Errorf("%d rows: others are read", n)
		}
	}
}
