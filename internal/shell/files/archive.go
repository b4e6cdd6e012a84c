package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A tarArgs holds the parsed arguments of tar.
type tarArgs struct {
	mode    byte // c, r, x, t, d, or D for --delete; 0 = unknown
	file    shell.Word
	dir     shell.Word
	members []shell.Word
	dirs    []string // the directory in which the member with the same index is, by -C; "" = the working directory
	removes bool     // --remove-files
	replace bool     // --overwrite or a similar option
	anyPath bool     // -P: absolute paths are allowed
}

// judgeTar judges tar, which packs and unpacks archives.
func (j *job) judgeTar() {
	var o program.Walk
	o.Start(j.c)
	var t tarArgs
	for o.Next() {
		if o.Name == "" {
			t.members, t.dirs = append(t.members, o.Arg), append(t.dirs, t.dir.Text)
			continue
		}
		j.addTarOption(&t, &o)
	}
	j.addTarEffects(&t)
}

// addTarOption applies the current option of o to t, and adds effects of options that run programs.
func (j *job) addTarOption(t *tarArgs, o *program.Walk) {
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
		if t.dir.Text != "" && o.Arg.Text != "" && !strings.ContainsAny(o.Arg.Text[:1], "/~") {
			o.Arg.Text = t.dir.Text + "/" + o.Arg.Text // a second one counts from the first
		}
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
		if name := programName(firstElement(strings.ReplaceAll(o.Arg.Text, " ", "\x00/"))); !isCompressor(strings.Trim(name, "\x00")) {
			j.addRun("tar-program", "runs a program named in an option")
		}
	case "to-command", "rsh-command", "info-script", "new-volume-script", "F":
		j.addRun("tar-program", "runs a program on the files it unpacks")
	case "checkpoint-action":
		if strings.HasPrefix(o.Arg.Text, "exec") || strings.Contains(o.Arg.Text, placeholder) {
			j.addRun("tar-program", "runs a program at tar checkpoints")
		}
	case program.UnknownOption:
		j.addRun("tar-option", "uses an unknown option")
	}
}

// isCompressor reports whether the program name only compresses or decompresses a stream.
func isCompressor(name string) bool { return program.Is(name, program.IsCompressor) }

// addTarEffects adds the effects of tar with the arguments t.
func (j *job) addTarEffects(t *tarArgs) {
	switch t.mode {
	case 't', 'd':
		j.addSafe(shell.FSRead, "tar-list", "lists an archive")
		return
	case 'D':
		if t.file.Text != "" {
			s := j.locateWord(t.file)
			j.addEffect(&edits, s, worseVerdict(low, editVerdicts[s.zone]))
		}
		return
	case 'x':
		j.addUnpack(t.dir, t.replace || t.dir.Text == "" && j.unpacksGitArchive(), t.anyPath)
		return
	}
	if t.file.Text != "" && t.file.Text != "-" {
		j.addWrite(j.locateWord(t.file))
	}
	if t.removes {
		for i, w := range t.members {
			if w.Text == "" {
				continue
			}
			if t.dirs[i] != "" && w.Text[0] != '/' {
				w.Text = t.dirs[i] + "/" + w.Text
			}
			s := j.locateWord(w)
			j.addEffect(&deletes, s, deleteVerdict(s, true))
		}
	}
	if j.out == nil {
		j.addSafe(shell.FSRead, "tar-create", "packs files")
	}
}

// unpacksGitArchive reports whether standard input is the output of git archive in the same directory.
// Unpacking it replaces the project's files with another version.
func (j *job) unpacksGitArchive() bool {
	in := j.c.In
	return in != nil && len(in.From) > 0 && in.From[0] != nil && program.Is(in.From[0].Name, program.IsGit) && len(in.From[0].Args) > 0 && in.From[0].Args[0].Text == "archive" && in.From[0].Dir == j.c.Dir
}

// addUnpack adds the effect of unpacking an archive to dir, or to the working directory if dir is
// empty. replace means that existing files are overwritten, and anyPath means that the archive may
// contain absolute paths.
func (j *job) addUnpack(dir shell.Word, replace, anyPath bool) {
	named := dir.Text != ""
	if !named {
		dir.Text = "."
	}
	s := j.locateWord(dir)
	a, v := j.lookupVerdict(&writeVerdicts, &writes, s)
	switch {
	case replace && (s.zone == inProjectRoot || s.zone == inProject || s.zone == inHome):
		v = medium
	case s.zone == inHome && (named || j.base.fromCommand):
		v = medium // the archive may contain .bashrc or .ssh
	case v == unknownMedium && j.hasUserFiles(&s):
		a, v = &overwrite, medium
	case anyPath:
		v = worseVerdict(v, medium) // the archive may write anywhere
	case s.zone == inHome:
		v = safe // the home directory is the working directory
	}
	j.addEffect(a, s, v)
	j.addUnpackedFiles(&s)
	if to, out := j.outsideLink(&s); out {
		j.addEffect(&overwrite, to, medium) // the archive may write through the symlink
	}
}

// addUnpackedFiles adds the effect of writing over the files directly in s, a directory of the project.
// Which of them the archive holds is unknown.
func (j *job) addUnpackedFiles(s *location) {
	if s.zone != inProjectRoot && s.zone != inProject || s.hasUnknown || s.createdHere || j.p == nil || j.p.List == nil || j.base.remote {
		return
	}
	list, _ := j.p.List(j.diskPath(s))
	for i := range list {
		if e := &list[i]; !e.Dir && !e.Link {
			j.addEffect(&writes, j.base.locate(j.diskPath(s)+"/"+e.Name), safe)
		}
	}
}

// judgeZip judges zip, which packs files and may move them into the archive.
func (j *job) judgeZip() {
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
			j.addRun("zip-program", "runs a program to test the archive")
		case "x", "i", "exclude", "include":
			// Names follow until the next option.
			for rest := o.RestArgs(); len(rest) > 0 && !strings.HasPrefix(rest[0].Text, "-"); rest = o.RestArgs() {
				o.Skip(1)
			}
		case "":
			operands = append(operands, o.Arg)
		}
	}
	for i := range j.c.Args {
		if strings.Contains(j.c.Args[i].Text, "TT") && strings.HasPrefix(j.c.Args[i].Text, "-") {
			j.addRun("zip-program", "runs a program to test the archive")
		}
	}
	for i, w := range operands {
		switch {
		case w.Text == "" || w.Text == "-":
		case i == 0 && drops:
			s := j.locateWord(w)
			j.addEffect(&edits, s, worseVerdict(low, editVerdicts[s.zone]))
		case i == 0:
			j.addWrite(j.locateWord(w))
		case moved:
			s := j.locateWord(w)
			j.addEffect(&deletes, s, deleteVerdict(s, true))
		}
	}
	if j.out == nil {
		j.addSafe(shell.FSRead, "zip", "packs files")
	}
}

// judgeUnzip judges unzip, which unpacks or lists archives.
func (j *job) judgeUnzip() {
	var o program.Walk
	o.Start(j.c)
	var dir shell.Word
	replace := false
	for o.Next() {
		switch o.Name {
		case "l", "t", "p", "v", "z", "Z", "c":
			j.addSafe(shell.FSRead, "unzip-list", "lists or prints an archive's contents")
			return
		case "d":
			dir = o.Arg
		case "o":
			replace = true
		}
	}
	j.addUnpack(dir, false, false)
	if replace && len(j.out) > 0 && j.out[0].Label == shell.Safe && j.keys[0].zone != inTemp && j.keys[0].zone != inGenerated {
		j.out[0].Label = shell.Unknown
		j.out[0].Reason = "may overwrite " + j.keys[0].zone.description()
	}
}

// judgeCpio judges cpio, which packs and unpacks archives.
func (j *job) judgeCpio() {
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
			j.addRun("cpio-program", "runs a program named in an option")
		case "F", "O", "file":
			if mode == "" && o.Arg.Text != "" {
				j.addWrite(j.locateWord(o.Arg))
			}
		case "":
			if mode == "p" {
				dir = o.Arg
			}
		}
	}
	switch mode {
	case "i", "p":
		j.addUnpack(dir, replace, false)
	case "t":
		j.addSafe(shell.FSRead, "cpio-list", "lists an archive")
	}
	if j.out == nil {
		j.addSafe(shell.FSRead, "cpio", "packs files")
	}
}

// judgeSevenZip judges 7z, whose first argument is a subcommand.
func (j *job) judgeSevenZip() {
	if len(j.c.Args) == 0 {
		j.addSafe(shell.IO, "7z", "prints help")
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
		j.addUnpack(dir, replace, false)
	case "d", "rn":
		s := j.locateWord(file)
		j.addEffect(&edits, s, worseVerdict(low, editVerdicts[s.zone]))
	case "a", "u":
		if file.Text != "" {
			j.addWrite(j.locateWord(file))
		}
		for _, w := range members {
			if removes && w.Text != "" {
				s := j.locateWord(w)
				j.addEffect(&deletes, s, deleteVerdict(s, true))
			}
		}
	case "l", "t", "i", "h", "b":
		j.addSafe(shell.FSRead, "7z-list", "lists or tests an archive")
	default:
		j.addPathless(unknownLow, "run", shell.Run, "7z-other", "may change an archive")
	}
}

// judgeCompress judges gzip and similar programs, which replace a file by its compressed or
// decompressed form.
func (j *job) judgeCompress() {
	var o program.Walk
	o.Start(j.c)
	var out packedOutput
	prints, keeps, files := false, false, 0
	for o.Next() {
		switch o.Name {
		case "c", "stdout", "l", "list", "t", "test":
			prints = true
		case "k", "keep":
			keeps = true
		case "f", "force":
			out.force = true
		case "d", "decompress", "uncompress":
			out.unpacks = true
		case "N", "name":
			out.named = true
		case "S", "suffix":
			out.suffix = o.Arg.Text
		case "o", "output":
			j.addWrite(j.locateWord(o.Arg))
			prints = true
		case "":
			if o.Arg.Text == "" || o.Arg.Text == "-" || prints {
				continue
			}
			if out.force {
				j.addPackedOutput(&out, o.Arg)
			}
			if files++; keeps {
				continue
			}
			s := j.locateWord(o.Arg)
			a, v := j.lookupVerdict(&editVerdicts, &edits, s)
			if s.zone == inHomeOther || s.zone == inOutside || s.zone == inParent {
				v = unknownMedium
			}
			j.addEffect(a, s, v)
		}
	}
	switch {
	case j.out != nil:
	case files > 0 && !prints:
		j.addPathless(safe, "write", shell.FSWrite, "pack", "compresses or decompresses a file and keeps the original")
	default:
		j.addSafe(shell.TextRead, "pack", "compresses or decompresses a stream")
	}
}

// A packedOutput has the options of gzip and similar programs that name their output.
type packedOutput struct {
	force   bool // it may exist
	unpacks bool
	named   bool   // its name is in the compressed file
	suffix  string // "" = the usual one
}

// addPackedOutput adds the effect of replacing the file that results from the operand w. Archives with
// the usual suffix are left out, since only such programs make them.
func (j *job) addPackedOutput(out *packedOutput, w shell.Word) {
	dot := strings.LastIndexByte(w.Text, '.')
	switch {
	case out.named:
		w.Text = w.Text[:strings.LastIndexByte(w.Text, '/')+1] + placeholder
	case !out.unpacks && !strings.HasPrefix(j.c.Name, "un") && !strings.HasPrefix(j.c.Name, "gun") && !strings.HasPrefix(j.c.Name, "bun"):
		if out.suffix == "" {
			return
		}
		w.Text += out.suffix
	case out.suffix != "" && strings.HasSuffix(w.Text, out.suffix):
		w.Text = strings.TrimSuffix(w.Text, out.suffix)
	case dot > strings.LastIndexByte(w.Text, '/')+1:
		w.Text = w.Text[:dot]
	}
	j.addWrite(j.locateWord(w))
}
