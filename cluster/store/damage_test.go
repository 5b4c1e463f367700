package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// kept returns what keeps data.
func kept(t testing.TB, data []byte) []byte {
	b, err := io.ReadAll(newFramer(bytes.NewReader(data), int64(len(data))))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sealedBy returns what keeps pieces and their checksum.
func sealedBy(t *testing.T, pieces [][]byte) ([]byte, error) {
	var written bytes.Buffer
	_, err := newFramer(&interruptible{t.Context(), NewSealed(slices.Clone(pieces)...)}, SealedSize(pieces)).WriteTo(&written)
	return written.Bytes(), err
}

// An object is kept in the same bytes however it is written, and read the same into buffers of
// whatever size, from whatever place on; of one in which a byte is changed nothing wrong is handed out.
func TestFramesByAnyBuffer(t *testing.T) {
	data := random(3*frameData + 100)
	whole := kept(t, data)
	var written bytes.Buffer
	if n, err := newFramer(bytes.NewReader(data), int64(len(data))).WriteTo(&written); err != nil || n != int64(len(whole)) || !bytes.Equal(written.Bytes(), whole) {
		t.Fatalf("%d bytes of %d are written, %v", n, len(whole), err)
	}
	sealed := binary.LittleEndian.AppendUint32(slices.Clone(data), crc32.Checksum(data, castagnoli))
	for _, piece := range []int{1, 100, frameData / 3, frameData - 1, frameData, 2*frameData + 1, len(data)} {
		var pieces [][]byte
		for rest := data; len(rest) > 0; rest = rest[min(piece, len(rest)):] {
			pieces = append(pieces, rest[:min(piece, len(rest))])
		}
		for _, size := range []int64{int64(len(data)), int64(len(data)) - frameData, int64(len(data)) + 1} {
			written.Reset()
			_, err := newFramer(&interruptible{t.Context(), NewMemory(slices.Clone(pieces)...)}, size).WriteTo(&written)
			if fits := size == int64(len(data)); fits != (err == nil) || fits && !bytes.Equal(written.Bytes(), whole) {
				t.Errorf("from pieces of %d bytes, announced as %d: %d bytes are written, %v", piece, size, written.Len(), err)
			}
		}
		if got, err := sealedBy(t, pieces); err != nil || !bytes.Equal(got, kept(t, sealed)) {
			t.Errorf("of pieces of %d bytes, sealed, %d are written, %v", piece, len(got), err)
		}
		if got, err := io.ReadAll(NewSealed(slices.Clone(pieces)...)); err != nil || !bytes.Equal(got, sealed) {
			t.Errorf("of pieces of %d bytes, sealed, %d are read, %v", piece, len(got), err)
		}
		if got, err := io.ReadAll(NewMemory(slices.Clone(pieces)...)); err != nil || !bytes.Equal(got, data) {
			t.Errorf("of pieces of %d bytes %d are read, %v", piece, len(got), err)
		}
	}
	harmed := slices.Clone(whole)
	harmed[frameData+sumBytes+7] ^= 1
	for _, size := range []int{1, frameData, frameData + sumBytes - 1, frameData + sumBytes, 2*frameData + 9, len(whole)} {
		for name, from := range map[string][]byte{"whole": whole, "harmed": harmed} {
			u := newUnframer(bytes.NewReader(from), int64(len(data)))
			var got []byte
			var err error
			for buffer := make([]byte, size); err == nil; {
				var n int
				n, err = u.Read(buffer)
				got = append(got, buffer[:n]...)
			}
			if err == io.EOF && u.sum != crc32.Checksum(data, castagnoli) {
				t.Errorf("by %d: the checksum is %#x", size, u.sum)
			}
			hurt := name == "harmed"
			if hurt != errors.Is(err, ErrDamaged) || !hurt && (err != io.EOF || len(got) != len(data)) || !bytes.HasPrefix(data, got) {
				t.Errorf("%s, by %d: %d bytes, %v", name, size, len(got), err)
			}
		}
	}
}

// Every cut and every flipped bit is found, and nothing wrong is handed out before.
func TestDamage(t *testing.T) {
	data := random(2*frameData + 100)
	whole := kept(t, data)
	damages := map[string][]byte{"one byte more": append(slices.Clone(whole), 0)}
	for _, length := range []int{0, 1, trailerBytes - 1, trailerBytes, trailerBytes + 4, 1000, frameData, frameData + sumBytes, frameData + sumBytes + trailerBytes,
		2 * (frameData + sumBytes), len(whole) - trailerBytes, len(whole) - 1} {
		damages[fmt.Sprintf("cut to %d", length)] = whole[:length]
	}
	for _, at := range []int{0, 17, frameData - 1, frameData, frameData + 3, frameData + 4, 2 * (frameData + sumBytes), len(whole) - trailerBytes, len(whole) - 5, len(whole) - 1} {
		flipped := slices.Clone(whole)
		flipped[at] ^= 0x10
		damages[fmt.Sprintf("flipped at %d", at)] = flipped
	}
	const frame = frameData + sumBytes
	damages["frames exchanged"] = slices.Concat(whole[frame:2*frame], whole[:frame], whole[2*frame:])
	damages["a frame of another object"] = slices.Concat(kept(t, random(3*frameData))[:frame], whole[frame:])
	damages["a frame missing"] = slices.Concat(whole[:frame], whole[2*frame:])
	each(t, func(t *testing.T, p *place) {
		for how, b := range damages {
			p.keep("damaged"+suffix, b)
			got, err := p.get(t.Context(), "damaged")
			if !errors.Is(err, ErrDamaged) {
				t.Errorf("%s: Get ends with %v", how, err)
			}
			// A frame of another object is only noticed at the end.
			if how != "a frame of another object" && !bytes.HasPrefix(data, got) {
				t.Errorf("%s: wrong bytes are handed out", how)
			}
		}
		p.put(t, "damaged", data)
		p.holds(t, "damaged", data)
	})
}

// An object of which not even the length can be is told of by its name, and the others
// all the same.
func TestDamageInLists(t *testing.T) {
	each(t, func(t *testing.T, p *place) {
		p.put(t, "a", random(10))
		p.put(t, "c", random(30))
		p.keep("b"+suffix, []byte("short"))
		var sound, damaged []string
		for info, err := range p.store.List(t.Context(), "") {
			switch {
			case errors.Is(err, ErrDamaged):
				damaged = append(damaged, info.Name)
			case err != nil:
				t.Error(err)
			default:
				sound = append(sound, info.Name)
			}
		}
		slices.Sort(sound)
		if !slices.Equal(sound, []string{"a", "c"}) || !slices.Equal(damaged, []string{"b"}) {
			t.Errorf("%v are sound and %v damaged", sound, damaged)
		}
		if _, err := p.store.Stat(t.Context(), "b"); !errors.Is(err, ErrDamaged) {
			t.Errorf("Stat: %v", err)
		}
	})
}

// The lengths of objects and of what keeps them belong to each other.
func TestSizes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.OneOf(rapid.Int64Range(0, 5*frameData), rapid.Int64Range(0, 1<<50)).Draw(t, "data")
		if back, possible := dataSize(framedSize(data)); !possible || back != data {
			t.Fatalf("%d bytes are kept in %d, which keep %d", data, framedSize(data), back)
		}
		length := rapid.Int64Range(0, 3*frameData).Draw(t, "kept")
		if back, possible := dataSize(length); possible && framedSize(back) != length {
			t.Fatalf("%d bytes keep %d, which %d do", length, back, framedSize(back))
		}
	})
}

// Whatever the bytes are: either they are what keeps the data that is read from them,
// to the byte, or damaged.
func FuzzKept(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(kept(f, nil))
	f.Add(kept(f, []byte("some data")))
	f.Add(kept(f, random(frameData+1)))
	f.Fuzz(func(t *testing.T, b []byte) {
		size, possible := dataSize(int64(len(b)))
		if !possible {
			return
		}
		data, err := io.ReadAll(newUnframer(iotest.OneByteReader(bytes.NewReader(b)), size))
		switch {
		case err == nil && !bytes.Equal(kept(t, data), b):
			t.Errorf("%d bytes are read from what does not keep them", len(data))
		case err != nil && !errors.Is(err, ErrDamaged):
			t.Error(err)
		}
	})
}
