package process

import "syscall"

// ListsTruthfully reports whether the system lists the real content of dir. A directory always
// contains ".", so an empty list was faked, as a system call filter can do.
func ListsTruthfully(dir string) bool {
	fd, err := syscall.Open(dir, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return true // a caller that lists it gets the same error
	}
	defer syscall.Close(fd)
	var buf [4096]byte
	n, err := syscall.ReadDirent(fd, buf[:])
	return err != nil || n > 0
}
