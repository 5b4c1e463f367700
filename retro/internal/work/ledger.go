package work

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dustin/go-humanize"

	"backsolve/internal/memory"
	"backsolve/internal/plan"
)

// Ledger enforces the memory limit. Every array whose size grows with the board is reserved in
// it. It keeps freed planes for the next class, as memory that has been touched is cheaper
// than new memory. It is safe for concurrent use.
type Ledger struct {
	// Dirty leaves old contents in planes, for callers that write every word.
	Dirty     bool
	limit     int64 // bytes; 0: none
	used, top atomic.Int64

	longest int // words of the longest plane
	lock    sync.Mutex
	spare   []*reserved
	lent    map[*uint64]*reserved
}

// reserved is address space for the longest plane. Only touched words take memory.
type reserved struct {
	words   []uint64
	touched int
}

// NewLedger returns a ledger with a limit in bytes, 0 for none. Planes have at most longest words.
func NewLedger(limit int64, longest int) *Ledger {
	return &Ledger{limit: limit, longest: longest, lent: map[*uint64]*reserved{}}
}

// MemoryError says that a solve does not fit its memory limit.
type MemoryError struct {
	Limit, Need int64 // bytes
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("the memory limit of %s is too small: at least %s are needed",
		humanize.IBytes(uint64(e.Limit)), humanize.IBytes(uint64(e.Need)))
}

// Plane returns a plane of the given number of words, zeroed unless Dirty is set.
func (l *Ledger) Plane(words int) ([]uint64, error) { return l.plane(words, !l.Dirty) }

// DirtyPlane is Plane without zeroing, for callers that write every word.
func (l *Ledger) DirtyPlane(words int) ([]uint64, error) { return l.plane(words, false) }

func (l *Ledger) plane(words int, zeroed bool) ([]uint64, error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	r, err := l.take(words)
	if err != nil {
		return nil, err
	}
	if r.touched > words+int(plan.SlackWords(int64(words))) {
		kept := memory.ReleaseTail(r.words[:r.touched], words)
		l.Release(int64(r.touched-kept) * 8)
		r.touched = kept
	}
	if err := l.Reserve(int64(max(words-r.touched, 0)) * 8); err != nil {
		l.spare = append(l.spare, r)
		return nil, err
	}
	if zeroed {
		zero(r.words[:min(words, r.touched)])
	}
	r.touched = max(r.touched, words)
	l.lent[&r.words[0]] = r
	return r.words[:words], nil
}

// tooLong is how many times as long as needed a spare plane is that is not taken: it is for
// the planes of the next class, not for a summary.
const tooLong = 8

// take returns the spare plane that fits best: the shortest of enough memory, else the longest or a new one.
func (l *Ledger) take(words int) (*reserved, error) {
	best, least := -1, 0 // of its words, those beyond what is needed
	for i, r := range l.spare {
		more := r.touched - words
		if more > (tooLong-1)*words+int(plan.SlackWords(0)) {
			continue
		}
		if more < 0 { // too short: behind all that are long enough, the longest first
			more = l.longest - more
		}
		if best < 0 || more < least {
			best, least = i, more
		}
	}
	if best < 0 {
		array, err := memory.NewArray[uint64](l.longest)
		return &reserved{words: array}, err
	}
	r := l.spare[best]
	l.spare = slices.Delete(l.spare, best, best+1)
	return r, nil
}

// zero clears an array, a long one with several threads.
func zero(array []uint64) {
	const share = 1 << 20
	var wg sync.WaitGroup
	for ; len(array) > share; array = array[share:] {
		part := array[:share]
		wg.Go(func() { clear(part) })
	}
	clear(array)
	wg.Wait()
}

// Free takes back a plane, which must not be used again.
func (l *Ledger) Free(plane []uint64) {
	if len(plane) == 0 {
		return
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	if r := l.lent[&plane[0]]; r != nil {
		delete(l.lent, &plane[0])
		l.spare = append(l.spare, r)
	}
}

// DropSpare releases the memory of freed planes.
func (l *Ledger) DropSpare() {
	l.lock.Lock()
	defer l.lock.Unlock()
	for _, r := range l.spare {
		l.Release(int64(r.touched) * 8)
		memory.FreeArray(r.words)
	}
	l.spare = nil
}

// Close releases all memory.
func (l *Ledger) Close() {
	for _, r := range slices.AppendSeq(l.spare, maps.Values(l.lent)) {
		memory.FreeArray(r.words)
	}
	l.spare, l.lent = nil, nil
}

// Reserve reserves bytes for memory that is allocated elsewhere, or returns a *MemoryError.
func (l *Ledger) Reserve(bytes int64) error {
	used := l.used.Add(bytes)
	if l.limit > 0 && used > l.limit {
		l.used.Add(-bytes)
		return &MemoryError{Limit: l.limit, Need: used}
	}
	for {
		top := l.top.Load()
		if used <= top || l.top.CompareAndSwap(top, used) {
			return nil
		}
	}
}

// Release undoes Reserve.
func (l *Ledger) Release(bytes int64) { l.used.Add(-bytes) }

// Room reports whether more bytes keep the limit.
func (l *Ledger) Room(bytes int64) bool { return l.limit == 0 || l.used.Load()+bytes <= l.limit }

// Top returns the peak of reserved bytes.
func (l *Ledger) Top() int64 { return l.top.Load() }
