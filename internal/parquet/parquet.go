// Package parquet writes rows as an Apache Parquet file: flat columns, plain values, one page a
// column in each row group, compressed with zstd. The format is that of
// https://github.com/apache/parquet-format, its metadata Thrift's compact protocol.
package parquet

import (
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Physical types, and the other numbers of the format that are written here.
const (
	typeBoolean, typeInt64, typeByteArray = 0, 2, 6

	required, optional = 0, 1
	utf8               = 0
	encodingPlain, rle = 0, 3
	codecZSTD          = 6
	dataPage           = 0

	magic     = "PAR1"
	groupRows = 1 << 17
)

// Column is a column of a file. Each row takes one value of each column.
type Column struct {
	name     string
	kind     int64
	optional bool
	values   []byte // of the row group
	set      []bool // which of its rows are not null, for an optional column
	trues    []bool // the values of a column of booleans
}

// Text returns a column of strings in UTF-8.
func Text(name string) *Column { return &Column{name: name, kind: typeByteArray} }

// Int returns a column of integers; in an optional one, rows may be null.
func Int(name string, optional bool) *Column {
	return &Column{name: name, kind: typeInt64, optional: optional}
}

// Bool returns a column of booleans.
func Bool(name string) *Column { return &Column{name: name, kind: typeBoolean} }

// AddText adds the value of a row to a column of strings.
func (c *Column) AddText(s string) {
	c.values = append(binary.LittleEndian.AppendUint32(c.values, uint32(len(s))), s...)
}

// AddInt adds the value of a row to a column of integers.
func (c *Column) AddInt(n int64) {
	c.values, c.set = binary.LittleEndian.AppendUint64(c.values, uint64(n)), append(c.set, true)
}

// AddNull adds null to an optional column of integers.
func (c *Column) AddNull() { c.set = append(c.set, false) }

// AddBool adds the value of a row to a column of booleans.
func (c *Column) AddBool(b bool) { c.trues = append(c.trues, b) }

// page returns the uncompressed page of the row group, and empties the column.
func (c *Column) page() (page []byte) {
	if c.optional { // definition levels: one run of packed bits, after the bytes that it takes
		levels := append(binary.AppendUvarint(nil, uint64((len(c.set)+7)/8)<<1|1), bits(c.set)...)
		page = append(binary.LittleEndian.AppendUint32(nil, uint32(len(levels))), levels...)
	}
	page = append(append(page, c.values...), bits(c.trues)...)
	c.values, c.set, c.trues = c.values[:0], c.set[:0], c.trues[:0]
	return page
}

// bits packs booleans, the first into the lowest bit.
func bits(set []bool) []byte {
	packed := make([]byte, (len(set)+7)/8)
	for i, b := range set {
		if b {
			packed[i/8] |= 1 << (i % 8)
		}
	}
	return packed
}

// Writer writes a file.
type Writer struct {
	w       io.Writer
	zstd    *zstd.Encoder
	columns []*Column
	offset  int64    // in the file
	rows    int64    // of all groups
	now     int64    // rows of the group that is not yet written
	groups  [][]byte // metadata
}

// NewWriter writes the beginning of a file with these columns.
func NewWriter(w io.Writer, columns ...*Column) (p *Writer, err error) {
	p = &Writer{w: w, columns: columns}
	if p.zstd, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)); err != nil {
		return nil, err
	}
	return p, p.write([]byte(magic))
}

func (p *Writer) write(b []byte) error {
	n, err := p.w.Write(b)
	p.offset += int64(n)
	return err
}

// EndRow ends a row, of which each column has its value.
func (p *Writer) EndRow() error {
	p.rows++
	if p.now++; p.now < groupRows {
		return nil
	}
	return p.endGroup()
}

func (p *Writer) endGroup() error {
	var chunks [][]byte
	total := int64(0)
	for _, c := range p.columns {
		page := c.page()
		packed := p.zstd.EncodeAll(page, nil)
		header := object(i32(1, dataPage), i32(2, int64(len(page))), i32(3, int64(len(packed))),
			structure(5, object(i32(1, p.now), i32(2, encodingPlain), i32(3, rle), i32(4, rle))))
		start, plain, size := p.offset, int64(len(header)+len(page)), int64(len(header)+len(packed))
		total += plain
		if err := p.write(append(header, packed...)); err != nil {
			return err
		}
		chunks = append(chunks, object(i64(2, start), structure(3, object(
			i32(1, c.kind), list(2, thriftI32, zigzag(encodingPlain), zigzag(rle)), list(3, thriftText, text(c.name)), i32(4, codecZSTD),
			i64(5, p.now), i64(6, plain), i64(7, size), i64(9, start)))))
	}
	p.groups = append(p.groups, object(list(1, thriftStruct, chunks...), i64(2, total), i64(3, p.now)))
	p.now = 0
	return nil
}

// Close writes the last row group and the metadata. It does not close the writer below.
func (p *Writer) Close() error {
	if p.now > 0 {
		if err := p.endGroup(); err != nil {
			return err
		}
	}
	schema := [][]byte{object(field{4, thriftText, text("rows")}, i32(5, int64(len(p.columns))))}
	for _, c := range p.columns {
		repetition := int64(required)
		if c.optional {
			repetition = optional
		}
		element := []field{i32(1, c.kind), i32(3, repetition), {4, thriftText, text(c.name)}}
		if c.kind == typeByteArray {
			element = append(element, i32(6, utf8))
		}
		schema = append(schema, object(element...))
	}
	footer := object(i32(1, 1), list(2, thriftStruct, schema...), i64(3, p.rows), list(4, thriftStruct, p.groups...),
		field{6, thriftText, text("backsolve")})
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	return p.write(append(footer, magic...))
}
