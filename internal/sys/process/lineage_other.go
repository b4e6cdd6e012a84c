//go:build !linux && !darwin

package process

import "errors"

// arguments fails: nobody tells here what a process was started with.
func arguments(int) ([]string, error) { return nil, errors.ErrUnsupported }

func environment(int) ([]string, error) { return nil, errors.ErrUnsupported }
