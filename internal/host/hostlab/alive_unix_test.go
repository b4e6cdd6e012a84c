//go:build unix

package hostlab

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// alive tells whether a process runs. One that is dead and that nobody has
// reaped does not; where the system shows no states, it is soon reaped.
func alive(pid string) bool {
	n, err := strconv.Atoi(pid)
	if err != nil || syscall.Kill(n, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	_, after, _ := strings.Cut(string(stat), ") ")
	return err != nil || !strings.HasPrefix(after, "Z")
}
