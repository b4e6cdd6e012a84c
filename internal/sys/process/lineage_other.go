//go:build !linux && !darwin

package process

import "errors"

// arguments fails, because the system does not report command lines.
func arguments(int) ([]string, error) { return nil, errors.ErrUnsupported }

// environment fails, because the system does not report environments.
func environment(int) ([]string, error) { return nil, errors.ErrUnsupported }
