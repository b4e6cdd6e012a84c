package code

import (
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// applyFile returns what a function does to files. What a file command does in the
// shell is judged in one place, so it is told as that command.
func (r *reader) applyFile(e *entry, v value, args []value, from int) value {
	switch e.op {
	case opDel, opRmdir, opDelTree, opRmOpt:
		r.deletes(e, v, args, from)
		return value{}
	case opMove, opCopy, opCopyTree, opLink:
		r.moves(e, v, args, from)
		return value{}
	case opChmod, opChown:
		r.permits(e, subject(e, v, args), args, from)
		return value{}
	case opOpen, opOsOpen:
		return r.opens(e, v, args, from)
	}
	s := subject(e, v, args)
	if e.op == opMkdir {
		s.each(func(p *value) { r.commandOn("mkdir -p -- ", *p, from) })
		return value{}
	}
	if s.form == list && len(s.items) > 0 {
		s = s.items[0]
	}
	switch e.op {
	case opRead:
		if isProcessClass(s.class) {
			return value{taint: fromCommand}
		}
		return r.reads(s)
	case opInplace:
		if in, ok := keywordArg(args, "inplace"); ok && (isTrue(in) || in.form == text) {
			if s.form == unknown || s.form == name {
				s = value{form: list, items: r.arguments()}
			}
			s.each(func(p *value) { r.commandOn("sed -i s/a/b/ ", *p, from) })
		}
		return value{taint: fromFile}
	}
	return r.changes(e, s, args, from)
}

// changes notes that a function writes a file.
func (r *reader) changes(e *entry, s value, args []value, from int) value {
	switch e.op {
	case opWrite:
		r.writes("> ", s, from)
		return value{form: text, text: s.str(), class: "file", taint: s.taint}
	case opTruncate:
		r.commandOn("truncate -s 0 -- ", s, from)
	case opWriteMaybe: // df.to_csv('x'): without a name it writes nothing
		if s.form == text && !s.num && !strings.Contains(s.text, holeText) {
			r.writes("> ", s, from)
		}
	case opExtract: // s is the directory to extract into
		if s.form == text && s.text != "" {
			r.commandOn("tar -xf archive -C ", s, from)
		}
	case opAppend:
		r.writes(">> ", s, from)
	case opTouch:
		r.commandOn("touch -- ", s, from)
	}
	return value{}
}

// commandOn runs a command on a path; a path that is not known makes it unknown.
func (r *reader) commandOn(cmd string, p value, from int) {
	if p.isBlank() {
		r.does(&changesSome, r.snippet(from))
		return
	}
	r.runs(cmd + shellQuote(&p))
}

// reads notes that a file is read.
func (r *reader) reads(p value) value {
	t := fromFile
	p.each(func(x *value) {
		if s := x.str(); facts.SecretFile(s) {
			t |= fromSecret
			if !x.isBlank() {
				r.runs("cat -- " + shellQuote(x))
			}
		} else if r.copied(s) {
			t |= fromSecret
		} else if strings.HasPrefix(s, "/dev/tcp/") {
			r.out.socket = true
		}
	})
	r.out.seen |= t
	return value{taint: t, class: "file", text: p.str()}
}

// copied reports whether a command before wrote secrets to a file of that name.
func (r *reader) copied(path string) bool {
	for i := range r.job.files {
		f := &r.job.files[i]
		if f.Path != path {
			continue
		}
		for _, c := range f.From {
			if program.HandsOf(c.Name) != 0 {
				return true
			}
			for k := range c.Args {
				if facts.SecretFile(c.Args[k].Text) {
					return true
				}
			}
		}
	}
	return false
}

// writes notes that a file is written.
func (r *reader) writes(redirect string, p value, from int) {
	p.each(func(x *value) {
		s := x.str()
		switch {
		case x.isBlank():
			r.does(&writesSome, r.snippet(from))
		case s == "1" || s == "2" || x.num: // a descriptor that is already open
		case isURL(s):
			r.addSend(send{url: s, taint: r.out.seen & local, upload: true, words: r.snippet(from)})
		case x.glob && redirect == "> ": // a loop over the matches
			r.runs("sed -i s/a/b/ " + shellQuote(x))
		default:
			r.runs("printf x " + redirect + shellQuote(x))
		}
	})
}

// Shell commands that delete.
const (
	rmFile = "rm -- "
	rmDir  = "rmdir -- "
	rmTree = "rm -rf -- "
)

// removal is the command that deletes what a function deletes.
func (r *reader) removal(e *entry, v value, args []value) string {
	switch e.op {
	case opRmdir:
		return rmDir
	case opDelTree:
		return rmTree
	case opRmOpt:
		if r.recursive(args) {
			return rmTree
		}
		if strings.Contains(v.text, "rmdir") {
			return rmDir
		}
	}
	return rmFile
}

// recursive reports whether options ask for a whole tree, or are not known.
func (r *reader) recursive(args []value) bool {
	if rec, ok := keywordArg(args, "recursive"); ok {
		return !(rec.form == name && strings.EqualFold(rec.text, "false"))
	}
	o := positionalArg(args, 1, "")
	return o.form == unknown && len(args) > 1 && args[1].key == "" && args[1].form != name
}

// deletes notes that files are deleted.
func (r *reader) deletes(e *entry, v value, args []value, from int) {
	if no, ok := keywordArg(args, "noop dryRun dry_run dry-run"); ok && isTrue(no) {
		return
	}
	cmd := r.removal(e, v, args)
	subject(e, v, args).each(func(p *value) { r.deletesOne(cmd, p, from) })
}

// permits notes changes of mode and owner.
func (r *reader) permits(e *entry, path value, args []value, from int) {
	mode := positionalArg(args, len(args)-1, "mode")
	n, err := strconv.Atoi(mode.text)
	if e.op == opChown || err != nil {
		r.does(&changesSome, r.snippet(from))
		return
	}
	path.each(func(p *value) { r.commandOn("chmod "+strconv.FormatInt(int64(n), 8)+" ", *p, from) })
}

func (r *reader) deletesOne(cmd string, p *value, from int) {
	switch {
	case !p.isBlank() && !p.num:
		r.runs(cmd + shellQuote(p))
	case cmd == rmTree:
		r.does(&deletesTree, r.snippet(from))
	default:
		r.does(&deletesSome, r.snippet(from))
	}
}

// moves notes renames, copies and links.
func (r *reader) moves(e *entry, v value, args []value, from int) {
	a, b := positionalArg(args, 0, "src source atPath at from"), positionalArg(args, 1, "dst toPath to target")
	if e.at == self {
		a, b = subject(e, v, args), positionalArg(args, 0, "target")
	}
	cmd := "mv -- "
	switch e.op {
	case opCopy:
		cmd = "cp -- "
	case opCopyTree:
		cmd = "cp -rT -- " // replaces the target even if it is a directory
	case opLink:
		cmd = "ln -s -- "
	}
	if a.form == list && len(a.items) > 0 {
		a = a.items[0]
	}
	if a.form == choice && b.isKnown() { // a loop over several
		a.each(func(x *value) { r.movesOne(e, cmd, *x, b, from) })
		return
	}
	r.movesOne(e, cmd, a, b, from)
}

// movesOne notes a rename, a copy or a link of one thing, or of all that a loop goes over.
func (r *reader) movesOne(e *entry, cmd string, a, b value, from int) {
	if b.class != "sock" && (b.isBlank() && a.isBlank() || b.isBlank() && e.op != opMove) {
		r.does(&movesSome, r.snippet(from))
		return
	}
	r.out.seen |= a.taint
	switch {
	case b.class == "sock":
		r.writesTo([]value{r.reads(a)}, true, from)
	case isURL(b.str()):
		r.reads(a)
		r.addSend(send{url: b.str(), upload: true, words: r.snippet(from)})
	case isURL(a.str()):
		r.runs("curl -o " + shellQuote(&b) + " " + shellQuote(&a))
	case a.glob && b.isKnown() && !b.glob && b.text != "" && r.renamesAll(e, from): // each rename overwrites the one before
		r.runs("rm -- " + shellQuote(&a))
	default:
		r.runs(cmd + shellQuote(&a) + " " + shellQuote(&b))
	}
}

// renamesAll reports whether a loop gives all that it goes over one name. Functions that
// rename, unlike those that move, put nothing into a directory.
func (r *reader) renamesAll(e *entry, from int) bool {
	fn := e.name[strings.LastIndexByte(e.name, '.')+1:]
	if !strings.HasPrefix(fn, "rename") && fn != "replace" || strings.Contains(r.snippet(from), "[") {
		return false
	}
	for i := range r.toks {
		if t := &r.toks[i]; t.kind == tIdent && facts.InList("for while map forEach", t.text) {
			return true
		}
	}
	return false
}
