package process

import (
	"fmt"
	"os"
)

// Detach starts the program of s in its own session and does not wait for it. The program outlives
// this process; if this process keeps running, it reaps the program. Only Argv, Dir, Env, Stdin and
// Ticket of s are used. If s has a ticket, Detach waits until the program has read it.
//
// If Stdin is empty, the program reads the null device, otherwise a temporary file that only the
// program still has open. A pipe would lose what does not fit into it as soon as this process exits.
// Stdout and stderr are appended to logFile, which is created for this user alone if it is missing; ""
// means the null device.
//
// The error is a *StartError, or a wrapped system error of a file. Errors of the program itself appear
// only in the log.
func Detach(s Spec, logFile string) error {
	cmd, err := newCommand(s)
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
	removeInput := func() {}
	if len(s.Stdin) > 0 {
		in, err := writeTempInput(s.Stdin)
		if err != nil {
			return fmt.Errorf("input of detached process: %w", err)
		}
		defer in.Close()
		cmd.Stdin = in
		removeInput = removeOnce(in.Name())
	}
	cmd.SysProcAttr = sessionAttr()
	finish, err := attachTicket(s, cmd)
	if err == nil {
		err = launch(cmd)
		finish(err == nil) // the ticket is valid only while this process lives
	}
	removeInput()
	if err != nil {
		return startError(s, err)
	}
	go func() {
		_ = cmd.Wait()
		// Some systems cannot remove an open file, so try again.
		removeInput()
	}()
	return nil
}

// removeOnce returns a function that tries to remove the file name. Once it has succeeded, further
// calls do nothing, because the name may belong to another file by then.
func removeOnce(name string) func() {
	done := false
	return func() {
		done = done || os.Remove(name) == nil
	}
}

// writeTempInput returns a temporary file that contains b, positioned at its start. The caller closes
// and removes it.
func writeTempInput(b []byte) (*os.File, error) {
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
