package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"unsafe"
)

// The kernel's interface, include/uapi/linux/landlock.h. The numbers of the
// calls are the same on all architectures that Go supports.
const (
	sysCreateRuleset = 444
	sysAddRule       = 445
	sysRestrictSelf  = 446

	askVersion  = 1 // a flag of createRuleset
	pathBeneath = 1 // a kind of rule

	// leastVersion is the first version that restricts truncation, Linux 6.2. Without it
	// every file could be emptied.
	leastVersion = 3
	ioctlVersion = 5 // the first version that restricts ioctl on devices
	scopeVersion = 6 // the first version that can keep signals and abstract sockets inside the sandbox
	scopeSockets = 1 << 0
	scopeSignals = 1 << 1
)

// Rights over files and directories.
const (
	mayExecute uint64 = 1 << iota
	mayWriteFile
	mayReadFile
	mayReadDir
	mayRemoveDir
	mayRemoveFile
	mayMakeChar
	mayMakeDir
	mayMakeFile
	mayMakeSocket
	mayMakeFifo
	mayMakeBlock
	mayMakeLink
	mayRefer // move and link between directories
	mayTruncate
	mayControl // devices, by ioctl
)

const (
	toRead   = mayExecute | mayReadFile | mayReadDir
	toWrite  = toRead | mayWriteFile | mayRemoveDir | mayRemoveFile | mayMakeDir | mayMakeFile | mayMakeSocket | mayMakeFifo | mayMakeLink | mayRefer | mayTruncate | mayControl
	toDevice = mayReadFile | mayWriteFile | mayTruncate | mayControl
	ofFiles  = mayExecute | mayWriteFile | mayReadFile | mayTruncate | mayControl // rights that a rule for a file may have
	all      = toWrite | mayMakeChar | mayMakeBlock
	reading  = mayExecute | mayReadDir // rights that everything has in a jail that reads everything
)

// maxRules is the largest number of rules of a jail. Each path takes one, and with hidden paths also
// everything beside them and beside the directories above them.
const maxRules = 4096

// systemPaths lists the paths that every program may read: programs, libraries, the machine's settings
// and what the kernel reports about the machine. They include neither processes of other users nor
// home directories.
var systemPaths = [...]string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store",
	"/etc", "/etc/resolv.conf", // resolv.conf is a symlink on many machines
	"/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/uptime", "/proc/version", "/proc/filesystems", "/proc/sys",
	"/sys/devices/system/cpu", "/sys/kernel/mm/transparent_hugepage",
}

// devices lists the devices that every program may use. They hold no data.
var devices = [...]string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

type rulesetAttr struct{ handledFiles, handledNet, scoped uint64 }

type pathAttr struct {
	allowed uint64
	parent  int32
}

// restrictFiles restricts the thread and its descendants to the files of the jail j.
func restrictFiles(j Jail) error {
	version, _, errno := syscall.Syscall(sysCreateRuleset, 0, 0, askVersion)
	switch {
	case errno == syscall.ENOSYS || errno == syscall.EOPNOTSUPP:
		return errors.New("this kernel has no Landlock, or it is turned off: a sandbox needs Linux 6.2 or later, with landlock among its security modules (the boot option lsm=)")
	case errno != 0:
		return fmt.Errorf("checking for Landlock: %w", errno)
	case version < leastVersion:
		return fmt.Errorf("this kernel has Landlock version %d, which cannot keep files from being truncated: a sandbox needs version %d (Linux 6.2 or later)", version, leastVersion)
	}
	attr := rulesetAttr{handledFiles: all}
	if j.ReadAll {
		attr.handledFiles &^= reading
		if len(j.Hide) == 0 {
			attr.handledFiles &^= mayReadFile
		}
	}
	if version < ioctlVersion {
		attr.handledFiles &^= mayControl
	}
	if version >= scopeVersion {
		attr.scoped = scopeSignals
		if j.Contained && !j.Sockets {
			attr.scoped |= scopeSockets
		}
	}
	fd, _, errno := syscall.Syscall(sysCreateRuleset, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return fmt.Errorf("creating a Landlock ruleset: %w", errno)
	}
	rules := ruleset{fd: int(fd), handled: attr.handledFiles}
	if err := rules.addRules(j); err != nil {
		return err
	}
	if _, _, errno := syscall.Syscall(sysRestrictSelf, fd, 0, 0); errno != 0 {
		return fmt.Errorf("entering Landlock: %w", errno)
	}
	return syscall.Close(rules.fd)
}

type ruleset struct {
	fd      int
	handled uint64
	added   int // rules
}

// addRules adds the rules for the jail j, and for the paths that every program needs.
func (r *ruleset) addRules(j Jail) error {
	read := systemPaths[:]
	if j.ReadAll {
		read = nil
		if err := r.allowBeside("/", j.Hide); err != nil {
			return err
		}
	}
	for _, list := range [...]struct {
		paths   []string
		rights  uint64
		missing bool // a missing path is no error
	}{
		{read, toRead, true},
		{devices[:], toDevice, true},
		{j.Read, toRead, true},        // a missing path has nothing to read
		{j.Write, toWrite, j.ReadAll}, // temporary files come and go
	} {
		for _, path := range list.paths {
			err := r.allow(path, list.rights, 0)
			if errors.Is(err, syscall.ENOENT) && list.missing {
				continue
			}
			if errors.Is(err, syscall.ENOENT) {
				return fmt.Errorf("write %q: it does not exist: create it first, or name its parent directory", path)
			}
			if err != nil {
				return fmt.Errorf("permitting %q: %w", path, err)
			}
		}
	}
	return nil
}

// allowBeside adds rules that grant reading everything below dir but the paths in hide. It follows no
// symlinks, because what they lead to has a rule of its own. What is created later in a directory above
// a hidden path cannot be read.
func (r *ruleset) allowBeside(dir string, hide []string) error {
	if r.handled&mayReadFile == 0 {
		return nil
	}
	names, err := dirNames(dir)
	if errors.Is(err, fs.ErrPermission) { // what is hidden may be in one of its directories all the same
		for _, path := range hide {
			name, _, _ := strings.Cut(strings.TrimPrefix(path, dir), "/")
			names = append(names, name)
		}
	} else if err != nil {
		return err
	}
	for _, name := range names {
		path := dir + name
		if slices.Contains(hide, path) {
			continue
		}
		inside := slices.DeleteFunc(slices.Clone(hide), func(h string) bool { return !strings.HasPrefix(h, path+"/") })
		if len(inside) > 0 {
			err = r.allowBeside(path+"/", inside)
		} else {
			err = r.allow(path, mayReadFile, syscall.O_NOFOLLOW)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return nil
}

// dirNames returns the names in the directory path, unsorted.
func dirNames(path string) ([]string, error) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.Readdirnames(-1)
}

// allow adds a rule that grants rights to the file path, or to the directory path and everything below
// it. flags are 0 or O_NOFOLLOW; then the rule for a symlink has no effect.
func (r *ruleset) allow(path string, rights uint64, flags int) error {
	const oPath = 0x200000 // O_PATH, which package syscall lacks
	fd, err := syscall.Open(path, oPath|syscall.O_CLOEXEC|flags, 0)
	if err != nil {
		return err
	}
	defer func() { _ = syscall.Close(fd) }()
	if rights &= r.handled; rights&^ofFiles != 0 { // rights that only a directory may have
		var st syscall.Stat_t
		if err := syscall.Fstat(fd, &st); err != nil {
			return err
		}
		if st.Mode&syscall.S_IFMT != syscall.S_IFDIR {
			rights &= ofFiles
		}
	}
	attr := pathAttr{rights, int32(fd)}
	if attr.allowed == 0 {
		return nil
	}
	if r.added++; r.added > maxRules {
		return fmt.Errorf("the directories above hidden files hold more than %d entries", maxRules)
	}
	if _, _, errno := syscall.Syscall6(sysAddRule, uintptr(r.fd), pathBeneath, uintptr(unsafe.Pointer(&attr)), 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}
