package base

import (
	"errors"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// Refused is exit code 4. The error may quote files.
func Refused(err error) error {
	if text := err.Error(); visible.Text(text) != text {
		err = errors.New(visible.Text(text))
	}
	return &Exit{Code: console.Refused, Err: err}
}

// Failed is exit code 1: the ledger could not be read, or not found.
func Failed(err error) error {
	var e *Exit
	if err == nil || errors.As(err, &e) {
		return err
	}
	return &Exit{Code: console.Finding, Err: err}
}

// Found is err or, without one and if so, exit code 1 about what a report has shown.
func Found(err error, so bool, what string) error {
	if err == nil && so {
		return &Exit{Code: console.Finding, Err: errors.New(what), Quiet: true}
	}
	return err
}

// An Exit is an error that knows its code. Quiet ones have said everything.
type Exit struct {
	Code  int
	Err   error
	Quiet bool
}

func (e *Exit) Error() string { return e.Err.Error() }

func (e *Exit) Unwrap() error { return e.Err }
