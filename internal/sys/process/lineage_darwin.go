package process

import (
	"bytes"
	"encoding/binary"
	"errors"

	"golang.org/x/sys/unix"
)

// commandLine returns the command line of the process pid.
func commandLine(pid int) ([]string, error) {
	args, _, err := procArgs(pid)
	return args, err
}

// environment returns the environment with which the process pid was started.
func environment(pid int) ([]string, error) {
	_, env, err := procArgs(pid)
	return env, err
}

// procArgs returns the arguments and the environment with which the process pid was started. The
// kernel returns the number of arguments, the path of the program, zero bytes up to a word boundary,
// and then the arguments and the environment, each string ended by a zero byte.
func procArgs(pid int) (args, env []string, err error) {
	b, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return nil, nil, err
	}
	if len(b) < 4 {
		return nil, nil, errors.New("no arguments")
	}
	n := int(binary.LittleEndian.Uint32(b))
	b = b[4:]
	end := bytes.IndexByte(b, 0)
	if end < 0 {
		return nil, nil, errors.New("no arguments")
	}
	words := splitNUL(bytes.TrimLeft(b[end:], "\x00"))
	if n < 0 || n > len(words) {
		return nil, nil, errors.New("too few arguments")
	}
	return words[:n], words[n:], nil
}
