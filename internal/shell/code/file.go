package code

import (
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// applyFile adds the effects of a function that works on files, as the equivalent shell command, and
// returns its result.
func (r *reader) applyFile(e *entry, v value, args []value, from int) value {
	switch e.op {
	case opDel, opRmdir, opDelTree, opRmOpt:
		r.addDelete(e, v, args, from)
		return value{}
	case opMove, opCopy, opCopyTree, opLink:
		r.addMove(e, v, args, from)
		return value{}
	case opChmod, opChown:
		r.addChmod(e, subjectArg(e, v, args), args, from)
		return value{}
	case opOpen, opOsOpen:
		return r.applyOpen(e, v, args, from)
	}
	s := subjectArg(e, v, args)
	if e.op == opMkdir {
		s.eachLeaf(func(p *value) { r.addCommandOn("mkdir -p -- ", *p, from) })
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
		return r.addRead(s)
	case opInplace:
		if in, ok := keywordArg(args, "inplace"); ok && (isTrue(in) || in.form == text) {
			if s.form == unknown || s.form == name {
				s = value{form: list, items: r.argvValues()}
			}
			s.eachLeaf(func(p *value) { r.addCommandOn("sed -i s/a/b/ ", *p, from) })
		}
		return value{taint: fromFile}
	}
	return r.applyWrite(e, s, args, from)
}

// applyWrite adds the effects of a function that writes the file s, and returns its result.
func (r *reader) applyWrite(e *entry, s value, args []value, from int) value {
	switch e.op {
	case opWrite:
		r.addWrite("> ", s, from)
		return value{form: text, text: s.str(), class: "file", taint: s.taint}
	case opTruncate:
		r.addCommandOn("truncate -s 0 -- ", s, from)
	case opWriteMaybe: // df.to_csv('x'): without a name it writes nothing
		if s.form == text && !s.num && !strings.Contains(s.text, placeholder) {
			r.addWrite("> ", s, from)
		}
	case opExtract: // s is the directory to extract into
		if s.form == text && s.text != "" {
			r.addCommandOn("tar -xf archive -C ", s, from)
		}
	case opAppend:
		r.addWrite(">> ", s, from)
	case opTouch:
		r.addCommandOn("touch -- ", s, from)
	}
	return value{}
}

// addCommandOn adds cmd with the path p. If p is not known, it adds an unknown change instead.
func (r *reader) addCommandOn(cmd string, p value, from int) {
	if p.isBlank() {
		r.addEffectOf(&changesUnknownFile, r.snippet(from))
		return
	}
	r.addCommand(cmd + shellQuote(&p))
}

// addRead adds a read of the file p and returns the file's content.
func (r *reader) addRead(p value) value {
	t := fromFile
	p.eachLeaf(func(x *value) {
		if s := x.str(); facts.SecretFile(s) {
			t |= fromSecret
			if !x.isBlank() {
				r.addCommand("cat -- " + shellQuote(x))
			}
		} else if r.holdsCopiedSecret(s) {
			t |= fromSecret
		} else if strings.HasPrefix(s, "/dev/tcp/") {
			r.out.socket = true
		}
	})
	r.out.seen |= t
	return value{taint: t, class: "file", text: p.str()}
}

// holdsCopiedSecret reports whether an earlier command wrote secrets to the file path.
func (r *reader) holdsCopiedSecret(path string) bool {
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

// addWrite adds a write to the file p with a shell redirection.
func (r *reader) addWrite(redirect string, p value, from int) {
	p.eachLeaf(func(x *value) {
		s := x.str()
		switch {
		case x.isBlank():
			r.addEffectOf(&writesUnknownFile, r.snippet(from))
		case s == "1" || s == "2" || x.num: // a descriptor that is already open
		case isURL(s):
			r.addSend(send{url: s, taint: r.out.seen & local, upload: true, words: r.snippet(from)})
		case x.glob && redirect == "> ": // a loop over the matches
			r.addCommand("sed -i s/a/b/ " + shellQuote(x))
		default:
			r.addCommand("printf x " + redirect + shellQuote(x))
		}
	})
}

// Shell commands that delete.
const (
	rmFile = "rm -- "
	rmDir  = "rmdir -- "
	rmTree = "rm -rf -- "
)

// removeCommand returns the command that is equivalent to a function that deletes.
func (r *reader) removeCommand(e *entry, v value, args []value) string {
	switch e.op {
	case opRmdir:
		return rmDir
	case opDelTree:
		return rmTree
	case opRmOpt:
		if r.isRecursive(args) {
			return rmTree
		}
		if strings.Contains(v.text, "rmdir") {
			return rmDir
		}
	}
	return rmFile
}

// isRecursive reports whether the options request the deletion of a whole tree, or are unknown.
func (r *reader) isRecursive(args []value) bool {
	if rec, ok := keywordArg(args, "recursive"); ok {
		return !(rec.form == name && strings.EqualFold(rec.text, "false"))
	}
	o := positionalArg(args, 1, "")
	return o.form == unknown && len(args) > 1 && args[1].key == "" && args[1].form != name
}

// addDelete adds the deletion of files, except in a dry run.
func (r *reader) addDelete(e *entry, v value, args []value, from int) {
	if no, ok := keywordArg(args, "noop dryRun dry_run dry-run"); ok && isTrue(no) {
		return
	}
	cmd := r.removeCommand(e, v, args)
	subjectArg(e, v, args).eachLeaf(func(p *value) { r.addDeleteOf(cmd, p, from) })
}

// addChmod adds a change of mode or owner.
func (r *reader) addChmod(e *entry, path value, args []value, from int) {
	mode := positionalArg(args, len(args)-1, "mode")
	n, err := strconv.Atoi(mode.text)
	if e.op == opChown || err != nil {
		r.addEffectOf(&changesUnknownFile, r.snippet(from))
		return
	}
	path.eachLeaf(func(p *value) { r.addCommandOn("chmod "+strconv.FormatInt(int64(n), 8)+" ", *p, from) })
}

// addDeleteOf adds the deletion of the path p by cmd.
func (r *reader) addDeleteOf(cmd string, p *value, from int) {
	switch {
	case !p.isBlank() && !p.num:
		r.addCommand(cmd + shellQuote(p))
	case cmd == rmTree:
		r.addEffectOf(&deletesUnknownTree, r.snippet(from))
	default:
		r.addEffectOf(&deletesUnknownFile, r.snippet(from))
	}
}

// addMove adds renames, copies and links.
func (r *reader) addMove(e *entry, v value, args []value, from int) {
	a, b := positionalArg(args, 0, "src source atPath at from"), positionalArg(args, 1, "dst toPath to target")
	if e.at == self {
		a, b = subjectArg(e, v, args), positionalArg(args, 0, "target")
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
	if a.form == choice && b.isKnownText() { // a loop over several
		a.eachLeaf(func(x *value) { r.addMoveOf(e, cmd, *x, b, from) })
		return
	}
	r.addMoveOf(e, cmd, a, b, from)
}

// addMoveOf adds a rename, a copy or a link from a to b.
func (r *reader) addMoveOf(e *entry, cmd string, a, b value, from int) {
	if b.class != "sock" && (b.isBlank() && a.isBlank() || b.isBlank() && e.op != opMove) {
		r.addEffectOf(&movesUnknownFiles, r.snippet(from))
		return
	}
	r.out.seen |= a.taint
	switch {
	case b.class == "sock":
		r.noteSocketData([]value{r.addRead(a)}, true, from)
	case isURL(b.str()):
		r.addRead(a)
		r.addSend(send{url: b.str(), upload: true, words: r.snippet(from)})
	case isURL(a.str()):
		r.addCommand("curl -o " + shellQuote(&b) + " " + shellQuote(&a))
	case a.glob && b.isKnownText() && !b.glob && b.text != "" && r.renamesAllToOne(e, from): // each rename overwrites the one before
		r.addCommand("rm -- " + shellQuote(&a))
	default:
		r.addCommand(cmd + shellQuote(&a) + " " + shellQuote(&b))
	}
}

// renamesAllToOne reports whether a loop renames all its files to the same name. Unlike functions that
// move, those that rename put nothing into a directory.
func (r *reader) renamesAllToOne(e *entry, from int) bool {
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
