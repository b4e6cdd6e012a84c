//go:build !linux

package evasion

import "errors"

// Enter does nothing: jails are a matter of Linux.
func Enter() {}

// Run cannot do its work here.
func Run(Job) (Result, error) { return Result{}, errors.ErrUnsupported }

// Available returns why no jail can be had.
func Available() error { return errors.ErrUnsupported }
