package matrix

import (
	"math"

	"backsolve/internal/kernels"
)

// tier is the tier of the kernels. Only tests change it.
var tier = kernels.Chosen

// Rates are the numbers of a step of Adam (Kingma, Ba: Adam, 2015), with the decay of
// the weights as a part of the gradient. A kernel reads them in this order.
type Rates struct {
	// Beta1 and Beta2 are how much of the two means stays; Rest1 and Rest2 complete them to 1.
	Beta1, Rest1, Beta2, Rest2 float32
	// Decay is the share of a weight that is added to its gradient.
	Decay float32
	// Step is the length of a step, corrected for the first mean; Scale corrects the second's root.
	Step, Scale float32
	// Epsilon keeps the divisor from zero.
	Epsilon float32
}

// block adds to Rows × Columns numbers of c, whose rows are stride apart, the product of
// as many rows of a and a panel of depth rows.
func block(c []float32, stride int, a []float32, row, column int, panel []float32, depth int) {
	_, _, _ = c[(Rows-1)*stride+Columns-1], a[(Rows-1)*row+(depth-1)*column], panel[depth*Columns-1]
	if blockVector(c, stride, a, row, column, panel, depth) {
		return
	}
	for i := range Rows {
		lineLoop(c[i*stride:], a[i*row:], column, panel, depth)
	}
}

// line adds to Columns numbers of c the product of a row of a and a panel of depth rows.
func line(c, a []float32, column int, panel []float32, depth int) {
	_, _, _ = c[Columns-1], a[(depth-1)*column], panel[depth*Columns-1]
	if !lineVector(c, a, column, panel, depth) {
		lineLoop(c, a, column, panel, depth)
	}
}

func lineLoop(c, a []float32, column int, panel []float32, depth int) {
	sums := c[:Columns]
	for k := range depth {
		x, b := a[k*column], panel[k*Columns:][:Columns]
		for j := range sums {
			sums[j] += float32(x * b[j])
		}
	}
}

// Add adds numbers to as many others.
func Add(dst, src []float32) {
	src = src[:len(dst)]
	for i := addVector(dst, src); i < len(dst); i++ {
		dst[i] += src[i]
	}
}

// Rectify sets to zero what is not greater.
func Rectify(dst []float32) {
	for i := rectifyVector(dst); i < len(dst); i++ {
		if !(dst[i] > 0) {
			dst[i] = 0
		}
	}
}

// Gate is the way back through Rectify: it zeroes numbers whose partner is not above zero.
func Gate(dst, by []float32) {
	by = by[:len(dst)]
	for i := gateVector(dst, by); i < len(dst); i++ {
		if !(by[i] > 0) {
			dst[i] = 0
		}
	}
}

// Adam makes a step of Adam: it changes weights by their gradients and the two means.
func Adam(weights, gradients, first, second []float32, r *Rates) {
	gradients, first, second = gradients[:len(weights)], first[:len(weights)], second[:len(weights)]
	for i := adamVector(weights, gradients, first, second, r); i < len(weights); i++ {
		g := gradients[i] + float32(r.Decay*weights[i])
		first[i] = float32(r.Beta1*first[i]) + float32(r.Rest1*g)
		second[i] = float32(r.Beta2*second[i]) + float32(float32(r.Rest2*g)*g)
		root := float32(math.Sqrt(float64(second[i])))
		weights[i] -= float32(float32(r.Step*first[i]) / (float32(root*r.Scale) + r.Epsilon))
	}
}

// curve are the numbers of Tanh: the greatest and the least that are bent, beyond which it
// is 1 and −1, and the coefficients of an odd polynomial and of an even one, whose quotient
// it is, those of the highest powers first, as the library Eigen has them; and at last
// what Sigmoid needs besides. A kernel reads them in this order.
var curve = [...]float32{
	7.90531110763549805, -7.90531110763549805,
	-2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-08,
	1.48572235717979e-05, 6.37261928875436e-04, 4.89352455891786e-03,
	1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03,
	0.5,
}

// Tanh replaces numbers by their hyperbolic tangents, to within 3·10⁻⁷.
func Tanh(dst []float32) {
	for i := tanhVector(dst); i < len(dst); i++ {
		dst[i] = tanh(dst[i])
	}
}

// Sigmoid replaces numbers x by 1/(1 + e⁻ˣ), to within 2·10⁻⁷.
func Sigmoid(dst []float32) {
	for i := sigmoidVector(dst); i < len(dst); i++ {
		dst[i] = float32(0.5*tanh(float32(0.5*dst[i]))) + 0.5
	}
}

func tanh(x float32) float32 {
	c := &curve
	if x > c[0] {
		x = c[0]
	}
	if x < c[1] {
		x = c[1]
	}
	y := float32(x * x)
	over := float32(y*c[2]) + c[3]
	over = float32(y*over) + c[4]
	over = float32(y*over) + c[5]
	over = float32(y*over) + c[6]
	over = float32(y*over) + c[7]
	over = float32(y*over) + c[8]
	under := float32(y*c[9]) + c[10]
	under = float32(y*under) + c[11]
	under = float32(y*under) + c[12]
	return float32(x*over) / under
}
