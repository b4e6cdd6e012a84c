//go:build amd64 || arm64 || riscv64 || loong64

package undo

import (
	"io/fs"
	"runtime"
	"strings"
	"syscall"
	"unsafe"
)

// noFollow is AT_SYMLINK_NOFOLLOW, which package syscall lacks.
const noFollow = 0x100

// linkAt creates the hard link newName in the directory to of the file oldName in from.
func linkAt(from int, oldName string, to int, newName string) error {
	a, err := syscall.BytePtrFromString(oldName)
	if err != nil {
		return err
	}
	b, err := syscall.BytePtrFromString(newName)
	if err != nil {
		return err
	}
	_, _, errno := syscall.Syscall6(syscall.SYS_LINKAT, uintptr(from), uintptr(unsafe.Pointer(a)), uintptr(to), uintptr(unsafe.Pointer(b)), 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// statAt describes the file name in the directory dir, without following a symlink. Package syscall has
// the call under different names.
func statAt(dir int, name string, st *syscall.Stat_t) error {
	call := uintptr(79)
	if runtime.GOARCH == "amd64" {
		call = 262
	}
	p, err := syscall.BytePtrFromString(name)
	if err != nil {
		return err
	}
	if _, _, errno := syscall.Syscall6(call, uintptr(dir), uintptr(unsafe.Pointer(p)), uintptr(unsafe.Pointer(st)), noFollow, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// A linker creates hard links relative to open directories, which takes half the time of whole paths.
type linker struct {
	from, to         int // open directories, if their paths are not ""
	fromPath, toPath string
}

// link creates the hard link name of the file f in the directory to, and describes f by it.
func (l *linker) link(f *file, to, name string) error {
	at := strings.LastIndexByte(f.path, '/') + 1
	if err := reopen(&l.from, &l.fromPath, f.path[:at]); err != nil {
		return err
	}
	if err := reopen(&l.to, &l.toPath, to); err != nil {
		return err
	}
	if err := linkAt(l.from, f.path[at:], l.to, name); err != nil {
		return err
	}
	var st syscall.Stat_t
	err := statAt(l.to, name, &st)
	if err == nil && st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		err = syscall.EINVAL // it was replaced meanwhile
	}
	if err != nil {
		_ = syscall.Unlinkat(l.to, name)
		return err
	}
	f.mode, f.size, f.mtime = fs.FileMode(st.Mode&0o777), st.Size, st.Mtim.Nano()
	for _, b := range [...]struct {
		bit  uint32
		mode fs.FileMode
	}{{syscall.S_ISUID, fs.ModeSetuid}, {syscall.S_ISGID, fs.ModeSetgid}, {syscall.S_ISVTX, fs.ModeSticky}} {
		if st.Mode&b.bit != 0 {
			f.mode |= b.mode
		}
	}
	return nil
}

// reopen opens dir as *fd instead of *path, unless they are the same.
func reopen(fd *int, path *string, dir string) error {
	if *path == dir {
		return nil
	}
	opened, err := syscall.Open(dir, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	if *path != "" {
		syscall.Close(*fd)
	}
	*fd, *path = opened, dir
	return nil
}

// close closes the directories.
func (l *linker) close() {
	if l.fromPath != "" {
		syscall.Close(l.from)
	}
	if l.toPath != "" {
		syscall.Close(l.to)
	}
}
