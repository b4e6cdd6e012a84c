//go:build darwin || freebsd || netbsd

package state

import (
	"syscall"
	"time"
)

// changeTime returns when the file's content or inode last changed.
func changeTime(st *syscall.Stat_t) time.Time { return time.Unix(st.Ctimespec.Unix()) }
