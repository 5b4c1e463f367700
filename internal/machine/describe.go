package machine

import (
	"os"
	"runtime"
	"strings"
)

// Machine describes a machine by what measurements depend on.
type Machine struct {
	// Processor is its name, "" where the system does not tell.
	Processor string `json:"processor"`
	Cores     int    `json:"cores"`
	Platform  string `json:"platform"`
	Go        string `json:"go"`
}

// This returns the machine of the process.
func This() Machine {
	m := Machine{Cores: runtime.NumCPU(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			m.Processor = strings.TrimSpace(value)
			break
		}
	}
	return m
}
