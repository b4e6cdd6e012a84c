package argv

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell/expand"
)

// dangers are programs whose names are written with tricks to hide them. They
// are what a name that is only partly known is held against.
var dangers = [...]string{
	"rm", "dd", "cat", "shred", "mkfs", "mkfs.ext4", "mkfs.ext3", "mkfs.ext2", "mkfs.xfs", "mkfs.btrfs", "mkfs.vfat", "mke2fs", "wipefs", "rmdir", "unlink",
	"truncate", "chmod", "chown", "mv", "fdisk", "sfdisk", "sgdisk", "parted", "srm", "wipe", "kill", "killall", "pkill", "shutdown", "reboot",
	"halt", "poweroff", "userdel", "crontab", "iptables", "nc", "ncat", "curl", "wget", "bash", "sh", "sudo", "find", "xargs", "eval", "python", "python3",
	"perl", "git", "docker", "kubectl", "scp", "rsync", "tee", "cp",
}

// programDirs are where a pattern may find a program.
var programDirs = [...]string{"/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"}

// HasPrograms reports whether a path, or a pattern, is a directory of the system with programs.
func HasPrograms(dir string) bool {
	return firstFit(dir, programDirs[:]) != ""
}

// GuessProgram is the dangerous program that a name with holes or pattern characters
// most likely is; "" = none.
func GuessProgram(path, name string, glob bool) string {
	bare := strings.ReplaceAll(name, hole, "")
	if bare == "" {
		return ""
	}
	if !glob {
		if slices.Contains(dangers[:], bare) {
			return bare
		}
		return ""
	}
	dir, _ := strings.CutSuffix(path, "/"+name)
	if strings.Trim(bare, "*?") == "" || len(path) > 64 || !HasPrograms(dir) {
		return ""
	}
	return firstFit(bare, dangers[:])
}

// firstFit returns the first of the names that a pattern fits, or "".
func firstFit(pat string, names []string) string {
	if !expand.IsPattern(pat) {
		if slices.Contains(names, pat) {
			return pat
		}
		return ""
	}
	if at := slices.IndexFunc(names, expand.Matcher(pat)); at >= 0 {
		return names[at]
	}
	return ""
}
