package tablebase

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// mostOpening is what opening a file may allocate beyond what its contents need.
const mostOpening = 64 << 20

// opening returns how many bytes opening a file allocates, and its error.
func opening(t *testing.T, path string) (uint64, error) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	table, err := Open(path)
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
	h := header{shape: notaktoShape, classes: classes, length: footerOffset + footerLength + endMarkSize,
		footerOffset: footerOffset, footerLength: footerLength}
	page = h.encode(nil)
	hash := sha256.New()
	hashHeader(hash, page)
	hash.Write(head)
	if footerLength < 1<<30 { // else it is refused before
		if _, err := io.CopyN(hash, zeros{}, footerLength-int64(len(head))); err != nil {
			t.Fatal(err)
		}
	}
	copy(page[88:], hash.Sum(nil))
	copy(h.identity[:], page[88:])
	sealHeader(page)
	return page, h.endMark()
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
	}{{0, pageSize, 0}, {0, pageSize, 1000}, {maxClass + 2, pageSize, 1000}, {1, pageSize, mostFooter(pageSize) + 1}} {
		page, mark := claim(t, c.classes, c.footerOffset, c.footer, nil)
		path := sparse(t, page, c.footerOffset+c.footer+endMarkSize, mark)
		_, err := Open(path)
		checkRefusal(t, path, err)
		if says := fmt.Sprintf("%d bytes of footer for %d classes in %d bytes of data", c.footer, c.classes, c.footerOffset); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

// TestClaims has files that claim to be much larger than they are.
func TestClaims(t *testing.T) {
	t.Run("a footer of 3 GB", func(t *testing.T) {
		page, mark := claim(t, 1, pageSize, 3e9, nil)
		checkClaim(t, sparse(t, page, pageSize+3e9+endMarkSize, mark))
	})
	t.Run("a footer of most bytes", func(t *testing.T) {
		length := mostFooter(pageSize)
		page, mark := claim(t, maxClass+1, pageSize, length, nil)
		checkClaim(t, sparse(t, page, pageSize+length+endMarkSize, mark))
	})
	t.Run("a class of two tebibytes", func(t *testing.T) {
		r, err := newRecord(notaktoShape, 9, 40, 16, 0, pageSize)
		if err != nil {
			t.Skip(err) // on a system of 32 bits
		}
		r.Counts.ByWeight = make([]OutcomeCounts, 41)
		head := r.append(nil)
		length := int64(len(head))
		for _, p := range r.parts {
			length += int64(p.chunks()) * checksumSize
		}
		page, mark := claim(t, 1, r.end(), length, head)
		path := sparse(t, page, r.end()+length+endMarkSize, mark)
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteAt(head, r.end()); err != nil {
			t.Fatal(err)
		}
		checkClaim(t, path)
	})
	t.Run("a seek table of 2³¹ frames", func(t *testing.T) {
		end := append(le.AppendUint32(nil, 1<<31), seekTableChecksums)
		checkClaim(t, sparse(t, []byte(zstdMagic), 1<<31*seekEntrySize+seekTableFixed+1<<20, le.AppendUint32(end, seekableMagic)))
	})
	t.Run("packed, a footer of 32 GiB", func(t *testing.T) {
		const frames = 1 << 20
		page, _ := claim(t, 1, pageSize, frames*frameSize-endMarkSize, nil)
		checkClaim(t, save(t, bomb(t, page, frames)))
	})
}

// bomb packs a page and behind it as many frames of zeros.
func bomb(t *testing.T, page []byte, frames int) []byte {
	t.Helper()
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	first, rest := encoder.EncodeAll(page, nil), encoder.EncodeAll(make([]byte, frameSize), nil)
	entry := func(packed []byte, length uint32) []byte {
		b := le.AppendUint32(nil, uint32(len(packed)))
		b = le.AppendUint32(b, length)
		return le.AppendUint32(b, le.Uint32(packed[len(packed)-4:]))
	}
	b := bytes.Clone(first)
	b = append(b, bytes.Repeat(rest, frames)...)
	b = le.AppendUint32(b, 0x184d2a5e)
	b = le.AppendUint32(b, uint32((frames+1)*seekEntrySize+seekTableEnd))
	b = append(b, entry(first, pageSize)...)
	b = append(b, bytes.Repeat(entry(rest, frameSize), frames)...)
	b = le.AppendUint32(b, uint32(frames+1))
	b = append(b, seekTableChecksums)
	return le.AppendUint32(b, seekableMagic)
}

// TestLongestFooter makes a record as long as one can be, and then the footer of a table of
// such classes alone, with data so long that all parts have several checksums.
func TestLongestFooter(t *testing.T) {
	r := record{ClassInfo: ClassInfo{Counts: Counts{ByWeight: make([]OutcomeCounts, maxIndexBits+1), BySteps: make([]StepCounts, 1<<maxDigits)}}}
	longest := int64(len(r.append(nil)))
	if got, want := mostFooter(0), (maxClass+1)*(longest+partCount*checksumSize); got != want {
		t.Errorf("a footer without data may have %d bytes, not %d", got, want)
	}
	if got := mostFooter(1000*chunkSize) - mostFooter(0); got != 1000*checksumSize {
		t.Errorf("1000 chunks may have %d bytes of checksums, not %d", got, 1000*checksumSize)
	}
}

// TestRowsOfNumbers counts numbers where there are digits for them, and where there are none.
func TestRowsOfNumbers(t *testing.T) {
	nimbers := Shape{Game: "notakto", Size: 3, Planes: 1, Nimbers: true}
	for _, c := range []struct {
		shape        Shape
		digits, rows int
		right        bool
	}{
		{notaktoShape, 0, 0, true}, {notaktoShape, 0, 1, false}, {notaktoShape, 0, -1, false},
		{quixoShape, 0, 1, true}, {quixoShape, 0, 2, false}, {quixoShape, 3, 0, true}, {quixoShape, 3, 8, true}, {quixoShape, 3, 9, false}, {quixoShape, 3, -1, false},
		{nimbers, 1, 2, true}, {nimbers, 1, 3, false},
	} {
		if err := checkRows(c.shape, c.digits, c.rows); (err == nil) != c.right {
			t.Errorf("%v with %d digits has %d rows: %v", c.shape, c.digits, c.rows, err)
		}
	}
}
