package process

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// Space names the set of processes that our numbers are from; "" = nobody tells.
func Space() string {
	if !OwnTable() {
		return ""
	}
	return space(os.Getpid(), "pid")
}

// Numbering names what an ID of ours means something in: the set of processes that
// numbers are from, and the clock that starts are told by; "" = nobody tells.
func Numbering() string {
	if !OwnTable() {
		return ""
	}
	return space(os.Getpid(), "pid") + " " + space(os.Getpid(), "time")
}

// SpacesOf are the spaces of a process, as far as we may look.
func SpacesOf(pid int) Spaces {
	if !OwnTable() {
		return Spaces{}
	}
	return Spaces{PID: space(pid, "pid"), Mount: space(pid, "mnt"), User: space(pid, "user"), Time: space(pid, "time")}
}

func space(pid int, of string) string {
	var buf [64]byte
	return string(linkAt("/proc/"+strconv.Itoa(pid)+"/ns/"+of, buf[:]))
}

// linkAt reads a short link of /proc; empty = there is none. Every event asks for some:
// package os takes memory for longer ones.
func linkAt(path string, buf []byte) []byte {
	n, err := syscall.Readlink(path, buf)
	for err == syscall.EINTR {
		n, err = syscall.Readlink(path, buf)
	}
	return buf[:max(n, 0)]
}

// Inside reports whether this process may be in a part of the machine, such as a
// container, from which it does not see all that is above it.
func Inside() bool { return Space() != firstSpace }

// firstSpace is the set of all processes of a machine.
const firstSpace = "pid:[4026531836]"

// Tracer is the process that holds another one as debuggers do; 0 = there is none,
// or it is unknown.
func Tracer(pid int) int {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	_, rest, _ := strings.Cut(string(text), "\nTracerPid:")
	word, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	tracer, _ := strconv.Atoi(word)
	return tracer
}

// OwnTable reports whether the system's list of processes is the one that we are
// in: below unshare --pid it may be that of somebody else. A process cannot leave the
// processes that it is numbered among, so that it is looked up once.
func OwnTable() bool {
	if listed.Load() == unknownTable {
		var buf [64]byte
		is := int32(otherTable)
		if string(linkAt("/proc/self", buf[:])) == strconv.Itoa(os.Getpid()) {
			is = ownTable
		}
		listed.Store(is)
	}
	return listed.Load() == ownTable
}

// listed is whose list of processes /proc is.
var listed atomic.Int32

const (
	unknownTable = iota
	ownTable
	otherTable
)

// Program is the path of the file that a process runs; "" = nobody tells. Unlike
// its arguments, a process cannot make it up.
func Program(pid int) string {
	name, _ := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
	return strings.TrimSuffix(name, " (deleted)")
}

// Changed is when the file that a process runs was made, renamed or changed; false =
// nobody tells. No program sets that time as it likes.
func Changed(pid int) (time.Time, bool) {
	var st syscall.Stat_t
	if err := syscall.Stat(Image(pid), &st); err != nil {
		return time.Time{}, false
	}
	return time.Unix(st.Ctim.Unix()), true
}

// Writable reports whether we may write a file or directory.
func Writable(path string) bool { return syscall.Access(path, 2) == nil }

// Title is what a process calls itself; "" = nobody tells.
func Title(pid int) string {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
	return strings.TrimSpace(string(text))
}

// Image is a path by which the file that a process runs can be started, also
// where another lies in its place by now.
func Image(pid int) string { return "/proc/" + strconv.Itoa(pid) + "/exe" }

// OfRoot reports whether a process is root's.
func OfRoot(pid int) bool { return OfUser(pid, 0) }

// OfUser reports whether a process is a user's.
func OfUser(pid, uid int) bool {
	// Whose the directory is does not tell: a process can give that to root.
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	_, rest, ok := strings.Cut(string(text), "\nUid:")
	f := strings.Fields(rest)
	id := strconv.Itoa(uid)
	return ok && len(f) > 1 && f[0] == id && f[1] == id
}

// Roots are paths of the file systems as ancestors see them that see others than
// we do. Blind says that there is one of our own that does not let us look.
func Roots() (roots []string, blind bool) {
	own, err := os.Readlink("/proc/self/ns/mnt")
	if err != nil {
		return nil, false
	}
	seen := map[string]bool{own: true}
	ids, _ := Ancestors()
	for _, id := range ids {
		dir := "/proc/" + strconv.Itoa(id.PID)
		name, err := os.Readlink(dir + "/ns/mnt")
		switch {
		case errors.Is(err, fs.ErrPermission):
			var st syscall.Stat_t
			blind = blind || syscall.Stat(dir, &st) == nil && (int(st.Uid) == os.Geteuid() || st.Uid == overflow)
		case err == nil && !seen[name]:
			seen[name] = true
			roots = append(roots, dir+"/root")
		}
	}
	return roots, blind
}

// overflow is whose processes are that our user namespace has no number for.
const overflow = 65534

// Terminals are the devices of the terminals that a process has open.
func Terminals(pid int) ([]uint64, error) {
	dir := "/proc/" + strconv.Itoa(pid) + "/fd"
	names, err := listDir(dir)
	var out []uint64
	for _, name := range names {
		path := dir + "/" + name
		to, _ := os.Readlink(path)
		var st syscall.Stat_t
		if strings.HasPrefix(to, "/dev/") && to != "/dev/ptmx" && to != "/dev/pts/ptmx" && syscall.Stat(path, &st) == nil && st.Mode&syscall.S_IFMT == syscall.S_IFCHR {
			out = append(out, st.Rdev)
		}
	}
	return out, err
}
