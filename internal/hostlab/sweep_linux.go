package hostlab

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// sweep ends every process that lives in this home, also one that has left its
// group and session: only what a host of ours started has such a HOME. A few
// rounds get those that were just being born.
func sweep(home string) {
	for range 5 {
		if !sweepOnce([]byte("HOME=" + home)) {
			return
		}
	}
}

func sweepOnce(variable []byte) (found bool) {
	paths, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return false
	}
	for _, path := range paths {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil || pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile(path) // not ours, or gone: nothing to do
		if err != nil {
			continue
		}
		for v := range bytes.SplitSeq(env, []byte{0}) {
			if bytes.Equal(v, variable) {
				found = true
				_ = syscall.Kill(pid, syscall.SIGKILL)
				break
			}
		}
	}
	return found
}
