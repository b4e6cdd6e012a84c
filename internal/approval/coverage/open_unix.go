//go:build unix

package coverage

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"syscall"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// noWait holds the flags for opening files so that neither a pipe without a writer nor a terminal
// blocks.
const noWait = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY

// openNoWait opens path without blocking.
func openNoWait(path string) (*os.File, error) { return os.OpenFile(path, noWait, 0) }

// digestFile returns the digest of the regular file at path, in hex, and its mark. It reports false if
// the file cannot be read or is larger than maxFile. It runs before each run of a hook, so it makes as
// few system calls as possible.
func digestFile(path string) (string, state.Mark, bool) {
	fd, err := syscall.Open(path, noWait|syscall.O_CLOEXEC, 0)
	for err == syscall.EINTR {
		fd, err = syscall.Open(path, noWait|syscall.O_CLOEXEC, 0)
	}
	if err != nil {
		return "", state.Mark{}, false
	}
	defer syscall.Close(fd)
	var st syscall.Stat_t
	if syscall.Fstat(fd, &st) != nil || st.Mode&syscall.S_IFMT != syscall.S_IFREG || st.Size > maxFile {
		return "", state.Mark{}, false
	}
	digest := sha256.New()
	size, buf := int64(0), make([]byte, min(st.Size+1, readSize))
	for {
		n, err := syscall.Read(fd, buf)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return "", state.Mark{}, false
		}
		digest.Write(buf[:n])
		if size += int64(n); n == 0 || size == st.Size && n < len(buf) {
			break
		}
		if size > maxFile {
			return "", state.Mark{}, false // it grew while it was read
		}
	}
	var sum [sha256.Size]byte
	return hex.EncodeToString(digest.Sum(sum[:0])), state.MarkOfStat(&st), true
}
