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

// peerIs reports an error unless our parent made the socket: the kernel keeps who did.
func peerIs(fd, parent int) error {
	peer, err := syscall.GetsockoptUcred(fd, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil || int(peer.Pid) != parent {
		return errors.New("it does not come from the process that started this one")
	}
	return nil
}

func ownMaps() *os.File {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return nil // the program will not be believed
	}
	return f
}

// isOurs reports an error unless the parent runs a program of ours.
func (s sight) isOurs(parent int) error {
	exe := "/proc/" + strconv.Itoa(parent) + "/exe"
	err := oursIs(exe)
	if !errors.Is(err, fs.ErrPermission) || s.maps < 0 {
		return err
	}
	path, err := s.mapped(parent)
	if err != nil {
		return err
	}
	return oursIs(path)
}

const procMagic = 0x9fa0

// mapped is the program of the parent by its maps: the first file in them.
func (s sight) mapped(parent int) (string, error) {
	var in syscall.Statfs_t
	name, _ := os.Readlink("/proc/self/fd/" + strconv.Itoa(s.maps))
	if err := syscall.Fstatfs(s.maps, &in); err != nil || in.Type != procMagic || name != fmt.Sprintf("/proc/%d/maps", parent) {
		return "", errors.New("cannot tell which program its parent process is running")
	}
	var text []byte
	buf := make([]byte, 4<<10)
	for len(text) < 64<<10 {
		n, err := retry(syscall.Read, s.maps, buf)
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
