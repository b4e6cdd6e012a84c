package argv

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell/expand"
)

// dangerousPrograms lists programs whose names attackers disguise. Names that are only partly known
// are compared with them.
var dangerousPrograms = [...]string{
	"rm", "dd", "cat", "shred", "mkfs", "mkfs.ext4", "mkfs.ext3", "mkfs.ext2", "mkfs.xfs", "mkfs.btrfs", "mkfs.vfat", "mke2fs", "wipefs", "rmdir", "unlink",
	"truncate", "chmod", "chown", "mv", "fdisk", "sfdisk", "sgdisk", "parted", "srm", "wipe", "kill", "killall", "pkill", "shutdown", "reboot",
	"halt", "poweroff", "userdel", "crontab", "iptables", "nc", "ncat", "curl", "wget", "bash", "sh", "sudo", "find", "xargs", "eval", "python", "python3",
	"perl", "git", "docker", "kubectl", "scp", "rsync", "tee", "cp",
}

// programDirs lists the directories that hold the system's programs.
var programDirs = [...]string{"/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"}

// MatchesProgramDir reports whether dir, which may be a pattern, matches a directory that holds the
// system's programs.
func MatchesProgramDir(dir string) bool {
	return firstMatch(dir, programDirs[:]) != ""
}

// GuessProgram returns the dangerous program that name may stand for, or "" if there is none. It
// ignores placeholders in name. If glob is set, name is a pattern, and path, which is name with its
// directory, must be in a directory that holds the system's programs.
func GuessProgram(path, name string, glob bool) string {
	bare := strings.ReplaceAll(name, placeholder, "")
	if bare == "" {
		return ""
	}
	if !glob {
		if slices.Contains(dangerousPrograms[:], bare) {
			return bare
		}
		return ""
	}
	dir, _ := strings.CutSuffix(path, "/"+name)
	if strings.Trim(bare, "*?") == "" || len(path) > 64 || !MatchesProgramDir(dir) {
		return ""
	}
	return firstMatch(bare, dangerousPrograms[:])
}

// firstMatch returns the first of names that matches the pattern pat, or "" if none does.
func firstMatch(pat string, names []string) string {
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
