package process

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/checkrein/checkrein/internal/sys/random"
)

// Some commands of checkrein are only for its own processes, because they run whatever
// their caller passes. The process that starts such a command (Spec.Ticket) passes it a
// ticket over a descriptor that only the two have. The ticket contains a key for this one
// start, and a signature with that key of the exact arguments and the input; it can be read
// once. The command (AcceptTicket) accepts the ticket only from its parent, while that
// lives, and only if the parent runs a program of checkrein or one that was built with this
// package, which excludes shells and interpreters.

// ticketMark is the start of the signed text. A program whose file contains it was built with this
// package.
const ticketMark = "checkrein ticket 1 5f0b9d1c7be24a63"

const (
	ticketLife = 30 * time.Second // how long a ticket is valid
	ticketWait = 3 * time.Second  // how long a detached program may take to read it

	keySize    = 32
	ticketSize = keySize + 8 + 8 + sha256.Size + sha256.Size // key, expiry, parent, digest of the input, signature
)

// A Ticket is a ticket that was accepted.
type Ticket struct{ input [sha256.Size]byte }

// CheckInput returns an error unless the ticket was issued for input.
func (t *Ticket) CheckInput(input []byte) error {
	if t.input != sha256.Sum256(input) {
		return errors.New("its ticket is for another input")
	}
	return nil
}

// ticketSignature returns the signature of a ticket with the given key and head. The args are the
// command and its arguments.
func ticketSignature(key, head []byte, args []string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(ticketMark))
	mac.Write(head)
	for _, a := range args {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(a)))
		mac.Write(n[:])
		mac.Write([]byte(a))
	}
	return mac.Sum(nil)
}

// newTicket returns a ticket from this process for args, the command and its arguments, and input.
func newTicket(args []string, input []byte) ([]byte, error) {
	t := make([]byte, keySize, ticketSize)
	if err := random.Read(t); err != nil {
		return nil, err
	}
	t = binary.LittleEndian.AppendUint64(t, uint64(time.Now().Add(ticketLife).UnixNano()))
	t = binary.LittleEndian.AppendUint64(t, uint64(os.Getpid()))
	sum := sha256.Sum256(input)
	t = append(t, sum[:]...)
	return append(t, ticketSignature(t[:keySize], t[keySize:], args)...), nil
}

// verifyTicket returns the ticket t if the process parent issued it for args and it is valid at now.
func verifyTicket(t []byte, args []string, parent int, now time.Time) (*Ticket, error) {
	if len(t) != ticketSize {
		return nil, errors.New("its ticket is truncated")
	}
	head := t[keySize : ticketSize-sha256.Size]
	left := time.Unix(0, int64(binary.LittleEndian.Uint64(head))).Sub(now)
	switch {
	case !hmac.Equal(t[ticketSize-sha256.Size:], ticketSignature(t[:keySize], head, args)):
		return nil, errors.New("its ticket is for another command")
	case binary.LittleEndian.Uint64(head[8:]) != uint64(parent):
		return nil, errors.New("its ticket belongs to another process")
	case left <= 0 || left > ticketLife:
		return nil, errors.New("its ticket is too old")
	}
	return &Ticket{input: [sha256.Size]byte(head[16:])}, nil
}

// attachTicket passes a ticket to cmd, which is about to start, if s requires one. The caller must
// call finish when cmd has started or failed to start. If wait is set, finish waits until the ticket
// was read.
func attachTicket(s Spec, cmd *exec.Cmd) (finish func(wait bool), err error) {
	if !s.Ticket {
		return func(bool) {}, nil
	}
	made, err := newTicket(s.Argv[1:], s.Stdin)
	if err != nil {
		return nil, fmt.Errorf("its ticket: %w", err)
	}
	c, err := openChannel(s.Offline)
	if err == nil {
		if _, err = c.ours.Write(made); err != nil {
			c.close()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("its ticket: %w", err)
	}
	cmd.Args = append([]string{s.Argv[0], s.Argv[1], c.attach(cmd)}, s.Argv[2:]...)
	return c.finish, nil
}

// AcceptTicket reads and verifies the ticket of the parent process. The args are the command, the name
// of the ticket, and the command's own arguments. The error is the reason why there is no valid
// ticket.
func AcceptTicket(args []string) (*Ticket, error) {
	if len(args) < 2 {
		return nil, errors.New("checkrein did not start this process")
	}
	parent := os.Getppid()
	t, seen, err := receiveTicket(args[1], parent)
	if err != nil {
		return nil, fmt.Errorf("checkrein did not start this process: %w", err)
	}
	defer seen.close() // the parent may exit after that
	own := append([]string{args[0]}, args[2:]...)
	ticket, err := verifyTicket(t, own, parent, time.Now())
	if err == nil {
		err = seen.checkParent(parent)
	}
	if err != nil {
		return nil, err
	}
	return ticket, nil
}

// checkOwnProgram returns an error unless the file name is a program of checkrein: this one, one
// beside it, or one that was built with this package.
func checkOwnProgram(name string) error {
	their, err := os.Stat(name)
	if err != nil {
		return fmt.Errorf("cannot tell which program its parent process is running: %w", err)
	}
	own, err := os.Executable()
	if err == nil {
		ext := filepath.Ext(own)
		for _, path := range [...]string{own, filepath.Join(filepath.Dir(own), "checkrein"+ext), filepath.Join(filepath.Dir(own), "checkreind"+ext)} {
			if info, err := os.Stat(path); err == nil && os.SameFile(info, their) {
				return nil
			}
		}
	}
	if has, err := containsMark(name); err != nil || !has {
		return errors.Join(errors.New("its parent is not checkrein"), err)
	}
	return nil
}

// containsMark reports whether the file name contains ticketMark.
func containsMark(name string) (bool, error) {
	f, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	mark := []byte(ticketMark)
	buf := make([]byte, 1<<20)
	for kept := 0; ; {
		n, err := f.Read(buf[kept:])
		if bytes.Contains(buf[:kept+n], mark) {
			return true, nil
		}
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		tail := min(kept+n, len(mark)-1)
		copy(buf, buf[kept+n-tail:kept+n])
		kept = tail
	}
}
