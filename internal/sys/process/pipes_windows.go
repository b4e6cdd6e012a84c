package process

import (
	"os"
	"time"
)

// expire makes reads of the pipe fail once d is over, pending ones too. These
// pipes know no deadline, but closing one ends its reads.
func expire(f *os.File, d time.Duration) {
	if f.SetReadDeadline(time.Now().Add(d)) == nil {
		return
	}
	time.AfterFunc(d, func() { _ = f.Close() })
}

// writeNow writes nothing, since every write to these pipes may wait.
func writeNow(*os.File, []byte) int { return 0 }

// readNow returns a read that always fails: every read of these pipes may wait.
func readNow(*os.File) func([]byte) (int, error) {
	return func([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }
}
