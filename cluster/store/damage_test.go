package store

import (
	"bytes"
	"context"
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

// encoded returns the frames of an object.
func encoded(t testing.TB, data []byte) []byte {
	b, err := io.ReadAll(newEncoder(context.Background(), bytes.NewReader(data), int64(len(data))))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// writeSealed returns the frames of pieces and their checksum, announced as longer or shorter.
func writeSealed(t *testing.T, pieces [][]byte, longer int64) ([]byte, error) {
	var written bytes.Buffer
	sealed, size := NewSealed(pieces...)
	_, err := newEncoder(t.Context(), sealed, size+longer).WriteTo(&written)
	return written.Bytes(), err
}

// The bytes of an object do not depend on how it is written, nor on the size of the read buffer.
// A read of a damaged object returns no wrong byte.
func TestFramesByAnyBuffer(t *testing.T) {
	data := random(3*frameData + 100)
	whole := encoded(t, data)
	var written bytes.Buffer
	if n, err := newEncoder(t.Context(), bytes.NewReader(data), int64(len(data))).WriteTo(&written); err != nil || n != int64(len(whole)) || !bytes.Equal(written.Bytes(), whole) {
		t.Fatalf("%d bytes of %d are written, %v", n, len(whole), err)
	}
	sealed := binary.LittleEndian.AppendUint32(slices.Clone(data), crc32.Checksum(data, castagnoli))
	for _, piece := range []int{1, 100, frameData / 3, frameData - 1, frameData, 2*frameData + 1, len(data)} {
		var pieces [][]byte
		for rest := data; len(rest) > 0; rest = rest[min(piece, len(rest)):] {
			pieces = append(pieces, rest[:min(piece, len(rest))])
		}
		for _, longer := range []int64{0, -frameData, 1} {
			got, err := writeSealed(t, pieces, longer)
			if fits := longer == 0; fits != (err == nil) || fits && !bytes.Equal(got, encoded(t, sealed)) {
				t.Errorf("pieces of %d bytes, announced as %d longer: %d bytes written, %v", piece, longer, len(got), err)
			}
		}
		reader, _ := NewSealed(pieces...)
		if got, err := io.ReadAll(reader); err != nil || !bytes.Equal(got, sealed) {
			t.Errorf("pieces of %d bytes: %d bytes read, %v", piece, len(got), err)
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
			if err == io.EOF && u.sum != crc32.Checksum(data, castagnoli) {
				t.Errorf("by %d: the checksum is %#x", size, u.sum)
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
	whole := encoded(t, data)
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
	damages["a frame of another object"] = slices.Concat(encoded(t, random(3*frameData))[:frame], whole[frame:])
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

// framedSize and dataSize are inverse to each other.
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
}

// Any bytes are either damaged, or exactly the encoding of the data decoded from them.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(encoded(f, nil))
	f.Add(encoded(f, []byte("some data")))
	f.Add(encoded(f, random(frameData+1)))
	f.Fuzz(func(t *testing.T, b []byte) {
		size, err := dataSize(int64(len(b)))
		if err != nil {
			return
		}
		data, err := io.ReadAll(newDecoder(iotest.OneByteReader(bytes.NewReader(b)), size))
		switch {
		case err == nil && !bytes.Equal(encoded(t, data), b):
			t.Errorf("%d bytes are decoded from another object", len(data))
		case err != nil && !errors.Is(err, ErrDamaged):
			t.Error(err)
		}
	})
}
