package walls

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/sandbox"
)

// Resolve returns the jail for a program with the sandbox settings r that runs in the project root.
// Settings without a profile permit what they list; those with one change the profile at p, whose Dirs
// and Network they set.
func (p Place) Resolve(r *sandbox.Rules, root string) (sandbox.Jail, error) {
	j, err := r.Resolve(root, func() string { return environ.OwnAccount().Home })
	if err != nil || r.Profile == "" {
		return j, err
	}
	for _, path := range j.Write {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return j, fmt.Errorf("sandbox.write: %q does not exist: create it first, or name its parent directory", path)
		}
	}
	p.Dirs, p.Network = ProjectDirs(root), !r.NoNetwork
	p.Write = slices.Concat(p.Write, j.Write)
	return p.Jail()
}

// Environ returns environ as a program with the settings r gets it. The variables keep are its own.
func Environ(r *sandbox.Rules, environ []string, keep func(name string) bool) []string {
	if r.Profile == "" {
		return environ
	}
	return cleanEnviron(environ, keep)
}

// denials lists the words with which programs report that something was refused: the system's own, Java's,
// sudo's, and those of GnuPG and of git that calls it.
var denials = [...]string{"ermission denied", "EACCES", "peration not permitted", "EPERM", "Address family not supported", "AccessDenied", "no new privileges", "can't connect to the agent", "gpg failed to sign"}

// ReportsDenial reports whether a program that printed text may have been stopped by walls.
func ReportsDenial(text string) bool {
	return slices.ContainsFunc(denials[:], func(words string) bool { return strings.Contains(text, words) })
}
