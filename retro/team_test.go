package retro

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"backsolve/partition"
)

// squad is a crew of some peers and the solve itself, which does no share, or of the peers
// and a solve that does. All of them are goroutines of this test.
type squad struct {
	t     *testing.T
	peers []*Peer
	worth int64
	works bool // the solve has a share, too
	hands bool // the solve is handed each class when the peers have solved it
	// falls, unless it is 0, is how many exchanges of the solve go well until one of the
	// peers is gone, and the class begins again.
	falls   int
	ended   sync.WaitGroup
	cancel  context.CancelFunc
	forgets *rand.Rand // peers lose what they hold, now and then
	begun   int
	passed  int // classes of many pieces that have gone past
}

func (s *squad) Settle(context.Context, *Blocks) error {
	return errors.New("there are no moves inside")
}

// Assemble begins a class with the peers.
func (s *squad) Assemble(ctx context.Context, c *Cyclic) (Team, error) {
	s.wait()
	s.begun++
	ctx, s.cancel = context.WithCancel(ctx)
	parts := len(s.peers)
	if s.works {
		parts++
	}
	b := &board{size: parts, worth: s.worth, changed: make(chan bool)}
	for i, p := range s.peers {
		if s.forgets != nil && s.forgets.IntN(3) == 0 {
			p.forget()
		}
		if err := provide(c, p); err != nil {
			return nil, err
		}
		s.ended.Go(func() {
			if err := p.Solve(ctx, c.Class(), &seat{board: b, part: i}); err != nil && ctx.Err() == nil {
				s.t.Errorf("class %d: %v", c.Class(), err)
			}
		})
	}
	own := &seat{board: b, part: -1, falls: &s.falls}
	if s.works {
		own.part = len(s.peers)
	}
	if s.hands {
		return &elsewhere{own, s}, nil
	}
	return own, nil
}

// elsewhere is the team of a solve that is handed the classes. Two of the peers give away the
// pieces, some at once.
type elsewhere struct {
	*seat
	squad *squad
}

func (e *elsewhere) Collect(_ context.Context, c *Collection) error {
	e.squad.ended.Wait()
	if c.in.passing != nil && c.Pieces() > 1 {
		e.squad.passed++
	}
	var taking sync.WaitGroup
	errs := make([]error, c.Pieces())
	for i := range c.Pieces() {
		taking.Go(func() {
			p := e.squad.peers[i%len(e.squad.peers)]
			if p.Holds() != c.Class() || p.Pieces() != c.Pieces() {
				errs[i] = fmt.Errorf("a peer holds class %d in %d pieces", p.Holds(), p.Pieces())
				return
			}
			piece, err := p.Piece(i, new([]byte))
			if err == nil {
				err = c.Take(i, bytes.Join(piece, nil))
			}
			errs[i] = err
		})
	}
	taking.Wait()
	return errors.Join(errs...)
}

// wait waits until the peers have ended the class in work.
func (s *squad) wait() {
	if s.falls < 0 {
		s.cancel()
		s.falls = 0
	}
	s.ended.Wait()
	if s.cancel != nil {
		s.cancel()
	}
}

// provide hands a peer the class above in, unless it has it.
func provide(c *Cyclic, p *Peer) error {
	if !p.Lacks(c.Class()) {
		return nil
	}
	pieces, err := p.Prepare(c.Class())
	if err == nil && pieces != c.Pieces() {
		err = fmt.Errorf("%d pieces are wanted and %d are there", pieces, c.Pieces())
	}
	for i := 0; err == nil && i < pieces; i++ {
		var piece []byte
		if piece, err = c.Piece(i); err == nil {
			err = p.Take(i, piece)
		}
	}
	if err == nil && p.Lacks(c.Class()) {
		err = errors.New("all pieces are there, and the class is not")
	}
	return err
}

// board is where the news of a class hang.
type board struct {
	size    int
	worth   int64
	lock    sync.Mutex
	changed chan bool // closed when there is something new
	phases  []map[int]note
}

type note struct {
	what string
	news []byte
}

// hang hangs news on the board.
func (b *board) hang(phase, part int, n note) {
	b.lock.Lock()
	defer b.lock.Unlock()
	for len(b.phases) <= phase {
		b.phases = append(b.phases, map[int]note{})
	}
	b.phases[phase][part] = n
	close(b.changed)
	b.changed = make(chan bool)
}

// all returns the news of a phase when all are there.
func (b *board) all(ctx context.Context, phase int) (map[int]note, error) {
	for {
		b.lock.Lock()
		changed := b.changed
		if len(b.phases) > phase && len(b.phases[phase]) == b.size {
			defer b.lock.Unlock()
			return b.phases[phase], nil
		}
		b.lock.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// seat is who sits before a board.
type seat struct {
	*board
	part, phase int
	falls       *int
}

func (s *seat) Worth(states int64) bool { return states >= s.worth }

func (s *seat) Others() bool { return true } // the solve is one, though it may have no share

func (s *seat) Share(units int) (first, end int) {
	if s.part < 0 {
		return 0, 0
	}
	return s.part * units / s.size, (s.part + 1) * units / s.size
}

func (s *seat) Exchange(ctx context.Context, what string, news []byte, take func([]byte) error) error {
	if s.falls != nil && *s.falls > 0 {
		if *s.falls--; *s.falls == 0 {
			*s.falls = -1
			return fmt.Errorf("%w: a peer is gone", ErrAgain)
		}
	}
	if s.part >= 0 {
		s.hang(s.phase, s.part, note{what, bytes.Clone(news)})
	} else if len(news) > 0 {
		return errors.New("who has no share has news")
	}
	all, err := s.all(ctx, s.phase)
	if err != nil {
		return err
	}
	for part, n := range all {
		switch {
		case part == s.part:
		case n.what != what:
			return fmt.Errorf("one says %q, another one %q", what, n.what)
		default:
			if err := take(n.news); err != nil {
				return err
			}
		}
	}
	s.phase++
	return nil
}

// newSquad has peers ready.
func newSquad(t *testing.T, space partition.Space, o Options, peers int) *squad {
	s := &squad{t: t}
	for i := range peers {
		o.Threads = 1 + i%2
		p, err := NewPeer(t.Context(), space, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		s.peers = append(s.peers, p)
	}
	return s
}

// solveBy solves a board by a squad and compares the table.
func solveBy(t *testing.T, space partition.Space, o Options, s *squad, want []byte) {
	t.Helper()
	o.Crew = s
	path, _ := solve(t, space, o)
	s.wait()
	if !bytes.Equal(contents(t, path), want) {
		t.Errorf("%s %d, %+v: %d peers made another table", space.Game, space.Size, o, len(s.peers))
	}
}

// A table has the same bytes however many solve its classes together, whichever phases they
// share out, and wherever blocks are cut.
func TestTeamsSolveWhatOneDoes(t *testing.T) {
	for name, sizes := range map[string][]int{"quixo": {2, 3, 4}, "tictactoe": {3}} {
		for _, n := range sizes {
			for _, steps := range []bool{false, true} {
				_, space := newSpace(t, name, n)
				o := Options{Steps: steps}
				path, _ := solve(t, space, o)
				want := contents(t, path)
				for _, how := range []struct {
					peers          int
					worth          int64
					parts, section int
					works, hands   bool
				}{
					{1, 1, 0, 0, false, false}, {2, 1, 6, 6, false, false}, {3, 200, 6, 7, true, false}, {5, 1, 7, 0, false, false},
					{2, 1 << 40, 0, 0, false, false}, {1, 1, 0, 6, false, true}, {3, 1, 6, 6, false, true}, {3, 1, 0, 13, false, true},
				} {
					if n == 4 {
						if how.peers != 3 || raceEnabled {
							continue // they take long
						}
						how.worth = 5000
					}
					cut := o
					cut.partBits, cut.sectionBits = how.parts, how.section
					s := newSquad(t, space, cut, how.peers)
					s.worth, s.works, s.hands = how.worth, how.works, how.hands
					s.forgets = rand.New(rand.NewPCG(uint64(n), uint64(how.peers)))
					solveBy(t, space, cut, s, want)
					if n == 4 && how.section == 13 && s.passed == 0 == !steps {
						t.Errorf("steps %v: %d classes of many pieces have gone past", steps, s.passed)
					}
				}
			}
		}
	}
}

// Whatever way labels travel, a team finds the same.
func TestTeamsPropagate(t *testing.T) {
	_, space := newSpace(t, "quixo", 3)
	for _, steps := range []bool{false, true} {
		path, _ := solve(t, space, Options{Steps: steps})
		want := contents(t, path)
		for _, way := range []propagation{alwaysPull, alwaysPush} {
			o := Options{Steps: steps, propagation: way}
			s := newSquad(t, space, o, 3)
			s.worth = 1
			solveBy(t, space, o, s, want)
		}
	}
}

// A team finds the same where the logs of classes lie in files, and leaves none of them.
func TestTeamsWithLogsInFiles(t *testing.T) {
	_, space := newSpace(t, "quixo", 3)
	path, _ := solve(t, space, Options{Steps: true})
	dir := t.TempDir()
	o := Options{Steps: true, LogPath: filepath.Join(dir, "logs"), heldWords: 1, partBits: 6, sectionBits: 6}
	s := newSquad(t, space, o, 2)
	s.worth, s.forgets = 100, rand.New(rand.NewPCG(1, 2))
	solveBy(t, space, o, s, contents(t, path))
	for _, p := range s.peers {
		p.forget()
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
	}
}

// A class that loses one of its team, in whichever phase, begins again and ends the same.
func TestClassBeginsAgain(t *testing.T) {
	_, space := newSpace(t, "quixo", 3)
	for _, steps := range []bool{false, true} {
		path, _ := solve(t, space, Options{Steps: steps})
		want := contents(t, path)
		for falls := 1; falls < 200; falls += 13 {
			s := newSquad(t, space, Options{Steps: steps}, 2)
			s.worth, s.falls = 1, falls
			solveBy(t, space, Options{Steps: steps}, s, want)
			if again := s.begun > space.MaskBits+1; !again && falls < 20 {
				t.Errorf("steps %v: nothing began again after %d exchanges", steps, falls)
			}
		}
	}
}

// What is no piece of the class above, or comes twice, is refused, and so is a class whose
// piece is missing.
func TestPiecesAreChecked(t *testing.T) {
	_, space := newSpace(t, "quixo", 2)
	whole, err := NewPeer(t.Context(), space, Options{Steps: true})
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	if err := whole.Solve(t.Context(), 4, alone{}); err != nil {
		t.Fatal(err)
	}
	c := &Cyclic{whole.cut.Class(3), whole.above, whole.o, whole.recall}
	piece, err := c.Piece(0)
	if err != nil || c.Pieces() != 1 || c.Class() != 3 || c.States() == 0 {
		t.Fatalf("%d pieces, %v", c.Pieces(), err)
	}
	p := newSquad(t, space, Options{Steps: true}, 1).peers[0]
	if err := p.Solve(t.Context(), 3, alone{}); err == nil || !strings.Contains(err.Error(), "without the class above") {
		t.Errorf("without the class above: %v", err)
	}
	if _, err := p.Prepare(4); err == nil {
		t.Error("a class above the fullest is handed in")
	}
	for at := range piece {
		for _, harm := range []func(b []byte) []byte{
			func(b []byte) []byte { return b[:at] },
			func(b []byte) []byte { b[at] ^= 0x80; return b },
		} {
			if _, err := p.Prepare(3); err != nil {
				t.Fatal(err)
			}
			p.Take(0, harm(slices.Clone(piece))) // must not panic; checksums are for others to find it
		}
	}
	if _, err := p.Prepare(3); err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{-1, 1} {
		if err := p.Take(i, piece); err == nil {
			t.Errorf("piece %d is taken", i)
		}
	}
	if err := p.Take(0, piece); err != nil {
		t.Fatal(err)
	}
	if err := p.Take(0, piece); err == nil {
		t.Error("a piece is taken twice")
	}
	if err := p.Solve(t.Context(), 3, alone{}); err != nil || p.Holds() != 3 {
		t.Errorf("with the class above: %v, and it holds %d", err, p.Holds())
	}
}

// News that cannot be are refused.
func TestNewsAreChecked(t *testing.T) {
	s := sections{words: 1000, size: 256}
	for what, news := range map[string][]byte{
		"short":                {1, 2, 3},
		"longer than they are": {0, 0, 0, 0, 9, 0, 0, 0, 1},
		"beyond the end":       {4, 0, 0, 0, 0, 0, 0, 0},
		"twice":                {1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0},
	} {
		if _, err := s.split(news); err == nil {
			t.Errorf("news that are %s are taken", what)
		}
	}
	if chunks, err := s.split([]byte{3, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0}); err != nil || len(chunks) != 2 || chunks[0].section != 3 || len(chunks[0].packed) != 1 {
		t.Errorf("%v, %v", chunks, err)
	}
}

// A peer keeps its memory limit: with what it is reckoned to need it solves, and with less
// it does not begin.
func TestPeerKeepsItsLimit(t *testing.T) {
	_, space := newSpace(t, "quixo", 3)
	for _, steps := range []bool{false, true} {
		o := Options{Steps: steps, Threads: 2}
		path, _ := solve(t, space, o)
		want := contents(t, path)
		limited := o
		limited.Memory = PeerNeed(space, o)
		p, err := NewPeer(t.Context(), space, limited)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		solveBy(t, space, limited, &squad{t: t, peers: []*Peer{p}, worth: 1}, want)
		limited.Memory--
		var small *MemoryError
		if _, err := NewPeer(t.Context(), space, limited); !errors.As(err, &small) || small.Need != limited.Memory+1 {
			t.Errorf("steps %v, a byte less: %v", steps, err)
		}
	}
}
