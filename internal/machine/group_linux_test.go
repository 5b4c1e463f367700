package machine

import (
	"os"
	"path/filepath"
	"testing"
)

// system makes a file system with files of the given contents.
func system(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestGroupMemory(t *testing.T) {
	const v1, v2 = "sys/fs/cgroup/memory/", "sys/fs/cgroup/"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"no groups":       {nil, Unknown},
		"2, no limit":     {map[string]string{"proc/self/cgroup": "0::/a", v2 + "a/memory.max": "max", v2 + "a/memory.current": "5"}, Unknown},
		"2, a limit":      {map[string]string{"proc/self/cgroup": "0::/a", v2 + "a/memory.max": "100", v2 + "a/memory.current": "30"}, 70},
		"2, with files":   {map[string]string{"proc/self/cgroup": "0::/a", v2 + "a/memory.max": "100", v2 + "a/memory.current": "90", v2 + "a/memory.stat": "anon 10\ninactive_file 60\nactive_file 20"}, 70},
		"2, of a parent":  {map[string]string{"proc/self/cgroup": "0::/a/b/c", v2 + "a/memory.max": "100", v2 + "a/memory.current": "40", v2 + "a/b/c/memory.max": "80", v2 + "a/b/c/memory.current": "10"}, 60},
		"2, own is least": {map[string]string{"proc/self/cgroup": "0::/a/b", v2 + "a/memory.max": "100", v2 + "a/memory.current": "40", v2 + "a/b/memory.max": "50", v2 + "a/b/memory.current": "10"}, 40},
		"2, in container": {map[string]string{"proc/self/cgroup": "0::/docker/x", v2 + "memory.max": "100", v2 + "memory.current": "1"}, 99},
		"2, over it":      {map[string]string{"proc/self/cgroup": "0::/", v2 + "memory.max": "100", v2 + "memory.current": "110"}, 0},
		"2, damaged":      {map[string]string{"proc/self/cgroup": "0::/\nrubbish", v2 + "memory.max": "-3", v2 + "memory.current": "1"}, Unknown},
		"1, a limit":      {map[string]string{"proc/self/cgroup": "7:cpu,cpuacct:/x\n4:memory:/a", v1 + "a/memory.limit_in_bytes": "1000", v1 + "a/memory.usage_in_bytes": "900", v1 + "a/memory.stat": "inactive_file 1\ntotal_inactive_file 300"}, 400},
		"1, no limit":     {map[string]string{"proc/self/cgroup": "4:memory:/", v1 + "memory.limit_in_bytes": "9223372036854771712", v1 + "memory.usage_in_bytes": "900"}, Unknown},
		"1, listed":       {map[string]string{"proc/self/cgroup": "4:hugetlb,memory:/a", v1 + "a/memory.limit_in_bytes": "10", v1 + "a/memory.usage_in_bytes": "4"}, 6},
		"1 beside 2":      {map[string]string{"proc/self/cgroup": "4:memory:/a\n0::/b", v1 + "a/memory.limit_in_bytes": "1000", v1 + "a/memory.usage_in_bytes": "0", v2 + "b/memory.max": "600", v2 + "b/memory.current": "0"}, 600},
	} {
		t.Run(name, func(t *testing.T) {
			root := system(t, c.files)
			if got := groupMemory(root); got != c.want {
				t.Errorf("%d bytes, want %d", got, c.want)
			}
		})
	}
}

// The available memory is the least of what is free and what the group leaves.
func TestAvailableIsTheLeast(t *testing.T) {
	const group = "sys/fs/cgroup/"
	for limit, want := range map[string]int64{"1024": 1000, "1000000000": 2048 << 10, "max": 2048 << 10} {
		root := system(t, map[string]string{
			"proc/meminfo": "MemTotal: 9999 kB\nMemAvailable:  2048 kB", "proc/self/cgroup": "0::/",
			group + "memory.max": limit, group + "memory.current": "24",
		})
		if got := availableMemory(root); got != want {
			t.Errorf("group limit %s: %d bytes, want %d", limit, got, want)
		}
	}
}

// Large pages are off where the system says never.
func TestLargePagesOff(t *testing.T) {
	for text, want := range map[string]bool{"": false, "always [madvise] never\n": false, "always madvise [never]\n": true, "[always] madvise never\n": false} {
		root := system(t, map[string]string{"sys/kernel/mm/transparent_hugepage/enabled": text})
		if got := largePagesOff(root); got != want {
			t.Errorf("%q: off is %t", text, got)
		}
	}
	if largePagesOff(t.TempDir()) {
		t.Error("off where the system does not tell")
	}
	if total, available := TotalMemory(), availableMemory("/"); total < available || total <= 0 {
		t.Errorf("%d bytes of memory, of which %d are available", total, available)
	}
}
