package files

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// sweeps judges the programs that look for files to delete or rename by
// themselves: duplicates, old files, caches.
func (j *job) sweeps() bool {
	a := j.c.Args
	switch program.FilesOf(j.c.Name) {
	case program.FilesDuplicates:
		if hasLetter(a, "d") || has(a, "--delete", "--immediate") || j.c.Name == "jdupes" && (hasLetter(a, "LlB") || has(a, "--link-hard", "--link-soft", "--dedupe")) {
			j.swept("", "", "duplicates", "deletes duplicate files in")
		} else {
			j.safely(shell.FSRead, "duplicates-list", "lists duplicate files")
		}
	case program.FilesRdfind:
		if valued(a, "-deleteduplicates", "true") || valued(a, "-makesymlinks", "true") || valued(a, "-makehardlinks", "true") {
			j.swept("", "-deleteduplicates -makesymlinks -makehardlinks -dryrun -n -minsize -maxsize -ignoreempty -checksum -outputname", "duplicates", "deletes duplicate files in")
		} else {
			j.safely(shell.FSRead, "duplicates-list", "lists duplicate files")
		}
	case program.FilesRmlint:
		j.note(safe, "write", shell.FSWrite, "duplicates-list", "lists deletable files and writes a script to delete them")
	case program.FilesSweep:
		if has(a, "--test", "--help", "--version") || hasLetter(a, "t") {
			j.safely(shell.FSRead, "sweep-test", "only shows what it would delete")
			return true
		}
		j.swept("mxXuU", "--protect --protect-extra --exclude --exclude-user --exclude-pattern", "sweep", "deletes files not used recently in")
	case program.FilesBleachbit:
		if has(a, "--clean", "--delete", "-c", "-d", "--shred", "-s", "--wipe-free-space", "-w", "--overwrite", "-o", "--wipe-empty-space") {
			j.note(high, "delete", shell.FSDelete, "sweep", "permanently deletes caches, histories and logs")
		} else {
			j.safely(shell.FSRead, "sweep-test", "lists deletable files")
		}
	case program.FilesWipeFree:
		j.wiped("wipe-free", "makes deleted files unrecoverable")
	case program.FilesRename:
		j.renames()
	default:
		return false
	}
	return true
}

// valued reports whether an option has a value that begins so, as a word of its
// own or behind an equals sign.
func valued(args []shell.Word, option, value string) bool {
	for i := range args {
		rest, ok := strings.CutPrefix(args[i].Text, option)
		if !ok {
			continue
		}
		if rest == "" && i+1 < len(args) {
			rest = args[i+1].Text
		}
		if strings.HasPrefix(strings.TrimPrefix(rest, "="), value) {
			return true
		}
	}
	return false
}

// swept marks the directories that a sweeping program is given. Operands that are
// a time, and values of options, are not directories.
func (j *job) swept(letters, values, rule, verb string) {
	a := act{verb, "delete", shell.FSDelete, rule}
	for i := 0; i < len(j.c.Args); i++ {
		w := j.c.Args[i]
		t := w.Text
		switch {
		case t == "":
			continue
		case t[0] == '-':
			if strings.Contains(" "+values+" ", " "+t+" ") || len(t) == 2 && strings.Contains(letters, t[1:]) {
				i++
			}
			continue
		case len(letters) > 0 && t[0] >= '0' && t[0] <= '9' && strings.Trim(t, "0123456789dhms+") == "":
			continue
		}
		s := j.spot(w)
		s.many, s.deep = true, true
		v := deleted(s, true)
		if v == safe && s.zone != inTemp && s.zone != inGenerated {
			v = low
		}
		j.mark(&a, s, v)
	}
	if j.out == nil {
		j.note(medium, "delete", shell.FSDelete, rule, verb+" a directory that the command does not name")
	}
}

// renames is rename and mmv: many files get other names by a rule, and with force
// those that have the name already are lost.
func (j *job) renames() {
	dry, force, code := false, false, 1
	var operands []shell.Word
	var o program.Walk
	o.Start(j.c)
	for o.Next() {
		switch o.Name {
		case "":
			operands = append(operands, o.Arg)
		case "n", "no-act", "nono", "dry-run", "just-print":
			dry = true
		case "f", "force", "d", "o":
			force = force || o.Name != "o" && o.Name != "d" || j.c.Name[0] == 'm'
		case "e", "expression":
			code = 0
		}
	}
	if dry {
		j.safely(shell.FSRead, "rename-dry-run", "only shows what it would rename")
		return
	}
	if len(operands) > 2 && !strings.ContainsAny(operands[0].Text, "/;{|") && j.c.Name == "rename" || j.c.Name == "rename.ul" {
		code = 2 // from, to, files
	}
	j.renamedTo(operands, code)
	if j.c.Name[0] == 'm' {
		code = 0
	}
	for _, w := range operands[min(code, len(operands)):] {
		if w.Text == "" {
			continue
		}
		s := j.spot(w)
		v := moveFrom[s.zone]
		switch {
		case s.own && s.mayMake():
			v = safe
		case s.kind != "":
			v = worst(v, guarded(s))
		case s.zone == inProjectRoot:
			v = little
			if force {
				v = medium
			}
		case force && (s.zone == inProject || s.many && j.persons(&s)):
			v = medium
		}
		j.mark(&moves, s, v)
	}
	if j.out == nil {
		j.note(little, "move", shell.FSModify, "rename", "gives files other names")
	}
}

// renamedTo marks the files that others take the names of.
func (j *job) renamedTo(operands []shell.Word, code int) {
	var names []string
	switch {
	case j.c.Name[0] == 'm':
		for i := 1; i < len(operands); i += 2 {
			names = append(names, operands[i].Text)
		}
	case code == 2 && len(operands) > 2:
		for _, w := range operands[2:] {
			names = append(names, j.renamedLike(operands[0].Text, operands[1].Text, w)...)
			if to := strings.Replace(w.Text, operands[0].Text, operands[1].Text, 1); to != w.Text && operands[0].Text != "" {
				names = append(names, to)
			}
			if strings.HasPrefix(operands[1].Text, "/") {
				names = append(names, operands[1].Text)
			}
		}
	case code == 1 && len(operands) > 0:
		// s,a,/home/me/b,
		if t := operands[0].Text; len(t) > 4 && t[0] == 's' && !letter(t[1]) {
			if parts := strings.Split(t[2:], t[1:2]); len(parts) > 1 && strings.HasPrefix(parts[1], "/") {
				names = append(names, parts[1])
			}
		}
	}
	for _, name := range names {
		if name == "" || globbed(name) {
			continue
		}
		s := j.spot(shell.Word{Text: name})
		if a, v := j.outcome(&writeTo, &overwrite, s); v.label() == shell.Destructive {
			j.mark(a, s, v)
		}
	}
}

// renamedLike are the names that the files of a pattern get.
func (j *job) renamedLike(from, to string, w shell.Word) (names []string) {
	if from == "" || !globbed(w.Text) {
		return nil
	}
	s := j.spot(w)
	list, _ := j.matches(j.onDisk(&s))
	for i := range list[:min(len(list), maxPaths)] {
		dir, name := path.Split(list[i].path)
		if next := strings.Replace(name, from, to, 1); next != name {
			names = append(names, dir+next)
		}
	}
	return names
}
