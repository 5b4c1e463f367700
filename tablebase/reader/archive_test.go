package reader_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
	"backsolve/internal/probe/survey"
	"backsolve/partition"
	"backsolve/tablebase"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/reader"
	"backsolve/tablebase/writer"
)

// smallBoards are those whose archives are compared state by state.
var smallBoards = []struct {
	name string
	size int
}{{"quixo", 2}, {"quixo", 3}, {"notakto", 2}, {"notakto", 3}, {"notakto", 4}, {"tictactoe", 2}, {"tictactoe", 3}}

// TestArchive compares all states of small boards with those of the table that was archived: one
// by one and in batches, by planes and blocks, and byte by byte; from the file and from a storage.
func TestArchive(t *testing.T) {
	for _, b := range smallBoards {
		t.Run(fmt.Sprint(b.name, b.size), func(t *testing.T) {
			t.Parallel()
			plain, archive, _ := probetest.Archived(t, b.name, b.size)
			want, bytes := tabletest.Open(t, plain), tabletest.ReadFile(t, plain)
			storage := newMemoryStorage(t, archive)
			storage.strict = true
			for _, got := range []*reader.Table{tabletest.Open(t, archive), openMemory(t, storage)} {
				if got.Identity() != want.Identity() || got.Bytes() != int64(len(bytes)) || !got.Shape().Archive {
					t.Errorf("it is %v with %d bytes", got.Shape(), got.Bytes())
				}
				for i, c := range want.Classes() {
					compareClass(t, want, got, i, c)
					compareBlocks(t, want, got, i, c)
				}
				compareBytes(t, bytes, got)
				if err := got.Verify(t.Context(), 2, nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// compareBytes reads a table in pieces: from every word of the first pages of each part, from
// within words, across parts, and beyond the end.
func compareBytes(t *testing.T, want []byte, got *reader.Table) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 1))
	read := func(from, length int) {
		buf := make([]byte, length)
		n, err := got.ReadAt(buf, int64(from))
		left := want[min(from, len(want)):]
		left = left[:min(length, len(left))]
		if !bytes.Equal(buf[:n], left) || n < length && !errors.Is(err, io.EOF) || n == length && err != nil {
			t.Fatalf("%d bytes from %d on: %d of them, %v", length, from, n, err)
		}
	}
	read(0, len(want))
	read(0, len(want)+1)
	read(len(want), 1)
	for _, record := range records(got) {
		for _, p := range record.Parts {
			read(int(p.Offset), int(p.Padded()))
			read(int(max(p.Offset-20, 0)), 30)
			read(int(p.Offset+p.Padded())-11, 22)
			for range 20 {
				read(int(p.Offset)+r.IntN(int(p.Padded())+1), r.IntN(200))
			}
		}
	}
}

// compareBlocks compares the blocks of the i-th class in two tables one by one, and the steps that
// are stored.
func compareBlocks(t *testing.T, want, got *reader.Table, i int, c tablebase.ClassInfo) {
	t.Helper()
	var all, planes, stored tablebase.Planes
	if err := want.Planes(i, 0, c.Blocks, &all); err != nil {
		t.Fatal(err)
	}
	for block := range c.Blocks {
		if err := want.Planes(i, block, 1, &planes); err != nil {
			t.Fatal(err)
		}
		if p, err := got.Block(i, block); err != nil || !tabletest.SamePlanes(p, planes) {
			t.Fatalf("class %d: block %d differs: %v", c.Class, block, err)
		}
		// Steps of lost states are in an archive of any kind, of won ones only where all are.
		if err := got.StoredPlanes(i, block, 1, &stored); err != nil || !slices.Equal(stored.Win, planes.Win) || !slices.Equal(stored.Lose, planes.Lose) || len(stored.Steps) != c.Digits {
			t.Fatalf("class %d: what is stored of block %d differs: %v", c.Class, block, err)
		}
		for d, digit := range stored.Steps {
			for w, x := range digit {
				if won := planes.Win[w]; x != planes.Steps[d][w] && x != planes.Steps[d][w]&^won {
					t.Fatalf("class %d, block %d, digit %d: %x is stored, of %x", c.Class, block, d, x, planes.Steps[d][w])
				}
			}
		}
	}
}

// comparePlanes compares the planes of the i-th class in two tables.
func comparePlanes(t *testing.T, want, got *reader.Table, i int, c tablebase.ClassInfo) {
	t.Helper()
	var planes, derived tablebase.Planes
	if err := want.Planes(i, 0, c.Blocks, &planes); err != nil {
		t.Fatal(err)
	}
	if err := got.Planes(i, 0, c.Blocks, &derived); err != nil || !tabletest.SamePlanes(planes, derived) {
		t.Fatalf("class %d: the planes differ: %v", c.Class, err)
	}
}

// compareClass compares the states of the i-th class in two tables.
func compareClass(t *testing.T, want, got *reader.Table, i int, c tablebase.ClassInfo) {
	t.Helper()
	comparePlanes(t, want, got, i, c)
	n := c.Blocks << c.IndexBits
	places := make([]reader.Place, n)
	for s := range places {
		places[s] = reader.Place{Class: c.Class, Block: s >> c.IndexBits, Index: uint64(s) & (1<<c.IndexBits - 1)}
	}
	entries, others := make([]tablebase.Entry, n), make([]tablebase.Entry, n)
	if err := want.LookupAll(places, entries); err != nil {
		t.Fatal(err)
	}
	if err := got.LookupAll(places, others); err != nil {
		t.Fatal(err)
	}
	batch := got.NewBatch(n)
	for s, p := range places {
		if err := batch.Set(s, p); err != nil {
			t.Fatal(err)
		}
	}
	if err := batch.Read(t.Context(), reader.WorkerPool{Workers: 2}); err != nil {
		t.Fatal(err)
	}
	for s := range places {
		together, ok := batch.Entry(s)
		if entries[s] != others[s] || entries[s] != together || !ok {
			t.Fatalf("%+v is %+v, and in the archive %+v, in a batch %+v", places[s], entries[s], others[s], together)
		}
	}
}

// TestArchiveAnswers compares all planes, and the answers and main lines of random states of Quixo
// 4×4, or 3×3 under the race detector, with those of the table, from the file and from a web server.
func TestArchiveAnswers(t *testing.T) {
	size := 4
	if testing.Short() {
		size = 3
	}
	plain, archive, rules := probetest.Archived(t, "quixo", size)
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(archive))))
	defer server.Close()
	open := func(table *probe.Table, err error) *probe.Table {
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { table.Close() })
		return table
	}
	want := open(probe.OpenFile(plain))
	tables := map[string]*probe.Table{"the file": open(probe.OpenFile(archive)), "a server": open(probe.OpenURL(t.Context(), server.URL+"/"+filepath.Base(archive)))}
	for i, c := range want.Stored().Classes() {
		comparePlanes(t, want.Stored(), tables["the file"].Stored(), i, c)
	}
	r := rand.New(rand.NewPCG(4, 4))
	for range 200 {
		c := want.Stored().Classes()[r.IntN(size*size+1)]
		masks, err := want.Stored().Masks(size*size - c.Class)
		if err != nil {
			t.Fatal(err)
		}
		text := rules.Format(want.Space().Position(partition.State{Class: c.Class, Mask: masks[r.IntN(len(masks))], Index: r.Uint32N(1 << c.IndexBits)}))
		right, err := want.Ask(text, 1000)
		if err != nil {
			t.Fatal(err)
		}
		for name, table := range tables {
			if answer, err := table.Ask(text, 1000); err != nil || !reflect.DeepEqual(answer, right) {
				t.Fatalf("%s from %s: %+v, %v; not %+v", text, name, answer, err, right)
			}
		}
	}
}

// TestArchiveDamage changes bytes of an archive: opening or verifying it fails, unless it still
// unpacks to the same table. Lookups never give another value.
func TestArchiveDamage(t *testing.T) {
	plain, archive, _ := probetest.Archived(t, "notakto", 4)
	file, want := tabletest.ReadFile(t, archive), tabletest.Open(t, plain)
	r := rand.New(rand.NewPCG(5, 5))
	flips, ends := 400, 100
	if testing.Short() {
		flips, ends = 120, 40 // as many take long under the race detector
	}
	for n := range flips {
		at := r.IntN(len(file))
		if n < ends {
			at = len(file) - 1 - n*100/ends // the seek table, and what ends the index
		}
		path := filepath.Join(t.TempDir(), filepath.Base(archive))
		bad := bytes.Clone(file)
		bad[at] ^= 1 << r.IntN(8)
		if err := os.WriteFile(path, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		table, err := reader.Open(path)
		if err == nil {
			for range 30 {
				c := want.Classes()[r.IntN(len(want.Classes()))]
				place := reader.Place{Class: c.Class, Block: r.IntN(c.Blocks), Index: r.Uint64N(1 << c.IndexBits)}
				right, _ := want.Lookup(place.Class, place.Block, place.Index)
				if e, err := table.Lookup(place.Class, place.Block, place.Index); err == nil && e != right {
					t.Errorf("with byte %d changed, %+v is %+v, not %+v", at, place, e, right)
				}
			}
			if err = table.Verify(t.Context(), 1, nil); err == nil {
				same := make([]byte, want.Bytes()) // a bit that decoders ignore
				if _, failure := table.ReadAt(same, 0); failure == nil && bytes.Equal(same, tabletest.ReadFile(t, plain)) {
					err = tablebase.ErrDamaged
				}
			}
			table.Close()
		}
		if !errors.Is(err, tablebase.ErrDamaged) && !errors.Is(err, tablebase.ErrTruncated) && !errors.Is(err, tablebase.ErrForeign) && !errors.Is(err, tablebase.ErrNewer) {
			t.Errorf("byte %d of %d changed: %v", at, len(file), err)
		}
	}
}

// TestArchiveForged archives tables whose checksums hold: verifying them fails where a losing
// distance is wrong, and where no lost state follows a won one.
func TestArchiveForged(t *testing.T) {
	plain, _, _ := probetest.Archived(t, "quixo", 3)
	original, err := probe.OpenFile(plain)
	if err != nil {
		t.Fatal(err)
	}
	defer original.Close()
	lookups, stride := 0, 1 // that were refused, and of which states they are
	if testing.Short() {
		stride = 7 // all take long under the race detector
	}
	forge := func(change func(p *tablebase.Planes)) error {
		altered := probetest.Altered(t, original, 4, func(p *tablebase.Planes, _ *tablebase.Counts) { change(p) })
		path, err := writer.Archive(t.Context(), altered.Stored().Path(), false, nil)
		if err != nil {
			t.Fatal(err)
		}
		table, err := probe.OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		stored := table.Stored()
		for _, c := range stored.Classes() {
			for state := 0; state < c.Blocks<<c.IndexBits; state += stride {
				_, err := stored.Lookup(c.Class, state>>c.IndexBits, uint64(state)&(1<<c.IndexBits-1))
				if err != nil && !errors.Is(err, tablebase.ErrDamaged) {
					t.Fatal(err)
				} else if err != nil {
					lookups++
				}
			}
		}
		_, err = survey.Verify(t.Context(), table, survey.VerifyOptions{}, nil, nil)
		return err
	}
	checksum, rules := 0, 0 // how often each refused a wrong distance
	for number := range 12 {
		err := forge(func(p *tablebase.Planes) {
			left := number * 3
			for word, lost := range p.Lose {
				for lost &= p.Steps[2][word]; lost != 0; lost &= lost - 1 {
					if left--; left < 0 {
						p.Steps[1][word] ^= lost & -lost // two plies more or fewer
						return
					}
				}
			}
			t.Fatal("too few states")
		})
		switch {
		case errors.Is(err, tablebase.ErrDamaged):
			checksum++
		case errors.Is(err, survey.ErrDiffers):
			rules++
		default:
			t.Errorf("with the distance of state %d changed: %v", number, err)
		}
	}
	if checksum == 0 || rules == 0 {
		t.Errorf("the checksums of derived steps refused %d, and the rules %d", checksum, rules)
	}
	err = forge(func(p *tablebase.Planes) {
		for word, lost := range p.Lose {
			p.Lose[word] = 0
			for _, digit := range p.Steps {
				digit[word] &^= lost
			}
		}
	})
	if lookups == 0 || !errors.Is(err, tablebase.ErrDamaged) || !strings.Contains(err.Error(), "no state after it is lost") {
		t.Errorf("without lost states: %v", err)
	}
}

// effect is what happens to the parents of a lost state when it ends later than all others.
type effect int

const (
	none    effect = iota // they have another child that ends as early
	others                // they end later
	tooMany               // one of the class before has no other lost child
)

// effects returns what happens to the parents of the lost states of a class.
func effects(t *testing.T, table *probe.Table, class int) map[reader.Place]effect {
	t.Helper()
	found := map[reader.Place]effect{}
	for i, c := range table.Stored().Classes() {
		if c.Class != class && c.Class != class-1 {
			continue
		}
		masks, err := table.Stored().Masks(i)
		if err != nil {
			t.Fatal(err)
		}
		for s := range c.Blocks << c.IndexBits {
			p := table.Space().Position(partition.State{Class: c.Class, Mask: masks[s>>c.IndexBits], Index: uint32(s) & (1<<c.IndexBits - 1)})
			best, moves, err := table.Rate(nil, p, nil)
			if err != nil {
				t.Fatal(err)
			}
			lost := map[reader.Place]int{} // children, by their steps
			for _, m := range moves {
				if m.Outcome == game.Win {
					place, err := table.Place(table.Rules().Play(p, m.Move))
					if err != nil {
						t.Fatal(err)
					}
					lost[place] = m.Steps
				}
			}
			first := 0 // children that end first
			for _, steps := range lost {
				if steps == best.Steps {
					first++
				}
			}
			for place, steps := range lost {
				e := none
				switch {
				case len(lost) == 1 && c.Class == class-1:
					e = tooMany
				case first == 1 && steps == best.Steps:
					e = others
				}
				if place.Class == class && steps > 1 { // those that are over stay
					found[place] = max(found[place], e)
				}
			}
		}
	}
	return found
}

// TestArchiveDigits gives a lost state more steps than the class before it has digits for. The
// steps of its parents are those by their other children, or else the archive is refused.
func TestArchiveDigits(t *testing.T) {
	for _, b := range []struct {
		name string
		size int
	}{{"quixo", 3}, {"notakto", 4}} {
		plain, _, _ := probetest.Archived(t, b.name, b.size)
		original, err := probe.OpenFile(plain)
		if err != nil {
			t.Fatal(err)
		}
		defer original.Close()
		tried := map[effect]bool{}
		for _, before := range original.Stored().Classes()[1:] {
			if before.Digits < 4 || tried[none] && tried[tooMany] {
				continue // their steps are not derived
			}
			found := effects(t, original, before.Class+1)
			for _, place := range slices.SortedFunc(maps.Keys(found), func(a, b reader.Place) int {
				return cmp.Or(a.Block-b.Block, cmp.Compare(a.Index, b.Index))
			}) {
				if e := found[place]; e != others && !tried[e] {
					tried[e] = true
					checkFar(t, original, place, e)
				}
			}
		}
		if !tried[none] || !tried[tooMany] {
			t.Errorf("%s %d: the states tried have the effects %v", b.name, b.size, tried)
		}
	}
}

// checkFar gives a lost state the most steps and checks the archive.
func checkFar(t *testing.T, original *probe.Table, far reader.Place, e effect) {
	t.Helper()
	before := original.Stored().Classes()[original.Classes()-far.Class]
	altered := probetest.Altered(t, original, far.Class, func(p *tablebase.Planes, n *tablebase.Counts) {
		words := len(p.Win) / original.Stored().Classes()[original.Classes()-1-far.Class].Blocks
		word, bit := far.Block*words+int(far.Index/64), uint64(1)<<(far.Index%64)
		steps := 0
		for d, digit := range p.Steps {
			steps |= int(digit[word]>>(far.Index%64)&1) << d
			digit[word] &^= bit
		}
		for len(p.Steps) <= before.Digits {
			p.Steps = append(p.Steps, make([]uint64, len(p.Win)))
		}
		p.Steps[len(p.Steps)-1][word] |= bit
		n.BySteps[steps].Losses--
		n.BySteps = append(n.BySteps, make([]tablebase.StepCounts, 1<<(len(p.Steps)-1)+1-len(n.BySteps))...)
		n.BySteps[len(n.BySteps)-1].Losses++
	}).Stored()
	path, err := writer.Archive(t.Context(), altered.Path(), false, nil)
	if err != nil {
		t.Fatal(err)
	}
	archive := tabletest.Open(t, path)
	for i, c := range archive.Classes() {
		if e == none {
			compareClass(t, altered, archive, i, c)
		} else if c.Class == before.Class && e == tooMany {
			var planes tablebase.Planes
			err := archive.Planes(i, 0, c.Blocks, &planes)
			if !errors.Is(err, tablebase.ErrDamaged) || !strings.Contains(err.Error(), "more digits") {
				t.Errorf("%+v: %v", far, err)
			}
			refused := 0
			for s := range c.Blocks << c.IndexBits {
				_, err := archive.Lookup(c.Class, s>>c.IndexBits, uint64(s)&(1<<c.IndexBits-1))
				if err != nil && strings.Contains(err.Error(), "more digits") {
					refused++
				} else if err != nil {
					t.Fatal(err)
				}
			}
			if refused == 0 {
				t.Errorf("%+v: no lookup is refused", far)
			}
		}
	}
}
