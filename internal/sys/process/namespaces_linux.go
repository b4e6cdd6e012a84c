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

// PIDNamespace returns the name of the process namespace of this process, or "" if it is unknown.
func PIDNamespace() string {
	if !HasOwnTable() {
		return ""
	}
	return namespaceName(os.Getpid(), "pid")
}

// IDScope returns the name of the scope in which an ID is unique: the process namespace, and the
// namespace of the clock of start times. It returns "" if they are unknown.
func IDScope() string {
	if !HasOwnTable() {
		return ""
	}
	return namespaceName(os.Getpid(), "pid") + " " + namespaceName(os.Getpid(), "time")
}

// NamespacesOf returns the namespaces of the process pid, as far as they can be read.
func NamespacesOf(pid int) Namespaces {
	if !HasOwnTable() {
		return Namespaces{}
	}
	return Namespaces{PID: namespaceName(pid, "pid"), Mount: namespaceName(pid, "mnt"), User: namespaceName(pid, "user"), Time: namespaceName(pid, "time")}
}

// namespaceName returns the name of the namespace of the process pid of the given kind, such as "pid",
// or "" if it is unknown.
func namespaceName(pid int, kind string) string {
	var buf [64]byte
	return string(readLink("/proc/"+strconv.Itoa(pid)+"/ns/"+kind, buf[:]))
}

// readLink reads the short symlink path of /proc into buf, and returns the part of buf that holds its
// target, which is empty if there is none. Every event reads some of these symlinks, and os.Readlink
// would allocate memory for longer ones.
func readLink(path string, buf []byte) []byte {
	n, err := syscall.Readlink(path, buf)
	for err == syscall.EINTR {
		n, err = syscall.Readlink(path, buf)
	}
	return buf[:max(n, 0)]
}

// MayBeInContainer reports whether this process may be in a container or another process namespace,
// where it does not see all of its ancestors.
func MayBeInContainer() bool { return PIDNamespace() != initialNamespace }

// initialNamespace is the name of the process namespace that contains all processes of a machine.
const initialNamespace = "pid:[4026531836]"

// TracerOf returns the number of the process that traces the process pid, as debuggers do, or 0 if
// there is none or it is unknown.
func TracerOf(pid int) int {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	_, rest, _ := strings.Cut(string(text), "\nTracerPid:")
	word, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	tracer, _ := strconv.Atoi(word)
	return tracer
}

// HasOwnTable reports whether /proc lists the processes of this process's own namespace. After unshare
// --pid it may list those of another one. A process cannot leave its process namespace, so the result
// is cached.
func HasOwnTable() bool {
	if tableState.Load() == unknownTable {
		var buf [64]byte
		is := int32(otherTable)
		if string(readLink("/proc/self", buf[:])) == strconv.Itoa(os.Getpid()) {
			is = ownTable
		}
		tableState.Store(is)
	}
	return tableState.Load() == ownTable
}

// tableState is the cached result of HasOwnTable.
var tableState atomic.Int32

const (
	unknownTable = iota
	ownTable
	otherTable
)

// ExecutablePath returns the path of the file that the process pid executes, or "" if it is unknown.
// Unlike its arguments, a process cannot forge it.
func ExecutablePath(pid int) string {
	name, _ := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
	return strings.TrimSuffix(name, " (deleted)")
}

// ExecutableChangeTime returns when the file that the process pid executes was last created, renamed
// or changed. It reports false if that is unknown. No program can set this time.
func ExecutableChangeTime(pid int) (time.Time, bool) {
	var st syscall.Stat_t
	if err := syscall.Stat(ExecutableLink(pid), &st); err != nil {
		return time.Time{}, false
	}
	return time.Unix(st.Ctim.Unix()), true
}

// CanWrite reports whether this process may write to the file or directory path.
func CanWrite(path string) bool { return syscall.Access(path, 2) == nil }

// CommandName returns the name that the process pid gives itself, or "" if it is unknown.
func CommandName(pid int) string {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
	return strings.TrimSpace(string(text))
}

// ExecutableLink returns a path that opens the file that the process pid executes, even if another
// file has replaced it.
func ExecutableLink(pid int) string { return "/proc/" + strconv.Itoa(pid) + "/exe" }

// RunsAsRoot reports whether the process pid belongs to root.
func RunsAsRoot(pid int) bool { return RunsAs(pid, 0) }

// RunsAs reports whether the real and the effective user of the process pid are uid.
func RunsAs(pid, uid int) bool {
	// The owner of the /proc directory is no proof, because a process can make that root.
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	_, rest, ok := strings.Cut(string(text), "\nUid:")
	f := strings.Fields(rest)
	id := strconv.Itoa(uid)
	return ok && len(f) > 1 && f[0] == id && f[1] == id
}

// AncestorRoots returns paths of the root directories of ancestors that are in other mount namespaces
// than this process. It reports blind if an ancestor of the same user does not let this process read
// its namespace.
func AncestorRoots() (roots []string, blind bool) {
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
			blind = blind || syscall.Stat(dir, &st) == nil && (int(st.Uid) == os.Geteuid() || st.Uid == overflowUID)
		case err == nil && !seen[name]:
			seen[name] = true
			roots = append(roots, dir+"/root")
		}
	}
	return roots, blind
}

// overflowUID is the owner that the system reports for processes whose user has no id in this user
// namespace.
const overflowUID = 65534

// OpenTerminals returns the device numbers of the terminals that the process pid has open.
func OpenTerminals(pid int) ([]uint64, error) {
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
