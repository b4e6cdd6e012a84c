//go:build amd64 || arm64

package workloads

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"unsafe"
)

// TestMain lets this program act as one that tries to leave the walls.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "_try" {
		runtime.LockOSThread()
		if err := tryOperation(os.Args[2:]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Numbers of system calls that are the same on all architectures.
const (
	sysPidfdSend = 424
	sysRing      = 425
	sysPidfdOpen = 434
	sysPidfdGet  = 438
	oPath        = 0x200000
)

// calls holds the numbers of system calls that package syscall lacks or names for one architecture only.
var calls = map[string]map[string]uintptr{
	"amd64": {"renameat2": 316, "name_to_handle_at": 303, "open_by_handle_at": 304, "memfd_create": 319, "process_vm_readv": 310, "ioprio_set": 251, "add_key": 248},
	"arm64": {"renameat2": 276, "name_to_handle_at": 264, "open_by_handle_at": 265, "memfd_create": 279, "process_vm_readv": 270, "ioprio_set": 30, "add_key": 217},
}[runtime.GOARCH]

// call calls the system and returns its error.
func call(number uintptr, args ...uintptr) (uintptr, error) {
	args = append(args, 0, 0, 0, 0, 0, 0)
	r, _, errno := syscall.Syscall6(number, args[0], args[1], args[2], args[3], args[4], args[5])
	if errno != 0 {
		return r, errno
	}
	return r, nil
}

func text(s string) uintptr {
	p, err := syscall.BytePtrFromString(s)
	if err != nil {
		panic(err)
	}
	return uintptr(unsafe.Pointer(p))
}

const here = ^uintptr(99) // AT_FDCWD

// tryOperation performs the operation words, which walls should stop, and returns its error.
func tryOperation(words []string) error {
	number := func(i int) uintptr {
		n, _ := strconv.Atoi(words[i]) // 0 is refused too
		return uintptr(n)
	}
	printFile := func(fd int, err error) error {
		if err != nil {
			return err
		}
		var b [64]byte
		n, err := syscall.Read(fd, b[:])
		if err == nil {
			os.Stdout.Write(b[:n])
		}
		return err
	}
	switch words[0] {
	case "openat":
		dir, err := syscall.Open(words[1], oPath, 0)
		if err != nil {
			return err
		}
		return printFile(syscall.Openat(dir, words[2], syscall.O_RDONLY, 0))
	case "reopen":
		fd, err := syscall.Open(words[1], oPath, 0)
		if err != nil {
			return err
		}
		return printFile(syscall.Open(fmt.Sprintf("/proc/self/fd/%d", fd), syscall.O_RDONLY, 0))
	case "handle":
		handle := [3]uint64{128 - 8}
		var buf [128]byte
		*(*uint64)(unsafe.Pointer(&buf)) = handle[0]
		mount := int32(0)
		if _, err := call(calls["name_to_handle_at"], here, text(words[1]), uintptr(unsafe.Pointer(&buf)), uintptr(unsafe.Pointer(&mount))); err != nil {
			return err
		}
		dir, err := syscall.Open("/", syscall.O_RDONLY, 0)
		if err != nil {
			return err
		}
		fd, err := call(calls["open_by_handle_at"], uintptr(dir), uintptr(unsafe.Pointer(&buf)), syscall.O_RDONLY)
		return printFile(int(fd), err)
	case "ring":
		var params [120]byte
		_, err := call(sysRing, 1, uintptr(unsafe.Pointer(&params)))
		return err
	case "rename":
		return syscall.Rename(words[1], words[2])
	case "exchange":
		_, err := call(calls["renameat2"], here, text(words[1]), here, text(words[2]), 2)
		return err
	case "link":
		return syscall.Link(words[1], words[2])
	case "truncate":
		return syscall.Truncate(words[1], 0)
	case "append":
		_, err := syscall.Open(words[1], syscall.O_WRONLY|syscall.O_APPEND, 0)
		return err
	case "tmpfile":
		fd, err := syscall.Open(filepath.Dir(words[1]), syscall.O_WRONLY|0x400000|syscall.O_DIRECTORY, 0o600)
		if err != nil { // then one that was made inside
			if fd, err = syscall.Open(".", syscall.O_WRONLY|0x400000|syscall.O_DIRECTORY, 0o600); err != nil {
				return err
			}
		}
		_, err = call(syscall.SYS_LINKAT, here, text(fmt.Sprintf("/proc/self/fd/%d", fd)), here, text(words[1]), 0x400)
		return err
	case "map":
		fd, err := syscall.Open(words[1], syscall.O_RDONLY, 0)
		if err != nil {
			return err
		}
		data, err := syscall.Mmap(fd, 0, 6, syscall.PROT_READ, syscall.MAP_PRIVATE)
		fmt.Printf("%s\n", data)
		return err
	case "mount":
		return syscall.Mount(words[1], words[2], "", syscall.MS_BIND, "")
	case "chroot":
		if err := syscall.Chroot(words[1]); err != nil {
			return err
		}
		return printFile(syscall.Open("/"+words[2], syscall.O_RDONLY, 0))
	case "disks":
		return readDisks()
	case "dial":
		conn, err := net.Dial(words[1], words[2])
		if err == nil {
			_, err = conn.Write([]byte("x"))
		}
		return err
	case "socket":
		_, err := net.Listen("unix", words[1])
		return err
	case "pair":
		_, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_DGRAM, 0)
		return err
	case "vsock":
		for _, family := range []int{40, 17, 38, 31, 29} { // vsock, packet, alg, bluetooth, can
			if _, err := syscall.Socket(family, syscall.SOCK_STREAM, 0); !errors.Is(err, syscall.EACCES) {
				return nil
			}
		}
		return syscall.EACCES
	case "pidfd":
		fd, err := call(sysPidfdOpen, number(1))
		if err != nil {
			return err
		}
		_, err = call(sysPidfdSend, fd, uintptr(syscall.SIGKILL))
		return err
	case "killall":
		return syscall.Kill(-1, syscall.SIGKILL)
	case "trace":
		return syscall.PtraceAttach(int(number(1)))
	case "peek":
		var b [8]byte
		local := syscall.Iovec{Base: &b[0], Len: 8}
		remote := struct{ base, size uintptr }{0x400000, 8}
		_, err := call(calls["process_vm_readv"], number(1), uintptr(unsafe.Pointer(&local)), 1, uintptr(unsafe.Pointer(&remote)), 1)
		if errors.Is(err, syscall.EFAULT) {
			return nil // it might have
		}
		return err
	case "steal":
		fd, err := call(sysPidfdOpen, number(1))
		if err != nil {
			return err
		}
		_, err = call(sysPidfdGet, fd, 3)
		return err
	case "renice":
		_, err := call(syscall.SYS_SETPRIORITY, map[string]uintptr{"process": 0, "user": 2}[words[1]], number(2), 5)
		return err
	case "ioprio":
		_, err := call(calls["ioprio_set"], map[string]uintptr{"process": 1, "user": 3}[words[1]], number(2), 2<<13|7)
		return err
	case "affinity":
		mask := [16]uint64{^uint64(0)}
		_, err := call(syscall.SYS_SCHED_SETAFFINITY, number(1), unsafe.Sizeof(mask), uintptr(unsafe.Pointer(&mask)))
		return err
	case "keys":
		_, err := call(calls["add_key"], text("user"), text("checkrein"), text("x"), 1, ^uintptr(2))
		return err
	case "type":
		return typeIntoTerminal()
	case "memfd":
		return runFromMemory()
	}
	return fmt.Errorf("unknown: %q", words)
}

// readDisks reads the disks and the memory of the machine.
func readDisks() error {
	paths, _ := filepath.Glob("/dev/[svx]d[a-z]*") // the pattern is valid
	for _, path := range append(paths, "/dev/nvme0n1", "/dev/mem", "/dev/kmsg", "/proc/kcore") {
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			var b [512]byte
			if _, err := syscall.Read(fd, b[:]); err == nil {
				fmt.Println("read", path)
				return nil
			}
		}
	}
	return syscall.EACCES
}

// typeIntoTerminal types into a terminal that it opens.
func typeIntoTerminal() error {
	fd, err := syscall.Open("/dev/ptmx", syscall.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	c := byte('x')
	_, err = call(syscall.SYS_IOCTL, uintptr(fd), 0x5412, uintptr(unsafe.Pointer(&c)))
	return err
}

// runFromMemory executes a copy of a program in memory, which fails to write outside.
func runFromMemory() error {
	fd, err := call(calls["memfd_create"], text("x"), 0)
	if err != nil {
		return err
	}
	data, err := os.ReadFile("/bin/true")
	if err != nil {
		return err
	}
	if _, err := syscall.Write(int(fd), data); err != nil {
		return err
	}
	return syscall.Exec(fmt.Sprintf("/proc/self/fd/%d", fd), []string{"true"}, os.Environ())
}
