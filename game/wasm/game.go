// Package wasm makes games of modules of WebAssembly, into which most languages compile. Rules are
// data: a module can import nothing, has at most 4 MiB of memory, and a call that does not end, a trap
// or a wrong answer is a *custom.Fault. docs/reference/rules.md has what a module exports.
package wasm

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/internal/strict"
)

// version is that of what a module exports.
const version = 1

// State is a position. Its number for the solver is the key, which is that of an image and itself a
// position.
type State struct {
	position, key uint64
	tier          int32
}

// Game is a game whose rules are a module.
type Game struct {
	about
	board  string
	loops  []bool // by tier
	source []byte
	module *module
}

// about is what a module says of its game, besides the board.
type about struct {
	Version  int             `json:"abi"`
	Game     string          `json:"name"`
	Title    string          `json:"title"`
	Rules    string          `json:"rules"`
	TierMost int             `json:"tiers"`
	Looping  json.RawMessage `json:"loops"`
	XMoves   bool            `json:"relative"`
}

// Read returns the game of a file. The error is a *custom.Fault, or that of the file.
func Read(file io.Reader) (custom.Listed, error) {
	source, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256(source)
	lock.Lock()
	defer lock.Unlock()
	if rules := known[hash]; rules != nil {
		return rules, nil
	}
	rules, err := New(source)
	if err != nil {
		return nil, err
	}
	if len(known) >= maxKnown {
		clear(known)
	}
	known[hash] = rules
	return rules, nil
}

// maxKnown is how many games are kept, so that reading a file again takes no time.
const maxKnown = 64

var (
	lock  sync.Mutex
	known = map[[sha256.Size]byte]custom.Listed{}
)

// New returns the game of a module. The error is a *custom.Fault.
func New(source []byte) (rules custom.Listed, err error) {
	g, err := newGame(source)
	if err != nil {
		return nil, &custom.Fault{What: "these are no rules: " + err.Error()}
	}
	defer func() { // of the start, which becomes an example
		if cause := recover(); cause != nil {
			wrong, ok := cause.(*custom.Fault)
			if !ok {
				panic(cause)
			}
			g.module.close()
			rules, err = nil, wrong
		}
	}()
	return g.listed(), nil
}

func newGame(source []byte) (*Game, error) {
	m, err := compile(source)
	if err != nil {
		return nil, err
	}
	g := &Game{source: slices.Clone(source), module: m, about: about{TierMost: 1}}
	if err := g.read(); err != nil {
		m.close()
		return nil, err
	}
	return g, nil
}

// read reads what the module says of the game.
func (g *Game) read() error {
	text, err := g.module.about()
	if err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if err := strict.Unmarshal(text, &all); err != nil {
		return fmt.Errorf("what game returns is not JSON: %w", err)
	}
	own := map[string]json.RawMessage{}
	for _, name := range []string{"abi", "name", "title", "rules", "tiers", "loops", "relative"} {
		if value, ok := all[name]; ok {
			own[name] = value
			delete(all, name)
		}
	}
	mine, _ := json.Marshal(own)
	if err := json.Unmarshal(mine, &g.about); err != nil {
		return fmt.Errorf("what game returns: %w", err)
	}
	if len(all) > 0 {
		rest, _ := json.Marshal(all)
		g.board = string(rest)
	}
	if g.Version != version {
		return fmt.Errorf("its abi is %d, and this program reads %d", g.Version, version)
	}
	if g.TierMost < 1 || g.TierMost > custom.MaxTiers {
		return fmt.Errorf("it has %d tiers; there can be 1 to %d", g.TierMost, custom.MaxTiers)
	}
	if _, err := printable(fnGame, []byte(g.Title+g.Rules)); err != nil {
		return err
	}
	if g.Title == "" {
		g.Title = g.Game
	}
	if err := g.readLoops(); err != nil {
		return err
	}
	return custom.Check(g, 0, 1)
}

// readLoops reads which tiers loop: all, none, or those of a list.
func (g *Game) readLoops() error {
	g.loops = make([]bool, g.TierMost)
	all := g.Looping == nil
	var some []int
	if !all && json.Unmarshal(g.Looping, &all) != nil && json.Unmarshal(g.Looping, &some) != nil {
		return errors.New("loops is neither true nor false nor a list of tiers")
	}
	for t := range g.loops {
		g.loops[t] = all
	}
	for _, t := range some {
		if t < 0 || t >= g.TierMost {
			return fmt.Errorf("loops names tier %d of %d", t, g.TierMost)
		}
		g.loops[t] = true
	}
	return nil
}

// listed returns the game with the optional methods for which the module has functions.
func (g *Game) listed() custom.Listed {
	names, turns := g.module.has[fnMove], g.module.has[fnTurn]
	switch {
	case names && turns:
		return custom.List(struct {
			*Game
			namer
			turner
		}{g, namer{g}, turner{g}})
	case names:
		return custom.List(struct {
			*Game
			namer
		}{g, namer{g}})
	case turns:
		return custom.List(struct {
			*Game
			turner
		}{g, turner{g}})
	}
	return custom.List(g)
}

// Source returns the file.
func (g *Game) Source() []byte { return g.source }

// Fingerprint returns the beginning of the SHA-256 of the file.
func (g *Game) Fingerprint() uint64 {
	hash := sha256.Sum256(g.source)
	return binary.LittleEndian.Uint64(hash[:]) | 1 // never 0
}

// Name returns the name.
func (g *Game) Name() string { return g.Game }

// Describe returns title and rules.
func (g *Game) Describe() (title, rules string) { return g.Title, g.Rules }

// Relative reports whether X stands for the player to move.
func (g *Game) Relative() bool { return g.XMoves }

// Tiers returns the number of tiers.
func (g *Game) Tiers() int { return g.TierMost }

// Loops reports whether moves may stay within a tier.
func (g *Game) Loops(tier int) bool { return g.loops[tier] }

// Tier returns the tier of a position.
func (g *Game) Tier(s State) int { return int(s.tier) }

// Key returns the number of a position.
func (g *Game) Key(s State) uint64 { return s.key }

// use calls use with an instance for what concerns a position, and panics with a *custom.Fault after an error.
func (g *Game) use(s State, use func(i *instance) error) {
	if err := g.module.with(use); err != nil {
		panic(fault(g.name(s), err))
	}
}

// name returns the text of a position for an error, or its number.
func (g *Game) name(s State) (text string) {
	if text, err := g.text(s); err == nil {
		return text
	}
	return custom.Child{Key: s.position, Tier: int(s.tier)}.String()
}

func (g *Game) text(s State) (text string, err error) {
	err = g.module.with(func(i *instance) error {
		length, err := i.call(fnFormat, s.position, uint64(s.tier))
		if err == nil {
			text, err = i.text(fnFormat, length)
		}
		return err
	})
	return text, err
}

// Start returns the first position.
func (g *Game) Start() (start State) {
	err := g.module.with(func(i *instance) error {
		_, err := i.call(fnStart)
		if err == nil {
			start, err = i.record(fnStart, g.TierMost)
		}
		return err
	})
	if err != nil {
		panic(fault("", err))
	}
	return start
}

// record returns the position in the buffer, which f has written.
func (i *instance) record(f function, tiers int) (State, error) {
	var found [1]State
	_, err := i.records(found[:0], f, 1, tiers)
	return found[0], err
}

// expand appends the positions after each move, or says how the game has ended.
func (i *instance) expand(dst []State, s State, tiers int) (after []State, outcome game.Outcome, over bool, err error) {
	n, err := i.call(fnExpand, s.position, uint64(s.tier))
	switch {
	case err != nil:
	case n > 0:
		after, err = i.records(dst, fnExpand, int(n), tiers)
		return after, 0, false, err
	case n < -2:
		err = fmt.Errorf("expand returns %d, which is neither a number of moves nor 0, -1 or -2", n)
	default:
		return dst, [...]game.Outcome{game.Draw, game.Lose, game.Win}[-n], true, nil
	}
	return dst, 0, false, err
}

// NewExpander returns what finds moves in one call of the module.
func (g *Game) NewExpander() custom.Expander { return &expander{game: g} }

type expander struct {
	game     *Game
	instance *instance // nil before the first call
	after    []State
}

func (e *expander) Expand(dst []custom.Child, from custom.Child) (children []custom.Child, outcome game.Outcome, over bool, err error) {
	s := State{from.Key, from.Key, int32(from.Tier)}
	if e.instance == nil || e.instance.broken {
		if e.instance, err = e.game.module.take(); err != nil {
			return dst, 0, false, fault(e.game.name(s), err)
		}
		runtime.AddCleanup(e, e.game.module.put, e.instance)
	}
	if e.after, outcome, over, err = e.instance.expand(e.after[:0], s, e.game.TierMost); err != nil {
		e.instance.broken = true
		return dst, 0, false, fault(e.game.name(s), err)
	}
	for _, a := range e.after {
		dst = append(dst, custom.Child{Key: a.key, Tier: int(a.tier)})
	}
	return dst, outcome, over, nil
}

// Terminal says whether the game is over.
func (g *Game) Terminal(s State) (outcome game.Outcome, over bool) {
	g.use(s, func(i *instance) (err error) {
		_, outcome, over, err = i.expand(nil, s, g.TierMost)
		return err
	})
	return outcome, over
}

// Moves appends the positions after each move.
func (g *Game) Moves(dst []State, s State) []State {
	g.use(s, func(i *instance) (err error) {
		dst, _, _, err = i.expand(dst, s, g.TierMost)
		return err
	})
	return dst
}

// FromKey returns the position with a number.
func (g *Game) FromKey(key uint64) State { return g.FromTierKey(0, key) }

// FromTierKey returns the position with a number of a tier. That it is one shows if its text is read as itself.
func (g *Game) FromTierKey(tier int, key uint64) State {
	s := State{key, key, int32(tier)}
	read, err := g.Parse(g.Format(s))
	if err == nil && read.position != key {
		err = errors.New("parse reads another position")
	}
	if err != nil {
		panic(fault(g.name(s), err))
	}
	return read
}

// Format returns the text of a position.
func (g *Game) Format(s State) string {
	text, err := g.text(s)
	if err != nil {
		panic(fault(custom.Child{Key: s.position, Tier: int(s.tier)}.String(), err))
	}
	return text
}

// Parse reads a position.
func (g *Game) Parse(text string) (s State, err error) {
	if len(text) > maxText {
		return s, fmt.Errorf("a position has at most %d bytes", maxText)
	}
	is := int32(0)
	wrong := g.module.with(func(i *instance) (err error) {
		i.memory.WriteString(i.buffer, text)
		if is, err = i.call(fnParse, uint64(len(text))); err != nil || is == 0 {
			return err
		}
		if is != 1 {
			return fmt.Errorf("parse returns %d, and not 0 or 1", is)
		}
		s, err = i.record(fnParse, g.TierMost)
		return err
	})
	if wrong != nil {
		panic(fault(fmt.Sprintf("%.60q", text), wrong))
	}
	if is == 0 {
		return s, fmt.Errorf("%.60q is no position of %s", text, g.Game)
	}
	return s, nil
}

// Images appends the images of a position that the module names.
func (g *Game) Images(dst []State, s State) []State {
	if !g.module.has[fnImages] {
		return dst
	}
	g.use(s, func(i *instance) error {
		n, err := i.call(fnImages, s.position, uint64(s.tier))
		if err == nil {
			dst, err = i.records(dst, fnImages, int(n), g.TierMost)
		}
		return err
	})
	return dst
}

type namer struct{ of *Game }

// MoveName returns the name of a move.
func (n namer) MoveName(from, to State) (name string) {
	n.of.use(from, func(i *instance) error {
		length, err := i.call(fnMove, from.position, uint64(from.tier), to.position, uint64(to.tier))
		if err == nil {
			name, err = i.text(fnMove, length)
		}
		return err
	})
	return name
}

type turner struct{ of *Game }

// Turn returns the side to move.
func (t turner) Turn(s State) (side game.Side) {
	t.of.use(s, func(i *instance) error {
		n, err := i.call(fnTurn, s.position, uint64(s.tier))
		if err == nil && n != 0 && n != 1 {
			err = fmt.Errorf("turn returns %d, and not 0 or 1", n)
		}
		side = game.Side(n & 1)
		return err
	})
	return side
}
