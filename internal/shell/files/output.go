package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// outputs judges the files that a call's words name as what it writes, changes or
// deletes. The roles of the parts tell, whatever the program is. In the project
// outputs are what such programs are for: there only what must not be hit is reported.
func (j *job) outputs(parts []shell.Part) {
	into := directoryOf(parts)
	for i := range parts {
		w := parts[i].Word
		if w.Text == "" || w.Text == "-" || parts[i].Opt == "" && isRemote(w.Text) || strings.Contains(w.Text, "://") {
			continue
		}
		switch parts[i].Role {
		case shell.Writes:
			if into != "" && parts[i].Opt != "" && w.Text[0] != '/' && w.Text[0] != '~' {
				w.Text = into + "/" + w.Text
			}
			j.outputAs(w, parts[i].Lang)
		case shell.Replaces:
			j.outputTo(w, &emptyTo, &empties)
		case shell.Appends:
			j.outputTo(w, &appendTo, &appends)
		case shell.Edits:
			j.outputTo(w, &editTo, &edits)
		case shell.Deletes:
			j.outputTo(w, &fileDelete, &deletes)
		case shell.Into:
			j.outputInto(w)
		}
	}
}

// isRemote reports whether an operand names something elsewhere: host:path.
func isRemote(text string) bool {
	i := strings.IndexAny(text, ":/")
	return i > 0 && text[i] == ':'
}

// writesAny reports whether a part may change a file.
func writesAny(parts []shell.Part) bool {
	for i := range parts {
		switch parts[i].Role {
		case shell.Writes, shell.Replaces, shell.Appends, shell.Edits, shell.Deletes, shell.Into:
			return true
		}
	}
	return false
}

// directoryOf is the directory that files of relative names are written in; "" =
// where the call runs.
func directoryOf(parts []shell.Part) string {
	for i := range parts {
		if (parts[i].Role == shell.Into || parts[i].Role == shell.Dir) && parts[i].Opt != "" {
			return strings.TrimRight(parts[i].Word.Text, "/")
		}
	}
	return ""
}

// outputAs marks a file that a program writes: one that begins with the word when what
// it is particular about is "prefix". Of what is "made", a program or a record of
// something, a source cannot be the place.
func (j *job) outputAs(w shell.Word, as string) {
	switch as {
	case "prefix":
		if all := (shell.Word{Text: w.Text + "*", Glob: true, From: w.From}); j.spot(all).file {
			w = all
		}
	case "made":
		if s := j.spot(w); j.sourced(&s) {
			j.emptied(s)
			return
		}
	}
	j.outputTo(w, &writeTo, &overwrite)
}

// outputTo marks a file that a program writes, or changes as the table says.
func (j *job) outputTo(w shell.Word, table *[16]verdict, a *act) {
	s := j.spot(w)
	if table == &emptyTo && !s.elsewhere() {
		table, a = &writeTo, &overwrite
	}
	if program.ExpertOf(j.c.Name) == program.ExpertKeygen && s.kind == kindKeys {
		j.mark(&creates, s, safe) // it is there for that
		return
	}
	switch a, v := j.outcome(table, a, s); {
	case v.label() == shell.Destructive:
		j.mark(a, s, v)
	case s.elsewhere() && (table == &writeTo || table == &emptyTo):
		j.written(s)
	}
}

// elsewhere reports whether a spot is neither in the project nor a place that is there
// to be written.
func (s *spot) elsewhere() bool {
	switch s.zone {
	case inProject, inProjectRoot, inGenerated, inTemp, inTempRoot, inSink, inHistory, inNowhere:
		return false
	}
	return true
}

// outputInto marks a directory that gets files whose names the call does not spell out,
// when what lies there is protected. Names that follow from addresses are judged.
func (j *job) outputInto(w shell.Word) {
	dir := strings.TrimRight(w.Text, "/")
	if dir == "" {
		dir = "/"
	}
	s := j.base.locate(dir)
	if a, v := j.outcome(&writeTo, &overwrite, s); v.label() == shell.Destructive {
		j.mark(a, s, v)
		return
	}
	if !s.elsewhere() {
		return
	}
	if put, ok := program.FindOutputDir(j.c, func(string) string { return "" }); ok && put.Names == "url" {
		for _, address := range put.Words {
			j.outputTo(shell.Word{Text: dir + "/" + program.NameOfURL(address.Text)}, &writeTo, &overwrite)
		}
		return
	}
	if keys := j.base.locate(dir + "/authorized_keys"); keys.kind != "" {
		j.mark(&writes, keys, guarded(keys))
		return
	}
	j.written(j.base.locate(dir + "/out"))
}
