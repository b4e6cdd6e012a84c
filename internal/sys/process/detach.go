package process

import (
	"fmt"
	"os"
)

// Detach starts the program of s in a session of its own and does not wait for
// it: it outlives us, and a caller that lives on reaps it. Only Argv, Dir, Env
// Stdin and Ticket of s count; one with a ticket is waited for until it has read that.
//
// Stdin is the null device when empty, otherwise a temporary file that only
// the program still has: a pipe would lose what does not fit into it as soon
// as we exit. Stdout and stderr are appended to logFile, which is made for our
// user alone if it is missing; "" is the null device.
//
// The error is a *StartError, or a wrapped system error of a file. An error of
// the program itself shows only in the log.
func Detach(s Spec, logFile string) error {
	cmd, err := command(s)
	if err != nil {
		return err
	}
	if logFile != "" {
		log, err := os.OpenFile(logFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("log of detached process: %w", err)
		}
		defer log.Close()
		cmd.Stdout, cmd.Stderr = log, log
	}
	forget := func() {}
	if len(s.Stdin) > 0 {
		in, err := spool(s.Stdin)
		if err != nil {
			return fmt.Errorf("input of detached process: %w", err)
		}
		defer in.Close()
		cmd.Stdin = in
		forget = removal(in.Name())
	}
	cmd.SysProcAttr = sessionAttr()
	after, err := ticketed(s, cmd)
	if err == nil {
		err = launch(cmd)
		after(err == nil) // it is believed only while we live
	}
	forget()
	if err != nil {
		return startError(s, err)
	}
	go func() {
		_ = cmd.Wait()
		// Where an open file cannot be removed, this is its next chance.
		forget()
	}()
	return nil
}

// removal returns a function that removes a file as soon as a call of it can,
// and then never again, when the name may be somebody else's.
func removal(name string) func() {
	done := false
	return func() {
		done = done || os.Remove(name) == nil
	}
}

// spool returns a temporary file that holds b, to be read from its start. The
// caller closes and removes it.
func spool(b []byte) (*os.File, error) {
	f, err := os.CreateTemp("", "checkrein-stdin-*")
	if err != nil {
		return nil, err
	}
	if _, err = f.Write(b); err == nil {
		_, err = f.Seek(0, 0)
	}
	if err != nil {
		_ = f.Close()
		_ = os.Remove(f.Name())
		return nil, err
	}
	return f, nil
}
