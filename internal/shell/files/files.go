package files

import (
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// Effects returns what c does to files. known reports whether this package has rules for the program;
// for other programs it returns only what is certainly harmful.
func Effects(c *shell.Call, p *shell.Place) (effects []shell.Effect, known bool) {
	return judgeCall(c, p, search{})
}

// judgeCall returns the results of [Effects]. by describes the search that found the paths of c.
func judgeCall(c *shell.Call, p *shell.Place, by search) (effects []shell.Effect, known bool) {
	ours, parts := isFileProgram(c.Name), program.OutputParts(c)
	effects = dashFileEffects(c, p)
	if !ours && !writesAny(parts) {
		return effects, false
	}
	j := newJob(c, p)
	j.search = by
	if ours {
		known = j.judgeFileTool() || j.judgeWriter()
	}
	j.judgeOutputs(parts)
	return append(effects, j.out...), known
}

// isFileProgram reports whether this package has rules for the program name. For other programs, this
// lookup is all that a call costs.
func isFileProgram(name string) bool {
	return program.FilesOf(name) != 0
}

// judgeFileTool judges programs that delete, move, copy or pack files. It reports false for other
// programs.
func (j *job) judgeFileTool() bool {
	if program.Is(j.c.Name, program.IsFileTool) && asksForHelp(j.c.Args) {
		j.addSafe(shell.IO, "help", "prints help")
		return true
	}
	switch program.FilesOf(j.c.Name) {
	case program.FilesRm:
		j.judgeRm()
	case program.FilesRmdir:
		j.judgeRmdir(false)
	case program.FilesDel:
		j.judgeRmdir(true)
	case program.FilesUnlink:
		j.judgeUnlink()
	case program.FilesWipe:
		j.judgeShred()
	case program.FilesFind:
		j.judgeFind()
	case program.FilesFd:
		j.judgeFd()
	case program.FilesMv:
		j.judgeMv()
	case program.FilesCp:
		j.judgeCp()
	case program.FilesLn:
		j.judgeLn()
	case program.FilesInstall:
		j.judgeInstall()
	case program.FilesRsync:
		j.judgeRsync()
	case program.FilesTar:
		j.judgeTar()
	case program.FilesZip:
		j.judgeZip()
	case program.FilesUnzip:
		j.judgeUnzip()
	case program.FilesCpio:
		j.judgeCpio()
	case program.FilesSevenZip:
		j.judgeSevenZip()
	case program.FilesPacked:
		j.judgeCompress()
	default:
		return false
	}
	return true
}

// judgeWriter judges programs that write or edit files or change permissions. It reports false if
// other packages must judge the call as well.
func (j *job) judgeWriter() bool {
	switch program.FilesOf(j.c.Name) {
	case program.FilesTee, program.FilesSponge:
		j.judgeTee()
	case program.FilesTruncate:
		j.judgeTruncate()
	case program.FilesFallocate:
		j.judgeFallocate()
	case program.FilesDd:
		j.judgeDd()
	case program.FilesCreate:
		j.judgeCreate()
	case program.FilesTemporary:
		j.addSafe(shell.FSWrite, "create", "creates a temporary file")
	case program.FilesSplit:
		j.judgeSplit()
	case program.FilesSort:
		j.judgeSort()
	case program.FilesSed:
		j.judgeSed()
	case program.FilesInPlace:
		j.judgeInterpreterInPlace()
		return false
	case program.FilesPatch:
		j.judgePatch()
	case program.FilesApplyPatch:
		return j.judgeApplyPatch()
	case program.FilesCheckrein:
		j.judgeOwnCommand()
		return false
	case program.FilesEditor, program.FilesEmacs:
		return j.judgeEditor()
	case program.FilesChmod:
		j.judgeChmod()
	case program.FilesChown:
		j.judgeChown()
	case program.FilesRename, program.FilesRenameAll:
		j.judgeRename()
	case program.FilesNothing:
		j.addSafe(shell.IO, "nothing", "changes no file")
	default:
		return false
	}
	return true
}
