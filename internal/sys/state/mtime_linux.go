package state

import (
	"syscall"
	"time"
)

// modTime returns when the file was last written.
func modTime(st *syscall.Stat_t) time.Time { return time.Unix(st.Mtim.Unix()) }
