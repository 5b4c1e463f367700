package work

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dustin/go-humanize"

	"backsolve/internal/memory"
	"backsolve/plan"
)

// Ledger keeps the memory limit: every array whose size grows with the board is
// booked in it. Planes that are given back are kept for the next class, since
// memory that has been touched once is cheaper than new.
type Ledger struct {
	// Dirty says that planes are lent with whatever they held before: those who take
	// them write every word.
	Dirty     bool
	limit     int64 // bytes; 0: none
	used, top atomic.Int64

	longest int // words of the longest plane that will be asked for
	lock    sync.Mutex
	spare   []*reserved
	lent    map[*uint64]*reserved
}

// reserved is address space for the longest plane. Only as much of it is memory
// as has been touched.
type reserved struct {
	words   []uint64
	touched int
}

// NewLedger makes a ledger with a limit in bytes, 0 for none, for planes of at most
// so many words.
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

// Plane lends a plane of so many words, at most the longest, zeroed unless planes are
// lent dirty.
func (l *Ledger) Plane(words int) ([]uint64, error) {
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
	if !l.Dirty {
		zero(r.words[:min(words, r.touched)])
	}
	r.touched = max(r.touched, words)
	l.lent[&r.words[0]] = r
	return r.words[:words], nil
}

// take returns the spare plane that fits best: the shortest of those that have
// enough memory, else the longest, else a new one.
func (l *Ledger) take(words int) (*reserved, error) {
	if len(l.spare) == 0 {
		array, err := memory.NewArray[uint64](l.longest)
		return &reserved{words: array}, err
	}
	best := 0
	for i, r := range l.spare {
		b := l.spare[best]
		switch enough := r.touched >= words; {
		case enough != (b.touched >= words):
			if enough {
				best = i
			}
		case enough == (r.touched < b.touched):
			best = i
		}
	}
	r := l.spare[best]
	l.spare = slices.Delete(l.spare, best, best+1)
	return r, nil
}

// zero clears an array, a long one by several threads.
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

// Free takes a plane back. It must not be used again.
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

// DropSpare gives the memory of planes back that are kept for the next class, so that there
// is room for other ones.
func (l *Ledger) DropSpare() {
	l.lock.Lock()
	defer l.lock.Unlock()
	for _, r := range l.spare {
		l.Release(int64(r.touched) * 8)
		memory.FreeArray(r.words)
	}
	l.spare = nil
}

// Close gives all memory back.
func (l *Ledger) Close() {
	for _, r := range l.spare {
		memory.FreeArray(r.words)
	}
	for _, r := range l.lent {
		memory.FreeArray(r.words)
	}
	l.spare, l.lent = nil, nil
}

// Reserve books memory that is allocated elsewhere.
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

// Release gives booked memory back.
func (l *Ledger) Release(bytes int64) { l.used.Add(-bytes) }

// Room reports whether so many bytes more keep the limit.
func (l *Ledger) Room(bytes int64) bool { return l.limit == 0 || l.used.Load()+bytes <= l.limit }

// Top returns the most bytes that were ever booked.
func (l *Ledger) Top() int64 { return l.top.Load() }
