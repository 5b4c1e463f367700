package remote

import "errors"

// What can be wrong besides what the reader finds, for errors.Is. Every error of this package
// is a *tablebase.Error around one of these or around the network's own cause.
var (
	// ErrNoRanges: the server sends whole files only.
	ErrNoRanges = errors.New("the server does not answer range requests")
	// ErrChanged: the file on the server is not the one that was opened.
	ErrChanged = errors.New("the table on the server has changed since it was opened")
	// ErrAnswer: the server violates HTTP.
	ErrAnswer = errors.New("the server does not answer rightly")
	// ErrSum: a fetched file is not the published one.
	ErrSum = errors.New("the file has another SHA-256 than published")
)

var errAddress = errors.New("it is not the address of a file on a web server")

const (
	openAgain  = "open it again"
	askAgain   = "see to the connection and the server, and try again"
	seeAddress = "see to the address"
	putAgain   = "put the table there again"
)

type transientError struct {
	cause error
	after int64 // the seconds that the server asks to wait for
}

func (p *transientError) Error() string { return p.cause.Error() }
func (p *transientError) Unwrap() error { return p.cause }
