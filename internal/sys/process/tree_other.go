//go:build unix && !linux && !darwin

package process

import (
	"errors"
	"fmt"
	"runtime"
)

// finder fails: this platform's list of processes is not read here.
func finder() (func(int) (entry, error), error) { return nil, unsupported() }

// lookup fails, so that no ID exists here that could be alive.
func lookup(int) (entry, error) { return entry{}, unsupported() }

// table fails, which leaves Run with the process group alone.
func table() ([]entry, error) { return nil, unsupported() }

func unsupported() error {
	return fmt.Errorf("list processes on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}
