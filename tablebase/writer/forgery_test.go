package writer_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"backsolve/game/games"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/pack"
	"backsolve/tablebase/reader"
	"backsolve/tablebase/writer"
)

// Of zstd's seekable format, as docs/reference/format.md has them.
const (
	seekableMagic      = 0x8f92eab1
	seekTableEnd       = 9
	seekTableFixed     = 8 + seekTableEnd
	seekTableChecksums = 0x80
)

// unpackedFile is a packed table taken apart.
type unpackedFile struct {
	frames [][]byte
	footer int    // the first frame of the footer
	total  []byte // from the end of the index, as is the level
	level  []byte
}

// takeApart unpacks the frames of a packed table with an index.
func takeApart(t testing.TB, b []byte) unpackedFile {
	t.Helper()
	decoder, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer decoder.Close()
	n := int(binary.LittleEndian.Uint32(b[len(b)-seekTableEnd:]))
	table := len(b) - seekTableFixed - n*pack.SeekEntrySize
	u := unpackedFile{total: b[table-20 : table-12], level: b[table-8 : table]}
	at := 0
	for e := b[table+8:]; len(u.frames) < n; e = e[pack.SeekEntrySize:] {
		length := int(binary.LittleEndian.Uint32(e))
		frame, err := decoder.DecodeAll(b[at:at+length], nil)
		if err != nil {
			t.Fatal(err)
		}
		u.frames, at = append(u.frames, frame), at+length
	}
	head := u.frames[0]
	footer := binary.LittleEndian.Uint64(head[64:]) - binary.LittleEndian.Uint64(head[72:])
	u.footer = n - int((footer+format.FrameSize-1)/format.FrameSize)
	return u
}

// forge changes bytes of the frames, which include header and footer, and of the seek table, and puts
// all together again with the right checksums. Every four bytes are a place and the bits to flip there.
func (u unpackedFile) forge(frames, entries []byte) []byte {
	all := bytes.Join(u.frames, nil)
	for ; len(frames) >= 4; frames = frames[4:] {
		all[int(binary.LittleEndian.Uint32(frames)&0xffffff)%len(all)] ^= frames[3]
	}
	var parts [][]byte
	for _, f := range u.frames {
		parts, all = append(parts, all[:len(f)]), all[len(f):]
	}
	footer := bytes.Join(parts[u.footer:], nil)
	h := format.Header{Identity: format.Identity(parts[0], footer[:len(footer)-format.EndMarkSize])}
	copy(parts[0][88:], h.Identity[:])
	format.SealHeader(parts[0])
	last := parts[len(parts)-1]
	copy(last[len(last)-format.EndMarkSize:], h.EndMark())
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		panic(err)
	}
	defer encoder.Close()
	var b, table []byte
	for _, p := range parts {
		start := len(b)
		b = encoder.EncodeAll(p, b)
		table = binary.LittleEndian.AppendUint32(table, uint32(len(b)-start))
		table = binary.LittleEndian.AppendUint32(table, uint32(len(p)))
		table = append(table, b[len(b)-4:]...)
	}
	total := bytes.Clone(u.total)
	for ; len(entries) >= 4; entries = entries[4:] {
		if at := int(binary.LittleEndian.Uint32(entries)&0xffffff) % (len(table) + len(total)); at < len(table) {
			table[at] ^= entries[3]
		} else {
			total[at-len(table)] ^= entries[3]
		}
	}
	index := make([]byte, 16) // the frames are one piece, which begins at 0
	binary.LittleEndian.PutUint32(index, 0x184d2a5d)
	binary.LittleEndian.PutUint32(index[4:], 12+20)
	index = binary.LittleEndian.AppendUint32(index, format.Checksum(table))
	index = append(index, total...)
	index = binary.LittleEndian.AppendUint32(index, format.Checksum(index))
	b = append(append(b, index...), u.level...)
	b = binary.LittleEndian.AppendUint32(b, 0x184d2a5e)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(table)+seekTableEnd))
	b = append(b, table...)
	b = append(binary.LittleEndian.AppendUint32(b, uint32(len(parts))), seekTableChecksums)
	return binary.LittleEndian.AppendUint32(b, seekableMagic)
}

// packedFiles returns packed tables and archives. Put together again in path, each is right.
func packedFiles(f *testing.F, path string) (files []unpackedFile) {
	for _, name := range []string{"tictactoe", "quixo"} {
		rules, err := games.NewGrid(name, 3)
		if err != nil {
			f.Fatal(err)
		}
		dir := f.TempDir()
		probetest.Solve(f, dir, rules, 0, true)
		plain := filepath.Join(dir, probe.FileName(rules.Info()))
		for _, archive := range []bool{false, true} {
			packed := plain + tablebase.PackedSuffix
			if !archive {
				tabletest.Pack(f, plain)
			} else if _, err := writer.Archive(context.Background(), plain, true, nil); err != nil {
				f.Fatal(err)
			}
			u := takeApart(f, tabletest.ReadFile(f, packed))
			if err := os.WriteFile(path, u.forge(nil, nil), 0o644); err != nil {
				f.Fatal(err)
			}
			table, err := reader.Open(path)
			if err == nil {
				err = errors.Join(table.Verify(context.Background(), 1, nil), table.Close())
			}
			if err != nil {
				f.Fatalf("%s, archive %v, as it was: %v", name, archive, err) // else nothing would be tested below
			}
			files = append(files, u)
		}
	}
	return files
}

// FuzzPackedForgery makes packed tables and archives with any content and right checksums: nothing may
// panic.
func FuzzPackedForgery(f *testing.F) {
	path := filepath.Join(f.TempDir(), "fuzz.tb.zst")
	files := packedFiles(f, path)
	for which, u := range files {
		f.Add(byte(which), []byte{}, []byte{})
		at, footer := 0, 0
		for i, frame := range u.frames {
			if i == u.footer {
				footer = at
			}
			f.Add(byte(which), []byte{byte(at + 3), byte((at + 3) >> 8), byte((at + 3) >> 16), 0x55}, []byte{})
			f.Add(byte(which), []byte{}, []byte{byte(12*i + 4), byte((12*i + 4) >> 8), 0, 0x81})
			at += len(frame)
		}
		for field := 0; field < format.RecordHead; field += 4 {
			f.Add(byte(which), []byte{byte(footer + field), byte((footer + field) >> 8), byte((footer + field) >> 16), 0xff}, []byte{})
		}
	}
	f.Fuzz(func(t *testing.T, which byte, frames, entries []byte) {
		if err := os.WriteFile(path, files[int(which)%len(files)].forge(frames, entries), 0o644); err != nil {
			t.Fatal(err)
		}
		table, err := reader.Open(path)
		if err != nil {
			if about := (*tablebase.Error)(nil); !errors.As(err, &about) || !tablebase.Unusable(err) {
				t.Errorf("it is not refused as a damaged table: %v", err)
			}
			return
		}
		defer table.Close()
		for i, c := range table.Classes() {
			for _, block := range []int{0, c.Blocks - 1} {
				table.Lookup(c.Class, block, 1<<c.IndexBits-1)
				table.Planes(i, block, 1, new(tablebase.Planes))
			}
			table.FindAll([]reader.Key{{Class: c.Class, Mask: 5, Hint: -1}}, make([]reader.Place, 1))
			table.Masks(i)
		}
		table.Verify(context.Background(), 1, nil)
	})
}
