//go:build !unix

package environ

import "os"

// A pathInfo describes the file at a path. Files have no simple owner on this system.
type pathInfo struct {
	exists bool
	uid    uint32
}

func statPath(path string) pathInfo {
	_, err := os.Stat(path)
	return pathInfo{exists: err == nil}
}

func lstatPath(path string) pathInfo {
	_, err := os.Lstat(path)
	return pathInfo{exists: err == nil}
}

func (l pathInfo) isForeign(uint32) bool { return false }

func (l pathInfo) isOwn() bool { return l.exists }
