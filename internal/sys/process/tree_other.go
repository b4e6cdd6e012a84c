//go:build unix && !linux && !darwin

package process

import (
	"errors"
	"fmt"
	"runtime"
)

// ancestorLookup fails, because reading the process list of this platform is not implemented.
func ancestorLookup() (func(int) (entry, error), error) { return nil, unsupportedError() }

// lookupProcess fails, so no ID counts as alive on this platform.
func lookupProcess(int) (entry, error) { return entry{}, unsupportedError() }

// listProcesses fails, so Run ends only the process group.
func listProcesses() ([]entry, error) { return nil, unsupportedError() }

// unsupportedError returns the error of the functions in this file.
func unsupportedError() error {
	return fmt.Errorf("list processes on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}
