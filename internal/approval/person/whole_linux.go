package person

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/process"
	"golang.org/x/sys/unix"
)

// Whole returns why a directory may not show what lies in it: one of its entries, or
// of those of the folders named, is a file system of its own, so that something is
// hidden behind it or was put there from elsewhere. With links, entries that lead
// out of the directory count as well. What is not there is whole.
func Whole(dir string, links bool, folders ...string) error {
	for _, at := range append([]string{"."}, folders...) {
		if err := whole(filepath.Join(dir, at), links); err != nil {
			return err
		}
	}
	return nil
}

func whole(dir string, links bool) error {
	f, err := os.Open(dir)
	if err != nil {
		return nil // whoever reads it says so
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil // as above
	}
	for _, name := range names {
		if links {
			if to, err := os.Readlink(filepath.Join(dir, name)); err == nil && !filepath.IsLocal(to) {
				return fmt.Errorf("%s links to a path outside its directory", filepath.Join(dir, name))
			}
		}
		if process.IsMountedOver(dir, name) {
			return fmt.Errorf("%s has another file system mounted over it", filepath.Join(dir, name))
		}
	}
	return nil
}

// table returns why the system's list of processes may not be what it says: another
// file system lies in its place, or over the part that tells of a process.
func table() error {
	made := errors.New("information about other processes may be forged: /proc is not the system's own")
	at, err := filepath.EvalSymlinks("/proc")
	if err != nil || at != "/proc" {
		return made
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(at, &fs); err != nil || fs.Type != unix.PROC_SUPER_MAGIC {
		return made
	}
	mounts, err := process.ReadSameMount(at, "self/mountinfo")
	if err != nil {
		return made
	}
	for row := range strings.Lines(string(mounts)) {
		f := strings.Fields(row)
		if len(f) < 5 {
			continue
		}
		rest, below := strings.CutPrefix(f[4], at+"/")
		if below && (rest[0] >= '0' && rest[0] <= '9' || rest == "self" || rest == "thread-self") {
			return made
		}
	}
	return nil
}
