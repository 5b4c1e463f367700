package kernels

import "golang.org/x/sys/cpu"

// Available returns the tiers that this processor runs, in ascending order.
func Available() []Tier {
	x, tiers := &cpu.X86, []Tier{Go}
	if x.HasAVX2 && x.HasBMI2 && x.HasPOPCNT {
		tiers = append(tiers, AVX2)
		if x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL && x.HasAVX512VBMI && x.HasAVX512VBMI2 &&
			x.HasAVX512VPOPCNTDQ && x.HasAVX512BITALG && x.HasAVX512GFNI {
			tiers = append(tiers, AVX512)
		}
	}
	return tiers
}
