package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// judgeOutputs judges the files that parts, the parsed arguments of the call, name as outputs: those
// that the program writes, changes or deletes. Their roles determine this, whatever the program is.
// Such programs are meant to write in the project, where only protected files are reported.
func (j *job) judgeOutputs(parts []shell.Part) {
	into := outputDir(parts)
	for i := range parts {
		w := parts[i].Word
		if w.Text == "" || w.Text == "-" || parts[i].Opt == "" && isHostPath(w.Text) || strings.Contains(w.Text, "://") {
			continue
		}
		switch parts[i].Role {
		case shell.Writes:
			if into != "" && parts[i].Opt != "" && w.Text[0] != '/' && w.Text[0] != '~' {
				w.Text = into + "/" + w.Text
			}
			j.addOutputAs(w, parts[i].Lang)
		case shell.Replaces:
			j.addOutput(w, &truncateVerdicts, &empties)
		case shell.Appends:
			j.addOutput(w, &appendVerdicts, &appends)
		case shell.Edits:
			j.addOutput(w, &editVerdicts, &edits)
		case shell.Deletes:
			j.addOutput(w, &fileDeleteVerdicts, &deletes)
		case shell.Into:
			j.addOutputDir(w)
		}
	}
}

// isHostPath reports whether text has the form host:path of something on another machine.
func isHostPath(text string) bool {
	i := strings.IndexAny(text, ":/")
	return i > 0 && text[i] == ':'
}

// writesAny reports whether one of parts may change a file.
func writesAny(parts []shell.Part) bool {
	for i := range parts {
		switch parts[i].Role {
		case shell.Writes, shell.Replaces, shell.Appends, shell.Edits, shell.Deletes, shell.Into:
			return true
		}
	}
	return false
}

// outputDir returns the directory in which the call writes files with relative names; "" = the working
// directory.
func outputDir(parts []shell.Part) string {
	for i := range parts {
		if (parts[i].Role == shell.Into || parts[i].Role == shell.Dir) && parts[i].Opt != "" {
			return strings.TrimRight(parts[i].Word.Text, "/")
		}
	}
	return ""
}

// addOutputAs adds the effect of writing to w. as is a detail of the part: "prefix" means that the
// names of files begin with w, and "made" means that w is a build result or a record, which a source
// file cannot be.
func (j *job) addOutputAs(w shell.Word, as string) {
	switch as {
	case "prefix":
		if all := (shell.Word{Text: w.Text + "*", Glob: true, From: w.From}); j.locateWord(all).isFile {
			w = all
		}
	case "made":
		if s := j.locateWord(w); j.isProjectSource(&s) {
			j.addTruncate(s)
			return
		} else if isMadeName(s.path) && !s.isOutsideProject() {
			return
		}
	}
	j.addOutput(w, &writeVerdicts, &overwrite)
}

// addOutput adds the effect of the act a on w if table makes it destructive, or if w is written
// outside the project.
func (j *job) addOutput(w shell.Word, table *[16]verdict, a *act) {
	s := j.locateWord(w)
	if table == &truncateVerdicts && !s.isOutsideProject() {
		table, a = &writeVerdicts, &overwrite
	}
	if program.ExpertOf(j.c.Name) == program.ExpertKeygen && s.kind == kindKeys {
		j.addEffect(&creates, s, safe) // creating keys is its purpose
		return
	}
	switch a, v := j.lookupVerdict(table, a, s); {
	case v.label() == shell.Destructive:
		j.addEffect(a, s, v)
	case table != &writeVerdicts && table != &truncateVerdicts:
	case s.isOutsideProject(), j.mayBeLost(&s):
		j.addWrite(s)
	}
}

// isMadeName reports whether p has a name for a build result or a record: no extension, or that of a log.
func isMadeName(p string) bool {
	name := p[strings.LastIndexByte(p, '/')+1:]
	return strings.IndexByte(name, '.') < 0 || isLitter(p, false)
}

// mayBeLost reports whether s is an existing file of the project, of which an output may take the place.
func (j *job) mayBeLost(s *location) bool {
	return (s.zone == inProject || s.zone == inProjectRoot) && !s.createdHere && !s.hasUnknown && (isGlob(s.path) || j.isExistingFile(s))
}

// isOutsideProject reports whether s is neither in the project nor in a place for output, such as a
// temporary directory.
func (s *location) isOutsideProject() bool {
	switch s.zone {
	case inProject, inProjectRoot, inGenerated, inTemp, inTempRoot, inSink, inHistory, inNowhere:
		return false
	}
	return true
}

// addOutputDir adds the effect of writing files to the directory w whose names are not arguments of
// the call. If the names follow from URLs, these files are judged; otherwise the directory is.
func (j *job) addOutputDir(w shell.Word) {
	dir := strings.TrimRight(w.Text, "/")
	if dir == "" {
		dir = "/"
	}
	s := j.base.locate(dir)
	if a, v := j.lookupVerdict(&writeVerdicts, &overwrite, s); v.label() == shell.Destructive {
		j.addEffect(a, s, v)
		return
	}
	if !s.isOutsideProject() {
		return
	}
	if put, ok := program.FindOutputDir(j.c, func(string) string { return "" }); ok && put.Names == "url" {
		for _, address := range put.Words {
			j.addOutput(shell.Word{Text: dir + "/" + program.URLFileName(address.Text)}, &writeVerdicts, &overwrite)
		}
		return
	}
	if keys := j.base.locate(dir + "/authorized_keys"); keys.kind != "" {
		j.addEffect(&writes, keys, protectedVerdict(keys))
		return
	}
	j.addWrite(j.base.locate(dir + "/out"))
}
