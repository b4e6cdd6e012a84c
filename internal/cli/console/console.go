// Package console is what checkrein's programs share towards the person: the
// outside that a command may touch, and the exit codes.
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

// An Env is everything that a command may touch of the outside.
type Env struct {
	Args           []string // without the program's name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Environ        []string
	Dir            string
	Colour         string // always, never or auto, as --color says; "" is auto
	Now            func() time.Time
	Managed        string   // the administrator's directory; "" = this system's
	Program        string   // the running program's path, "" = unknown
	Account        string   // the home of the user id; "" = as the system has it on record
	Within         *Session // the session of run that the command was typed in; nil = none
	// Interrupts returns a context that Ctrl-C ends; nil = ctx has it already.
	// Watching for signals costs a fifth of a cold start, so the hot program
	// asks for it only when something waits.
	Interrupts func(context.Context) context.Context
	// Admit checks that a command which is for checkrein's own processes was started
	// by one, with just these arguments, the command first; nil = none was.
	Admit func(args []string) (Ticket, error)
}

// A Session is one of run, in which a person gives commands.
type Session struct {
	AgentFile, Agent string
	Ask              func(question string) bool // asks the person; nil = nobody can be asked
}

// A Ticket describes what a command of checkrein's own processes was started for.
type Ticket interface {
	// CheckInput reports an error unless that is this input.
	CheckInput(input []byte) error
}

// Admitted takes the ticket of an internal command.
func (e *Env) Admitted(args ...string) (Ticket, error) {
	err := errors.New("the internal ticket is missing")
	if e.Admit != nil {
		var t Ticket
		if t, err = e.Admit(args); err == nil {
			return t, nil
		}
	}
	return nil, fmt.Errorf("%s is an internal command: only checkrein itself can start it (%w)", args[0], err)
}

// Exit codes.
const (
	Done    = 0  // done; eval says in its output what was decided
	Finding = 1  // a finding, or a check that failed
	Usage   = 2  // the command line is wrong
	Config  = 3  // the configuration is not valid
	Refused = 4  // not trusted, or refused
	Ask     = 5  // eval --exit-code: a person is to be asked
	Bug     = 70 // our own mistake, or a broken installation
)

// Path resolves a file name of the command line.
func (e *Env) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(e.Dir, name)
}

// Plain is an error's text with what systems say of a file put into words.
func Plain(err error) string {
	text := err.Error()
	for _, one := range joined(err) {
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

// joined lists the errors that one is made of.
func joined(err error) []error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return many.Unwrap()
	}
	return []error{err}
}
