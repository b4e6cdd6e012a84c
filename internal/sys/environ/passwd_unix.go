//go:build unix

package environ

import "syscall"

// readPasswd returns the content of /etc/passwd, or nil if it cannot be opened. It avoids package os,
// which starts the network poller; that takes noticeable time in a program that lives for a
// millisecond.
func readPasswd() []byte {
	fd, err := syscall.Open("/etc/passwd", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	for err == syscall.EINTR {
		fd, err = syscall.Open("/etc/passwd", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	}
	if err != nil {
		return nil
	}
	defer syscall.Close(fd)
	text := make([]byte, 0, 4<<10)
	for len(text) < maxPasswd {
		n, err := syscall.Read(fd, text[len(text):min(cap(text), maxPasswd)])
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n == 0 { // use what was read
			break
		}
		if text = text[:len(text)+n]; len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
	}
	return text
}
