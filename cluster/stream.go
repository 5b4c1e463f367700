package cluster

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"backsolve/cluster/store"
	"backsolve/partition"
	"backsolve/plan"
	"backsolve/retro"
	"backsolve/retro/outofcore"
)

// What a solve that keeps no table has in the store. A group is many parts, since the class above
// streams past once for each group, and a worker puts a part as soon as it is settled:
//
//	class-12/blocks-00000000-00000003   slices of a part
//	class-12/group-00000000-00002047    what the blocks of a group add up to, when its parts are there
//	sealed/class-12                     what the class has come to, when all its groups are there
//
// and class-12-set likewise for the half of a class that is solved first. Each is a magic of eight
// bytes, a head as in a part of a table, bytes of slices, and a CRC-32C over all that.
const (
	slicesMagic = "bksslic1"
	sumMagic    = "bksgrup1"
	sealMagic   = "bksseal1"
)

// partGroups is how many times as large as the group of a table a part is: it is read from
// one end to the other.
const partGroups = 8

// mostPartBlocks bounds the head of a part.
const mostPartBlocks = 1 << 15

// sizeParts says how large parts are, and how many groups a class has at least.
func (s *Solve) sizeParts(space *partition.Space, o Options) {
	if !s.Stream {
		return
	}
	s.HighFirst = !lowFirst
	s.GroupBlocks = max(1, s.GroupBlocks)
	s.PartBlocks = max(1, min(int(partGroups*s.GroupBytes/outofcore.SliceBytes(space)), s.GroupBlocks, mostPartBlocks))
	s.Spread = max(1, o.Expect)
}

// fitsHere reports whether slices that are stored are such as this machine has in its memory.
func (s *Solve) fitsHere() bool { return !s.Stream || s.HighFirst != lowFirst }

// resize has the groups of the layers that are left as large as the workers of this machine can
// hold now, and as many as there are workers. Parts stay as they are, and so do groups that would
// be little larger: a layer in work is begun anew when its groups are others.
func (c *Coordinator) resize(want Solve) error {
	now := c.solve
	now.Spread, now.Packed = max(1, c.o.Expect), want.Packed
	if want.GroupBlocks < now.GroupBlocks || want.GroupBlocks > now.GroupBlocks/4*5 {
		now.GroupBlocks = want.GroupBlocks
	}
	if !c.o.Own || !c.solve.Stream || now.GroupBlocks == c.solve.GroupBlocks && now.Spread == c.solve.Spread && now.Packed == c.solve.Packed {
		return nil
	}
	if now.GroupBlocks != c.solve.GroupBlocks || now.Spread != c.solve.Spread {
		if err := c.conn.purgeNotes(c.ctx, c.solve.ID+".>"); err != nil {
			return err
		}
	}
	return c.change(func(s *Solve) { s.GroupBlocks, s.Spread, s.Packed = now.GroupBlocks, now.Spread, now.Packed })
}

// spread has a layer cut into as many groups at least as there are workers. One that was begun before
// stays cut as it was, for what is done of it is noted by group.
func (c *Coordinator) spread(l layer) error {
	if c.o.Own {
		return nil // as many as are expected
	}
	begun, there := false, 0
	err := c.patiently(func(ctx context.Context) error {
		tasks, err := c.waiting(ctx, l)
		if err != nil {
			return err
		}
		done, err := keys(ctx, c.conn.state, c.solve.doneKeys(l)+"*")
		if err != nil {
			return err
		}
		workers, err := readWorkers(ctx, c.conn.alive)
		begun, there = len(tasks)+len(done) > 0, 0
		for _, w := range workers {
			if w.Refused == "" {
				there++
			}
		}
		return err
	})
	if err != nil || begun || max(1, there) == c.solve.Spread {
		return err
	}
	return c.change(func(s *Solve) { s.Spread = max(1, there) })
}

// streamGroups cuts a layer of so many blocks into groups.
func (s *Solve) streamGroups(l layer, blocks int) []group {
	parts := (blocks + s.PartBlocks - 1) / s.PartBlocks
	size := s.PartBlocks * max(1, min(s.GroupBlocks/s.PartBlocks, (parts+s.Spread-1)/s.Spread))
	return cut(group{layer: l, blocks: blocks}, size)
}

// parts cuts a group into its parts.
func (s *Solve) parts(g group) []group { return cut(g, s.PartBlocks) }

// partOf returns the part of a layer of so many blocks that has a block.
func (s *Solve) partOf(l layer, blocks, block int) group {
	first := block / s.PartBlocks * s.PartBlocks
	return group{layer: l, first: first, blocks: min(s.PartBlocks, blocks-first)}
}

// StreamNeed returns the memory in bytes that a worker is reckoned to take for a solve that keeps
// no table, by groups of so many blocks.
func StreamNeed(space *partition.Space, o outofcore.Options, groupBlocks int) int64 {
	return o.Plan(space).WorkerMemory(int64(groupBlocks)) + readBytes
}

// StreamOwn returns the memory in bytes that the coordinator is reckoned to take.
func StreamOwn(space *partition.Space) int64 {
	part := max(partGroups*StandardGroupBytes, outofcore.SliceBytes(space)) // of which it keeps an opening table
	count := loaders * 3 * outofcore.SliceBytes(space)                      // of each part that is read: a slice, its bytes, its end states
	return plan.NewOutOfCore(space, 0, false, 0).CoordinatorMemory() + readBytes + part + count
}

// StreamBlocks returns of how many blocks a group can be for a worker that keeps the memory of the
// options; 0 where that is too little.
func StreamBlocks(space *partition.Space, o outofcore.Options) int {
	if o.Memory > 0 {
		o.Memory = max(1, o.Memory-readBytes)
	}
	return int(o.Plan(space).WorkerBlocks(o.Memory))
}

// StreamGroup returns how many blocks a group of a class has that has so many, where there are
// so many workers.
func StreamGroup(space *partition.Space, groupBlocks, workers int, blocks int64) int64 {
	s := Solve{Stream: true, GroupBytes: StandardGroupBytes, GroupBlocks: groupBlocks}
	s.sizeParts(space, Options{Expect: workers})
	return int64(s.streamGroups(layer{}, int(blocks))[0].blocks)
}

// readBytes is what those take that read parts, beside the slices.
const readBytes = loaders * (scanBytes + 128<<10)

// sumObject is the name of what the blocks of a group add up to.
func (s *Solve) sumObject(g group) string {
	return fmt.Sprintf("%sgroup-%08d-%08d", s.layerPrefix(g.layer), g.first, g.first+g.blocks-1)
}

// sealObject is the name of what a layer has come to.
func (s *Solve) sealObject(l layer) string {
	return fmt.Sprintf("%s%s/sealed/class-%s", s.prefix(), s.ID, l.name())
}

// slicesHead is the head of a part.
type slicesHead struct {
	Solve   string  `json:"solve"` // name of the board
	Class   int     `json:"class"`
	Set     bool    `json:"set"`
	First   int     `json:"first"`
	Lengths []int64 `json:"lengths"` // of what is stored of each block
}

// sumHead is what the blocks of a group add up to.
type sumHead struct {
	Solve  string            `json:"solve"`
	Class  int               `json:"class"`
	Set    bool              `json:"set"`
	First  int               `json:"first"`
	Blocks int               `json:"blocks"`
	Tally  retro.StateCounts `json:"tally"`
}

// sealHead is what a layer has come to.
type sealHead struct {
	Solve string        `json:"solve"`
	Class int           `json:"class"`
	Set   bool          `json:"set"`
	Sum   outofcore.Sum `json:"sum"`
}

// putSlices puts a part into the store and returns its bytes.
func putSlices(ctx context.Context, to store.Store, s *Solve, g group, stored [][]byte) (size int64, err error) {
	head := slicesHead{Solve: s.name(), Class: g.class, Set: g.set, First: g.first}
	for _, slice := range stored {
		head.Lengths = append(head.Lengths, int64(len(slice)))
	}
	start := appendHead(nil, slicesMagic, head)
	all := append([][]byte{start}, stored...)
	size = store.SealedSize(all)
	return size, to.Put(ctx, s.object(g), store.NewSealed(all...), size)
}

// getSlices reads a part from the store and returns what is stored of each block, in the buffer
// or, where that does not suffice, in a new one. The error is as that of getPart.
func getSlices(ctx context.Context, from store.Store, s *Solve, g group, buffer []byte) (stored [][]byte, err error) {
	object, err := from.Get(ctx, s.object(g))
	if err != nil {
		return nil, err
	}
	defer object.Close()
	if stored, err = readSlices(object, s, g, buffer); err != nil {
		return nil, fmt.Errorf("%s in %v: %w", s.object(g), from, err)
	}
	return stored, nil
}

// scanSlices reads a part from the store as getSlices does, and hands those blocks alone that are
// wanted to take, as they come, with the length of what is stored of each and what it is to be read
// from. Until all is read nobody knows whether the part is whole. The buffer stays in the cache where
// it is no longer than a frame or two. It returns how long all slices are.
func scanSlices(ctx context.Context, from store.Store, s *Solve, g group, buffer []byte, wants func(block int) bool, take takeSlice) (size int64, err error) {
	object, err := from.Get(ctx, s.object(g))
	if err != nil {
		return 0, err
	}
	defer object.Close()
	if size, err = passSlices(newSumming(object), s, g, buffer, wants, take); err != nil {
		return 0, fmt.Errorf("%s in %v: %w", s.object(g), from, err)
	}
	return size, nil
}

// takeSlice takes what is stored of a block: it reads so many bytes.
type takeSlice func(block int, length int64, from io.Reader) error

func passSlices(from *summing, s *Solve, g group, buffer []byte, wants func(block int) bool, take takeSlice) (size int64, err error) {
	lengths, size, err := readLengths(from, s, g)
	if err != nil {
		return 0, err
	}
	skipped := int64(0)
	for i, length := range lengths {
		if !wants(g.first + i) {
			skipped += length
			continue
		}
		if err := skip(from, skipped, buffer); err != nil {
			return 0, err
		}
		skipped = 0
		if err := take(g.first+i, length, from); err != nil {
			return 0, err
		}
	}
	if err := skip(from, skipped, buffer); err != nil {
		return 0, err
	}
	return size, readEnd(from)
}

// skip reads bytes that nobody wants.
func skip(from io.Reader, bytes int64, buffer []byte) error {
	for bytes > 0 {
		n, err := from.Read(buffer[:min(int64(len(buffer)), bytes)])
		if bytes -= int64(n); err == io.EOF && bytes > 0 {
			return fmt.Errorf("%w: it is cut short", errPart)
		} else if err != nil && err != io.EOF {
			return err
		}
	}
	return nil
}

// mostSlice is more bytes than any slice has.
const mostSlice = 1 << 32

// readLengths reads how a part begins, and returns how long what is stored of each block is.
func readLengths(from *summing, s *Solve, g group) (lengths []int64, size int64, err error) {
	var head slicesHead
	if err := readHead(from, slicesMagic, &head); err != nil {
		return nil, 0, err
	}
	if head.Solve != s.name() || head.Class != g.class || head.Set != g.set || head.First != g.first || len(head.Lengths) != g.blocks {
		return nil, 0, fmt.Errorf("%w: it is of class %d, %d blocks from %d on, of %s", errPart, head.Class, len(head.Lengths), head.First, head.Solve)
	}
	for _, length := range head.Lengths {
		if length < 1 || length > mostSlice {
			return nil, 0, fmt.Errorf("%w: it has a slice of %d bytes", errPart, length)
		}
		size += length
	}
	return head.Lengths, size, nil
}

func readSlices(r io.Reader, s *Solve, g group, buffer []byte) (stored [][]byte, err error) {
	from := newSumming(r)
	lengths, size, err := readLengths(from, s, g)
	if err != nil {
		return nil, err
	}
	if int64(cap(buffer)) < size {
		buffer, err = readSaid(from, size)
	} else {
		buffer = buffer[:size]
		err = readFull(from, buffer)
	}
	if err != nil {
		return nil, err
	}
	for _, length := range lengths {
		stored = append(stored, buffer[:length:length])
		buffer = buffer[length:]
	}
	return stored, readEnd(from)
}

// readSaid reads as many bytes as a head says there are. It may be damaged, so they are not
// allocated before they are there.
func readSaid(from io.Reader, size int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(from, size))
	if err == nil && int64(len(b)) < size {
		err = fmt.Errorf("%w: it is cut short", errPart)
	}
	return b, err
}

// putHead puts an object that is nothing but a head.
func putHead(ctx context.Context, to store.Store, name, magic string, head any) error {
	b := appendHead(nil, magic, head)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	return to.Put(ctx, name, bytes.NewReader(b), int64(len(b)))
}

// getHead reads such an object.
func getHead(ctx context.Context, from store.Store, name, magic string, head any) error {
	object, err := from.Get(ctx, name)
	if err != nil {
		return err
	}
	defer object.Close()
	read := newSumming(object)
	if err = readHead(read, magic, head); err == nil {
		err = readEnd(read)
	}
	if err != nil {
		return fmt.Errorf("%s in %v: %w", name, from, err)
	}
	return nil
}

// getSum reads what the blocks of a group add up to.
func getSum(ctx context.Context, from store.Store, s *Solve, g group) (*retro.StateCounts, error) {
	var head sumHead
	if err := getHead(ctx, from, s.sumObject(g), sumMagic, &head); err != nil {
		return nil, err
	}
	if head.Solve != s.name() || head.group() != g {
		return nil, fmt.Errorf("%s in %v: %w: it is of class %d, %d blocks from %d on, of %s", s.sumObject(g), from, errPart, head.Class, head.Blocks, head.First, head.Solve)
	}
	return &head.Tally, nil
}

func (h *sumHead) group() group {
	return group{layer: layer{h.Class, h.Set}, first: h.First, blocks: h.Blocks}
}

// ErrLost is the cause where something of a class is damaged or lost that cannot be made again,
// since what it was made from is gone.
var ErrLost = errors.New("what it was made from is gone")
