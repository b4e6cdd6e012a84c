//go:build unix

package environ

import (
	"os"
	"syscall"
)

// A look is what the system says of a path.
type look struct {
	there bool
	uid   uint32
	mode  uint32
}

func lookAt(path string) look {
	var st syscall.Stat_t
	if syscall.Stat(path, &st) != nil {
		return look{}
	}
	return look{true, st.Uid, uint32(st.Mode)}
}

// lookAtLink is lookAt for the link itself, where path is one.
func lookAtLink(path string) look {
	var st syscall.Stat_t
	if syscall.Lstat(path, &st) != nil {
		return look{}
	}
	return look{true, st.Uid, uint32(st.Mode)}
}

// foreign reports whether it belongs to a user who is neither this one nor root nor
// the one whose directory the session works in.
func (l look) foreign(worker uint32) bool {
	return l.there && l.uid != 0 && l.uid != worker && int(l.uid) != os.Geteuid()
}

// own reports whether it is ours or root's, and not everyone may write to it.
func (l look) own() bool {
	return l.there && (l.uid == 0 || int(l.uid) == os.Geteuid()) && l.mode&0o002 == 0
}
