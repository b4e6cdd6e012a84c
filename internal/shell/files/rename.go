package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// judgeRename judges rename and mmv, which rename many files by a rule. With force, they overwrite
// existing files of the new names.
func (j *job) judgeRename() {
	dry, force, exprLen := false, false, 1
	var operands []shell.Word
	all := program.FilesOf(j.c.Name) == program.FilesRenameAll
	var o program.Walk
	o.Start(j.c)
	for o.Next() {
		switch o.Name {
		case "":
			operands = append(operands, o.Arg)
		case "n", "no-act", "nono", "dry-run", "just-print":
			dry = true
		case "f", "force", "d", "o":
			force = force || o.Name != "o" && o.Name != "d" || all
		case "e", "expression":
			exprLen = 0
		}
	}
	if dry {
		j.addSafe(shell.FSRead, "rename-dry-run", "only shows what it would rename")
		return
	}
	if len(operands) > 2 && !strings.ContainsAny(operands[0].Text, "/;{|") && !all {
		exprLen = 2 // from, to, files
	}
	if all {
		exprLen = 0
	}
	j.addRenameOverwrites(operands, exprLen)
	for _, w := range operands[min(exprLen, len(operands)):] {
		if w.Text == "" {
			continue
		}
		s := j.locateWord(w)
		v := moveVerdicts[s.zone]
		switch {
		case s.createdHere && s.allowsOwnFiles():
			v = safe
		case s.kind != "":
			v = worseVerdict(v, protectedVerdict(s))
		case s.zone == inProjectRoot:
			v = unknownLow
			if force {
				v = medium
			}
		case force && (s.zone == inProject || s.isPattern && j.isUserArea(&s)):
			v = medium
		}
		j.addEffect(&moves, s, v)
	}
	if j.out == nil {
		j.addPathless(unknownLow, "move", shell.FSModify, "rename", "renames files")
	}
}

// addRenameOverwrites adds the effects on existing files whose names are the new names of others.
// exprLen is the number of operands before the files; 0 means that they alternate with new names.
func (j *job) addRenameOverwrites(operands []shell.Word, exprLen int) {
	var names []string
	switch {
	case exprLen == 0 && program.FilesOf(j.c.Name) == program.FilesRenameAll:
		for i := 1; i < len(operands); i += 2 {
			names = append(names, operands[i].Text)
		}
	case exprLen == 2 && len(operands) > 2:
		for _, w := range operands[2:] {
			if to := strings.Replace(w.Text, operands[0].Text, operands[1].Text, 1); to != w.Text && operands[0].Text != "" {
				names = append(names, to)
			}
			if strings.HasPrefix(operands[1].Text, "/") {
				names = append(names, operands[1].Text)
			}
		}
	case exprLen == 1 && len(operands) > 0:
		// s,a,/home/me/b,
		if t := operands[0].Text; len(t) > 4 && t[0] == 's' && !isLetter(t[1]) {
			if parts := strings.Split(t[2:], t[1:2]); len(parts) > 1 && strings.HasPrefix(parts[1], "/") {
				names = append(names, parts[1])
			}
		}
	}
	for _, name := range names {
		if name == "" || isGlob(name) {
			continue
		}
		s := j.locateWord(shell.Word{Text: name})
		if a, v := j.lookupVerdict(&writeVerdicts, &overwrite, s); v.label() == shell.Destructive {
			j.addEffect(a, s, v)
		}
	}
}
