//go:build !linux && !darwin

package process

import "errors"

// commandLine fails, because the system does not report command lines.
func commandLine(int) ([]string, error) { return nil, errors.ErrUnsupported }

// environment fails, because the system does not report environments.
func environment(int) ([]string, error) { return nil, errors.ErrUnsupported }
