//go:build !amd64 && !arm64

package kernels

// Available returns the tiers that this processor runs, in ascending order.
func Available() []Tier { return []Tier{Go} }
