package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// shift is one of those who take part in an attempt at a class with moves inside: a worker, or
// the coordinator, which is told alone when a worker has put his share of the class into the store. News go through a stream, from which
// whoever missed a message can have it again.
type shift struct {
	o      Options
	conn   *conn
	stream jetstream.Stream
	sub    *nats.Subscription
	solve  Solve // as its record was when the class began
	place  int   // among the members, −1 for the coordinator
	phase  int   // of those that are shared out, from 1 on
	heard  chan *nats.Msg
	held   map[[2]int][]byte // by phase and member: what came before it was asked for
	outage outage
	// account is how long the others were waited for, and what was told and heard.
	account Account

	// told is called when a phase is done here, and before the others are told of it.
	told func(phase int)
	// notes, unless it is nil, has what else there is to hear while the others are waited
	// for, and hear is given it; look is called now and then. Their errors end the shift.
	notes chan *nats.Msg
	hear  func(m *nats.Msg) error
	look  func(ctx context.Context) error
	// pieces, unless it is nil, has what is told of pieces of the class, and piece is given it.
	pieces chan *nats.Msg
	piece  func(m *nats.Msg)
}

// everything is what a worker listens to of an attempt, and handing what the coordinator does.
const (
	everything = ">"
	handing    = "0.*"
)

// newShift begins to listen to those who take part in an attempt, which is that of the
// solve's record.
func newShift(ctx context.Context, o Options, conn *conn, solve Solve, what string) (*shift, error) {
	s := &shift{
		o: o, conn: conn, solve: solve, place: -1, heard: make(chan *nats.Msg, 256), held: map[[2]int][]byte{},
		told: func(int) {}, look: func(context.Context) error { return nil },
	}
	s.outage.what = "the cluster"
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var err error
	if s.stream, err = conn.js.Stream(ctx, newsStream); err != nil {
		return nil, err
	}
	s.sub, err = conn.nc.ChanSubscribe(fmt.Sprintf("%s.%s.%d.%s", newsSubjects, solve.ID, solve.Attempt, what), s.heard)
	if err != nil {
		return nil, err
	}
	if err := conn.nc.FlushWithContext(ctx); err != nil {
		s.end()
		return nil, err
	}
	return s, nil
}

// end ends the listening. A nil shift is over.
func (s *shift) end() {
	if s != nil {
		s.sub.Unsubscribe() // of a connection that is gone it is, too
	}
}

// Others reports whether there is another member.
func (s *shift) Others() bool { return len(s.solve.Members) > 1 }

// begin takes the place of a worker, or where it is none of the members that of the
// coordinator.
func (s *shift) begin(members []string, worker string) {
	s.solve.Members = members
	s.place = slices.Index(members, worker)
}

// Worth reports whether a phase is shared out.
func (s *shift) Worth(states int64) bool { return states >= s.solve.ShareFrom }

// Share returns the units of a member; the coordinator has none.
func (s *shift) Share(units int) (first, end int) {
	if s.place < 0 {
		return 0, 0
	}
	all := len(s.solve.Members)
	return s.place * units / all, (s.place + 1) * units / all
}

// Exchange tells the others of a phase, and takes what they tell. The error wraps errNews
// where something of it cannot be used.
func (s *shift) Exchange(ctx context.Context, what string, news []byte, take func(news []byte) error) error {
	s.phase++
	s.told(s.phase)
	if !s.Others() {
		return context.Cause(ctx)
	}
	if err := s.send(ctx, what, news); err != nil {
		return err
	}
	return s.await(ctx, func(member int, message []byte) error {
		return s.open(ctx, what, [2]int{s.phase, member}, message, take)
	})
}

// await opens what the other members have to say of the phase as it comes.
func (s *shift) await(ctx context.Context, open func(member int, message []byte) error) error {
	missing := map[int]bool{}
	for member := range s.solve.Members {
		if member != s.place {
			missing[member] = true
		}
	}
	ticker := time.NewTicker(s.o.Sweep)
	defer ticker.Stop()
	for {
		for member := range missing {
			at := [2]int{s.phase, member}
			message, there := s.held[at]
			if !there {
				continue
			}
			if err := open(member, message); err != nil {
				return err
			}
			delete(s.held, at)
			delete(missing, member)
		}
		if len(missing) == 0 {
			return nil
		}
		began := time.Now()
		err := s.listen(ctx, ticker.C, missing)
		s.account.Waiting += time.Since(began).Seconds()
		if err != nil {
			return err
		}
	}
}

// listen waits for a message.
func (s *shift) listen(ctx context.Context, tick <-chan time.Time, missing map[int]bool) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case m := <-s.heard:
		s.keep(m.Subject, m.Data)
	case m := <-s.notes:
		return s.hear(m)
	case m := <-s.pieces:
		s.piece(m)
	case <-tick:
		if err := s.outage.note(s.fetch(ctx, missing), s.o); err != nil {
			return err
		}
		return s.look(ctx)
	}
	return nil
}

// keep keeps a message until it is asked for.
func (s *shift) keep(subject string, data []byte) {
	if at, ok := ofSubject(subject); ok && at[0] >= s.phase {
		s.held[at] = data
	}
}

// fetch looks for messages that have been sent, and were not heard.
func (s *shift) fetch(ctx context.Context, missing map[int]bool) error {
	for member := range missing {
		subject := s.solve.newsSubject(s.phase, member)
		call, cancel := context.WithTimeout(ctx, callTimeout)
		m, err := s.stream.GetLastMsgForSubject(call, subject)
		cancel()
		switch {
		case err == nil:
			s.keep(subject, m.Data)
		case ctx.Err() != nil:
			return nil // who waits says so
		case errors.Is(err, jetstream.ErrStreamNotFound):
			return &final{fmt.Errorf("NATS has come back without its files, and with them the news of class %d are gone; run the same command again", s.solve.Class)}
		case !errors.Is(err, jetstream.ErrMsgNotFound):
			return err
		}
	}
	return nil
}

// send tells the others of a phase.
func (s *shift) send(ctx context.Context, what string, news []byte) error {
	s.account.Written += int64(len(news))
	h := newsHead{What: what, Bytes: int64(len(news)), Sum: sumOf(news), Stored: len(news) > s.o.inline}
	if h.Stored {
		name := s.solve.newsObject(s.phase, s.place)
		err := patiently(ctx, s.o, "the store", func(ctx context.Context) error {
			return s.o.Store.Put(ctx, name, bytes.NewReader(news), h.Bytes)
		})
		if err != nil {
			return err
		}
		if s.conn.isOver(ctx, &s.solve) {
			// The worker slept, and nobody will clear up after it.
			s.o.Store.Delete(ctx, name)
		}
		news = nil
	}
	return s.publish(ctx, s.phase, h, news)
}

// publish says something of a phase to the others.
func (s *shift) publish(ctx context.Context, phase int, h newsHead, news []byte) error {
	message := appendNews(nil, h, news)
	return patiently(ctx, s.o, "the cluster", func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, callTimeout)
		defer cancel()
		_, err := s.conn.js.Publish(ctx, s.solve.newsSubject(phase, s.place), message)
		return err
	})
}

// open takes the news of a message.
func (s *shift) open(ctx context.Context, what string, at [2]int, message []byte, take func(news []byte) error) error {
	h, news, err := readNews(message)
	if err != nil {
		return err
	}
	s.account.Read += h.Bytes
	if h.What != what {
		return fmt.Errorf("%w: in phase %d of class %d one says %q and another one %q; this is a mistake in the program, please report it", errNews, at[0], s.solve.Class, what, h.What)
	}
	if h.Stored {
		err := patiently(ctx, s.o, "the store", func(ctx context.Context) (err error) {
			news, err = getAll(ctx, s.o, s.solve.newsObject(at[0], at[1]))
			return err
		})
		if err == nil {
			err = h.check(news)
		}
		if err != nil {
			return err
		}
	}
	if err := take(news); err != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: %w", errNews, err)
	}
	return context.Cause(ctx)
}
