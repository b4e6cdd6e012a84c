package process

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// checkPeer returns an error unless the kernel recorded the process parent as the creator of the
// socket fd.
func checkPeer(fd, parent int) error {
	peer, err := syscall.GetsockoptUcred(fd, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil || int(peer.Pid) != parent {
		return errors.New("it does not come from the process that started this one")
	}
	return nil
}

// openOwnMaps returns the open memory map of this process, or nil if it cannot be opened.
func openOwnMaps() *os.File {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return nil // the program will reject the ticket
	}
	return f
}

// checkParent returns an error unless the process parent runs a program of checkrein.
func (s parentView) checkParent(parent int) error {
	exe := "/proc/" + strconv.Itoa(parent) + "/exe"
	err := checkOwnProgram(exe)
	if !errors.Is(err, fs.ErrPermission) || s.maps < 0 {
		return err
	}
	path, err := s.programFromMaps(parent)
	if err != nil {
		return err
	}
	return checkOwnProgram(path)
}

// procMagic is PROC_SUPER_MAGIC, the file system type of /proc.
const procMagic = 0x9fa0

// programFromMaps returns the path of the program that the process parent runs: the first file in its
// memory map.
func (s parentView) programFromMaps(parent int) (string, error) {
	var in syscall.Statfs_t
	name, _ := os.Readlink("/proc/self/fd/" + strconv.Itoa(s.maps))
	if err := syscall.Fstatfs(s.maps, &in); err != nil || in.Type != procMagic || name != fmt.Sprintf("/proc/%d/maps", parent) {
		return "", errors.New("cannot tell which program its parent process is running")
	}
	var text []byte
	buf := make([]byte, 4<<10)
	for len(text) < 64<<10 {
		n, err := ignoringEINTR(syscall.Read, s.maps, buf)
		if err != nil || n <= 0 {
			break
		}
		text = append(text, buf[:n]...)
		if i := bytes.IndexByte(text, '/'); i >= 0 && bytes.IndexByte(text[i:], '\n') >= 0 {
			path, _, _ := strings.Cut(string(text[i:]), "\n")
			return path, nil
		}
	}
	return "", errors.New("cannot tell which program its parent process is running")
}
