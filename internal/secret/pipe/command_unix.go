//go:build unix

package pipe

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
	"unsafe"
)

// forwardedSignals lists the signals that end a command, or that a command may handle.
var forwardedSignals = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2}

// reachesCommand reports whether the command receives s without forwarding. A terminal sends keys such
// as Ctrl-C to the whole foreground process group, and programs often treat a second Ctrl-C
// differently.
func reachesCommand(s os.Signal) bool {
	if s != syscall.SIGINT && s != syscall.SIGQUIT {
		return false
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDONLY|syscall.O_NOCTTY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer tty.Close()
	var group int32
	_, _, no := syscall.Syscall(syscall.SYS_IOCTL, tty.Fd(), syscall.TIOCGPGRP, uintptr(unsafe.Pointer(&group)))
	return no == 0 && int(group) == syscall.Getpgrp()
}

// exitCode returns the exit code of a command as a shell reports it. If well is set and Ctrl-C or a
// broken pipe ended the command, it ends this process with the same signal, so that a calling shell
// stops too. For other signals the shell would only print an extra message.
func exitCode(state *os.ProcessState, well bool) int {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return state.ExitCode()
	}
	sig := status.Signal()
	if well && (sig == syscall.SIGINT || sig == syscall.SIGPIPE) {
		signal.Reset(sig)
		_ = syscall.Kill(os.Getpid(), sig)
		time.Sleep(100 * time.Millisecond) // wait for the signal to arrive
	}
	return 128 + int(sig)
}

// drain writes what is in the pipe now. It returns io.EOF if the pipe is closed, and errHeld if it is
// still open.
func (l *outputPipe) drain() error {
	if err := l.r.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	conn, err := l.r.SyscallConn()
	if err != nil {
		return err
	}
	buf := make([]byte, chunkSize)
	for range maxPipe / chunkSize { // background jobs may print forever
		n := 0
		var rerr error
		err := conn.Read(func(fd uintptr) bool {
			for {
				if n, rerr = syscall.Read(int(fd), buf); !errors.Is(rerr, syscall.EINTR) {
					return true
				}
			}
		})
		switch {
		case err != nil:
			return err
		case errors.Is(rerr, syscall.EAGAIN):
			return errHeld
		case rerr != nil:
			return rerr
		case n == 0:
			return io.EOF
		}
		if err := l.writeFiltered(buf[:n]); err != nil {
			return err
		}
	}
	return errHeld
}

// maxPipe is the maximum capacity of a pipe in bytes.
const maxPipe = 1 << 20
