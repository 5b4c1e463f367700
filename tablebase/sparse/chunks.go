package sparse

import (
	"sync"

	"backsolve/tablebase/format"
)

// bytes returns bytes of the states, whose checksums were compared.
func (t *Table) bytes(from, to int64) (b []byte, err error) {
	first, last := from/format.ChunkSize, (to-1)/format.ChunkSize
	if m := t.Mapped(); m != nil {
		for c := first; c <= last; c++ {
			if !t.checked.Has(uint(c)) {
				if err := t.checkChunk(c, m[c*format.ChunkSize:min(t.header.body(), (c+1)*format.ChunkSize)]); err != nil {
					return nil, err
				}
				t.checked.Set(uint(c))
			}
		}
		return m[from:to], nil
	}
	for c := first; c <= last; c++ {
		chunk, err := t.chunk(c)
		if err != nil {
			return nil, err
		}
		chunk = chunk[max(from-c*format.ChunkSize, 0):min(to-c*format.ChunkSize, int64(len(chunk)))]
		if first == last {
			return chunk, nil
		}
		b = append(b, chunk...)
	}
	return b, nil
}

func (t *Table) checkChunk(c int64, chunk []byte) error {
	if format.Checksum(chunk) != le.Uint32(t.sums[4*c:]) {
		return damaged("wrong checksum of bytes %d to %d", c*format.ChunkSize, c*format.ChunkSize+int64(len(chunk))-1)
	}
	return nil
}

// cacheBytes bounds the chunks that a table keeps that is not mapped, young and old.
const cacheBytes = 32 << 20

// chunk is the checked copy of a chunk. Those who want it wait until it is read.
type chunk struct {
	read  sync.Once
	bytes []byte
	err   error
}

func (t *Table) chunk(c int64) ([]byte, error) {
	k := t.cache.Get(c, format.ChunkSize)
	k.read.Do(func() {
		k.bytes = make([]byte, min(t.header.body()-c*format.ChunkSize, format.ChunkSize))
		if k.err = format.ReadFull(t.Data, k.bytes, c*format.ChunkSize); k.err == nil {
			k.err = t.checkChunk(c, k.bytes)
		}
		if k.err != nil {
			t.cache.Forget(c) // it is read again when it is wanted again
		}
	})
	return k.bytes, k.err
}
