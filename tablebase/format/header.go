package format

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/bits"

	"backsolve/tablebase"
)

// Version is the newest format. A table is written in the oldest that suffices: 1; 2 for tables of
// the emptiest classes alone; 3 for tables with nimbers.
const Version = 3

// Lengths in bytes.
const (
	PageSize     = 4096 // of the header; parts and the footer are aligned to it
	PreambleSize = 64   // of what the headers of table and manifest share
	nameSize     = 32   // of the game's name, padded with zeros
	EndMarkSize  = 8    // of the end mark, which ends the file
)

// Files start with a magic: a table, and the manifests of an unpacked table, a packed one and an
// archive. A transfer that converts text destroys it by its first byte or its line feed.
const (
	TableMagic    = "\x89bstabl\n"
	ManifestMagic = "\x89bspart\n"
	PackingMagic  = "\x89bspck2\n"
	ArchiveMagic  = "\x89bspck3\n"
)

// flags returns what the flags of a header say of the shape, the lowest bit first.
func flags(s *tablebase.Shape) [3]*bool { return [...]*bool{&s.Steps, &s.Opening, &s.Nimbers} }

func versionOf(s tablebase.Shape) uint32 {
	switch {
	case s.Nimbers:
		return 3
	case s.Opening:
		return 2
	}
	return 1
}

var (
	le         = binary.LittleEndian
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// Checksum returns the CRC-32C of b.
func Checksum(b []byte) uint32 { return UpdateChecksum(0, b) }

// UpdateChecksum returns the checksum of the bytes that sum is of, followed by b.
func UpdateChecksum(sum uint32, b []byte) uint32 { return crc32.Update(sum, castagnoli, b) }

// putPreamble writes the first 64 bytes of table and manifest, except the checksum.
func putPreamble(b []byte, magic string, s tablebase.Shape) {
	copy(b, magic)
	le.PutUint32(b[8:], versionOf(s))
	copy(b[16:16+nameSize], s.Game)
	le.PutUint32(b[48:], uint32(s.Size))
	le.PutUint32(b[52:], uint32(s.Planes))
	for bit, set := range flags(&s) {
		if *set {
			b[56] |= 1 << bit
		}
	}
}

// SealHeader writes the checksum of a header. It is in the same place in every version, so that
// a newer header can be told from a damaged one.
func SealHeader(b []byte) {
	le.PutUint32(b[12:], 0)
	le.PutUint32(b[12:], Checksum(b))
}

// checkHeader checks magic, checksum and version; ErrForeign, ErrHeader or ErrNewer.
func checkHeader(b []byte, magic string) error {
	if string(b[:8]) != magic {
		return tablebase.ErrForeign
	}
	c := Checksum(b[:12])
	c = UpdateChecksum(c, make([]byte, 4))
	if UpdateChecksum(c, b[16:]) != le.Uint32(b[12:]) {
		return fmt.Errorf("%w: its checksum does not hold", ErrHeader)
	}
	switch v := le.Uint32(b[8:]); {
	case v > Version:
		return fmt.Errorf("%w: version %d, while this program reads %d", tablebase.ErrNewer, v, Version)
	case v < 1:
		return fmt.Errorf("%w: there is no version %d", ErrHeader, v)
	}
	return nil
}

// readPreamble checks a header, as checkHeader does, and reads the shape from its preamble.
func readPreamble(b []byte, magic string) (tablebase.Shape, error) {
	if err := checkHeader(b, magic); err != nil {
		return tablebase.Shape{}, err
	}
	name, padding, _ := bytes.Cut(b[16:16+nameSize], []byte{0})
	s := tablebase.Shape{Game: string(name), Size: int(int32(le.Uint32(b[48:]))), Planes: int(int32(le.Uint32(b[52:])))}
	unknown := le.Uint32(b[56:])
	for _, set := range flags(&s) {
		*set = unknown&1 != 0
		unknown >>= 1
	}
	if err := s.Check(); err != nil {
		return tablebase.Shape{}, fmt.Errorf("%w: %w", ErrHeader, err)
	}
	if !isZero(padding) || unknown != 0 || le.Uint32(b[8:]) != versionOf(s) {
		return tablebase.Shape{}, fmt.Errorf("%w: unknown flags", ErrHeader)
	}
	return s, nil
}

// CheckClasses says why a table of the shape cannot have these classes, which descend.
func CheckClasses(s tablebase.Shape, classes []*Record) error {
	if fullest := classes[0].Class; s.Opening && fullest != len(classes)-1 {
		return fmt.Errorf("%d classes from class %d down are not the emptiest ones", len(classes), fullest)
	}
	return nil
}

// CheckMasks says what is wrong with the masks of a class.
func CheckMasks(s tablebase.Shape, masks []uint64) error {
	for b := range len(masks) - 1 {
		if masks[b] >= masks[b+1] {
			return errors.New("its masks do not ascend")
		}
	}
	if greatest := masks[len(masks)-1]; bits.Len64(greatest) > s.Size*s.Size {
		return fmt.Errorf("the mask %#x has a cell outside the board of %d×%d", greatest, s.Size, s.Size)
	}
	return nil
}

// Header is page 0 of a table. The footer and the end mark are the end of the file.
type Header struct {
	Shape        tablebase.Shape
	Classes      uint32 // how many
	Length       int64  // of the file, in bytes
	FooterOffset int64  // in bytes, as is the length
	FooterLength int64
	Identity     [sha256.Size]byte // see tablebase.Summary
}

// Encode returns the page. It sets the identity, which follows from all else and the footer.
func (h *Header) Encode(footer []byte) []byte {
	b := make([]byte, PageSize)
	putPreamble(b, TableMagic, h.Shape)
	le.PutUint32(b[60:], h.Classes)
	le.PutUint64(b[64:], uint64(h.Length))
	le.PutUint64(b[72:], uint64(h.FooterOffset))
	le.PutUint64(b[80:], uint64(h.FooterLength))
	h.Identity = Identity(b, footer)
	copy(b[88:], h.Identity[:])
	SealHeader(b)
	return b
}

// Decode reads the first page of a file; ErrForeign, ErrNewer, ErrTruncated or ErrHeader.
func (h *Header) Decode(b []byte, fileLength int64) (err error) {
	if bytes.HasPrefix(b, []byte(tablebase.SparseMagic)) {
		return tablebase.ErrSparse
	}
	if h.Shape, err = readPreamble(b, TableMagic); err != nil {
		return err
	}
	if !isZero(b[88+sha256.Size:]) {
		return fmt.Errorf("%w: what is kept zero is not", ErrHeader)
	}
	h.Classes = le.Uint32(b[60:])
	h.Length = int64(le.Uint64(b[64:]))
	h.FooterOffset = int64(le.Uint64(b[72:]))
	h.FooterLength = int64(le.Uint64(b[80:]))
	copy(h.Identity[:], b[88:])
	if fileLength < h.Length {
		return fmt.Errorf("%w: it has %d of %d bytes", tablebase.ErrTruncated, fileLength, h.Length)
	}
	if fileLength > h.Length {
		return fmt.Errorf("%w: the file has %d bytes, not %d", ErrHeader, fileLength, h.Length)
	}
	// In this order no sum overflows: the length is that of a real file.
	if h.FooterOffset < PageSize || h.FooterOffset%PageSize != 0 || h.FooterOffset > h.Length-EndMarkSize ||
		h.FooterLength != h.Length-EndMarkSize-h.FooterOffset {
		return fmt.Errorf("%w: %d bytes of footer at %d do not fit a file of %d bytes",
			ErrHeader, h.FooterLength, h.FooterOffset, h.Length)
	}
	if h.Classes < 1 || h.Classes > MaxClass+1 || h.FooterLength > MaxFooter(h.FooterOffset) {
		return fmt.Errorf("%w: %d bytes of footer for %d classes in %d bytes of data", ErrHeader, h.FooterLength, h.Classes, h.FooterOffset)
	}
	return nil
}

// Identity hashes the page of a header, with zeros for identity and checksum, and a footer.
func Identity(page, footer []byte) [sha256.Size]byte {
	page = bytes.Clone(page)
	clear(page[12:16])
	clear(page[88 : 88+sha256.Size])
	hash := sha256.New()
	hash.Write(page)
	hash.Write(footer)
	return [sha256.Size]byte(hash.Sum(nil))
}

// EndMark returns the last eight bytes of a file: seven of the identity, which tell the end of
// another table, and one that is never zero, which tells the zeros of a page that was cut.
func (h *Header) EndMark() []byte {
	return append(bytes.Clone(h.Identity[:EndMarkSize-1]), 0xed)
}
