package retro

import (
	"fmt"
	"sync/atomic"

	"github.com/dustin/go-humanize"

	"backsolve/bitboard"
)

// ledger keeps the memory limit: every array whose size grows with the board is
// reserved through it.
type ledger struct {
	limit     int64 // bytes; 0: none
	used, top atomic.Int64
}

// MemoryError says that a solve does not fit its memory limit.
type MemoryError struct {
	Limit, Need int64 // bytes
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("the memory limit of %s is too small: at least %s are needed; raise --memory",
		humanize.IBytes(uint64(e.Limit)), humanize.IBytes(uint64(e.Need)))
}

// plane reserves a zeroed plane of so many words.
func (l *ledger) plane(words int) ([]uint64, error) {
	if err := l.reserve(int64(words) * 8); err != nil {
		return nil, err
	}
	return bitboard.NewArray[uint64](words)
}

func (l *ledger) free(plane []uint64) {
	l.release(int64(len(plane)) * 8)
	bitboard.FreeArray(plane)
}

// reserve books memory that is allocated elsewhere.
func (l *ledger) reserve(bytes int64) error {
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

func (l *ledger) release(bytes int64) { l.used.Add(-bytes) }
