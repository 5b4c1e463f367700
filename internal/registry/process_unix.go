//go:build unix

package registry

import "golang.org/x/sys/unix"

// faultKinds are the kinds that pageFaults counts.
var faultKinds = []string{"minor", "major"}

func pageFaults() []float64 {
	var usage unix.Rusage
	unix.Getrusage(unix.RUSAGE_SELF, &usage) // which cannot fail for the process itself
	return []float64{float64(usage.Minflt), float64(usage.Majflt)}
}
