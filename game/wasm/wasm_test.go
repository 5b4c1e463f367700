package wasm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/examples/connect4"
)

func TestMain(m *testing.M) {
	fuel = 1 << 22
	os.Exit(m.Run())
}

// fn is a function of a module that a test writes: its type, and its code without the last end.
type fn struct {
	params, results string // i and I, for 32 and 64 bits
	locals          int    // of 32 bits
	code            []byte
}

// written is a module that a test writes.
type written struct {
	functions       map[string]fn
	pages, table    int
	json            string
	start           string // the name of a function that is called first
	memory, imports bool
}

const (
	bufferAt = 1024
	jsonAt   = bufferAt + bufferBytes
)

// signed returns a signed number as WebAssembly writes it.
func signed(n int64) (b []byte) {
	for ; n < -64 || n > 63; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n)&0x7f)
}

func join(parts ...[]byte) []byte { return slices.Concat(parts...) }
func get(local byte) []byte       { return []byte{0x20, local} }
func c32(n int64) []byte          { return append([]byte{0x41}, signed(n)...) }
func c64(n int64) []byte          { return append([]byte{0x42}, signed(n)...) }
func store64(at int64, value ...[]byte) []byte {
	return join(c32(at), join(value...), []byte{0x37, 3, 0})
}
func store32(at int64, value ...[]byte) []byte {
	return join(c32(at), join(value...), []byte{0x36, 2, 0})
}
func ifThen(code ...[]byte) []byte { return join([]byte{0x04, 0x40}, join(code...), []byte{0x0b}) }

var (
	minus64 = []byte{0x7d}
	ret     = []byte{0x0f}
	forever = []byte{0x03, 0x40, 0x0c, 0, 0x0b} // loop br 0 end
	wrapped = []byte{0xa7}
	extends = []byte{0xad}
)

// heap is a game with a heap of 9 counters, from which one or two are taken.
func heap() *written {
	record := func(at, taken int64) []byte {
		after := join(get(0), c64(taken), minus64)
		return join(store64(at, after), store64(at+8, after), store32(at+16, c32(0)))
	}
	letter := []byte{0x2d, 0, 0} // i32.load8_u
	return &written{
		pages: 3, memory: true,
		json: `{"abi": 1, "name": "heap-9", "title": "Heap", "loops": [], "tiers": 10}`,
		functions: map[string]fn{
			"game":   {results: "i", code: c32(jsonAt)},
			"buffer": {results: "i", code: c32(bufferAt)},
			"start":  {code: join(store64(bufferAt, c64(9)), store64(bufferAt+8, c64(9)), store32(bufferAt+16, c32(0)))},
			"expand": {params: "Ii", results: "i", code: join(
				get(0), []byte{0x50}, ifThen(c32(-1), ret), // i64.eqz
				record(bufferAt, 1), store32(bufferAt+16, c32(10), get(0), wrapped, []byte{0x6b}),
				get(0), c64(2), []byte{0x54}, ifThen(c32(1), ret), // i64.lt_u
				record(bufferAt+24, 2), store32(bufferAt+40, c32(11), get(0), wrapped, []byte{0x6b}),
				c32(2),
			)},
			"format": {params: "Ii", results: "i", code: join(store32(bufferAt, get(0), wrapped, c32('0'), []byte{0x6a}), c32(1))},
			"parse": {params: "i", results: "i", code: join(
				get(0), c32(1), []byte{0x47}, ifThen(c32(0), ret), // i32.ne
				c32(bufferAt), letter, c32('0'), []byte{0x6b, 0x22, 0}, // local.tee 0
				c32(9), []byte{0x4b}, ifThen(c32(0), ret), // i32.gt_u
				store64(bufferAt, get(0), extends), store64(bufferAt+8, get(0), extends), store32(bufferAt+16, c32(9), get(0), []byte{0x6b}),
				c32(1),
			)},
		},
	}
}

func list(elements ...[]byte) []byte {
	return join(binary.AppendUvarint(nil, uint64(len(elements))), join(elements...))
}
func named(name string) []byte { return append([]byte{byte(len(name))}, name...) }

// bytes returns the module.
func (w *written) bytes() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	section := func(id byte, content []byte) {
		out = append(binary.AppendUvarint(append(out, id), uint64(len(content))), content...)
	}
	var names []string
	for name := range w.functions {
		names = append(names, name)
	}
	slices.Sort(names)
	var types, numbers, exports, codes [][]byte
	kinds := func(letters string) []byte {
		return append([]byte{byte(len(letters))}, strings.NewReplacer("i", "\x7f", "I", "\x7e").Replace(letters)...)
	}
	for i, name := range names {
		f := w.functions[name]
		types = append(types, join([]byte{0x60}, kinds(f.params), kinds(f.results)))
		numbers = append(numbers, []byte{byte(i)})
		exports = append(exports, join(named(name), []byte{0, byte(i)}))
		locals := []byte{0}
		if f.locals > 0 {
			locals = append(binary.AppendUvarint([]byte{1}, uint64(f.locals)), 0x7f)
		}
		code := join(locals, f.code, []byte{0x0b})
		codes = append(codes, join(binary.AppendUvarint(nil, uint64(len(code))), code))
	}
	section(1, list(types...))
	if w.imports {
		section(2, list(join(named("env"), named("clock"), []byte{0, 0})))
	}
	section(3, list(numbers...))
	if w.table > 0 {
		section(4, list(join([]byte{0x70, 0}, binary.AppendUvarint(nil, uint64(w.table)))))
	}
	section(5, list(join([]byte{0}, binary.AppendUvarint(nil, uint64(w.pages)))))
	if w.memory {
		exports = append(exports, join(named("memory"), []byte{2, 0}))
	}
	section(7, list(exports...))
	if w.start != "" {
		section(8, []byte{byte(slices.Index(names, w.start))})
	}
	section(10, list(codes...))
	section(11, list(join([]byte{0}, c32(jsonAt), []byte{0x0b}, binary.AppendUvarint(nil, uint64(len(w.json)+1)), []byte(w.json), []byte{0})))
	return out
}

// with returns the heap with a function's code changed.
func with(name string, code ...[]byte) *written {
	w := heap()
	f := w.functions[name]
	f.code = join(code...)
	w.functions[name] = f
	return w
}

func TestHeap(t *testing.T) {
	l, err := New(heap().bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Check(100, 1); err != nil {
		t.Fatal(err)
	}
	s := l.Start()
	if board := l.Board(); board != nil {
		t.Errorf("the board is %+v", board)
	}
	if text := l.Format(s); text != "9" || l.Info().Title != "Heap" || len(l.Moves(nil, s)) != 2 {
		t.Errorf("the start is %s of %+v", text, l.Info())
	}
	if _, err := l.Parse("x"); err == nil {
		t.Error("x is read as a position")
	}
	if text, err := l.Numbers().Text(custom.Child{Key: 77}); err == nil {
		t.Errorf("77 is the position %s", text)
	}
}

// Rules that lie, trap, never end or take too much give an error, which names the position if there is one.
func TestHostile(t *testing.T) {
	json := func(text string) *written { w := heap(); w.json = text; return w }
	edited := func(edit func(w *written)) *written { w := heap(); edit(w); return w }
	add := func(name string, f fn) *written { w := heap(); w.functions[name] = f; return w }
	fill := join([]byte{0x03, 0x40}, c32(0), c32(0), c32(3<<16), []byte{0xfc, 11, 0, 0x0c, 0, 0x0b}) // loop memory.fill br 0 end
	for what, c := range map[string]struct {
		rules *written
		want  string
	}{
		"endless loop":          {with("expand", forever, c32(0)), "at 9: the rules are wrong: expand does not end"},
		"endless fill":          {with("expand", fill, c32(0)), "at 9: the rules are wrong: expand does not end"},
		"endless grow":          {with("expand", []byte{0x03, 0x40}, c32(1), []byte{0x40, 0, 0x1a, 0x0c, 0, 0x0b}, c32(0)), "expand does not end"},
		"recursion":             {with("expand", get(0), get(1), []byte{0x10, 1}), "at 9: the rules are wrong: expand "},
		"calls without loops":   {with("expand", get(0), c64(1), minus64, get(1), []byte{0x10, 1, 0x1a}, get(0), c64(1), minus64, get(1), []byte{0x10, 1}), "expand"},
		"trap":                  {with("expand", []byte{0}), "at 9: the rules are wrong: expand traps: unreachable"},
		"memory":                {with("expand", store32(1<<30, c32(1)), c32(0)), "expand traps: out of bounds memory access"},
		"division":              {with("expand", c32(1), c32(0), []byte{0x6d}), "expand traps: integer divide by zero"},
		"too many moves":        {with("expand", c32(maxRecords+1)), "at 9: the rules are wrong: expand returns 2731 positions; there can be at most 2730"},
		"too many moves by far": {with("expand", c32(1<<31-1)), "expand returns 2147483647 positions"},
		"no outcome":            {with("expand", c32(-3)), "at 9: the rules are wrong: expand returns -3"},
		"tier":                  {with("expand", store32(bufferAt+16, c32(10)), c32(1)), "at 9: the rules are wrong: expand writes a position in tier 10 of 10"},
		"lower tier":            {with("expand", store32(bufferAt+16, c32(0)), c32(1)), "a move leads to"},
		"long text":             {with("format", c32(maxText+1)), "at the number 9 of tier 0: the rules are wrong: format returns 4097"},
		"no text":               {with("format", c32(0)), "format returns 0"},
		"negative text":         {with("format", c32(-1)), "format returns -1"},
		"text of control":       {with("format", store32(bufferAt, c32(0x1b)), c32(1)), `format writes "\x1b"`},
		"text of no UTF-8":      {with("format", store32(bufferAt, c32(0xff)), c32(1)), `format writes "\xff"`},
		"parse":                 {with("parse", c32(2)), "parse returns 2 positions; there can be at most 1"},
		"parse of another":      {with("parse", store64(bufferAt, c64(3)), store64(bufferAt+8, c64(3)), c32(1)), "another position"},
		"parse of none":         {with("parse", c32(0)), "parse does not read what format writes"},
		"parse that traps":      {with("parse", []byte{0}), "parse traps"},
		"start that traps":      {with("start", []byte{0}), "start traps"},
		"start without end":     {with("start", forever), "start does not end"},
		"start in a tier":       {with("start", store32(bufferAt+16, c32(99))), "start writes a position in tier 99 of 10"},
		"section without end":   {edited(func(w *written) { w.functions["first"], w.start = fn{code: forever}, "first" }), "it does not start"},
		"import":                {edited(func(w *written) { w.imports = true }), `it imports "clock" of "env"; rules can import nothing`},
		"much memory":           {edited(func(w *written) { w.pages = maxPages + 1 }), "does not compile"},
		"no memory":             {edited(func(w *written) { w.memory = false }), "does not export its memory"},
		"little memory":         {edited(func(w *written) { w.functions["buffer"] = fn{results: "i", code: c32(3<<16 - 10)} }), "buffer returns 196598, but there are no 65536 bytes"},
		"large table":           {edited(func(w *written) { w.table = 1 << 27 }), "its table has 134217728 entries"},
		"many locals":           {add("other", fn{locals: 1 << 30}), "more than 1000 variables"},
		"large function":        {add("other", fn{code: make([]byte, maxFunction)}), "a function has"},
		"much to compile":       {add("other", fn{locals: maxLocals, code: slices.Repeat([]byte{0x03, 0x40, 0x0b}, 10_000)}), "too many variables and blocks"},
		"missing function":      {edited(func(w *written) { delete(w.functions, "parse") }), "it does not export the function parse"},
		"other function":        {edited(func(w *written) { w.functions["parse"] = fn{results: "i", code: c32(0)} }), "its function parse is () → (i32), and not (i32) → (i32)"},
		"images":                {add("images", fn{params: "Ii", results: "i", code: c32(-1)}), "images returns -1 positions"},
		"turn":                  {add("turn", fn{params: "Ii", results: "i", code: c32(7)}), "turn returns 7"},
		"name of a move":        {add("move", fn{params: "IiIi", results: "i", code: join(store32(bufferAt, c32(' ')), c32(1))}), "spaces"},
		"the meter itself":      {with("expand", c64(1<<40), []byte{0x24, 0}, c32(0)), "cut off, or no WebAssembly"},
		"vectors":               {with("expand", []byte{0xfd, 15, 0, 0, 0}), "it uses vectors"},
		"text of the game":      {with("game", c32(3<<16+5)), "game returns 196613, but no text"},
		"no JSON":               {json("{"), "what game returns cannot be understood"},
		"unknown member":        {json(`{"abi": 1, "name": "heap", "tires": 2}`), `unknown field "tires"`},
		"board":                 {json(`{"abi": 1, "name": "heap", "tiers": 10, "board": {"grid": [5]}}`), "a board has at most"},
		"side":                  {json(`{"abi": 1, "name": "heap", "tiers": 10, "sides": ["a", "\u001b[2J"]}`), "not of printable characters"},
		"other version":         {json(`{"abi": 2, "name": "heap"}`), "its abi is 2, and this program reads 1"},
		"name":                  {json(`{"abi": 1, "name": "../heap"}`), `the name "../heap" is not at most`},
		"no name":               {json(`{"abi": 1}`), "the name"},
		"tiers":                 {json(`{"abi": 1, "name": "heap", "tiers": 5000}`), "it has 5000 tiers"},
		"no tiers":              {json(`{"abi": 1, "name": "heap", "tiers": 0}`), "it has 0 tiers"},
		"loops":                 {json(`{"abi": 1, "name": "heap", "loops": "yes"}`), "what game returns cannot be understood"},
		"loops of a tier":       {json(`{"abi": 1, "name": "heap", "loops": [1]}`), "loops names tier 1 of 1"},
		"title":                 {json(`{"abi": 1, "name": "heap", "title": "\u001b[2J"}`), "not of printable characters"},
	} {
		l, err := New(c.rules.bytes())
		if err == nil {
			err = l.Check(20, 1)
		}
		if !errors.As(err, new(*custom.Fault)) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want … %s …", what, err, c.want)
		}
		if l == nil {
			continue
		}
		if _, _, _, err := l.Numbers().NewExpander().Expand(nil, custom.Child{Key: 9}); err != nil && !errors.As(err, new(*custom.Fault)) {
			t.Errorf("%s: Expand: %v", what, err)
		}
	}
}

// The rules of other packages' tests whose moves never end are these.
func TestEndless(t *testing.T) {
	has, err := os.ReadFile("testdata/endless.wasm")
	if err != nil || !slices.Equal(has, with("expand", forever, c32(0)).bytes()) {
		t.Errorf("testdata/endless.wasm has %d bytes, %v", len(has), err)
	}
}

// In a server, a series of long calls to a module is refused, and short calls are not.
func TestShared(t *testing.T) {
	Shared, mostDebt = true, 50*time.Millisecond
	defer func() { Shared = false }()
	l, err := New(with("expand", forever, c32(0)).bytes())
	if err != nil {
		t.Fatal(err)
	}
	var text string
	for begun := time.Now(); !strings.Contains(text, "more time than a server has"); {
		_, _, _, err := l.Numbers().NewExpander().Expand(nil, custom.Child{Key: 9})
		if text = fmt.Sprint(err); time.Since(begun) > time.Minute {
			t.Fatal(text)
		}
	}
	short, err := New(heap().bytes())
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if _, _, _, err := short.Numbers().NewExpander().Expand(nil, custom.Child{Key: 9}); err != nil {
			t.Fatal(err)
		}
	}
}

// A module that ends early, at any byte, or with any byte changed, is an error or other rules.
func TestDamaged(t *testing.T) {
	whole := heap().bytes()
	for n := range whole {
		if _, err := New(whole[:n]); err == nil {
			t.Errorf("%d of %d bytes are rules", n, len(whole))
		}
	}
	for n := range whole {
		changed := slices.Clone(whole)
		changed[n] ^= 1 << (n % 8)
		if l, err := New(changed); err == nil {
			l.Check(2, 1)
		}
	}
}

// The rules in C are those in Go: positions, numbers, texts and moves.
func TestConnect4(t *testing.T) {
	source, err := os.ReadFile("testdata/connect4.wasm")
	if err != nil {
		t.Fatal(err)
	}
	l, err := New(source)
	if err != nil {
		t.Fatal(err)
	}
	g, _ := connect4.New(4, 4, true)
	want := custom.List(g)
	if err := l.Check(200, 1); err != nil {
		t.Fatal(err)
	}
	if board := l.Board(); board == nil || !board.Shape.Drop {
		t.Errorf("the board is %+v", board)
	}
	numbers, e := l.Numbers().NewExpander(), want.Numbers().NewExpander()
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		a, b := l.Start(), want.Start()
		for {
			tier, key := want.Number(b)
			after, outcome, over, err := numbers.Expand(nil, custom.Child{Key: key, Tier: tier})
			same, as, is, wrong := e.Expand(nil, custom.Child{Key: key, Tier: tier})
			if !slices.Equal(after, same) || over != is || over && outcome != as || err != nil || wrong != nil {
				t.Fatalf("after %s come %v, %v, not %v, %v", want.Format(b), after, outcome, same, as)
			}
			if l.Format(a) != want.Format(b) || l.Diagram(a) != want.Diagram(b) || l.Turn(a) != want.Turn(b) {
				t.Fatalf("%s is %s", l.Format(a), want.Format(b))
			}
			if over {
				break
			}
			moves, others := l.Moves(nil, a), want.Moves(nil, b)
			i := r.IntN(len(moves))
			if len(moves) != len(others) || l.MoveText(a, moves[i]) != want.MoveText(b, others[i]) {
				t.Fatalf("%s has %d moves, not %d", l.Format(a), len(moves), len(others))
			}
			a, b = l.Play(a, moves[i]), want.Play(b, others[i])
		}
	}
}

// Rules may be asked from any number of goroutines.
func TestConcurrent(t *testing.T) {
	l, err := New(heap().bytes())
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan game.State)
	for range 8 {
		go func() {
			s := l.Start()
			for moves := l.Moves(nil, s); len(moves) > 0; moves = l.Moves(nil, s) {
				s = l.Play(s, moves[0])
			}
			done <- s
		}()
	}
	for range 8 {
		if s := <-done; l.Format(s) != "0" && l.Format(s) != "0 o" {
			t.Errorf("a game ends at %s", l.Format(s))
		}
	}
}

// Rules in C and the same in Go: the positions of a random game, again and again.
func BenchmarkExpand(b *testing.B) {
	g, _ := connect4.New(4, 4, true)
	source, err := os.ReadFile("testdata/connect4.wasm")
	if err != nil {
		b.Fatal(err)
	}
	l, err := New(source)
	if err != nil {
		b.Fatal(err)
	}
	for name, rules := range map[string]custom.Rules{"go": custom.NewRules(g), "c": l.Numbers()} {
		b.Run(name, func(b *testing.B) {
			e, r, start := rules.NewExpander(), rand.New(rand.NewPCG(1, 1)), rules.Start()
			at := start
			var after []custom.Child
			for b.Loop() {
				var over bool
				if after, _, over, err = e.Expand(after[:0], at); err != nil {
					b.Fatal(err)
				}
				if at = start; !over {
					at = after[r.IntN(len(after))]
				}
			}
		})
	}
}

// FuzzModule reads any module, which must neither panic nor hang.
func FuzzModule(f *testing.F) {
	f.Add(heap().bytes())
	f.Add(with("expand", forever, c32(0)).bytes())
	if connect4, err := os.ReadFile("testdata/connect4.wasm"); err == nil {
		f.Add(connect4)
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		if l, err := New(source); err == nil {
			l.Check(2, 1)
		}
	})
}
