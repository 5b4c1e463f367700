package network

import "math"

// The functions of this file are the same on all processors, to the bit: those of
// package math are assembly on some.

// Softmax sets probabilities to those of logits, in proportion to their exponentials.
// There must be one at least.
func Softmax(probabilities, logits []float32) {
	most := logits[0]
	for _, x := range logits {
		most = max(most, x)
	}
	sum := 0.0
	for _, x := range logits {
		sum += exp(float64(x) - float64(most))
	}
	for i, x := range logits {
		probabilities[i] = float32(exp(float64(x)-float64(most)) / sum)
	}
}

// Tanh returns the hyperbolic tangent.
func Tanh(x float32) float32 {
	if x < -20 {
		return -1
	}
	return float32(1 - 2/(exp(2*float64(x))+1))
}

// tanhs replaces numbers by their hyperbolic tangents to within 3·10⁻⁷, which an LSTM needs
// very many of: by the quotient of two polynomials that the library Eigen has for it.
func tanhs(numbers []float32) {
	const most = 7.90531110763549805 // from there on it is 1
	for i, x := range numbers {
		if x > most {
			x = most
		}
		if x < -most {
			x = -most
		}
		y := float32(x * x)
		over := float32(y*-2.76076847742355e-16) + 2.00018790482477e-13
		over = float32(y*over) + -8.60467152213735e-11
		over = float32(y*over) + 5.12229709037114e-08
		over = float32(y*over) + 1.48572235717979e-05
		over = float32(y*over) + 6.37261928875436e-04
		over = float32(y*over) + 4.89352455891786e-03
		under := float32(y*1.19825839466702e-06) + 1.18534705686654e-04
		under = float32(y*under) + 2.26843463243900e-03
		under = float32(y*under) + 4.89352518554385e-03
		numbers[i] = float32(x*over) / under
	}
}

// sigmoids replaces numbers by 1/(1 + e⁻ˣ) to within 2·10⁻⁷.
func sigmoids(numbers []float32) {
	for i := range numbers {
		numbers[i] *= 0.5
	}
	tanhs(numbers)
	for i, x := range numbers {
		numbers[i] = 0.5 + float32(0.5*x)
	}
}

// exp returns the exponential to within some units of the last place, 0 below −700, and
// that of 700 above.
func exp(x float64) float64 {
	if x < -700 {
		return 0
	}
	x = min(x, 700)
	const log2e, ln2High, ln2Low = 1.44269504088896338700, 6.93147180369123816490e-01, 1.90821492927058770002e-10
	k := math.Floor(float64(x*log2e) + 0.5)
	r := (x - float64(k*ln2High)) - float64(k*ln2Low) // from −0.35 to 0.35
	sum := 0.0
	for i := len(inverseFactorials) - 1; i >= 0; i-- {
		sum = float64(sum*r) + inverseFactorials[i]
	}
	return math.Float64frombits(uint64(int64(k)+1023)<<52) * sum
}

// inverseFactorials are the coefficients of the series of the exponential, as far as they
// are felt.
var inverseFactorials = func() (c [14]float64) {
	c[0] = 1
	for i := 1; i < len(c); i++ {
		c[i] = c[i-1] / float64(i)
	}
	return c
}()
