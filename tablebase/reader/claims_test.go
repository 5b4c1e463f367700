package reader_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/pack"
	"backsolve/tablebase/reader"
)

// Of zstd's seekable format, as docs/reference/format.md has them.
const (
	zstdMagic          = "\x28\xb5\x2f\xfd"
	seekableMagic      = 0x8f92eab1
	seekTableEnd       = 9
	seekTableFixed     = 8 + seekTableEnd
	seekTableChecksums = 0x80
)

// records returns where the classes of a table lie.
func records(t *reader.Table) []*format.Record {
	_, r := t.Layout()
	return r
}

// mostOpening is what opening a file may allocate beyond what its contents need.
const mostOpening = 64 << 20

// opening returns how many bytes opening a file allocates, and its error.
func opening(t *testing.T, path string) (uint64, error) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	table, err := reader.Open(path)
	runtime.ReadMemStats(&after)
	if err == nil {
		table.Close()
	}
	return after.TotalAlloc - before.TotalAlloc, err
}

// sparse makes a file of that length that begins and ends with the given bytes and
// has nothing in between.
func sparse(t *testing.T, begin []byte, length int64, end []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "claims.tb")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(length); err != nil {
		t.Skip("no file of that length can be here: ", err)
	}
	for at, b := range map[int64][]byte{0: begin, length - int64(len(end)): end} {
		if _, err := f.WriteAt(b, at); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// claim returns the first page of a table of those lengths and the end mark,
// signed as if head and then nothing but zeros stood in the footer.
func claim(t *testing.T, classes uint32, footerOffset, footerLength int64, head []byte) (page, mark []byte) {
	t.Helper()
	h := format.Header{Shape: notaktoShape, Classes: classes, Length: footerOffset + footerLength + format.EndMarkSize,
		FooterOffset: footerOffset, FooterLength: footerLength}
	page = h.Encode(nil)
	hash := sha256.New()
	hash.Write(slices.Concat(page[:12], make([]byte, 4), page[16:88], make([]byte, sha256.Size), page[88+sha256.Size:], head))
	if footerLength < 1<<30 { // else it is refused before
		if _, err := io.CopyN(hash, zeros{}, footerLength-int64(len(head))); err != nil {
			t.Fatal(err)
		}
	}
	copy(page[88:], hash.Sum(nil))
	copy(h.Identity[:], page[88:])
	format.SealHeader(page)
	return page, h.EndMark()
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// checkClaim wants a file refused as damaged, without much memory.
func checkClaim(t *testing.T, path string) {
	t.Helper()
	took, err := opening(t, path)
	checkRefusal(t, path, err)
	if took > mostOpening {
		t.Errorf("%d MiB to say: %v", took>>20, err)
	}
	t.Logf("%d KiB to say: %v", took>>10, err)
}

// What a header says of classes and footer is refused there already, before any of
// the directory is read: a table without classes would have none that is wrong.
func TestClaimsOfClasses(t *testing.T) {
	for _, c := range []struct {
		classes              uint32
		footerOffset, footer int64
	}{{0, format.PageSize, 0}, {0, format.PageSize, 1000}, {format.MaxClass + 2, format.PageSize, 1000}, {1, format.PageSize, format.MaxFooter(format.PageSize) + 1}} {
		page, mark := claim(t, c.classes, c.footerOffset, c.footer, nil)
		path := sparse(t, page, c.footerOffset+c.footer+format.EndMarkSize, mark)
		_, err := reader.Open(path)
		checkRefusal(t, path, err)
		if says := fmt.Sprintf("%d bytes of footer for %d classes in %d bytes of data", c.footer, c.classes, c.footerOffset); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

// TestClaims has files that claim to be much larger than they are.
func TestClaims(t *testing.T) {
	t.Run("a footer of 3 GB", func(t *testing.T) {
		page, mark := claim(t, 1, format.PageSize, 3e9, nil)
		checkClaim(t, sparse(t, page, format.PageSize+3e9+format.EndMarkSize, mark))
	})
	t.Run("a footer of most bytes", func(t *testing.T) {
		length := format.MaxFooter(format.PageSize)
		page, mark := claim(t, format.MaxClass+1, format.PageSize, length, nil)
		checkClaim(t, sparse(t, page, format.PageSize+length+format.EndMarkSize, mark))
	})
	t.Run("a class of two tebibytes", func(t *testing.T) {
		r, err := format.NewRecord(notaktoShape, 9, 40, 16, 0, format.PageSize)
		if err != nil {
			t.Skip(err) // on a system of 32 bits
		}
		r.Counts.ByWeight = make([]tablebase.OutcomeCounts, 41)
		head := r.Append(nil)
		length := int64(len(head))
		for _, p := range r.Parts {
			length += int64(p.Chunks()) * format.ChecksumSize
		}
		page, mark := claim(t, 1, r.End(), length, head)
		path := sparse(t, page, r.End()+length+format.EndMarkSize, mark)
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteAt(head, r.End()); err != nil {
			t.Fatal(err)
		}
		checkClaim(t, path)
	})
	t.Run("a seek table of 2³¹ frames", func(t *testing.T) {
		end := append(binary.LittleEndian.AppendUint32(nil, 1<<31), seekTableChecksums)
		checkClaim(t, sparse(t, []byte(zstdMagic), 1<<31*pack.SeekEntrySize+seekTableFixed+1<<20, binary.LittleEndian.AppendUint32(end, seekableMagic)))
	})
	t.Run("packed, a footer of 32 GiB", func(t *testing.T) {
		const frames = 1 << 20
		page, _ := claim(t, 1, format.PageSize, frames*format.FrameSize-format.EndMarkSize, nil)
		checkClaim(t, tabletest.Save(t, bomb(t, page, frames)))
	})
}

// bomb packs a page and behind it as many frames of zeros.
func bomb(t *testing.T, page []byte, frames int) []byte {
	t.Helper()
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	first, rest := encoder.EncodeAll(page, nil), encoder.EncodeAll(make([]byte, format.FrameSize), nil)
	entry := func(packed []byte, length uint32) []byte {
		b := binary.LittleEndian.AppendUint32(nil, uint32(len(packed)))
		b = binary.LittleEndian.AppendUint32(b, length)
		return binary.LittleEndian.AppendUint32(b, binary.LittleEndian.Uint32(packed[len(packed)-4:]))
	}
	b := bytes.Clone(first)
	b = append(b, bytes.Repeat(rest, frames)...)
	b = binary.LittleEndian.AppendUint32(b, 0x184d2a5e)
	b = binary.LittleEndian.AppendUint32(b, uint32((frames+1)*pack.SeekEntrySize+seekTableEnd))
	b = append(b, entry(first, format.PageSize)...)
	b = append(b, bytes.Repeat(entry(rest, format.FrameSize), frames)...)
	b = binary.LittleEndian.AppendUint32(b, uint32(frames+1))
	b = append(b, seekTableChecksums)
	return binary.LittleEndian.AppendUint32(b, seekableMagic)
}

// TestLongestFooter makes a record as long as one can be, and then the footer of a table of
// such classes alone, with data so long that all parts have several checksums.
func TestLongestFooter(t *testing.T) {
	r := format.Record{ClassInfo: tablebase.ClassInfo{Counts: tablebase.Counts{ByWeight: make([]tablebase.OutcomeCounts, format.MaxIndexBits+1), BySteps: make([]tablebase.StepCounts, 1<<format.MaxDigits)}}}
	longest := int64(len(r.Append(nil)))
	if got, want := format.MaxFooter(0), (format.MaxClass+1)*(longest+format.PartCount*format.ChecksumSize); got != want {
		t.Errorf("a footer without data may have %d bytes, not %d", got, want)
	}
	if got := format.MaxFooter(1000*format.ChunkSize) - format.MaxFooter(0); got != 1000*format.ChecksumSize {
		t.Errorf("1000 chunks may have %d bytes of checksums, not %d", got, 1000*format.ChecksumSize)
	}
}

// TestRowsOfNumbers counts numbers where there are digits for them, and where there are none.
func TestRowsOfNumbers(t *testing.T) {
	nimbers := tablebase.Shape{Game: "notakto", Size: 3, Planes: 1, Nimbers: true}
	for _, c := range []struct {
		shape        tablebase.Shape
		digits, rows int
		right        bool
	}{
		{notaktoShape, 0, 0, true}, {notaktoShape, 0, 1, false}, {notaktoShape, 0, -1, false},
		{tabletest.QuixoShape, 0, 1, true}, {tabletest.QuixoShape, 0, 2, false}, {tabletest.QuixoShape, 3, 0, true}, {tabletest.QuixoShape, 3, 8, true}, {tabletest.QuixoShape, 3, 9, false}, {tabletest.QuixoShape, 3, -1, false},
		{nimbers, 1, 2, true}, {nimbers, 1, 3, false},
	} {
		if err := format.CheckRows(c.shape, c.digits, c.rows); (err == nil) != c.right {
			t.Errorf("%v with %d digits has %d rows: %v", c.shape, c.digits, c.rows, err)
		}
	}
}
