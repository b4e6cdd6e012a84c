package state

import (
	"os"
	"time"
)

// Changed is when a file was last written.
func Changed(path string) (time.Time, error) {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}
