//go:build darwin || freebsd || netbsd

package state

import (
	"syscall"
	"time"
)

func modified(st *syscall.Stat_t) time.Time { return time.Unix(st.Mtimespec.Unix()) }
