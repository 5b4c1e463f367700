package pack

import (
	"bytes"
	"testing"

	"backsolve/tablebase/format"
)

var (
	AppendEntry     = appendEntry
	AppendSeekTable = appendSeekTable
	ErrNumbers      = errNumbers
)

// Extent returns where a frame is in the file, and how many bytes it unpacks to.
func (f *Frames) Extent(t *testing.T, frame int) (offset, packed, length int64) {
	t.Helper()
	e, err := f.table.frame(frame)
	if err != nil {
		t.Fatal(err)
	}
	return e.offset, e.packed, e.length
}

func (f *Frames) Count() int { return f.table.(*seekTable).frames }

func (f *Frames) LengthOf(frame int) int64 { return f.lengthOf(frame) }

// DecodeBytes unpacks what a frame has in the file.
func (f *Frames) DecodeBytes(frame int, dst []byte) error {
	e, err := f.table.frame(frame)
	if err != nil {
		return err
	}
	return f.decodeBytes(e, dst)
}

// OutcomesReader returns a function that reads frames of outcomes as frames of numbers do.
func (f *Frames) OutcomesReader() func(frame int) ([]byte, error) {
	room := new(numberBuffer)
	return func(frame int) ([]byte, error) {
		room.outcomes = room.outcomes[:0]
		err := f.appendOutcomes(room, f.regions[f.regionOf(frame)].Part, frame, 0, format.FrameSize)
		return bytes.Clone(room.outcomes), err
	}
}

// Hold brings a frame into the cache and returns its first byte.
func (f *Frames) Hold(t *testing.T, frame int) *byte {
	t.Helper()
	set, data, err := f.hold(frame)
	if err != nil {
		t.Fatal(err)
	}
	defer set.lock.Unlock()
	return &data[0]
}

// Cached returns the frames in the cache, −1 for an empty place.
func (f *Frames) Cached() (frames []int) {
	for i := range f.cache.sets {
		for _, held := range f.cache.sets[i].held {
			frames = append(frames, held-1)
		}
	}
	return frames
}

// DamagePiece forgets the first piece of the seek table and has its checksum fail.
func (f *Frames) DamagePiece() {
	s := f.table.(*seekTable)
	s.pieces[0].Store(nil)
	s.sums[0] ^= 1
}
