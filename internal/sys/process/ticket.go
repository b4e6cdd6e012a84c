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

// Some commands of checkrein are for its own processes alone: they run what they are
// given. Who starts one (Spec.Ticket) hands it a ticket over a descriptor that only
// the two have: a key made for this one start, and by that key the exact arguments and
// the input. It can be read once. The command (Admit) takes it only from its parent,
// while that lives, and only if the parent runs a program of checkrein or one that
// was built with this package, which no shell and no interpreter is.

// ticketMark begins what is signed. That it is in a program's file shows that the
// program was built with this package.
const ticketMark = "checkrein ticket 1 5f0b9d1c7be24a63"

const (
	ticketLife = 30 * time.Second // for which a ticket counts
	ticketWait = 3 * time.Second  // for which a detached program may take to read it

	keySize    = 32
	ticketSize = keySize + 8 + 8 + sha256.Size + sha256.Size // key, end, parent, sum of the input, signature
)

// A Ticket is one that was taken.
type Ticket struct{ input [sha256.Size]byte }

// Covers reports whether the ticket is for this input.
func (t *Ticket) Covers(input []byte) error {
	if t.input != sha256.Sum256(input) {
		return errors.New("its ticket is for another input")
	}
	return nil
}

// signed is what a ticket says, under its key: args are the command and its
// arguments.
func signed(key, head []byte, args []string) []byte {
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

// makeTicket writes a ticket of this process.
func makeTicket(args []string, input []byte) ([]byte, error) {
	t := make([]byte, keySize, ticketSize)
	if err := random.Read(t); err != nil {
		return nil, err
	}
	t = binary.LittleEndian.AppendUint64(t, uint64(time.Now().Add(ticketLife).UnixNano()))
	t = binary.LittleEndian.AppendUint64(t, uint64(os.Getpid()))
	sum := sha256.Sum256(input)
	t = append(t, sum[:]...)
	return append(t, signed(t[:keySize], t[keySize:], args)...), nil
}

// readTicket checks a ticket of a process for these arguments.
func readTicket(t []byte, args []string, parent int, now time.Time) (*Ticket, error) {
	if len(t) != ticketSize {
		return nil, errors.New("its ticket is cut short")
	}
	head := t[keySize : ticketSize-sha256.Size]
	left := time.Unix(0, int64(binary.LittleEndian.Uint64(head))).Sub(now)
	switch {
	case !hmac.Equal(t[ticketSize-sha256.Size:], signed(t[:keySize], head, args)):
		return nil, errors.New("its ticket is for another command")
	case binary.LittleEndian.Uint64(head[8:]) != uint64(parent):
		return nil, errors.New("its ticket belongs to another process")
	case left <= 0 || left > ticketLife:
		return nil, errors.New("its ticket is too old")
	}
	return &Ticket{input: [sha256.Size]byte(head[16:])}, nil
}

// ticketed gives a program that is about to start its ticket, and returns what to
// call when it has started or failed to: it waits until the ticket was read, if it
// is told to.
func ticketed(s Spec, cmd *exec.Cmd) (after func(wait bool), err error) {
	if !s.Ticket {
		return func(bool) {}, nil
	}
	made, err := makeTicket(s.Argv[1:], s.Stdin)
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
	cmd.Args = append([]string{s.Argv[0], s.Argv[1], c.hand(cmd)}, s.Argv[2:]...)
	return c.after, nil
}

// Admit takes the ticket of the process that started us; args are the command, the
// name of the ticket, and the command's own arguments. The error says why there is none.
func Admit(args []string) (*Ticket, error) {
	if len(args) < 2 {
		return nil, errors.New("checkrein did not start this process")
	}
	parent := os.Getppid()
	t, seen, err := receive(args[1], parent)
	if err != nil {
		return nil, fmt.Errorf("checkrein did not start this process: %w", err)
	}
	defer seen.close() // who started us may end then
	own := append([]string{args[0]}, args[2:]...)
	ticket, err := readTicket(t, own, parent, time.Now())
	if err == nil {
		err = seen.isOurs(parent)
	}
	if err != nil {
		return nil, err
	}
	return ticket, nil
}

// oursIs reports an error unless a program's file is one of ours: this one, the one
// beside it, or one that has this package in it.
func oursIs(name string) error {
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
	if has, err := hasMark(name); err != nil || !has {
		return errors.Join(errors.New("its parent is not checkrein"), err)
	}
	return nil
}

// hasMark looks for the mark in a file.
func hasMark(name string) (bool, error) {
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
