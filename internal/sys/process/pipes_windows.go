package process

import (
	"os"
	"time"
)

// setReadTimeout makes reads of the pipe fail after d, pending ones too. These pipes may have no
// deadlines, but closing one ends its reads.
func setReadTimeout(f *os.File, d time.Duration) {
	if f.SetReadDeadline(time.Now().Add(d)) == nil {
		return
	}
	time.AfterFunc(d, func() { _ = f.Close() })
}

// writeNoWait writes nothing, since every write to these pipes may block.
func writeNoWait(*os.File, []byte) int { return 0 }

// noWaitReader returns a read function that always fails: every read of these pipes may block.
func noWaitReader(*os.File) func([]byte) (int, error) {
	return func([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }
}
