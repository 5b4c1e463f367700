package tablebase

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"math/bits"
)

// Version is the newest format that this package writes and reads. A table is
// written in the oldest that has what it needs.
//
//	1: the first.
//	2: tables of the emptiest classes alone, and nothing else.
//	3: tables with nimbers, and nothing else.
const Version = 3

const (
	pageSize     = 4096 // header, and what parts and footer are aligned to
	preambleSize = 64   // what the headers of table and manifest share
	nameSize     = 32   // of the game, padded with zeros
	endMarkSize  = 8
)

// All magics open with a byte that is no text and close with a line feed, so
// that a transfer that meddles with text destroys them.
const (
	tableMagic    = "\x89bstabl\n"
	manifestMagic = "\x89bspart\n"
	packingMagic  = "\x89bspck2\n" // of the manifest of a table that is written packed
)

// The flags of a header.
const (
	flagSteps = 1 << iota
	flagOpening
	flagNimbers
	knownFlags = flagSteps | flagOpening | flagNimbers
)

// version is the format that tables of the shape have.
func (s Shape) version() uint32 {
	switch {
	case s.Nimbers:
		return 3
	case s.Opening:
		return 2
	}
	return 1
}

// numbered says whether states have a number besides their outcome.
func (s Shape) numbered() bool { return s.Steps || s.Nimbers }

var (
	le         = binary.LittleEndian
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// errHeader is why a header is refused that is complete and not from a newer
// version; the message says what contradicts itself.
var errHeader = errors.New("damaged header")

// putPreamble writes the shared first 64 bytes, all but the checksum.
func putPreamble(b []byte, magic string, s Shape) {
	copy(b, magic)
	le.PutUint32(b[8:], s.version())
	copy(b[16:16+nameSize], s.Game)
	le.PutUint32(b[48:], uint32(s.Size))
	le.PutUint32(b[52:], uint32(s.Planes))
	var flags uint32
	if s.Steps {
		flags |= flagSteps
	}
	if s.Opening {
		flags |= flagOpening
	}
	if s.Nimbers {
		flags |= flagNimbers
	}
	le.PutUint32(b[56:], flags)
}

// sealHeader writes the checksum of a header that is complete but for it. The
// checksum stands in the same place in every version, so that a newer one can
// be told from a damaged one.
func sealHeader(b []byte) {
	le.PutUint32(b[12:], 0)
	le.PutUint32(b[12:], checksum(b))
}

// headerVersion checks magic and checksum of a header and returns the format
// version; ErrForeign or errHeader.
func headerVersion(b []byte, magic string) (uint32, error) {
	if string(b[:8]) != magic {
		return 0, ErrForeign
	}
	c := crc32.Update(0, castagnoli, b[:12])
	c = crc32.Update(c, castagnoli, make([]byte, 4))
	if crc32.Update(c, castagnoli, b[16:]) != le.Uint32(b[12:]) {
		return 0, fmt.Errorf("%w: its checksum does not hold", errHeader)
	}
	return le.Uint32(b[8:]), nil
}

// preambleShape reads the shape from a preamble of a version that is known.
func preambleShape(b []byte) (Shape, error) {
	name, padding, _ := bytes.Cut(b[16:16+nameSize], []byte{0})
	flags := le.Uint32(b[56:])
	s := Shape{
		Game:    string(name),
		Size:    int(int32(le.Uint32(b[48:]))),
		Planes:  int(int32(le.Uint32(b[52:]))),
		Steps:   flags&flagSteps != 0,
		Nimbers: flags&flagNimbers != 0,
		Opening: flags&flagOpening != 0,
	}
	if err := s.check(); err != nil {
		return Shape{}, fmt.Errorf("%w: %w", errHeader, err)
	}
	if len(bytes.Trim(padding, "\x00")) > 0 || flags&^knownFlags != 0 || le.Uint32(b[8:]) != s.version() {
		return Shape{}, fmt.Errorf("%w: unknown flags", errHeader)
	}
	return s, nil
}

// check says what no table can have.
func (s Shape) check() error {
	if len(s.Game) < 1 || len(s.Game) > nameSize {
		return fmt.Errorf("the game's name %q has %d characters, not 1 to %d", s.Game, len(s.Game), nameSize)
	}
	for _, c := range []byte(s.Game) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return fmt.Errorf("the game's name %q has other characters than a-z, 0-9 and -", s.Game)
		}
	}
	if s.Size < 1 || s.Size > 8 {
		return fmt.Errorf("a board of %d×%d cells is not between 1×1 and 8×8", s.Size, s.Size)
	}
	if s.Planes < 1 || s.Planes > 2 {
		return fmt.Errorf("%d planes of outcomes are neither 1 nor 2", s.Planes)
	}
	if s.Nimbers && (s.Steps || s.Opening || s.Planes != 1) {
		return errors.New("a table with nimbers has all classes, no steps and no draws")
	}
	return nil
}

// checkClasses says why a table of the shape cannot have these classes, which
// descend.
func (s Shape) checkClasses(classes []*record) error {
	if fullest := classes[0].Class; s.Opening && fullest != len(classes)-1 {
		return fmt.Errorf("%d classes from class %d down are not the emptiest ones", len(classes), fullest)
	}
	return nil
}

// checkMasks says what is wrong with the masks of a class.
func (s Shape) checkMasks(masks []uint64) error {
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

// header is page 0 of a table. The footer ends where the end mark begins, and
// that ends the file.
type header struct {
	shape        Shape
	classes      uint32
	length       int64 // of the file
	footerOffset int64
	footerLength int64
	identity     [sha256.Size]byte
}

// encode returns the page with identity and checksum, both of which follow from
// the other fields and the footer.
func (h *header) encode(footer []byte) []byte {
	b := make([]byte, pageSize)
	putPreamble(b, tableMagic, h.shape)
	le.PutUint32(b[60:], h.classes)
	le.PutUint64(b[64:], uint64(h.length))
	le.PutUint64(b[72:], uint64(h.footerOffset))
	le.PutUint64(b[80:], uint64(h.footerLength))
	h.identity = identity(b, footer)
	copy(b[88:], h.identity[:])
	sealHeader(b)
	return b
}

// decode reads a page of the right size that a file of the given length begins
// with; ErrForeign, ErrNewer, ErrTruncated or errHeader.
func (h *header) decode(b []byte, fileLength int64) error {
	v, err := headerVersion(b, tableMagic)
	if err != nil {
		return err
	}
	if v > Version {
		return fmt.Errorf("%w: version %d, while this program reads %d", ErrNewer, v, Version)
	}
	if v < 1 {
		return fmt.Errorf("%w: there is no version %d", errHeader, v)
	}
	if h.shape, err = preambleShape(b); err != nil {
		return err
	}
	if !isZero(b[88+sha256.Size:]) {
		return fmt.Errorf("%w: what is kept zero is not", errHeader)
	}
	h.classes = le.Uint32(b[60:])
	h.length = int64(le.Uint64(b[64:]))
	h.footerOffset = int64(le.Uint64(b[72:]))
	h.footerLength = int64(le.Uint64(b[80:]))
	copy(h.identity[:], b[88:])
	if fileLength < h.length {
		return fmt.Errorf("%w: it has %d of %d bytes", ErrTruncated, fileLength, h.length)
	}
	if fileLength > h.length {
		return fmt.Errorf("%w: the file has %d bytes, not %d", errHeader, fileLength, h.length)
	}
	// In this order no sum overflows: the length is that of a real file.
	if h.footerOffset < pageSize || h.footerOffset%pageSize != 0 || h.footerOffset > h.length-endMarkSize ||
		h.footerLength != h.length-endMarkSize-h.footerOffset {
		return fmt.Errorf("%w: %d bytes of footer at %d do not fit a file of %d bytes",
			errHeader, h.footerLength, h.footerOffset, h.length)
	}
	if h.classes < 1 || h.classes > maxClass+1 || h.footerLength > mostFooter(h.footerOffset) {
		return fmt.Errorf("%w: %d bytes of footer for %d classes in %d bytes of data", errHeader, h.footerLength, h.classes, h.footerOffset)
	}
	return nil
}

// identity hashes a header page, identity and checksum counted as zeros, and a
// footer.
func identity(page, footer []byte) [sha256.Size]byte {
	hash := sha256.New()
	hashHeader(hash, page)
	hash.Write(footer)
	return [sha256.Size]byte(hash.Sum(nil))
}

// hashHeader begins an identity.
func hashHeader(hash hash.Hash, page []byte) {
	page = bytes.Clone(page)
	clear(page[12:16])
	clear(page[88 : 88+sha256.Size])
	hash.Write(page)
}

// endMark returns the last eight bytes of a file: seven of the identity, so
// that the tail of another table is noticed, and one that is never zero, so
// that the zeros of a page cut short are.
func (h *header) endMark() []byte {
	return append(bytes.Clone(h.identity[:endMarkSize-1]), 0xed)
}
