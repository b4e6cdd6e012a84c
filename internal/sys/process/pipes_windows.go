package process

import (
	"os"
	"time"
)

// setReadTimeout makes reads of the pipe f fail after d, including pending ones. If the pipe has no
// deadlines, it is closed, which ends its reads.
func setReadTimeout(f *os.File, d time.Duration) {
	if f.SetReadDeadline(time.Now().Add(d)) == nil {
		return
	}
	time.AfterFunc(d, func() { _ = f.Close() })
}

// writeNoWait writes nothing, because every write to these pipes may block.
func writeNoWait(*os.File, []byte) int { return 0 }

// noWaitReader returns a read function that always fails, because every read of these pipes may block.
func noWaitReader(*os.File) func([]byte) (int, error) {
	return func([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }
}
