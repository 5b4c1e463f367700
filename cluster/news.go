package cluster

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
)

// The names by which those speak who solve a class with moves inside together.
const (
	newsStream   = "backsolve-news"
	newsSubjects = "backsolve.news"
	rollSubject  = "backsolve.roll." // with the solve's identifier: its record has changed
	hereSubject  = "backsolve.here." // likewise: a worker is there, or cannot go on
	handSubject  = "backsolve.hand." // likewise: a piece of the class is in the store
)

// mostInline is how many bytes of news are sent in a message, of which NATS takes a MiB. What
// is longer goes through the store.
const mostInline = 128 << 10

// StandardShareFrom is how many states a phase looks at that is worth sharing out: some
// milliseconds of work, beside an exchange that takes as long.
const StandardShareFrom = 1 << 18

// newsSubject is the subject of what one of the members has to say of a phase.
func (s *Solve) newsSubject(phase, member int) string {
	return fmt.Sprintf("%s.%s.%d.%d.%d", newsSubjects, s.ID, s.Attempt, phase, member)
}

// newsObject is the name of the same in the store.
func (s *Solve) newsObject(phase, member int) string {
	return fmt.Sprintf("%snews-%d-%d-%d", s.classPrefix(s.Class), s.Attempt, phase, member)
}

// ofSubject returns the phase and the member that a subject is of.
func ofSubject(subject string) (at [2]int, ok bool) {
	words := strings.Split(subject, ".")
	if len(words) < 2 {
		return at, false
	}
	for i, word := range words[len(words)-2:] {
		n, err := strconv.Atoi(word)
		if err != nil {
			return at, false
		}
		at[i] = n
	}
	return at, true
}

// pieceObject is the name of a piece of a class, for those who have not solved it.
func (s *Solve) pieceObject(class, piece int) string {
	return fmt.Sprintf("%spiece-%06d", s.classPrefix(class), piece)
}

// handedObject is the name of a piece of the class in work, for the coordinator.
func (s *Solve) handedObject(piece int) string {
	return fmt.Sprintf("%shanded-%d-%06d", s.classPrefix(s.Class), s.Attempt, piece)
}

// errNews is the cause where what others have to say of a class cannot be used, so that it
// has to begin again.
var errNews = errors.New("it is not what the others were to be told")

// newsHead stands before news: 4 bytes with its length, little-endian, and it as JSON.
type newsHead struct {
	// What names the phase. It is the same for all.
	What  string `json:"what"`
	Bytes int64  `json:"bytes"`
	// Sum is the CRC-32C of the news.
	Sum uint32 `json:"sum"`
	// Stored says that they are in the store, and do not follow.
	Stored bool `json:"stored,omitempty"`
}

// appendNews appends a message with news, or of news that are stored.
func appendNews(to []byte, h newsHead, news []byte) []byte {
	head := encoded(h)
	to = binary.LittleEndian.AppendUint32(to, uint32(len(head)))
	return append(append(to, head...), news...)
}

// readNews reads a message. The news are empty where they are stored. The error wraps
// errNews.
func readNews(b []byte) (h newsHead, news []byte, err error) {
	if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
		return h, nil, fmt.Errorf("%w: a message has %d bytes", errNews, len(b))
	}
	head := b[4:][:binary.LittleEndian.Uint32(b)]
	if err := json.Unmarshal(head, &h); err != nil {
		return h, nil, fmt.Errorf("%w: %w", errNews, err)
	}
	news = b[4+len(head):]
	if h.Stored {
		return h, nil, nil
	}
	return h, news, h.check(news)
}

// sumOf returns the CRC-32C of bytes.
func sumOf(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// check says why bytes are not the news of a head.
func (h newsHead) check(news []byte) error {
	if int64(len(news)) != h.Bytes || sumOf(news) != h.Sum {
		return fmt.Errorf("%w: %d bytes have another checksum, or are not %d", errNews, len(news), h.Bytes)
	}
	return nil
}

// getAll reads an object. The error wraps errNews where it is not there or damaged.
func getAll(ctx context.Context, o Options, name string) ([]byte, error) {
	object, err := o.Store.Get(ctx, name)
	if err != nil {
		return nil, lost(err)
	}
	defer object.Close()
	b, err := io.ReadAll(object)
	return b, lost(err)
}

// lost has an error wrap errNews that says that an object is not what was put.
func lost(err error) error {
	if useless(err) {
		return &final{fmt.Errorf("%w: %w", errNews, err)}
	}
	return err
}

// sumBytes is how long a checksum is.
const sumBytes = 4

// sealed returns a piece with its checksum behind it, and unsealed the piece.
func sealed(piece []byte) []byte {
	return binary.LittleEndian.AppendUint32(piece, sumOf(piece))
}

func unsealed(b []byte) ([]byte, error) {
	if len(b) < 4 {
		return nil, fmt.Errorf("%w: a piece of a class has %d bytes", errNews, len(b))
	}
	piece, sum := b[:len(b)-4], b[len(b)-4:]
	if binary.LittleEndian.Uint32(sum) != sumOf(piece) {
		return nil, fmt.Errorf("%w: the checksum of a piece of a class is another one", errNews)
	}
	return piece, nil
}
