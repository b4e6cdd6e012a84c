package process

import (
	"bytes"
	"encoding/binary"
	"errors"

	"golang.org/x/sys/unix"
)

func arguments(pid int) ([]string, error) {
	args, _, err := started(pid)
	return args, err
}

func environment(pid int) ([]string, error) {
	_, env, err := started(pid)
	return env, err
}

// started returns what a process was started with. The kernel gives the number
// of arguments, the path of the program, zero bytes up to a word's border, and
// then arguments and environment, each ended by a zero byte.
func started(pid int) (args, env []string, err error) {
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
	words := fields(bytes.TrimLeft(b[end:], "\x00"))
	if n < 0 || n > len(words) {
		return nil, nil, errors.New("too few arguments")
	}
	return words[:n], words[n:], nil
}
