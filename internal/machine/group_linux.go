package machine

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// groupMemory returns the bytes that the control groups of this process, of version 1 or 2,
// leave it: the least of all groups up to the root, or Unknown where none has a limit.
// Inactive file pages of a group count as free. root is the root of the file system.
func groupMemory(root string) int64 {
	groups, _ := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	least := Unknown
	for line := range strings.Lines(string(groups)) {
		// hierarchy:controllers:path, the controllers empty in version 2
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) < 3 {
			continue
		}
		mount, files := "sys/fs/cgroup", version2
		if fields[1] != "" {
			mount, files = "sys/fs/cgroup/memory", version1
		}
		if fields[1] != "" && !slices.Contains(strings.Split(fields[1], ","), "memory") {
			continue
		}
		// A container may see its group as the root: missing groups are skipped.
		for at := path.Clean("/" + fields[2]); ; at = path.Dir(at) {
			if least = lesser(least, files.free(filepath.Join(root, mount, at))); at == "/" {
				break
			}
		}
	}
	return least
}

type groupFiles struct{ limit, usage, inactive string }

var (
	version1 = groupFiles{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}
	version2 = groupFiles{"memory.max", "memory.current", "inactive_file"}
)

func (g groupFiles) free(dir string) int64 {
	limit, usage := number(filepath.Join(dir, g.limit)), number(filepath.Join(dir, g.usage))
	// In version 1 the largest number of pages means no limit.
	if limit == Unknown || usage == Unknown || limit > 1<<62 {
		return Unknown
	}
	if inactive := field(filepath.Join(dir, "memory.stat"), g.inactive); inactive != Unknown {
		usage -= min(inactive, usage)
	}
	return max(limit-usage, 0)
}

// number reads a number from a file, or Unknown for a word such as max.
func number(file string) int64 {
	text, _ := os.ReadFile(file)
	n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
	if err != nil || n < 0 {
		return Unknown
	}
	return n
}
