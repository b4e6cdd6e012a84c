package process

import "syscall"

// Lists reports whether the system lists directories truly. Each has at least itself in
// it: one that has nothing was made up, as a filter of system calls can do.
func Lists(dir string) bool {
	fd, err := syscall.Open(dir, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return true // which whoever lists it is told too
	}
	defer syscall.Close(fd)
	var buf [4096]byte
	n, err := syscall.ReadDirent(fd, buf[:])
	return err != nil || n > 0
}
