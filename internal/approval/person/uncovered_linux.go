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

// CheckUncovered returns an error if dir may not show its real contents, because an entry of dir, or
// of one of folders in it, is a mount point, which hides or replaces something. If links is set,
// symlinks that lead out of the directory count too. A missing directory is no error.
func CheckUncovered(dir string, links bool, folders ...string) error {
	for _, at := range append([]string{"."}, folders...) {
		if err := checkEntries(filepath.Join(dir, at), links); err != nil {
			return err
		}
	}
	return nil
}

// checkEntries returns an error if an entry of dir is a mount point or, if links is set, a symlink
// that leads out of dir.
func checkEntries(dir string, links bool) error {
	f, err := os.Open(dir)
	if err != nil {
		return nil // reading it will fail with a better error
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil // see above
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

// checkProc returns an error if /proc may be forged, because another file system is mounted in its
// place, or over a part that describes processes.
func checkProc() error {
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
