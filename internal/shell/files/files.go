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
	if !ours && !writesAny(parts) {
		return effects, false
	}
	j := newJob(c, p)
	j.search = by
	if ours {
		known = j.file() || j.change()
	}
	j.outputs(parts)
	return append(effects, j.out...), known
}

// ours reports whether the name may be one of ours. It keeps the work for all
// other programs to one look at their name.
func ours(name string) bool {
	return program.FilesOf(name) != 0
}

// file judges what deletes, moves, copies and packs.
func (j *job) file() bool {
	if program.Is(j.c.Name, program.IsFileTool) && asksOnly(j.c.Args) {
		j.safely(shell.IO, "help", "prints help")
		return true
	}
	switch program.FilesOf(j.c.Name) {
	case program.FilesRm:
		j.rm()
	case program.FilesRmdir:
		j.rmdir(false)
	case program.FilesDel:
		j.rmdir(true)
	case program.FilesUnlink:
		j.unlink()
	case program.FilesWipe:
		j.shred()
	case program.FilesFind:
		j.find()
	case program.FilesFd:
		j.fd()
	case program.FilesMv:
		j.mv()
	case program.FilesCp:
		j.cp()
	case program.FilesLn:
		j.ln()
	case program.FilesInstall:
		j.install()
	case program.FilesRsync:
		j.rsync()
	case program.FilesTar:
		j.tar()
	case program.FilesZip:
		j.zip()
	case program.FilesUnzip:
		j.unzip()
	case program.FilesCpio:
		j.cpio()
	case program.FilesSevenZip:
		j.sevenZip()
	case program.FilesPacked:
		j.packed()
	default:
		return false
	}
	return true
}

// change judges what writes, edits and changes rights.
func (j *job) change() bool {
	switch program.FilesOf(j.c.Name) {
	case program.FilesTee, program.FilesSponge:
		j.tee()
	case program.FilesTruncate:
		j.truncate()
	case program.FilesFallocate:
		j.fallocate()
	case program.FilesDd:
		j.dd()
	case program.FilesCreate:
		j.create()
	case program.FilesTemporary:
		j.safely(shell.FSWrite, "create", "creates a temporary file")
	case program.FilesSplit:
		j.split()
	case program.FilesSort:
		j.sorted()
	case program.FilesSed:
		j.sed()
	case program.FilesInPlace:
		j.interpreterInPlace()
		return false
	case program.FilesPatch:
		j.patch()
	case program.FilesApplyPatch:
		return j.applyPatch()
	case program.FilesCheckrein:
		j.checkrein()
		return false
	case program.FilesEditor, program.FilesEmacs:
		return j.editor()
	case program.FilesChmod:
		j.chmod()
	case program.FilesChown:
		j.chown()
	case program.FilesRename, program.FilesRenameAll:
		j.renames()
	case program.FilesNothing:
		j.safely(shell.IO, "nothing", "changes no file")
	default:
		return false
	}
	return true
}
