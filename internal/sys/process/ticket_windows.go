package process

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// A channel passes a ticket to a program. It has a pipe for the ticket, and one that the program
// closes when it has read the ticket.
type channel struct {
	ours, theirs *os.File
	ackR, ackW   *os.File
}

func openChannel(bool) (*channel, error) {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ackR, ackW, err := os.Pipe()
	if err != nil {
		closeAll(theirs, ours)
		return nil, err
	}
	c := &channel{ours: ours, theirs: theirs, ackR: ackR, ackW: ackW}
	for _, f := range [...]*os.File{theirs, ackW} {
		if err := syscall.SetHandleInformation(syscall.Handle(f.Fd()), syscall.HANDLE_FLAG_INHERIT, syscall.HANDLE_FLAG_INHERIT); err != nil {
			c.close()
			return nil, os.NewSyscallError("SetHandleInformation", err)
		}
	}
	return c, nil
}

func (c *channel) close() { closeAll(c.ours, c.theirs, c.ackR, c.ackW) }

// attach makes cmd inherit its ends of the channel, and returns their names.
func (c *channel) attach(cmd *exec.Cmd) string {
	ticket, ack := syscall.Handle(c.theirs.Fd()), syscall.Handle(c.ackW.Fd())
	cmd.SysProcAttr.AdditionalInheritedHandles = append(cmd.SysProcAttr.AdditionalInheritedHandles, ticket, ack)
	return strconv.FormatUint(uint64(ticket), 10) + "," + strconv.FormatUint(uint64(ack), 10)
}

// finish closes the channel. With wait it first waits until the program has closed its
// end, after reading the ticket and checking its parent.
func (c *channel) finish(wait bool) {
	closeAll(c.theirs, c.ackW, c.ours)
	if wait {
		setReadTimeout(c.ackR, ticketWait)
		_, _ = c.ackR.Read(make([]byte, 1))
	}
	_ = c.ackR.Close()
}

// A parentView holds the pipes that a program got from its parent.
type parentView struct{ ticket, ack *os.File }

func (s parentView) close() { closeAll(s.ticket, s.ack) }

// receiveTicket reads the ticket from the handles that name lists.
func receiveTicket(name string, _ int) ([]byte, parentView, error) {
	var s parentView
	one, two, ok := strings.Cut(name, ",")
	ticket, err1 := strconv.ParseUint(one, 10, 64)
	ack, err2 := strconv.ParseUint(two, 10, 64)
	if !ok || err1 != nil || err2 != nil {
		return nil, s, errors.New("its first argument is not what checkrein passes")
	}
	if kind, err := syscall.GetFileType(syscall.Handle(ticket)); err != nil || kind != syscall.FILE_TYPE_PIPE {
		return nil, s, errors.New("nothing was handed over")
	}
	s = parentView{os.NewFile(uintptr(ticket), "ticket"), os.NewFile(uintptr(ack), "ack")}
	setReadTimeout(s.ticket, time.Second)
	t := make([]byte, ticketSize)
	n := 0
	for n < len(t) {
		m, err := s.ticket.Read(t[n:])
		n += m
		if err != nil {
			break
		}
	}
	if n == 0 {
		s.close()
		return nil, s, errors.New("it was used already")
	}
	return t[:n], s, nil
}

var procImageName = syscall.NewLazyDLL("kernel32.dll").NewProc("QueryFullProcessImageNameW")

// checkParent returns an error unless the process parent runs a program of checkrein.
func (s parentView) checkParent(parent int) error {
	unseen := errors.New("cannot tell which program its parent process is running")
	h, err := syscall.OpenProcess(queryLimited, false, uint32(parent))
	if err != nil {
		return errors.Join(unseen, err)
	}
	defer syscall.CloseHandle(h)
	var buf [32 << 10]uint16
	size := uint32(len(buf))
	if ok, _, err := procImageName.Call(uintptr(h), 0, uintptr(unsafe.Pointer(&buf[0])), uintptr(unsafe.Pointer(&size))); ok == 0 {
		return errors.Join(unseen, err)
	}
	return checkOwnProgram(syscall.UTF16ToString(buf[:size]))
}
