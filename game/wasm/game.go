// Package wasm makes games of modules of WebAssembly, into which most languages compile. Rules are
// data: a module can import nothing, has at most 4 MiB of memory, and a call that does not end, a trap
// or a wrong answer is a *custom.Fault. docs/reference/rules.md has what a module exports.
package wasm

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"backsolve/game"
	"backsolve/game/custom"
)

// version is the version of the interface that a module exports.
const version = 1

// state is a position. Its number for the solver is the key, its own number or an image's, which
// is itself a position's.
type state struct {
	position, key uint64
	tier          int32
}

func (s state) arguments(more ...uint64) []uint64 {
	return append([]uint64{s.position, uint64(s.tier)}, more...)
}

type rules struct {
	about
	board  string // JSON from the module, or null
	source []byte
	module *module
}

type about struct {
	Version       int    `json:"abi"`
	Game          string `json:"name"`
	Title         string `json:"title"`
	Rules         string `json:"rules"`
	TierCount     int    `json:"tiers"`
	Looping       []int  `json:"loops"` // nil for all tiers
	XMoves        bool   `json:"relative"`
	*custom.Board        // nil without one
}

// New returns the game of a module. The error is a *custom.Fault.
func New(source []byte) (l custom.Listed, err error) {
	m, err := compile(source)
	if err != nil {
		return nil, noRules(err)
	}
	defer func() {
		if err != nil {
			m.close()
		}
	}()
	r := &rules{source: slices.Clone(source), module: m, about: about{TierCount: 1}}
	if err := r.read(); err != nil {
		return nil, noRules(err)
	}
	defer custom.Catch(&err) // of the start, whose text is read
	if m.has[fnTurn] {
		return custom.List(turning{r}), nil
	}
	return custom.List(r), nil
}

func noRules(err error) error {
	return &custom.Fault{What: "this is not a file of rules: " + err.Error()}
}

func (r *rules) read() error {
	var text []byte
	err := r.module.ask(fnGame, "", nil, func(i *instance, at int32) error {
		size := i.memory.Size()
		b, _ := i.memory.Read(uint32(at), min(maxAbout, size-min(size, uint32(at))))
		end := bytes.IndexByte(b, 0)
		if end < 0 {
			return fmt.Errorf("game returns %d, but no text of at most %d bytes with a zero at its end is there", uint32(at), maxAbout)
		}
		text = bytes.Clone(b[:end])
		return nil
	})
	if err != nil {
		return err
	}
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	if err := in.Decode(&r.about); err != nil {
		return fmt.Errorf("what game returns cannot be understood: %w", err)
	}
	if r.board = "null"; r.about.Board != nil {
		r.board = string(text)
	}
	if r.Version != version {
		return fmt.Errorf("its abi is %d, and this program reads %d", r.Version, version)
	}
	if r.TierCount < 1 || r.TierCount > custom.MaxTiers {
		return fmt.Errorf("it has %d tiers; there can be 1 to %d", r.TierCount, custom.MaxTiers)
	}
	for _, t := range r.Looping {
		if t < 0 || t >= r.TierCount {
			return fmt.Errorf("loops names tier %d of %d", t, r.TierCount)
		}
	}
	if _, err := printable(fnGame, fmt.Append(nil, r.Title, r.Rules, r.about.Board)); err != nil {
		return err
	}
	if r.Title == "" {
		r.Title = r.Game
	}
	return custom.Check(r, 0, 1)
}

// Fingerprint returns the beginning of the SHA-256 of the file.
func (r *rules) Fingerprint() uint64 {
	hash := sha256.Sum256(r.source)
	return binary.LittleEndian.Uint64(hash[:]) | 1 // never 0
}

func (r *rules) Source() []byte                  { return r.source }
func (r *rules) Name() string                    { return r.Game }
func (r *rules) Describe() (title, rules string) { return r.Title, r.Rules }
func (r *rules) Board() string                   { return r.board }
func (r *rules) Relative() bool                  { return r.XMoves }
func (r *rules) Tiers() int                      { return r.TierCount }
func (r *rules) Loops(tier int) bool             { return r.Looping == nil || slices.Contains(r.Looping, tier) }
func (r *rules) Tier(s state) int                { return int(s.tier) }
func (r *rules) Key(s state) uint64              { return s.key }

// must panics with a *custom.Fault at a position, unless the error is nil.
func (r *rules) must(s state, err error) {
	if err != nil {
		panic(r.fault(s, err))
	}
}

// fault is an error of the rules at a position, named by its text if it has one.
func (r *rules) fault(s state, err error) error {
	name, failed := r.text(fnFormat, s.arguments())
	if failed != nil {
		name = custom.Child{Key: s.position, Tier: int(s.tier)}.String()
	}
	return fault(name, err)
}

func fault(position string, err error) error {
	return &custom.Fault{Position: position, What: "the rules are wrong: " + err.Error()}
}

func (r *rules) text(f function, arguments []uint64) (text string, err error) {
	err = r.module.ask(f, "", arguments, func(i *instance, n int32) (err error) {
		text, err = i.text(f, n)
		return err
	})
	return text, err
}

func (r *rules) positions(dst []state, f function, text string, arguments ...uint64) ([]state, error) {
	err := r.module.ask(f, text, arguments, func(i *instance, n int32) (err error) {
		dst, err = i.records(dst, f, n, r.TierCount)
		return err
	})
	return dst, err
}

func (r *rules) Start() state {
	found, err := r.positions(nil, fnStart, "")
	if err != nil {
		panic(fault("", err))
	}
	return found[0]
}

// expanded appends the positions that expand has written, or returns how the game ended.
func (i *instance) expanded(dst []state, n int32, tiers int) (after []state, outcome game.Outcome, over bool, err error) {
	switch {
	case n > 0:
		after, err = i.records(dst, fnExpand, n, tiers)
		return after, 0, false, err
	case n < -2:
		return dst, 0, false, fmt.Errorf("expand returns %d, which is neither a number of moves nor 0, -1 or -2", n)
	}
	return dst, [...]game.Outcome{game.Draw, game.Lose, game.Win}[-n], true, nil
}

// NewExpander returns an Expander that finds moves in one call.
func (r *rules) NewExpander() custom.Expander { return &expander{rules: r} }

type expander struct {
	rules    *rules
	instance *instance // nil before the first call
	after    []state
}

func (e *expander) Expand(dst []custom.Child, from custom.Child) (children []custom.Child, outcome game.Outcome, over bool, err error) {
	s := state{from.Key, from.Key, int32(from.Tier)}
	if e.instance == nil || e.instance.broken {
		if e.instance, err = e.rules.module.take(); err != nil {
			return dst, 0, false, e.rules.fault(s, err)
		}
		runtime.AddCleanup(e, e.rules.module.put, e.instance)
	}
	n, err := e.instance.call(fnExpand, s.position, uint64(s.tier))
	if err == nil {
		e.after, outcome, over, err = e.instance.expanded(e.after[:0], n, e.rules.TierCount)
	}
	if err != nil {
		e.instance.broken = true
		return dst, 0, false, e.rules.fault(s, err)
	}
	if over {
		return dst, outcome, true, nil
	}
	for _, a := range e.after {
		dst = append(dst, custom.Child{Key: a.key, Tier: int(a.tier)})
	}
	return dst, 0, false, nil
}

func (r *rules) expand(dst []state, s state) (after []state, outcome game.Outcome, over bool) {
	r.must(s, r.module.ask(fnExpand, "", s.arguments(), func(i *instance, n int32) (err error) {
		after, outcome, over, err = i.expanded(dst, n, r.TierCount)
		return err
	}))
	return after, outcome, over
}

func (r *rules) Terminal(s state) (outcome game.Outcome, over bool) {
	_, outcome, over = r.expand(nil, s)
	return outcome, over
}

func (r *rules) Moves(dst []state, s state) []state {
	dst, _, _ = r.expand(dst, s)
	return dst
}

func (r *rules) FromKey(key uint64) state { return r.FromTierKey(0, key) }

// FromTierKey accepts a number as a position if its text parses to the same number.
func (r *rules) FromTierKey(tier int, key uint64) state {
	s := state{key, key, int32(tier)}
	read, err := r.Parse(r.Format(s))
	if err != nil {
		err = errors.New("parse does not read what format writes")
	} else if read.position != key {
		err = errors.New("parse reads what format writes as another position")
	}
	r.must(s, err)
	return read
}

func (r *rules) Format(s state) string {
	text, err := r.text(fnFormat, s.arguments())
	r.must(s, err)
	return text
}

func (r *rules) Parse(text string) (s state, err error) {
	if len(text) > maxText {
		return s, fmt.Errorf("a position has at most %d bytes", maxText)
	}
	found, wrong := r.positions(nil, fnParse, text, uint64(len(text)))
	if wrong != nil {
		panic(fault(fmt.Sprintf("%.60q", text), wrong))
	}
	if len(found) == 0 {
		return s, fmt.Errorf("%.60q is not a position of %s", text, r.Game)
	}
	return found[0], nil
}

func (r *rules) Images(dst []state, s state) []state {
	if !r.module.has[fnImages] {
		return dst
	}
	dst, err := r.positions(dst, fnImages, "", s.arguments()...)
	r.must(s, err)
	return dst
}

func (r *rules) MoveName(from, to state) string {
	if !r.module.has[fnMove] {
		return ""
	}
	name, err := r.text(fnMove, from.arguments(to.arguments()...))
	r.must(from, err)
	return name
}

// turning is a game whose module exports turn.
type turning struct{ *rules }

func (t turning) Turn(s state) (side game.Side) {
	t.must(s, t.module.ask(fnTurn, "", s.arguments(), func(_ *instance, n int32) error {
		if n != 0 && n != 1 {
			return fmt.Errorf("turn returns %d, and not 0 or 1", n)
		}
		side = game.Side(n)
		return nil
	}))
	return side
}
