package cluster

import (
	"fmt"
	"time"

	"github.com/dustin/go-humanize"

	"backsolve/retro"
)

// Account is what a worker has done while solves were in work, and for how long, in seconds.
// Writing goes on beside all of it.
type Account struct {
	// Tasks is how many tasks it has done.
	Tasks int `json:"tasks"`
	// Settling is the time in which it settled blocks, Reading that in which it read what they
	// need, and Waiting that in which it waited for tasks.
	Settling float64 `json:"seconds_settling"`
	Reading  float64 `json:"seconds_reading"`
	Waiting  float64 `json:"seconds_waiting"`
	// Read and Written are the bytes of parts, as they are without the store's checksums.
	Read    int64 `json:"bytes_read"`
	Written int64 `json:"bytes_written"`
}

// since returns what has been added to an earlier account.
func (a Account) since(b Account) Account {
	return Account{a.Tasks - b.Tasks, a.Settling - b.Settling, a.Reading - b.Reading, a.Waiting - b.Waiting, a.Read - b.Read, a.Written - b.Written}
}

// Busy returns the share of its time in which a worker settled blocks, 0 where it has not begun.
func (a Account) Busy() float64 {
	if all := a.Settling + a.Reading + a.Waiting; all > 0 {
		return a.Settling / all
	}
	return 0
}

// text tells an account to people.
func (a Account) text() string {
	return fmt.Sprintf("%d tasks, %.1f s settling, %.1f s reading, %.1f s waiting, %s read, %s written",
		a.Tasks, a.Settling, a.Reading, a.Waiting, humanize.IBytes(uint64(a.Read)), humanize.IBytes(uint64(a.Written)))
}

// spend adds the time since a moment to one of the times of the account.
func (w *worker) spend(began time.Time, on func(a *Account) *float64) {
	took := time.Since(began).Seconds()
	w.set(func(s *WorkerStatus) { *on(&s.Account) += took })
}

func settling(a *Account) *float64 { return &a.Settling }
func reading(a *Account) *float64  { return &a.Reading }
func waiting(a *Account) *float64  { return &a.Waiting }

// account returns the account of now.
func (w *worker) account() Account {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.status.Account
}

// planeBytes returns the bytes of the planes of a part.
func planeBytes(p *retro.SolvedBlocks) int64 { return 8 * int64(len(p.Win)) * int64(1+len(p.Digits)) }
