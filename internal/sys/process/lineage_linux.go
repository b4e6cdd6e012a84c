package process

import (
	"os"
	"strconv"
)

// argsSize is how much of a command line is read: the first words identify a program.
const argsSize = 4 << 10

// arguments returns the first words of a process's command line. A process may write anything there.
func arguments(pid int) ([]string, error) {
	var buf [argsSize]byte
	n, err := readStart("/proc/"+strconv.Itoa(pid)+"/cmdline", buf[:])
	if err != nil {
		return nil, err
	}
	if n == len(buf) {
		buf[n-1] = 0
	}
	return splitNUL(buf[:n]), nil
}

// environment returns the environment that a process was started with.
func environment(pid int) ([]string, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return splitNUL(b), err
}
