//go:build !unix

package environ

import "os"

// A pathInfo describes what is at a path; this system has no simple owner.
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
