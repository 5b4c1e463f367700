//go:build !unix

package registry

// faultKinds is empty: the system does not count page faults.
var faultKinds []string

func pageFaults() []float64 { return nil }
