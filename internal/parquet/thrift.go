package parquet

import "encoding/binary"

// Types of Thrift's compact protocol:
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
const (
	thriftI32, thriftI64, thriftText, thriftList, thriftStruct = 5, 6, 8, 9, 12
)

// field is a field of a Thrift structure: its number, from 1, its type and its bytes.
type field struct {
	id    int
	kind  byte
	value []byte
}

// object encodes a structure. Its fields are in the order of their numbers, at most 15 apart.
func object(fields ...field) (b []byte) {
	last := 0
	for _, f := range fields {
		b = append(append(b, byte(f.id-last)<<4|f.kind), f.value...)
		last = f.id
	}
	return append(b, 0)
}

func zigzag(n int64) []byte { return binary.AppendVarint(nil, n) }

func text(s string) []byte { return append(binary.AppendUvarint(nil, uint64(len(s))), s...) }

func i32(id int, n int64) field { return field{id, thriftI32, zigzag(n)} }

func i64(id int, n int64) field { return field{id, thriftI64, zigzag(n)} }

func structure(id int, value []byte) field { return field{id, thriftStruct, value} }

func list(id int, kind byte, items ...[]byte) field {
	b := []byte{byte(len(items))<<4 | kind}
	if len(items) >= 15 {
		b = binary.AppendUvarint([]byte{0xf0 | kind}, uint64(len(items)))
	}
	for _, item := range items {
		b = append(b, item...)
	}
	return field{id, thriftList, b}
}
