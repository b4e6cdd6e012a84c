//go:build !linux && !darwin

package process

import "errors"

// arguments fails: the system does not report what a process was started with.
func arguments(int) ([]string, error) { return nil, errors.ErrUnsupported }

// environment fails, like arguments.
func environment(int) ([]string, error) { return nil, errors.ErrUnsupported }
