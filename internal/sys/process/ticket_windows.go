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

// A channel is how a ticket is handed over: a pipe with the ticket, and one that the
// program closes when it has read it.
type channel struct {
	ours, theirs *os.File
	read, said   *os.File
}

func openChannel(bool) (*channel, error) {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	read, said, err := os.Pipe()
	if err != nil {
		closeAll(theirs, ours)
		return nil, err
	}
	c := &channel{ours: ours, theirs: theirs, read: read, said: said}
	for _, f := range [...]*os.File{theirs, said} {
		if err := syscall.SetHandleInformation(syscall.Handle(f.Fd()), syscall.HANDLE_FLAG_INHERIT, syscall.HANDLE_FLAG_INHERIT); err != nil {
			c.close()
			return nil, os.NewSyscallError("SetHandleInformation", err)
		}
	}
	return c, nil
}

func (c *channel) close() { closeAll(c.ours, c.theirs, c.read, c.said) }

// hand gives the program its ends, and returns their names.
func (c *channel) hand(cmd *exec.Cmd) string {
	ticket, said := syscall.Handle(c.theirs.Fd()), syscall.Handle(c.said.Fd())
	cmd.SysProcAttr.AdditionalInheritedHandles = append(cmd.SysProcAttr.AdditionalInheritedHandles, ticket, said)
	return strconv.FormatUint(uint64(ticket), 10) + "," + strconv.FormatUint(uint64(said), 10)
}

// after lets go. The program closes its end when it has read the ticket and looked
// at us.
func (c *channel) after(wait bool) {
	closeAll(c.theirs, c.said, c.ours)
	if wait {
		expire(c.read, ticketWait)
		_, _ = c.read.Read(make([]byte, 1))
	}
	_ = c.read.Close()
}

// A sight is what a program that was handed a ticket has of its parent.
type sight struct{ ticket, said *os.File }

func (s sight) close() { closeAll(s.ticket, s.said) }

// receive reads the ticket by the names of the handles.
func receive(name string, _ int) ([]byte, sight, error) {
	var s sight
	one, two, ok := strings.Cut(name, ",")
	ticket, err1 := strconv.ParseUint(one, 10, 64)
	said, err2 := strconv.ParseUint(two, 10, 64)
	if !ok || err1 != nil || err2 != nil {
		return nil, s, errors.New("its first argument is not what checkrein passes")
	}
	if kind, err := syscall.GetFileType(syscall.Handle(ticket)); err != nil || kind != syscall.FILE_TYPE_PIPE {
		return nil, s, errors.New("nothing was handed over")
	}
	s = sight{os.NewFile(uintptr(ticket), "ticket"), os.NewFile(uintptr(said), "said")}
	expire(s.ticket, time.Second)
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

// isOurs reports an error unless the parent runs a program of ours.
func (s sight) isOurs(parent int) error {
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
	return oursIs(syscall.UTF16ToString(buf[:size]))
}
