package hostlab

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// sweep ends every process that lives in this home, also one that has left its
// group and session: only what a host of ours started has such a HOME, or, without a
// terminal and since we run, works in the folder that the home is in. A few rounds get
// those that were just being born.
//
// One that has emptied its environment, has left that folder and holds no file in it is
// not found.
func sweep(home string) {
	space := ""
	if filepath.Base(home) == "home" {
		space = filepath.Dir(home)
	}
	for range 5 {
		if !sweepOnce([]byte("HOME="+home), space) {
			return
		}
	}
}

func sweepOnce(variable []byte, space string) (found bool) {
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
		if ours := slices.ContainsFunc(bytes.Split(env, []byte{0}), func(v []byte) bool { return bytes.Equal(v, variable) }); ours || space != "" && worksIn(pid, space) {
			found = true
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	return found
}

// worksIn reports whether a process that was started after us, and has no terminal, has
// its working directory or an open file in a folder. A person who looks around there has
// a terminal, and what indexes files for them was there before.
func worksIn(pid int, folder string) bool {
	tty, born := stat(pid)
	_, since := stat(os.Getpid())
	if tty != 0 || born < since || since == 0 {
		return false
	}
	dir := "/proc/" + strconv.Itoa(pid)
	paths := []string{dir + "/cwd", dir + "/root"}
	if list, err := filepath.Glob(dir + "/fd/*"); err == nil {
		paths = append(paths, list...)
	}
	return slices.ContainsFunc(paths, func(path string) bool {
		to, err := os.Readlink(path)
		return err == nil && strings.HasPrefix(to+"/", folder+"/")
	})
}

// stat is the terminal of a process, 0 = it has none, and when it was started, in ticks.
func stat(pid int) (tty int, born uint64) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 20 {
		return 0, 0
	}
	tty, _ = strconv.Atoi(fields[4])
	born, _ = strconv.ParseUint(fields[19], 10, 64)
	return tty, born
}
