package kernels

import (
	"slices"
	"testing"
)

func TestChoose(t *testing.T) {
	tiers := Available()
	highest := tiers[len(tiers)-1]
	if !slices.IsSorted(tiers) || tiers[0] != Go {
		t.Errorf("the tiers are %v", tiers)
	}
	if got, err := choose(""); got != highest || err != nil {
		t.Errorf("without a name: %v, %v", got, err)
	}
	for tier := Go; tier <= AVX512; tier++ {
		got, err := choose(tier.String())
		if available := slices.Contains(tiers, tier); available != (err == nil) || available && got != tier {
			t.Errorf("%v: %v, %v", tier, got, err)
		}
	}
	if got, err := choose("avx1"); err == nil || got != highest {
		t.Errorf("an unknown name: %v, %v", got, err)
	}
}
