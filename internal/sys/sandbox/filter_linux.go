//go:build amd64 || arm64 || riscv64 || loong64

package sandbox

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"
)

// Results of a seccomp filter, and offsets in the data of a system call; see
// include/uapi/linux/seccomp.h.
const (
	modeFilter  = 2
	actAllow    = 0x7fff0000
	actKill     = 0x80000000
	actRefuse   = 0x00050000 | uint32(syscall.EACCES)
	atNumber    = 0
	atArch      = 4
	atDomain    = 16 // the first argument
	atType      = 24 // the second
	otherABI    = 0x40000000
	sysURing    = 425 // io_uring_setup, which can create sockets past a filter
	typeMask    = 0xf
	bpfLoad     = syscall.BPF_LD | syscall.BPF_W | syscall.BPF_ABS
	bpfEqual    = syscall.BPF_JMP | syscall.BPF_JEQ | syscall.BPF_K
	bpfAtLeast  = syscall.BPF_JMP | syscall.BPF_JGE | syscall.BPF_K
	bpfMask     = syscall.BPF_ALU | syscall.BPF_AND | syscall.BPF_K
	bpfReturn   = syscall.BPF_RET | syscall.BPF_K
	audit64Bits = 0xC0000000 // 64 bits, little endian
)

// auditArch returns the kernel's audit number of this program's architecture.
func auditArch() uint32 {
	switch runtime.GOARCH {
	case "amd64":
		return audit64Bits | 62
	case "arm64":
		return audit64Bits | 183
	case "riscv64":
		return audit64Bits | 243
	}
	return audit64Bits | 258 // loong64
}

// denySockets prevents the thread and its descendants from creating a socket of any family. Unix
// sockets are included, because those of system services are files, which an empty network namespace
// does not block. Stream and packet socket pairs for child processes stay allowed, because they cannot
// be connected elsewhere.
//
// A system call with the numbers of another architecture, which mean other calls, kills the program.
func denySockets() error {
	rule := func(code uint16, k uint32, yes, no uint8) syscall.SockFilter {
		return syscall.SockFilter{Code: code, Jt: yes, Jf: no, K: k}
	}
	program := [...]syscall.SockFilter{
		rule(bpfLoad, atArch, 0, 0),
		rule(bpfEqual, auditArch(), 1, 0),
		rule(bpfReturn, actKill, 0, 0),
		rule(bpfLoad, atNumber, 0, 0),
		rule(bpfAtLeast, otherABI, 10, 0), // refuse
		rule(bpfEqual, syscall.SYS_SOCKET, 9, 0),
		rule(bpfEqual, sysURing, 8, 0),
		rule(bpfEqual, syscall.SYS_SOCKETPAIR, 0, 6), // else allow
		rule(bpfLoad, atDomain, 0, 0),
		rule(bpfEqual, syscall.AF_UNIX, 0, 5), // else refuse
		rule(bpfLoad, atType, 0, 0),
		rule(bpfMask, typeMask, 0, 0),
		rule(bpfEqual, syscall.SOCK_STREAM, 1, 0),
		rule(bpfEqual, syscall.SOCK_SEQPACKET, 0, 1),
		rule(bpfReturn, actAllow, 0, 0),
		rule(bpfReturn, actRefuse, 0, 0),
	}
	prog := syscall.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetSeccomp, modeFilter, uintptr(unsafe.Pointer(&prog)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("network: this kernel does not support system call filters (seccomp): %w", errno)
	}
	return nil
}
