package process

import (
	"os"
	"strconv"
)

// argsSize is the maximum number of bytes of a command line that are read; the first words identify a
// program.
const argsSize = 4 << 10

// commandLine returns the first words of the command line of the process pid. A process may overwrite
// its command line.
func commandLine(pid int) ([]string, error) {
	var buf [argsSize]byte
	n, err := readFileStart("/proc/"+strconv.Itoa(pid)+"/cmdline", buf[:])
	if err != nil {
		return nil, err
	}
	if n == len(buf) {
		buf[n-1] = 0
	}
	return splitNUL(buf[:n]), nil
}

// environment returns the environment with which the process pid was started.
func environment(pid int) ([]string, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return splitNUL(b), err
}
