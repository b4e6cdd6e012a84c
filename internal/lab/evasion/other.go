//go:build !linux

package evasion

import "errors"

// Enter does nothing, because jails need Linux.
func Enter() {}

// Run returns errors.ErrUnsupported.
func Run(Job) (Result, error) { return Result{}, errors.ErrUnsupported }

// Available returns errors.ErrUnsupported.
func Available() error { return errors.ErrUnsupported }
