package retro

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/gofrs/flock"

	"backsolve/bitslice"
	"backsolve/partition"
)

// spools are the work files of a streamed solve: a file of slices for each of
// the two classes in work, and the state, which says what is finished.
type spools struct {
	path          string
	lock          *flock.Flock
	state         spoolState
	sliceBytes    int64
	above         *os.File // slices of the last finished class, nil before the first
	passes        int      // over classes above, in this run
	read, written atomic.Int64
}

// spoolState is what must survive an interruption.
type spoolState struct {
	Version int
	Game    string
	Size    int
	Taken   uint64
	Classes []ClassCounts
	// Sums are the CRC-32C of the slices of the last of the classes.
	Sums []uint32
	// Won is the outcome of the state with all index bits clear in the first block
	// of the last class: in the end, the state that play begins with.
	Won bool
	// SHA256 is over the state as JSON, with this field empty.
	SHA256 string
}

const spoolVersion = 1

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// openSpools takes the lock and reads what an interrupted solve has left.
func openSpools(path string, space partition.Space) (*spools, error) {
	s := &spools{path: path, lock: flock.New(path + ".lock")}
	s.sliceBytes = int64(bitslice.Words(space.IndexBits[0])) * 8
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	if ok, err := s.lock.TryLock(); err != nil {
		return nil, fmt.Errorf("cannot lock %s.lock: %w", path, err)
	} else if !ok {
		return nil, fmt.Errorf("another solve is at work on %s; wait for it or give another --dir", path)
	}
	fresh := spoolState{Version: spoolVersion, Game: space.Game, Size: space.Size, Taken: space.Taken}
	if err := s.load(fresh); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *spools) statePath() string          { return s.path + ".state" }
func (s *spools) classPath(class int) string { return fmt.Sprintf("%s.class-%02d", s.path, class) }

// load reads the state file. One that is missing or damaged means a fresh start:
// only time is lost.
func (s *spools) load(fresh spoolState) error {
	s.state = fresh
	text, err := os.ReadFile(s.statePath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var found spoolState
	if json.Unmarshal(text, &found) != nil || found.SHA256 != found.sum() || found.Version != spoolVersion {
		return nil
	}
	if found.Game != fresh.Game || found.Size != fresh.Size || found.Taken != fresh.Taken {
		return fmt.Errorf("%s is of another solve; delete it or give another --dir", s.statePath())
	}
	if len(found.Classes) == 0 {
		return nil
	}
	f, err := os.Open(s.classPath(found.Classes[len(found.Classes)-1].Class))
	if err != nil {
		return nil // without its slices the state is worth nothing
	}
	if info, err := f.Stat(); err != nil || info.Size() != int64(len(found.Sums))*s.sliceBytes {
		return f.Close()
	}
	s.state, s.above = found, f
	return nil
}

func (v spoolState) sum() string {
	v.SHA256 = ""
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // numbers and strings alone
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// save writes the state durably.
func (s *spools) save() error {
	s.state.SHA256 = s.state.sum()
	text, err := json.Marshal(s.state)
	if err != nil {
		return err
	}
	next := s.statePath() + ".next"
	f, err := os.Create(next)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(next, s.statePath())
}

// readSlice reads a slice of the class above and checks it.
func (s *spools) readSlice(block int, dst []uint64) error {
	b := bitslice.Bytes(dst)
	if _, err := s.above.ReadAt(b, int64(block)*s.sliceBytes); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("reading block %d of %s: %w; delete %s to start over", block, s.above.Name(), err, s.statePath())
	}
	s.read.Add(int64(len(b)))
	if crc32.Checksum(b, castagnoli) != s.state.Sums[block] {
		return fmt.Errorf("block %d of %s is damaged; delete %s to start over", block, s.above.Name(), s.statePath())
	}
	return nil
}

func (s *spools) close() {
	if s.above != nil {
		s.above.Close()
	}
	os.Remove(s.lock.Path())
	s.lock.Unlock()
}

// remove deletes the work files of a solve that is done.
func (s *spools) remove() error {
	err := os.Remove(s.above.Name())
	return errors.Join(err, os.Remove(s.statePath()))
}

// spool is the file of the class in work.
type spool struct {
	*spools
	class   int
	file    *os.File
	sums    []uint32
	won     atomic.Bool
	queue   chan writing
	failed  firstError
	writers sync.WaitGroup
}

// writing is a slice on its way to the file; its memory goes to free then.
type writing struct {
	block int
	slice []uint64
	free  chan<- []uint64
}

// flushBytes is how much is written before it is flushed, so that little is left
// to wait for when a class is sealed.
const flushBytes = 1 << 30

// begin creates the file of a class. At most queued slices wait to be written.
func (s *spools) begin(class, blocks, queued int) (*spool, error) {
	f, err := os.Create(s.classPath(class))
	if err != nil {
		return nil, err
	}
	p := &spool{spools: s, class: class, file: f, sums: make([]uint32, blocks), queue: make(chan writing, queued)}
	p.writers.Go(p.writeQueue)
	return p, nil
}

// writeQueue writes what is queued. After an error it only gives memory back.
func (p *spool) writeQueue() {
	var unflushed int64
	for w := range p.queue {
		if p.failed.get() == nil {
			b := bitslice.Bytes(w.slice)
			_, err := p.file.WriteAt(b, int64(w.block)*p.sliceBytes)
			p.written.Add(int64(len(b)))
			if unflushed += int64(len(b)); err == nil && unflushed >= flushBytes {
				unflushed = 0
				err = p.file.Sync()
			}
			if err != nil {
				p.failed.set(fmt.Errorf("writing %s: %w; free some disk and run again, finished classes are kept", p.file.Name(), err))
			}
		}
		w.free <- w.slice
	}
}

// write queues a finished slice. It never waits for the disk.
func (p *spool) write(block int, slice []uint64, free chan<- []uint64) error {
	p.sums[block] = crc32.Checksum(bitslice.Bytes(slice), castagnoli)
	if block == 0 {
		p.won.Store(slice[0]&1 == 1)
	}
	p.queue <- writing{block, slice, free}
	return p.failed.get()
}

// abandon drops the class in work.
func (p *spool) abandon() {
	close(p.queue)
	p.writers.Wait()
	p.file.Close()
}

// finish makes the class durable and lets go of the one above.
func (p *spool) finish(c ClassCounts) error {
	close(p.queue)
	p.writers.Wait()
	err := p.failed.get()
	if err == nil {
		err = p.file.Sync()
	}
	if err != nil {
		p.file.Close()
		return err
	}
	p.state.Classes = append(p.state.Classes, c)
	p.state.Sums, p.state.Won = p.sums, p.won.Load()
	if err := p.save(); err != nil {
		return err
	}
	if p.above != nil {
		p.above.Close()
		if err := os.Remove(p.above.Name()); err != nil {
			return err
		}
	}
	p.spools.above = p.file
	return nil
}
