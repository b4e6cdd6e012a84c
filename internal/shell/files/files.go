package files

import (
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// Effects reports what a call does to files. Known says that the program is one
// of those that this package knows; of others it only says what is certainly bad.
func Effects(c *shell.Call, p *shell.Place) (effects []shell.Effect, known bool) {
	return judge(c, p, search{})
}

// judge is [Effects] for paths that a search finds.
func judge(c *shell.Call, p *shell.Place, by search) (effects []shell.Effect, known bool) {
	ours, parts := ours(c.Name), program.Parts(c)
	effects = optionNamed(c, p)
	if !ours && !writesAny(parts) && c.Name != "pdftk" {
		return effects, false
	}
	j := newJob(c, p)
	j.search = by
	if ours {
		known = j.file() || j.change() || j.sweeps() || j.disks()
	}
	j.outputs(parts)
	return append(effects, j.out...), known
}

// ours reports whether the name may be one of ours. It keeps the work for all
// other programs to one look at their name.
func ours(name string) bool {
	switch name {
	case "rm", "grm", "rmdir", "rd", "del", "erase", "deltree", "unlink", "shred", "gshred", "srm", "wipe", "scrub", "trash", "trash-put", "trash-empty", "trash-rm", "trash-list", "trash-restore", "rmtrash", "gio",
		"find", "gfind", "fd", "fdfind", "mv", "gmv", "cp", "gcp", "ln", "gln", "install", "ginstall", "rsync",
		"tar", "gtar", "bsdtar", "zip", "unzip", "cpio", "bsdcpio", "pax", "7z", "7za", "7zz", "7zr",
		"gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd", "lz4", "brotli", "compress", "uncompress", "pigz", "lzma",
		"tee", "sponge", "truncate", "gtruncate", "fallocate", "dd", "gdd", "dcfldd", "dc3dd", "touch", "mkdir", "mktemp", "tempfile", "mkfifo", "split", "csplit", "sort",
		"sed", "gsed", "perl", "ruby", "patch",
		"ed", "red", "ex", "vi", "vim", "nvim", "view", "nano", "pico", "emacs", "micro", "joe", "hx", "helix",
		"chmod", "gchmod", "chown", "gchown", "chgrp", "chattr", "setfacl", "xattr", "setfattr",
		"mount", "umount", "losetup", "swapon", "swapoff", "crontab", "history", "logrotate", "ulimit", ":", "true", "false",
		"checkrein", "checkreind", "apply_patch",
		"fdupes", "jdupes", "rdfind", "rmlint", "tmpreaper", "tmpwatch", "bleachbit", "sfill", "sswap", "sdmem", "rename", "prename", "file-rename", "perl-rename", "rename.ul", "mmv", "mcp", "mad", "mln":
		return true
	}
	return diskName(name) || unpackerOf(name) != nil
}

// file judges what deletes, moves, copies and packs.
func (j *job) file() bool {
	switch j.c.Name {
	case "rm", "grm", "rmdir", "rd", "unlink", "shred", "gshred", "mv", "gmv", "cp", "gcp", "ln", "gln", "rsync", "truncate", "gtruncate", "tar", "gtar", "install", "ginstall":
		if asksOnly(j.c.Args) {
			j.safely(shell.IO, "help", "prints help")
			return true
		}
	}
	switch j.c.Name {
	case "rm", "grm":
		j.rm()
	case "rmdir", "rd":
		j.rmdir(false)
	case "del", "erase", "deltree":
		j.rmdir(true)
	case "unlink":
		j.unlink()
	case "shred", "gshred", "srm", "wipe", "scrub":
		j.shred()
	case "trash", "trash-put", "trash-empty", "trash-rm", "trash-list", "trash-restore", "rmtrash":
		j.trash()
	case "gio":
		return j.gio()
	case "find", "gfind":
		j.find()
	case "fd", "fdfind":
		j.fd()
	case "mv", "gmv":
		j.mv()
	case "cp", "gcp":
		j.cp()
	case "ln", "gln":
		j.ln()
	case "install", "ginstall":
		j.install()
	case "rsync":
		j.rsync()
	case "tar", "gtar", "bsdtar":
		j.tar()
	case "zip":
		j.zip()
	case "unzip":
		j.unzip()
	case "cpio", "bsdcpio":
		j.cpio()
	case "7z", "7za", "7zz", "7zr":
		j.sevenZip()
	case "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd", "lz4", "brotli", "compress", "uncompress", "pigz", "lzma":
		j.packed()
	default:
		return false
	}
	return true
}

// change judges what writes, edits and changes rights.
func (j *job) change() bool {
	switch j.c.Name {
	case "tee", "sponge":
		j.tee()
	case "truncate", "gtruncate":
		j.truncate()
	case "fallocate":
		j.fallocate()
	case "dd", "gdd", "dcfldd", "dc3dd":
		j.dd()
	case "touch", "mkdir", "mkfifo":
		j.create()
	case "mktemp", "tempfile":
		j.safely(shell.FSWrite, "create", "creates a temporary file")
	case "split", "csplit":
		j.split()
	case "sort":
		j.sorted()
	case "sed", "gsed":
		j.sed()
	case "perl", "ruby":
		j.interpreterInPlace()
		return false
	case "patch":
		j.patch()
	case "apply_patch":
		return j.applyPatch()
	case "checkrein", "checkreind":
		j.checkrein()
		return false
	case "ed", "red", "ex", "vi", "vim", "nvim", "view", "nano", "pico", "emacs", "micro", "joe", "hx", "helix":
		return j.editor()
	case "chmod", "gchmod":
		j.chmod()
	case "chown", "gchown", "chgrp":
		j.chown()
	case "chattr", "setfacl", "xattr", "setfattr":
		j.attributes()
	case "mount":
		j.mount()
	case "umount":
		j.umount()
	case "losetup", "swapon", "swapoff":
		j.swaps()
	case "crontab":
		j.crontab()
	case "history":
		j.history()
	case "logrotate":
		j.logrotate()
	case "ulimit", ":", "true", "false":
		j.safely(shell.IO, "nothing", "changes no file")
	default:
		j.unpacks()
		return false
	}
	return true
}

// diskName reports whether a program is one that works on disks.
func diskName(name string) bool {
	switch name {
	case "mke2fs", "mkdosfs", "mkntfs", "mkreiserfs", "mkswap", "mkudffs", "mkexfatfs", "wipefs", "fdisk", "sfdisk", "gdisk", "cfdisk", "sgdisk", "parted", "gparted", "gpart",
		"blkdiscard", "nwipe", "zerofree", "sg_format", "sg_sanitize", "hdwipe", "diskpart", "hdparm", "nvme", "badblocks", "cryptsetup", "mdadm", "diskutil", "format", "format.com",
		"fastboot", "flashrom", "hdiutil", "asr", "lvm", "pvremove", "vgremove", "lvremove", "lvreduce", "vgreduce", "pvcreate", "vgsplit", "vgmerge",
		"pvs", "vgs", "lvs", "pvdisplay", "vgdisplay", "lvdisplay", "pvscan", "vgscan", "lvscan", "lvmdiskscan", "partprobe", "lsblk", "blkid",
		"lvcreate", "vgcreate", "lvextend", "vgextend", "lvresize", "pvresize", "pvmove", "lvconvert", "lvchange", "vgchange", "resize2fs", "xfs_growfs", "tune2fs", "e2label", "xfs_admin",
		"fsck", "e2fsck", "fsck.ext4", "fsck.ext3", "fsck.xfs", "xfs_repair", "ntfsfix", "debugfs", "e2image", "fstrim", "partx", "kpartx", "multipath", "ddrescue",
		"zpool", "zfs", "btrfs", "dmsetup":
		return true
	}
	return len(name) > 3 && (name[:4] == "mkfs" || len(name) > 4 && name[:5] == "newfs")
}
