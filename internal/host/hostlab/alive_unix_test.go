//go:build unix

package hostlab

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// isAlive reports whether a process is running. A zombie is not; on systems that do not show process
// states, a zombie is soon reaped.
func isAlive(pid string) bool {
	n, err := strconv.Atoi(pid)
	if err != nil || syscall.Kill(n, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	_, after, _ := strings.Cut(string(stat), ") ")
	return err != nil || !strings.HasPrefix(after, "Z")
}
