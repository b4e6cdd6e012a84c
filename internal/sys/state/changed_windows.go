package state

import (
	"os"
	"time"
)

// LastChange returns when the file path was last written.
func LastChange(path string) (time.Time, error) {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// ChangeTime returns when a file was last written.
func ChangeTime(info os.FileInfo) time.Time { return info.ModTime() }
