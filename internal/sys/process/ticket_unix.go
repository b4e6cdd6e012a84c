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

// A channel is how a ticket is handed over: two sockets that only know each other.
type channel struct {
	ours, theirs *os.File
	maps         *os.File // see sight
}

func openChannel(apart bool) (*channel, error) {
	syscall.ForkLock.RLock() // until no other program can inherit them
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	_ = syscall.SetNonblock(fds[0], true) // so that reading it can end
	c := &channel{ours: os.NewFile(uintptr(fds[0]), "ticket"), theirs: os.NewFile(uintptr(fds[1]), "ticket")}
	if apart {
		c.maps = ownMaps()
	}
	return c, nil
}

func (c *channel) close() { closeAll(c.ours, c.theirs, c.maps) }

// hand gives the program its end, and returns the name of that.
func (c *channel) hand(cmd *exec.Cmd) string {
	cmd.ExtraFiles = append(cmd.ExtraFiles, c.theirs)
	if c.maps != nil {
		cmd.ExtraFiles = append(cmd.ExtraFiles, c.maps)
	}
	return strconv.Itoa(3 + len(cmd.ExtraFiles) - 1)
}

// after lets go. The program closes its end when it has read the ticket and looked
// at us.
func (c *channel) after(wait bool) {
	closeAll(c.theirs, c.maps)
	if wait {
		_ = c.ours.SetReadDeadline(time.Now().Add(ticketWait))
		_, _ = c.ours.Read(make([]byte, 1))
	}
	_ = c.ours.Close()
}

// A sight is what a program that was handed a ticket has of its parent. Maps are the
// parent's own, opened by itself: what its program is cannot be seen out of another
// user namespace.
type sight struct{ ticket, maps int }

func (s sight) close() {
	_ = syscall.Close(s.ticket)
	if s.maps >= 0 {
		_ = syscall.Close(s.maps)
	}
}

// receive reads the ticket by its name: the last of the descriptors that were handed
// over, the socket first.
func receive(name string, parent int) ([]byte, sight, error) {
	s := sight{ticket: 3, maps: -1}
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
	if err := peerIs(s.ticket, parent); err != nil {
		return nil, s, err
	}
	wait := syscall.NsecToTimeval(int64(time.Second))
	_ = syscall.SetsockoptTimeval(s.ticket, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &wait)
	t := make([]byte, ticketSize)
	n := 0
	for n < len(t) {
		m, err := retry(syscall.Read, s.ticket, t[n:])
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
