package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// has reports whether one of the arguments is one of the words, or begins with
// one of them and an equals sign.
func has(args []shell.Word, words ...string) bool {
	for i := range args {
		for _, w := range words {
			if t := args[i].Text; t == w || len(t) > len(w) && t[len(w)] == '=' && t[:len(w)] == w {
				return true
			}
		}
	}
	return false
}

// hasLetter reports whether a bundle of short options has a letter.
func hasLetter(args []shell.Word, letters string) bool {
	for i := range args {
		if t := args[i].Text; len(t) > 1 && t[0] == '-' && t[1] != '-' && strings.ContainsAny(t[1:], letters) {
			return true
		}
	}
	return false
}

// operand is the nth argument that is no option; "" when there are fewer.
func operand(args []shell.Word, n int) string {
	for i := range args {
		if t := args[i].Text; t != "" && t[0] != '-' {
			if n--; n < 0 {
				return t
			}
		}
	}
	return ""
}

// wiped marks devices or images among the arguments as lost. When none is named
// the loss is unknown but no less.
func (j *job) wiped(rule, reason string) {
	found := false
	for i := range j.c.Args {
		w := j.c.Args[i]
		if w.Text == "" || w.Text[0] == '-' || !strings.Contains(w.Text, "/") && !strings.Contains(w.Text, holeText) {
			continue
		}
		s := j.spot(w)
		switch {
		case s.zone == inSink:
			continue
		case s.zone == inDevice || strings.HasPrefix(s.path, "/dev/"):
			j.mark(&raw, s, high)
		case s.zone == inTemp || s.zone == inGenerated:
			j.mark(&raw, s, low)
		case s.zone == inNowhere:
			j.mark(&raw, s, lost)
		default:
			j.mark(&raw, s, medium)
		}
		found = true
	}
	if !found {
		j.note(high, "overwrite", shell.BlockDevice, rule, reason)
	}
}

// looks is a program of this file that only prints.
func (j *job) looks() {
	j.note(safe, "read", shell.FSRead, "disk-read", "prints information about disks")
}

// unclear is a program of this file in a form that may change something.
func (j *job) unclear() {
	j.note(grave, "modify", shell.BlockDevice, "disk-change", "may change disks or volumes")
}

func (j *job) gone(rule, reason string) {
	j.note(high, "delete", shell.BlockDevice, rule, reason)
}

// disks judges the programs that work on disks and volumes.
func (j *job) disks() bool {
	a := j.c.Args
	name := j.c.Name
	if strings.HasPrefix(name, "mkfs") || strings.HasPrefix(name, "newfs") {
		name = "mkfs"
	}
	if asksOnly(a) && program.Is(name, program.IsDiskEraser) {
		j.looks()
		return true
	}
	switch program.DiskOf(name) {
	case program.DiskFormat:
		if hasLetter(a, "nN") && name != "mkswap" && !hasLetter(a, "Li") || hasLetter(a, "V") {
			j.looks()
		} else {
			j.wiped("mkfs", "creates a new file system and erases the old contents")
		}
	case program.DiskWipefs:
		switch {
		case has(a, "--no-act") || hasLetter(a, "n") || !hasLetter(a, "ao") && !has(a, "--all", "--offset"):
			j.looks()
		default:
			j.wiped("wipefs", "wipes file system signatures")
		}
	case program.DiskPartition:
		j.partitions(name)
	case program.DiskWipe:
		j.wiped("wipe-disk", "wipes a disk")
	case program.DiskDiskpart:
		j.gone("partition", "changes a disk's partitions")
	case program.DiskTool:
		j.diskTools(name)
	default:
		return j.volumes(name)
	}
	return true
}

// partitions are the programs that change partition tables.
func (j *job) partitions(name string) {
	a := j.c.Args
	only := false
	switch name {
	case "fdisk":
		only = hasLetter(a, "lsxV") || has(a, "--list", "--getsz", "--list-details") || len(a) == 0
	case "sfdisk":
		only = hasLetter(a, "ldJsVTgGFn") || has(a, "--list", "--dump", "--json", "--verify", "--no-act", "--show-size", "--list-free") || len(a) == 0
	case "gdisk":
		only = hasLetter(a, "l") || len(a) == 0
	case "sgdisk":
		writes := hasLetter(a, "ZzodntcugGlRrhsm") || has(a, "--zap-all", "--zap", "--clear", "--delete", "--new", "--load-backup", "--randomize-guids")
		only = !writes || hasLetter(a, "P") || has(a, "--pretend")
	case "parted", "gparted":
		only = partedLooks(a)
	case "gpart":
		switch operand(a, 0) {
		case "show", "list", "status", "backup":
			only = true
		}
	}
	if only {
		j.looks()
		return
	}
	j.wiped("partition", "changes a disk's partitions")
}

// partedLooks reports whether parted is only asked to print.
func partedLooks(a []shell.Word) bool {
	if hasLetter(a, "lvh") || has(a, "--list", "--help", "--version") {
		return true
	}
	for _, w := range a {
		switch w.Text {
		case "mklabel", "mktable", "mkpart", "rm", "resizepart", "set", "toggle", "name", "rescue", "resize", "mkfs", "mkpartfs", "move", "disk_set":
			return false
		}
		for _, verb := range [...]string{"mklabel ", "mktable ", "mkpart ", "rm ", "resizepart ", "set "} {
			if strings.Contains(w.Text, verb) {
				return false
			}
		}
	}
	return has(a, "print", "unit", "align-check")
}

// diskTools are programs of which only some forms are bad.
func (j *job) diskTools(name string) {
	a := j.c.Args
	switch name {
	case "hdparm":
		switch {
		case has(a, "--security-erase", "--security-erase-enhanced", "--write-sector", "--make-bad-sector", "--trim-sector-ranges", "--trim-sector-ranges-stdin", "--security-set-pass", "--dco-restore", "--fwdownload", "--sanitize-block-erase", "--sanitize-crypto-scramble", "--sanitize-overwrite", "--repair-sector"):
			j.wiped("erase-disk", "erases a disk")
		case hasLetter(a, "IitTgC") || has(a, "--direct", "--read-sector"):
			j.looks()
		default:
			j.unclear()
		}
	case "nvme":
		switch sub := operand(a, 0); {
		case sub == "format" || sub == "sanitize" || sub == "delete-ns" || sub == "write-zeroes" || sub == "write" || sub == "write-uncor" || sub == "dsm" || sub == "security-send" || sub == "fw-commit":
			j.wiped("erase-disk", "erases a disk")
		case sub == "" || strings.HasPrefix(sub, "list") || strings.HasPrefix(sub, "id-") || strings.HasSuffix(sub, "-log") || sub == "version" || sub == "help" || strings.HasPrefix(sub, "get-") || strings.HasPrefix(sub, "show"):
			j.looks()
		default:
			j.unclear()
		}
	case "badblocks":
		if hasLetter(a, "w") {
			j.wiped("badblocks", "overwrites a disk to test it")
		} else {
			j.looks()
		}
	case "cryptsetup":
		switch sub := operand(a, 0); sub {
		case "luksFormat", "luksErase", "erase", "luksKillSlot", "luksRemoveKey", "reencrypt", "luksHeaderRestore", "tcryptErase":
			j.wiped("erase-keys", "may make the data on an encrypted disk unreadable")
		case "luksDump", "status", "isLuks", "luksUUID", "benchmark", "":
			j.looks()
		default:
			j.unclear()
		}
	case "mdadm":
		switch {
		case has(a, "--zero-superblock", "--create", "--remove", "--fail", "--stop", "--build") || hasLetter(a, "CSrfB"):
			j.wiped("raid", "breaks up a disk array or overwrites it with another")
		case has(a, "--detail", "--examine", "--query", "--monitor", "--scan") || hasLetter(a, "DEQ"):
			j.looks()
		default:
			j.unclear()
		}
	case "diskutil":
		j.diskutil()
	default:
		j.deviceTools(name)
	}
}

// deviceTools are those of Windows, macOS and phones.
func (j *job) deviceTools(name string) {
	a := j.c.Args
	switch name {
	case "format", "format.com":
		for i := range a {
			if t := a[i].Text; len(t) >= 2 && t[1] == ':' && letter(t[0]) {
				j.gone("format-drive", "formats a drive")
				return
			}
		}
		j.unclear()
	case "fastboot":
		switch sub := operand(a, 0); {
		case sub == "erase" || strings.HasPrefix(sub, "flash") || sub == "format" || hasLetter(a, "w") || sub == "oem" || sub == "flashing":
			j.gone("flash-device", "erases or overwrites a device")
		default:
			j.looks()
		}
	case "flashrom":
		if hasLetter(a, "wE") || has(a, "--write", "--erase") {
			j.gone("flash-device", "overwrites firmware")
		} else {
			j.looks()
		}
	case "asr":
		if has(a, "--erase", "-erase") {
			j.gone("erase-disk", "erases a disk")
		} else {
			j.unclear()
		}
	case "hdiutil":
		switch operand(a, 0) {
		case "erasekeys", "burn", "partition":
			j.gone("erase-disk", "erases a disk image")
		case "create", "convert", "attach", "mount", "detach", "unmount", "eject", "resize":
			j.note(little, "modify", shell.FSModify, "image", "creates or attaches a disk image")
		default:
			j.looks()
		}
	}
}

// diskutil is macOS' tool for disks.
func (j *job) diskutil() {
	sub := operand(j.c.Args, 0)
	next := operand(j.c.Args, 1)
	if sub == "apfs" || sub == "cs" || sub == "coreStorage" || sub == "corestorage" || sub == "appleRAID" || sub == "ar" {
		sub = next
	}
	low := strings.ToLower(sub)
	switch {
	case strings.HasPrefix(low, "erase"), strings.HasPrefix(low, "delete"), strings.HasPrefix(low, "zero"), strings.HasPrefix(low, "random"),
		strings.HasPrefix(low, "secureerase"), strings.HasPrefix(low, "partitiondisk"), strings.HasPrefix(low, "reformat"), strings.HasPrefix(low, "resetfusion"),
		strings.HasPrefix(low, "splitpartition"), strings.HasPrefix(low, "mergepartitions"), strings.HasPrefix(low, "removedisk"):
		j.gone("erase-disk", "erases a disk or a volume")
	case low == "", strings.HasPrefix(low, "list"), strings.HasPrefix(low, "info"), strings.HasPrefix(low, "activity"), strings.HasPrefix(low, "verify"):
		j.looks()
	default:
		j.unclear()
	}
}

// volumes are volume managers and file systems with volumes of their own.
func (j *job) volumes(name string) bool {
	a := j.c.Args
	if name == "lvm" && len(a) > 0 {
		name = a[0].Text
	}
	dry := has(a, "--test") || hasLetter(a, "t") && !strings.HasPrefix(name, "z")
	switch program.VolumeOf(name) {
	case program.VolumeRemove:
		if dry {
			j.looks()
		} else {
			j.gone("volume-remove", "removes or overwrites a volume")
		}
	case program.VolumeLook:
		j.looks()
	case program.VolumeTool:
		j.volumeTools(name)
	case program.VolumePool:
		j.pools(name)
	default:
		return false
	}
	return true
}

func (j *job) volumeTools(name string) {
	a := j.c.Args
	switch {
	case name == "ddrescue":
		to := shell.Word{Text: operand(a, 1)}
		if to.Text == "" {
			j.unclear()
			return
		}
		j.written(j.spot(to))
	case strings.HasPrefix(name, "fsck") && hasLetter(a, "nN"), (name == "e2fsck" || name == "xfs_repair" || name == "ntfsfix") && hasLetter(a, "n"),
		name == "tune2fs" && hasLetter(a, "l"), name == "debugfs" && !hasLetter(a, "w"), name == "partx" && hasLetter(a, "ls"), name == "fstrim" && hasLetter(a, "n"):
		j.looks()
	case name == "debugfs" && hasLetter(a, "w"):
		j.wiped("disk-write", "edits a file system's internal structures")
	case name == "resize2fs" && (operand(a, 1) != "" || hasLetter(a, "M")), name == "lvresize" && (valued(a, "-L", "-") || valued(a, "-l", "-") || valued(a, "--size", "-")):
		j.wiped("volume-shrink", "may shrink a file system or volume below its contents")
	default:
		j.unclear()
	}
}

// pools are zfs and its kind.
func (j *job) pools(name string) {
	a := j.c.Args
	sub, next := operand(a, 0), operand(a, 1)
	switch {
	case sub == "" || sub == "list" || sub == "status" || sub == "get" || sub == "history" || sub == "iostat" || sub == "show" || sub == "ls" || sub == "info" || sub == "table" || sub == "version" || sub == "diff",
		name == "btrfs" && (next == "list" || next == "show" || next == "df" || next == "usage" || next == "status" || next == "stats" || next == "du"):
		j.looks()
	case hasLetter(a, "n") && (sub == "destroy" || sub == "create" || sub == "add"):
		j.looks()
	case sub == "destroy" || sub == "labelclear" || sub == "rollback" || sub == "remove" || sub == "detach" || sub == "remove_all" || sub == "wipe_table" || sub == "offline" || sub == "create" && name == "zpool":
		j.gone("volume-remove", "destroys a volume or rolls back recent writes")
	case name == "btrfs" && (next == "delete" || next == "remove" || next == "rm") || sub == "restore" && name == "btrfs" || sub == "check" && has(a, "--repair"):
		j.gone("volume-remove", "deletes a subvolume or removes a disk")
	default:
		j.unclear()
	}
}
