package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// encoded returns the file of an object.
func encoded(data ...[]byte) []byte { return bytes.Join(framesOf(data), nil) }

// The bytes of an object depend neither on its pieces nor on the size of the read buffer. A read
// of a damaged object returns no wrong byte.
func TestFramesByAnyBuffer(t *testing.T) {
	data := random(3*frameData + 100)
	whole := encoded(data)
	for _, piece := range []int{1, 100, frameData / 4, frameData / 3, frameData - 1, frameData, 2*frameData + 1} {
		pieces := slices.Collect(slices.Chunk(data, piece))
		var written bytes.Buffer
		if err := writeAll(&written, framesOf(pieces)); err != nil || !bytes.Equal(written.Bytes(), whole) {
			t.Errorf("pieces of %d bytes: %d bytes are written, %v", piece, written.Len(), err)
		}
	}
	damaged := slices.Clone(whole)
	damaged[frameData+sumBytes+7] ^= 1
	for _, size := range []int{1, frameData, frameData + sumBytes - 1, frameData + sumBytes, 2*frameData + 9, len(whole)} {
		for name, from := range map[string][]byte{"whole": whole, "damaged": damaged} {
			u := newDecoder(bytes.NewReader(from), int64(len(data)))
			var got []byte
			var err error
			for buffer := make([]byte, size); err == nil; {
				var n int
				n, err = u.Read(buffer)
				got = append(got, buffer[:n]...)
			}
			isDamaged := name == "damaged"
			if isDamaged != errors.Is(err, ErrDamaged) || !isDamaged && (err != io.EOF || len(got) != len(data)) || !bytes.HasPrefix(data, got) {
				t.Errorf("%s, by %d: %d bytes, %v", name, size, len(got), err)
			}
		}
	}
}

// Reads detect every cut and every flipped bit, and return no wrong byte before.
func TestDamage(t *testing.T) {
	data := random(2*frameData + 100)
	whole := encoded(data)
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
	damages["a frame of another object"] = slices.Concat(encoded(random(3 * frameData))[:frame], whole[frame:])
	damages["a frame missing"] = slices.Concat(whole[:frame], whole[2*frame:])
	forEachStore(t, func(t *testing.T, p *testStore) {
		for how, b := range damages {
			p.writeFile("damaged"+suffix, b)
			got, err := p.get(t.Context(), "damaged")
			if !errors.Is(err, ErrDamaged) {
				t.Errorf("%s: the error of Get is %v", how, err)
			}
			// Only the trailer reveals a frame of another object.
			if how != "a frame of another object" && !bytes.HasPrefix(data, got) {
				t.Errorf("%s: wrong bytes are returned", how)
			}
		}
		p.put(t, "damaged", data)
		p.wantObject(t, "damaged", data)
	})
}

// framedSize returns the length of the file of an object.
func framedSize(data int64) int64 {
	frames := (data + frameData - 1) / frameData
	return data + frames*sumBytes + int64(trailerBytes)
}

// dataSize is the inverse of framedSize.
func TestSizes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.OneOf(rapid.Int64Range(0, 5*frameData), rapid.Int64Range(0, 1<<50)).Draw(t, "data")
		if back, err := dataSize(framedSize(data)); err != nil || back != data {
			t.Fatalf("%d bytes need %d, which have room for %d, %v", data, framedSize(data), back, err)
		}
		length := rapid.Int64Range(0, 3*frameData).Draw(t, "length")
		if back, err := dataSize(length); err == nil && framedSize(back) != length {
			t.Fatalf("%d bytes have room for %d, which need %d", length, back, framedSize(back))
		}
	})
	for _, n := range []int{0, 1, frameData, frameData + 1} {
		if length := len(encoded(random(n))); int64(length) != framedSize(int64(n)) {
			t.Errorf("%d bytes are stored in %d", n, length)
		}
	}
}

// Any bytes are either damaged, or exactly the encoding of the data decoded from them.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(encoded(nil))
	f.Add(encoded([]byte("some data")))
	f.Add(encoded(random(frameData + 1)))
	f.Fuzz(func(t *testing.T, b []byte) {
		size, err := dataSize(int64(len(b)))
		if err != nil {
			return
		}
		data, err := io.ReadAll(newDecoder(iotest.OneByteReader(bytes.NewReader(b)), size))
		switch {
		case err == nil && !bytes.Equal(encoded(data), b):
			t.Errorf("%d bytes are decoded from another object", len(data))
		case err != nil && !errors.Is(err, ErrDamaged):
			t.Error(err)
		}
	})
}
