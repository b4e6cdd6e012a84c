package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A tarball is what tar is told.
type tarball struct {
	mode    byte // c, r, u, A, x, t, d; 0 = not known
	file    shell.Word
	dir     shell.Word
	members []shell.Word
	removes bool // --remove-files
	replace bool // --overwrite and the like
	anyPath bool // -P
}

// tar packs and unpacks.
func (j *job) tar() {
	var o program.Walk
	o.Start(j.c)
	var t tarball
	for o.Next() {
		if o.Name == "" {
			t.members = append(t.members, o.Arg)
			continue
		}
		j.tarOption(&t, &o)
	}
	j.tarEffects(&t)
}

func (j *job) tarOption(t *tarball, o *program.Walk) {
	switch o.Name {
	case "c", "create":
		t.mode = 'c'
	case "x", "extract", "get":
		t.mode = 'x'
	case "t", "list":
		t.mode = 't'
	case "d", "diff", "compare":
		t.mode = 'd'
	case "r", "append", "u", "update", "A", "concatenate", "catenate":
		t.mode = 'r'
	case "delete":
		t.mode = 'D'
	case "f", "file":
		t.file = o.Arg
	case "C", "directory":
		t.dir = o.Arg
	case "one-top-level":
		if o.Arg.Text != "" {
			t.dir = o.Arg
		}
	case "remove-files":
		t.removes = true
	case "overwrite", "unlink-first", "U", "recursive-unlink":
		t.replace = true
	case "P", "absolute-names":
		t.anyPath = true
	case "I", "use-compress-program":
		if name := baseName(first(strings.ReplaceAll(o.Arg.Text, " ", "\x00/"))); !compressor(strings.Trim(name, "\x00")) {
			j.runs("tar-program", "runs a program named in an option")
		}
	case "to-command", "rsh-command", "info-script", "new-volume-script", "F":
		j.runs("tar-program", "runs a program on the files it unpacks")
	case "checkpoint-action":
		if strings.HasPrefix(o.Arg.Text, "exec") || strings.Contains(o.Arg.Text, holeText) {
			j.runs("tar-program", "runs a program at tar checkpoints")
		}
	case program.UnknownOption:
		j.runs("tar-option", "uses an unknown option")
	}
}

// compressor reports whether a program only packs a stream.
func compressor(name string) bool { return program.Is(name, program.IsCompressor) }

func (j *job) tarEffects(t *tarball) {
	switch t.mode {
	case 't', 'd':
		j.safely(shell.FSRead, "tar-list", "lists an archive")
		return
	case 'D':
		if t.file.Text != "" {
			s := j.spot(t.file)
			j.mark(&edits, s, worst(low, editTo[s.zone]))
		}
		return
	case 'x':
		j.unpacked(t.dir, t.replace || t.dir.Text == "" && j.fedTree(), t.anyPath)
		return
	}
	if t.file.Text != "" && t.file.Text != "-" {
		j.written(j.spot(t.file))
	}
	if t.removes {
		for _, w := range t.members {
			if w.Text == "" {
				continue
			}
			s := j.spot(w)
			j.mark(&deletes, s, deleted(s, true))
		}
	}
	if j.out == nil {
		j.safely(shell.FSRead, "tar-create", "packs files")
	}
}

// fedTree reports whether what is unpacked is another state of the very project.
func (j *job) fedTree() bool {
	in := j.c.In
	return in != nil && len(in.From) > 0 && in.From[0] != nil && program.Is(in.From[0].Name, program.IsGit) && len(in.From[0].Args) > 0 && in.From[0].Args[0].Text == "archive" && in.From[0].Dir == j.c.Dir
}

// unpacked marks what unpacking an archive does to a directory.
func (j *job) unpacked(dir shell.Word, replace, anyPath bool) {
	named := dir.Text != ""
	if !named {
		dir.Text = "."
	}
	s := j.spot(dir)
	a, v := j.outcome(&writeTo, &writes, s)
	switch {
	case replace && (s.zone == inProjectRoot || s.zone == inProject || s.zone == inHome):
		v = medium
	case s.zone == inHome && (named || j.base.given):
		v = medium // an archive may hold .bashrc and .ssh
	case v == maybe && j.filled(&s):
		a, v = &overwrite, medium
	case anyPath:
		v = worst(v, medium) // wherever the archive says
	case s.zone == inHome:
		v = safe // whoever works there unpacks there
	}
	j.mark(a, s, v)
	if to, out := j.linked(&s); out {
		j.mark(&overwrite, to, medium) // the archive may go through the link
	}
}

// zip packs files, and may move them into the archive.
func (j *job) zip() {
	var o program.Walk
	o.Start(j.c)
	var operands []shell.Word
	var moved, drops bool
	for o.Next() {
		switch o.Name {
		case "m", "move":
			moved = true
		case "d", "delete":
			drops = true
		case "TT", "unzip-command":
			j.runs("zip-program", "runs a program to test the archive")
		case "x", "i", "exclude", "include":
			// Names follow up to the next option.
			for rest := o.RestArgs(); len(rest) > 0 && !strings.HasPrefix(rest[0].Text, "-"); rest = o.RestArgs() {
				o.Skip(1)
			}
		case "":
			operands = append(operands, o.Arg)
		}
	}
	for i := range j.c.Args {
		if strings.Contains(j.c.Args[i].Text, "TT") && strings.HasPrefix(j.c.Args[i].Text, "-") {
			j.runs("zip-program", "runs a program to test the archive")
		}
	}
	for i, w := range operands {
		switch {
		case w.Text == "" || w.Text == "-":
		case i == 0 && drops:
			s := j.spot(w)
			j.mark(&edits, s, worst(low, editTo[s.zone]))
		case i == 0:
			j.written(j.spot(w))
		case moved:
			s := j.spot(w)
			j.mark(&deletes, s, deleted(s, true))
		}
	}
	if j.out == nil {
		j.safely(shell.FSRead, "zip", "packs files")
	}
}

// unzip unpacks.
func (j *job) unzip() {
	var o program.Walk
	o.Start(j.c)
	var dir shell.Word
	replace := false
	for o.Next() {
		switch o.Name {
		case "l", "t", "p", "v", "z", "Z", "c":
			j.safely(shell.FSRead, "unzip-list", "lists or prints an archive's contents")
			return
		case "d":
			dir = o.Arg
		case "o":
			replace = true
		}
	}
	j.unpacked(dir, false, false)
	if replace && len(j.out) == 1 && j.out[0].Label == shell.Safe && j.keys[0].zone != inTemp && j.keys[0].zone != inGenerated {
		j.out[0].Label = shell.Unknown
		j.out[0].Reason = "may overwrite " + j.keys[0].zone.things()
	}
}

// cpio packs and unpacks.
func (j *job) cpio() {
	var o program.Walk
	o.Start(j.c)
	var dir shell.Word
	mode, replace := "", false
	for o.Next() {
		switch o.Name {
		case "i", "extract":
			mode = "i"
		case "p", "pass-through":
			mode = "p"
		case "t", "list":
			mode = "t"
		case "u", "unconditional":
			replace = true
		case "D", "directory":
			dir = o.Arg
		case "rsh-command":
			j.runs("cpio-program", "runs a program named in an option")
		case "F", "O", "file":
			if mode == "" && o.Arg.Text != "" {
				j.written(j.spot(o.Arg))
			}
		case "":
			if mode == "p" {
				dir = o.Arg
			}
		}
	}
	switch mode {
	case "i", "p":
		j.unpacked(dir, replace, false)
	case "t":
		j.safely(shell.FSRead, "cpio-list", "lists an archive")
	}
	if j.out == nil {
		j.safely(shell.FSRead, "cpio", "packs files")
	}
}

// sevenZip is 7z, whose first word says what to do.
func (j *job) sevenZip() {
	if len(j.c.Args) == 0 {
		j.safely(shell.IO, "7z", "prints help")
		return
	}
	var dir, file shell.Word
	var members []shell.Word
	removes, replace := false, false
	for _, w := range j.c.Args[1:] {
		t := w.Text
		switch {
		case strings.HasPrefix(t, "-o"):
			dir = w
			dir.Text = t[2:]
		case t == "-sdel":
			removes = true
		case t == "-aoa":
			replace = true
		case strings.HasPrefix(t, "-"):
		case file.Text == "":
			file = w
		default:
			members = append(members, w)
		}
	}
	switch j.c.Args[0].Text {
	case "x", "e":
		j.unpacked(dir, replace, false)
	case "d", "rn":
		s := j.spot(file)
		j.mark(&edits, s, worst(low, editTo[s.zone]))
	case "a", "u":
		if file.Text != "" {
			j.written(j.spot(file))
		}
		for _, w := range members {
			if removes && w.Text != "" {
				s := j.spot(w)
				j.mark(&deletes, s, deleted(s, true))
			}
		}
	case "l", "t", "i", "h", "b":
		j.safely(shell.FSRead, "7z-list", "lists or tests an archive")
	default:
		j.note(little, "run", shell.Run, "7z-other", "may change an archive")
	}
}

// packed is gzip and its kind: the file is replaced by its packed form.
func (j *job) packed() {
	var o program.Walk
	o.Start(j.c)
	prints, keeps, files := false, false, 0
	for o.Next() {
		switch o.Name {
		case "c", "stdout", "l", "list", "t", "test":
			prints = true
		case "k", "keep":
			keeps = true
		case "o", "output":
			j.written(j.spot(o.Arg))
			prints = true
		case "":
			if o.Arg.Text == "" || o.Arg.Text == "-" || prints {
				continue
			}
			if files++; keeps {
				continue
			}
			s := j.spot(o.Arg)
			a, v := j.outcome(&editTo, &edits, s)
			if s.zone == inHomeOther || s.zone == inOutside || s.zone == inParent {
				v = maybe
			}
			j.mark(a, s, v)
		}
	}
	switch {
	case j.out != nil:
	case files > 0 && !prints:
		j.note(safe, "write", shell.FSWrite, "pack", "compresses or decompresses a file and keeps the original")
	default:
		j.safely(shell.TextRead, "pack", "compresses or decompresses a stream")
	}
}
