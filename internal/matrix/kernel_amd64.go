package matrix

import "backsolve/internal/kernels"

//go:generate go -C ../../tools/asm run ./matrix -out ../../internal/matrix/kernel_amd64.s -stubs ../../internal/matrix/kernel_stub_amd64.go -pkg matrix

const bytes = 4 // of a float32

// The kernel for AVX2 takes a fourth of a block.
const (
	narrowRows    = Rows / 2
	narrowColumns = Columns / 2
)

func blockVector(c []float32, stride int, a []float32, row, column int, panel []float32, depth int) bool {
	switch tier {
	case kernels.AVX512:
		block512(&c[0], uint64(stride*bytes), &a[0], uint64(row*bytes), uint64(column*bytes), &panel[0], uint64(depth))
	case kernels.AVX2:
		for i := 0; i < Rows; i += narrowRows {
			for j := 0; j < Columns; j += narrowColumns {
				block256(&c[i*stride+j], uint64(stride*bytes), &a[i*row], uint64(row*bytes), uint64(column*bytes), &panel[j], uint64(depth))
			}
		}
	default:
		return false
	}
	return true
}

func lineVector(c, a []float32, column int, panel []float32, depth int) bool {
	switch tier {
	case kernels.AVX512:
		line512(&c[0], &a[0], uint64(column*bytes), &panel[0], uint64(depth))
	case kernels.AVX2:
		line256(&c[0], &a[0], uint64(column*bytes), &panel[0], uint64(depth))
	default:
		return false
	}
	return true
}

// whole returns how many of n numbers the kernels take, and that as whole vectors.
func whole(n int) (numbers int, count uint64) {
	switch tier {
	case kernels.AVX512:
		return n / 16 * 16, uint64(n / 16)
	case kernels.AVX2:
		return n / 8 * 8, uint64(n / 8)
	}
	return 0, 0
}

func pick[F any](wide, narrow F) F {
	if tier == kernels.AVX512 {
		return wide
	}
	return narrow
}

func addVector(dst, src []float32) int {
	n, count := whole(len(dst))
	if n > 0 {
		pick(add512, add256)(&dst[0], &src[0], count)
	}
	return n
}

func rectifyVector(dst []float32) int {
	n, count := whole(len(dst))
	if n > 0 {
		pick(rectify512, rectify256)(&dst[0], count)
	}
	return n
}

func gateVector(dst, by []float32) int {
	n, count := whole(len(dst))
	if n > 0 {
		pick(gate512, gate256)(&dst[0], &by[0], count)
	}
	return n
}

func adamVector(weights, gradients, first, second []float32, r *Rates) int {
	n, count := whole(len(weights))
	if n > 0 {
		pick(adam512, adam256)(&weights[0], &gradients[0], &first[0], &second[0], &r.Beta1, count)
	}
	return n
}

func tanhVector(dst []float32) int {
	n, count := whole(len(dst))
	if n > 0 {
		pick(tanh512, tanh256)(&dst[0], &curve[0], count)
	}
	return n
}

func sigmoidVector(dst []float32) int {
	n, count := whole(len(dst))
	if n > 0 {
		pick(sigmoid512, sigmoid256)(&dst[0], &curve[0], count)
	}
	return n
}
