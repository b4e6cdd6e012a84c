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
	modeFilter = 2
	actAllow   = 0x7fff0000
	actKill    = 0x80000000
	actRefuse  = 0x00050000 | uint32(syscall.EACCES)
	atNumber   = 0
	atArch     = 4
	atFirst    = 16 // the first argument
	atSecond   = 24 // the second
	otherABI   = 0x40000000
	sysURing   = 425 // io_uring_setup, which can create sockets past a filter
	typeMask   = 0xf
	// All processes of the user, which the number 0 means in place of a process.
	priorityOfUser, ioPriorityOfUser = 2, 3
	anyBits                          = 0xffffffff
	typeInto                         = 0x5412 // TIOCSTI, which types into a terminal
	setConsole                       = 0x541C // TIOCLINUX, which pastes into a console
	bpfLoad                          = syscall.BPF_LD | syscall.BPF_W | syscall.BPF_ABS
	bpfEqual                         = syscall.BPF_JMP | syscall.BPF_JEQ | syscall.BPF_K
	bpfAtLeast                       = syscall.BPF_JMP | syscall.BPF_JGE | syscall.BPF_K
	bpfMask                          = syscall.BPF_ALU | syscall.BPF_AND | syscall.BPF_K
	bpfReturn                        = syscall.BPF_RET | syscall.BPF_K
	audit64Bits                      = 0xC0000000 // 64 bits, little endian
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

// sysIOPrioSet returns the number of ioprio_set on this program's architecture, which package syscall
// does not name for all.
func sysIOPrioSet() uint32 {
	if runtime.GOARCH == "amd64" {
		return 251
	}
	return 30
}

// filter is a seccomp filter under construction. Each block of it either returns a result or falls
// through to the next.
type filter []syscall.SockFilter

// add appends an instruction that jumps yes or no instructions further.
func (f *filter) add(code uint16, k uint32, yes, no uint8) {
	*f = append(*f, syscall.SockFilter{Code: code, Jt: yes, Jf: no, K: k})
}

// begin appends the block that every filter starts with. A system call with the numbers of another
// architecture, which mean other calls, kills the program.
func (f *filter) begin() {
	f.add(bpfLoad, atArch, 0, 0)
	f.add(bpfEqual, auditArch(), 1, 0)
	f.add(bpfReturn, actKill, 0, 0)
	f.add(bpfLoad, atNumber, 0, 0)
	f.add(bpfAtLeast, otherABI, 0, 1)
	f.add(bpfReturn, actRefuse, 0, 0)
}

// refuse appends a block that refuses the system calls with these numbers.
func (f *filter) refuse(calls ...uint32) {
	for _, call := range calls {
		f.add(bpfLoad, atNumber, 0, 0)
		f.add(bpfEqual, call, 0, 1)
		f.add(bpfReturn, actRefuse, 0, 0)
	}
}

// refuseUnless appends a block that refuses the system call if its argument at the offset, masked, is
// none of values.
func (f *filter) refuseUnless(call, offset, mask uint32, values ...uint32) {
	f.add(bpfLoad, atNumber, 0, 0)
	f.add(bpfEqual, call, 0, uint8(len(values)+3))
	f.add(bpfLoad, offset, 0, 0)
	f.add(bpfMask, mask, 0, 0)
	for i, v := range values {
		f.add(bpfEqual, v, uint8(len(values)-i), 0)
	}
	f.add(bpfReturn, actRefuse, 0, 0)
}

// refuseIf appends a block that refuses the system call if its argument at the offset is one of values.
func (f *filter) refuseIf(call, offset uint32, values ...uint32) {
	for _, v := range values {
		f.add(bpfLoad, atNumber, 0, 0)
		f.add(bpfEqual, call, 0, 3)
		f.add(bpfLoad, offset, 0, 0)
		f.add(bpfEqual, v, 0, 1)
		f.add(bpfReturn, actRefuse, 0, 0)
	}
}

// restrictCalls restricts the system calls of the thread and its descendants to those of the jail j.
//
// Without a network no socket of any family can be created. Unix sockets are included, because those of
// system services are files, which an empty network namespace does not block. Stream and packet socket
// pairs for child processes stay allowed, because they cannot be connected elsewhere.
func restrictCalls(j Jail) error {
	if !j.NoNetwork && !j.Contained {
		return nil
	}
	var f filter
	f.begin()
	f.refuse(sysURing)
	switch {
	case j.NoNetwork && j.Sockets:
		f.refuseUnless(syscall.SYS_SOCKET, atFirst, anyBits, syscall.AF_UNIX)
	case j.NoNetwork:
		f.refuse(syscall.SYS_SOCKET)
	case j.Sockets:
		f.refuseUnless(syscall.SYS_SOCKET, atFirst, anyBits, syscall.AF_UNIX, syscall.AF_INET, syscall.AF_INET6, syscall.AF_NETLINK)
	default:
		f.refuseUnless(syscall.SYS_SOCKET, atFirst, anyBits, syscall.AF_INET, syscall.AF_INET6, syscall.AF_NETLINK)
	}
	f.refuseUnless(syscall.SYS_SOCKETPAIR, atFirst, anyBits, syscall.AF_UNIX)
	if !j.Sockets {
		f.refuseUnless(syscall.SYS_SOCKETPAIR, atSecond, typeMask, syscall.SOCK_STREAM, syscall.SOCK_SEQPACKET)
	}
	if j.Contained {
		f.refuse(syscall.SYS_KEYCTL, syscall.SYS_ADD_KEY, syscall.SYS_REQUEST_KEY)
		f.refuseUnless(syscall.SYS_PRLIMIT64, atFirst, anyBits, 0)
		f.refuseUnless(syscall.SYS_SETPRIORITY, atSecond, anyBits, 0)
		f.refuseIf(syscall.SYS_SETPRIORITY, atFirst, priorityOfUser)
		f.refuseUnless(sysIOPrioSet(), atSecond, anyBits, 0)
		f.refuseIf(sysIOPrioSet(), atFirst, ioPriorityOfUser)
		f.refuseIf(syscall.SYS_IOCTL, atSecond, typeInto, setConsole)
	}
	f.add(bpfReturn, actAllow, 0, 0)
	prog := syscall.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetSeccomp, modeFilter, uintptr(unsafe.Pointer(&prog)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("network: this kernel does not support system call filters (seccomp): %w", errno)
	}
	return nil
}
