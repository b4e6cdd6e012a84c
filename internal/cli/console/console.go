// Package console holds what checkrein's programs share: the environment that a command may use, and
// the exit codes.
package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

// An Env is everything outside the program that a command may use.
type Env struct {
	Args           []string // without the program's name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Environ        []string
	Dir            string
	Colour         string // always, never or auto, the value of --color; "" is auto
	Now            func() time.Time
	Managed        string   // the administrator's directory; "" = this system's
	Program        string   // the path of the running program; "" = unknown
	Account        string   // the home directory of the account; "" = as the system has it on record
	Within         *Session // the session of run in which the command was typed; nil = none
	// Interrupts returns a context that Ctrl-C ends; nil = the command's context already does. Watching
	// for signals takes a fifth of a cold start, so the hot program does so only if it has to wait.
	Interrupts func(context.Context) context.Context
	// Done is closed when the command must end, as after Ctrl-C; nil = it is not known.
	Done <-chan struct{}
	// Admit returns a ticket if one of checkrein's own processes started this internal command with
	// exactly these arguments, the command first; nil = none did.
	Admit func(args []string) (Ticket, error)
}

// A Session is a session of run in which the user types commands.
type Session struct {
	AgentFile, Agent string
	Ask              func(question string) bool // asks the user; nil = the user cannot be asked
}

// A Ticket proves that checkrein itself started an internal command.
type Ticket interface {
	// CheckInput returns an error unless the command was started for this input.
	CheckInput(input []byte) error
}

// TakeTicket returns the ticket of the internal command in args, or an error if checkrein itself did
// not start it.
func (e *Env) TakeTicket(args ...string) (Ticket, error) {
	err := errors.New("the internal ticket is missing")
	if e.Admit != nil {
		var t Ticket
		if t, err = e.Admit(args); err == nil {
			return t, nil
		}
	}
	return nil, fmt.Errorf("%s is an internal command: only checkrein itself can start it (%w)", args[0], err)
}

// The exit codes of checkrein's programs.
const (
	Done    = 0  // done; the output of eval has the decision
	Finding = 1  // a finding, or a check that failed
	Usage   = 2  // the command line is wrong
	Config  = 3  // the configuration is not valid
	Refused = 4  // not trusted, or refused
	Ask     = 5  // eval --exit-code: the user is to be asked
	Bug     = 70 // a bug, or a broken installation
)

// Path returns the absolute path of a file that the command line names.
func (e *Env) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(e.Dir, name)
}

// PlainText returns the text of err, with common file errors in plain words.
func PlainText(err error) string {
	text := err.Error()
	for _, one := range splitJoined(err) {
		var of *fs.PathError
		if !errors.As(one, &of) {
			continue
		}
		switch {
		case errors.Is(of.Err, fs.ErrNotExist):
			text = strings.ReplaceAll(text, of.Error(), of.Path+" does not exist")
		case errors.Is(of.Err, fs.ErrPermission):
			text = strings.ReplaceAll(text, of.Error(), "you may not access "+of.Path)
		}
	}
	return text
}

// splitJoined returns the errors that were joined into err, or err itself.
func splitJoined(err error) []error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return many.Unwrap()
	}
	return []error{err}
}
