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

// forwardedSignals lists the signals that end a command, or that one may wait for.
var forwardedSignals = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2}

// reachesCommand reports whether the command gets a signal by itself: a terminal sends keys such as
// Ctrl-C to the whole process group, and a second Ctrl-C often means something else.
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

// exitCode returns the exit code of a command, as a shell reports it. If Ctrl-C ended the command and
// well is set, it ends this process the same way, so that a shell around it ends, too; for other
// signals, that shell would only print more.
func exitCode(state *os.ProcessState, well bool) int {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return state.ExitCode()
	}
	sig := status.Signal()
	if well && (sig == syscall.SIGINT || sig == syscall.SIGPIPE) {
		signal.Reset(sig)
		_ = syscall.Kill(os.Getpid(), sig)
		time.Sleep(100 * time.Millisecond) // it may take a moment
	}
	return 128 + int(sig)
}

// drain prints what is in the pipe now.
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

// maxPipe is the maximum capacity of a pipe.
const maxPipe = 1 << 20
