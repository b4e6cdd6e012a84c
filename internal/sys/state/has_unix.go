//go:build unix

package state

import "syscall"

// sizeOrMinusOne returns the size of the file or symlink at path, or -1 if there is none. Unlike
// os.Lstat it allocates no memory, because most callers find no file.
func sizeOrMinusOne(path string) int64 {
	var st syscall.Stat_t
	for {
		switch err := syscall.Lstat(path, &st); err {
		case nil:
			return st.Size
		case syscall.EINTR:
		default:
			return -1
		}
	}
}
