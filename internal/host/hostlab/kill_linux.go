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

// killProcesses kills every process whose HOME is home, even in another process group or session. It
// also kills every process without a terminal that started after this one and works in the directory
// that contains home. It repeats this to find processes that were being started.
//
// It does not find a process that cleared its environment, left the directory and has no open file in
// it.
func killProcesses(home string) {
	space := ""
	if filepath.Base(home) == "home" {
		space = filepath.Dir(home)
	}
	for range 5 {
		if !killOnce([]byte("HOME="+home), space) {
			return
		}
	}
}

// killOnce kills the processes with this environment variable or that work in space, and reports
// whether it found any.
func killOnce(variable []byte, space string) (found bool) {
	paths, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return false
	}
	for _, path := range paths {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil || pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile(path) // fails for another user's process, or one that ended
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

// worksIn reports whether the process pid has its working directory or an open file in folder. It
// reports false for a process with a terminal, such as a user's shell, and for one that started before
// this process, such as a file indexer.
func worksIn(pid int, folder string) bool {
	tty, born := readStat(pid)
	_, since := readStat(os.Getpid())
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

// readStat returns the terminal of a process, 0 if it has none, and when the process was started, in
// clock ticks.
func readStat(pid int) (tty int, born uint64) {
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
