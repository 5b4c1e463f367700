package faulttest

import (
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
)

// Files are the contents of a directory, by relative path: the bytes of each file, nil
// for a directory.
type Files map[string][]byte

// Disk is a directory, as a program sees it and as far as it is durable. It models what a
// power cut may leave, and assumes only what all file systems promise: the data of a file
// are durable when the file has been synced, its names when their directory has been. Any
// later change may be lost. Of a write its first bytes, some sectors, or only the new length
// may remain. Each creation, change or removal of a name may be lost on its own. Only a
// rename is atomic: the name refers to one file or the other.
type Disk struct {
	inodes []*inode
	open   map[int]*inode      // by the number of the call that opened it
	now    map[string]*inode   // by path
	synced map[string]*inode   // by path
	names  map[string][]naming // by directory, since it was synced
}

// inode is a file or a directory.
type inode struct {
	dir    bool
	synced []byte
	writes []write // since
}

// write is a write or, without data, a truncation.
type write struct {
	end    int    // where the call ended
	data   []byte // nil for a truncation
	offset int64  // or the size that a truncation leaves
}

// naming makes a name, removes one or changes one.
type naming struct {
	end      int
	from, to string // "" for none
	file     *inode // that gets the name
}

// New returns a disk on which everything is synced.
func New(before Files) *Disk {
	d := &Disk{open: map[int]*inode{}, now: map[string]*inode{}, names: map[string][]naming{}}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		d.now[name] = d.add(&inode{dir: before[name] == nil, synced: before[name]})
	}
	d.synced = maps.Clone(d.now)
	return d
}

func (d *Disk) add(n *inode) *inode {
	d.inodes = append(d.inodes, n)
	return n
}

// Replay applies the calls of a run that have begun after a number of begins and ends.
// It is called once.
func (d *Disk) Replay(calls []Call, places int) error {
	type event struct {
		number int
		end    bool
	}
	events := map[int]event{}
	for i, c := range calls {
		events[c.Begin] = event{i, false}
		events[c.End] = event{i, true} // at 0, which is no place, where it has not returned
	}
	for place := 1; place <= places; place++ {
		e, ok := events[place]
		if !ok {
			return nil // the program has ended
		}
		c := calls[e.number]
		if c.End > 0 && c.Err != 0 || e.end != (c.Op == Sync) {
			continue
		}
		if err := d.apply(e.number, c); err != nil {
			return fmt.Errorf("call %d, %s %s: %w", e.number+1, c.Op, c.Path, err)
		}
	}
	return nil
}

// apply applies a call.
func (d *Disk) apply(number int, c Call) error {
	end := c.End
	if end == 0 {
		end = math.MaxInt
	}
	switch c.Op {
	case Open:
		n := d.now[c.Path]
		if n == nil {
			n = d.add(&inode{})
			d.name(naming{end: end, to: c.Path, file: n})
		} else if c.Truncates {
			n.writes = append(n.writes, write{end: end})
		}
		d.open[number] = n
	case Write, Truncate:
		n := d.open[c.File]
		if n == nil {
			return fmt.Errorf("no call has opened it")
		}
		w := write{end: end, offset: c.Size}
		if c.Op == Write {
			w = write{end: end, offset: c.Offset, data: append([]byte{}, c.Data...)}
		}
		n.writes = append(n.writes, w)
	case Sync:
		d.sync(c)
	case Rename:
		if path.Dir(c.Path) != path.Dir(c.To) || d.now[c.Path] == nil || d.now[c.Path].dir {
			return fmt.Errorf("what it does to %s is not known", c.To)
		}
		d.name(naming{end: end, from: c.Path, to: c.To, file: d.now[c.Path]})
	case Remove:
		d.name(naming{end: end, from: c.Path})
	case MakeDir:
		d.name(naming{end: end, to: c.Path, file: d.add(&inode{dir: true})})
	}
	return nil
}

// name changes names as the program sees them.
func (d *Disk) name(n naming) {
	n.change(d.now)
	of := path.Dir(n.to)
	if n.to == "" {
		of = path.Dir(n.from)
	}
	d.names[of] = append(d.names[of], n)
}

func (n naming) change(names map[string]*inode) {
	if n.from != "" {
		delete(names, n.from)
	}
	if n.to != "" {
		names[n.to] = n.file
	}
}

// sync makes durable what had ended when it began.
func (d *Disk) sync(c Call) {
	n := d.open[c.File]
	if n == nil {
		n = d.now[c.Path]
	}
	if n == nil || n.dir { // the directory at the top is not listed
		d.names[c.Path] = slices.DeleteFunc(d.names[c.Path], func(n naming) bool {
			if n.end < c.Begin {
				n.change(d.synced)
			}
			return n.end < c.Begin
		})
		return
	}
	n.writes = slices.DeleteFunc(n.writes, func(w write) bool {
		if w.end < c.Begin {
			n.synced = w.change(n.synced)
		}
		return w.end < c.Begin
	})
}

// change returns a file's content after a write.
func (w write) change(content []byte) []byte {
	if w.data == nil {
		return resize(content, w.offset)
	}
	content = resize(content, max(int64(len(content)), w.offset+int64(len(w.data))))
	copy(content[w.offset:], w.data)
	return content
}

// resize returns a copy of a given length, padded with zeros.
func resize(content []byte, size int64) []byte {
	resized := make([]byte, size)
	copy(resized, content)
	return resized
}

// Now returns the files as the program sees them.
func (d *Disk) Now() Files {
	return list(d.now, func(n *inode) []byte {
		content := resize(n.synced, int64(len(n.synced)))
		for _, w := range n.writes {
			content = w.change(content)
		}
		return content
	})
}

// list returns the files that can be reached by their names.
func list(names map[string]*inode, content func(*inode) []byte) Files {
	files := Files{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if dir := path.Dir(name); dir != "." && (names[dir] == nil || !names[dir].dir) {
			continue // sorted: what is above it has been seen
		}
		if names[name].dir {
			files[name] = nil
		} else {
			files[name] = content(names[name])
		}
	}
	return files
}
