//go:build unix

package process

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// A channel passes a ticket to a program. It is a pair of connected sockets.
type channel struct {
	ours, theirs *os.File
	maps         *os.File // see parentView
}

// openChannel returns a new channel. If apart is set, the channel is for a program in another user
// namespace.
func openChannel(apart bool) (*channel, error) {
	syscall.ForkLock.RLock() // until the sockets are marked close-on-exec
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	_ = syscall.SetNonblock(fds[0], true) // for read deadlines
	c := &channel{ours: os.NewFile(uintptr(fds[0]), "ticket"), theirs: os.NewFile(uintptr(fds[1]), "ticket")}
	if apart {
		c.maps = openOwnMaps()
	}
	return c, nil
}

func (c *channel) close() { closeAll(c.ours, c.theirs, c.maps) }

// attach makes cmd inherit its end of the channel, and returns the name of the ticket.
func (c *channel) attach(cmd *exec.Cmd) string {
	cmd.ExtraFiles = append(cmd.ExtraFiles, c.theirs)
	if c.maps != nil {
		cmd.ExtraFiles = append(cmd.ExtraFiles, c.maps)
	}
	return strconv.Itoa(3 + len(cmd.ExtraFiles) - 1)
}

// finish closes the channel. If wait is set, it first waits until the program has closed its end,
// which it does after it has read the ticket and checked its parent.
func (c *channel) finish(wait bool) {
	closeAll(c.theirs, c.maps)
	if wait {
		_ = c.ours.SetReadDeadline(time.Now().Add(ticketWait))
		_, _ = c.ours.Read(make([]byte, 1))
	}
	_ = c.ours.Close()
}

// A parentView holds the descriptors that a program got from its parent: the socket with the ticket,
// and the parent's memory map. The parent itself opened the map, because its program cannot be seen
// from another user namespace.
type parentView struct{ ticket, maps int }

func (s parentView) close() {
	_ = syscall.Close(s.ticket)
	if s.maps >= 0 {
		_ = syscall.Close(s.maps)
	}
}

// receiveTicket reads the ticket called name, which is the number of the last descriptor that was
// passed; the socket is the first.
func receiveTicket(name string, parent int) ([]byte, parentView, error) {
	s := parentView{ticket: 3, maps: -1}
	switch name {
	case "3":
	case "4":
		s.maps = 4
	default:
		return nil, s, errors.New("its first argument is not what checkrein passes")
	}
	var st syscall.Stat_t
	if err := syscall.Fstat(s.ticket, &st); err != nil || st.Mode&syscall.S_IFMT != syscall.S_IFSOCK {
		return nil, s, errors.New("nothing was handed over")
	}
	if err := checkPeer(s.ticket, parent); err != nil {
		return nil, s, err
	}
	wait := syscall.NsecToTimeval(int64(time.Second))
	_ = syscall.SetsockoptTimeval(s.ticket, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &wait)
	t := make([]byte, ticketSize)
	n := 0
	for n < len(t) {
		m, err := ignoringEINTR(syscall.Read, s.ticket, t[n:])
		if err != nil || m == 0 {
			break
		}
		n += m
	}
	if n == 0 {
		return nil, s, errors.New("it was used already")
	}
	return t[:n], s, nil
}
