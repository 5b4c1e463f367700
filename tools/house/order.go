package main

import "math/bits"

// mostExact is the number of files up to which the best order is sought among all
// of them.
const mostExact = 18

// fewestUp returns an order of files in which the arrows that lead to a file before
// are as few as can be, or, of more than mostExact files, as can be reached by
// moving one file at a time. weight[i][j] is the number of arrows from i to j.
func fewestUp(weight [][]int) []int {
	if len(weight) <= mostExact {
		return exactOrder(weight)
	}
	return sifted(weight)
}

// exactOrder finds, for every set of files, the fewest arrows up if that set stands
// at the top: those of its last file to the others, beside those of the set without
// it.
func exactOrder(weight [][]int) []int {
	n := len(weight)
	fewest := make([]int, 1<<n)
	last := make([]int8, 1<<n)
	for set := 1; set < 1<<n; set++ {
		fewest[set] = -1
		for rest := set; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros(uint(rest))
			up := fewest[set&^(1<<i)]
			for others := set &^ (1 << i); others != 0; others &= others - 1 {
				up += weight[i][bits.TrailingZeros(uint(others))]
			}
			if fewest[set] < 0 || up < fewest[set] {
				fewest[set], last[set] = up, int8(i)
			}
		}
	}
	order := make([]int, n)
	for set, place := 1<<n-1, n-1; set != 0; place-- {
		order[place] = int(last[set])
		set &^= 1 << last[set]
	}
	return order
}

// sifted moves each file in turn to the place where the fewest arrows run up, until
// no move helps.
func sifted(weight [][]int) []int {
	order := make([]int, len(weight))
	for i := range order {
		order[i] = i
	}
	for better := true; better; {
		better = false
		for i := range weight {
			at := 0
			for order[at] != i {
				at++
			}
			to, gain := at, 0
			for _, step := range []int{-1, 1} {
				// Passing a file turns the arrows between the two round.
				for place, sum := at+step, 0; place >= 0 && place < len(order); place += step {
					j := order[place]
					sum += (weight[i][j] - weight[j][i]) * -step
					if sum > gain {
						to, gain = place, sum
					}
				}
			}
			if gain > 0 {
				better = true
				order = append(order[:at], order[at+1:]...)
				order = append(order[:to], append([]int{i}, order[to:]...)...)
			}
		}
	}
	return order
}
