// Package kernels chooses the tier of vector kernels that this process runs. All tiers
// give the same bits.
package kernels

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Tier is a set of kernels for one vector unit.
type Tier uint8

// The tiers. On each architecture a higher one is faster.
const (
	Go     Tier = iota // no assembly
	NEON               // arm64
	AVX2               // amd64 with AVX2, BMI2 and POPCNT
	AVX512             // amd64 with AVX-512 as of Ice Lake and Zen 4
)

func (t Tier) String() string { return [...]string{"go", "neon", "avx2", "avx512"}[t] }

// Variable is the environment variable that chooses a lower tier than the highest.
const Variable = "BACKSOLVE_KERNELS"

// Chosen is the tier of this process: the one that Variable names, else the highest. It is
// the highest, too, where Err is not nil.
var Chosen, Err = choose(os.Getenv(Variable))

func choose(name string) (Tier, error) {
	tiers := Available()
	highest := tiers[len(tiers)-1]
	if name == "" {
		return highest, nil
	}
	var names []string
	for _, t := range tiers {
		if t.String() == name {
			return t, nil
		}
		names = append(names, t.String())
	}
	slices.Reverse(names)
	return highest, fmt.Errorf("%s=%s: this processor runs %s; set one of these, or unset the variable", Variable, name, strings.Join(names, ", "))
}
