package survey

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"backsolve/internal/probe"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

// archived opens an archive of a table.
func archived(t *testing.T, table *probe.Table) *probe.Table {
	t.Helper()
	path, err := writer.Archive(t.Context(), table.Stored().Path(), true, nil)
	if err != nil {
		t.Fatal(err)
	}
	archive, err := probe.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { archive.Close() })
	return archive
}

// TestVerifyArchive samples an archive whose lost steps or counts are wrong.
func TestVerifyArchive(t *testing.T) {
	original := open(t, "quixo", 3, true)
	all := VerifyOptions{Blocks: 1 << 40, Threads: 2}
	right := archived(t, altered(t, original, 99, nil))
	for _, o := range []VerifyOptions{{}, all, {Sample: 500}} {
		if verified, found, err := verify(right, o); err != nil || found != nil || verified.States == 0 {
			t.Errorf("%+v: %+v, %v, %v", o, verified, found, err)
		}
	}
	for name, change := range map[string]func(*tablebase.Planes, *tablebase.Counts){
		"steps": func(p *tablebase.Planes, _ *tablebase.Counts) { p.Steps[1][0] ^= p.Lose[0] & -p.Lose[0] },
		"count": func(_ *tablebase.Planes, c *tablebase.Counts) { c.BySteps[2].Losses++; c.BySteps[4].Losses-- },
	} {
		wrong := archived(t, altered(t, original, 4, change))
		for _, o := range []VerifyOptions{all, {Sample: 1}} {
			if _, found, err := verify(wrong, o); !errors.Is(err, ErrDiffers) || len(found) == 0 {
				t.Errorf("%s, %+v: %v, %v", name, o, found, err)
			}
		}
	}
}

// states returns all states of a table.
func states(t *testing.T, table *probe.Table) (all []Stored) {
	t.Helper()
	for s, err := range All(table) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// TestVerifySampleRefusesDamage damages every part of a table, of a packed one and of an archive.
// A raw table has no byte that does not matter.
func TestVerifySampleRefusesDamage(t *testing.T) {
	original := open(t, "quixo", 3, true)
	want := states(t, original)
	table := altered(t, original, 99, nil)
	packed, err := writer.Pack(t.Context(), table.Stored().Path(), true, nil)
	if err != nil {
		t.Fatal(err)
	}
	archive := archived(t, altered(t, original, 99, nil))
	places := 60
	if testing.Short() {
		places = 20 // each takes long under the race detector
	}
	for _, path := range []string{table.Stored().Path(), packed, archive.Stored().Path()} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 2 * places {
			at := i / 2 * len(data) / places
			if i%2 == 0 {
				at = at / 4096 * 4096 // where a part may start, as small ones are mostly padding
			}
			data[at] ^= 0x10
			damaged := filepath.Join(t.TempDir(), filepath.Base(path))
			if err := os.WriteFile(damaged, data, 0o644); err != nil {
				t.Fatal(err)
			}
			data[at] ^= 0x10
			other, err := probe.OpenFile(damaged)
			if err != nil {
				continue
			}
			_, found, err := verify(other, VerifyOptions{Sample: 1, Threads: 2})
			harmless := err == nil && slices.Equal(states(t, other), want) // zstd has bits without a meaning
			if (!harmless || path == table.Stored().Path()) && !errors.Is(err, tablebase.ErrDamaged) || found != nil {
				t.Errorf("%s, byte %d of %d: %v, %v", path, at, len(data), found, err)
			}
			other.Close()
		}
	}
}
