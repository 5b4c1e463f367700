package network

import "math"

// The functions of this file give the same bits on all processors; those of
// package math are assembly on some of them.

// Softmax turns one or more logits into probabilities, proportional to their exponentials.
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

// exp is accurate to a few units in the last place; it is 0 below −700, and exp(700) above 700.
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

// inverseFactorials are the significant coefficients of the exponential series.
var inverseFactorials = func() (c [14]float64) {
	c[0] = 1
	for i := 1; i < len(c); i++ {
		c[i] = c[i-1] / float64(i)
	}
	return c
}()
