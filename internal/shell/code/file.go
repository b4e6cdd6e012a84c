package code

import (
	pathpkg "path"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// applyFileOp adds the shell command that is equivalent to calling a function on files, and returns
// the function's result. E is the function's entry, v the function, and from the index of the call's
// first token.
func (r *reader) applyFileOp(e *entry, v value, args []value, from int) value {
	switch e.op {
	case opDel, opRmdir, opDelTree, opRmOpt:
		r.addDeleteCommands(e, v, args, from)
		return value{}
	case opMove, opCopy, opCopyTree, opLink:
		r.addMoveCommands(e, v, args, from)
		return value{}
	case opChmod, opChown:
		r.addChmodCommands(e, subjectArg(e, v, args), args, from)
		return value{}
	case opOpen, opOsOpen:
		return r.applyOpenOp(e, v, args, from)
	}
	s := subjectArg(e, v, args)
	if e.op == opMkdir {
		s.eachLeaf(func(p *value) { r.addPathCommand("mkdir -p -- ", *p, from) })
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
		if in, ok := keywordArg(args, "inplace"); ok && (isTrueLiteral(in) || in.form == text) {
			if s.form == unknown || s.form == name {
				s = value{form: list, items: r.argvValues()}
			}
			s.eachLeaf(func(p *value) { r.addPathCommand("sed -i s/a/b/ ", *p, from) })
		}
		return value{taint: fromFile}
	}
	return r.applyWriteOp(e, s, args, from)
}

// applyWriteOp adds the effects of calling a function that writes to the path s, and returns its
// result.
func (r *reader) applyWriteOp(e *entry, s value, args []value, from int) value {
	switch e.op {
	case opWrite:
		r.addWrite("> ", s, from)
		return value{form: text, text: s.str(), class: "file", taint: s.taint}
	case opTruncate:
		r.addPathCommand("truncate -s 0 -- ", s, from)
	case opWriteMaybe: // df.to_csv() without a file name writes nothing
		if s.form == text && !s.num && !strings.Contains(s.text, placeholder) {
			r.addWrite("> ", s, from)
		}
	case opExtract: // s is the directory to extract into
		if s.form == text && s.text != "" {
			r.addPathCommand("tar -xf archive -C ", s, from)
		}
	case opAppend:
		r.addWrite(">> ", s, from)
	case opTouch:
		r.addPathCommand("touch -- ", s, from)
	}
	return value{}
}

// addPathCommand adds the command cmd with the path p appended. If p is not known, it adds an unknown
// change instead.
func (r *reader) addPathCommand(cmd string, p value, from int) {
	if p.isBlank() {
		r.addEffectWithWords(&changesUnknownFile, r.snippet(from))
		return
	}
	r.addCommand(cmd + shellQuote(&p))
}

// addRead records a read of the file p and returns the file's contents. A file of secrets becomes a
// cat command.
func (r *reader) addRead(p value) value {
	t := fromFile
	p.eachLeaf(func(x *value) {
		if s := x.str(); facts.IsSecretFile(s) {
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

// holdsCopiedSecret reports whether a command before the code, or an earlier call of the session, wrote
// secrets to the file at path.
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
				if facts.IsSecretFile(c.Args[k].Text) {
					return true
				}
			}
		}
	}
	p := r.job.place
	if p == nil || p.Secret == nil || path == "" || strings.Contains(path, placeholder) {
		return false
	}
	if path[0] != '/' {
		path = p.Dir + "/" + path
	}
	source, _ := p.Secret(pathpkg.Clean(path))
	return source != "" && path[0] == '/'
}

// addWrite adds a write to the file p, as a command with the given redirection, "> " or ">> ". A write
// to a URL is recorded as sent data, and a write to an open descriptor is ignored.
func (r *reader) addWrite(redirect string, p value, from int) {
	p.eachLeaf(func(x *value) {
		s := x.str()
		switch {
		case x.isBlank():
			r.addEffectWithWords(&writesUnknownFile, r.snippet(from))
		case s == "1" || s == "2" || x.num: // an open file descriptor
		case isURL(s):
			r.addSend(send{url: s, taint: r.out.seen & local, upload: true, words: r.snippet(from)})
		case x.glob && redirect == "> ": // a loop overwrites each match
			r.addCommand("sed -i s/a/b/ " + shellQuote(x))
		default:
			r.addCommand("printf x " + redirect + shellQuote(x))
		}
	})
}

// Commands that delete a path.
const (
	rmFile = "rm -- "
	rmDir  = "rmdir -- "
	rmTree = "rm -rf -- "
)

// deletionCommand returns rmFile, rmDir or rmTree, whichever is equivalent to a call of the function v
// with args.
func (r *reader) deletionCommand(e *entry, v value, args []value) string {
	switch e.op {
	case opRmdir:
		return rmDir
	case opDelTree:
		return rmTree
	case opRmOpt:
		if r.isRecursiveDelete(args) {
			return rmTree
		}
		if strings.Contains(v.text, "rmdir") {
			return rmDir
		}
	}
	return rmFile
}

// isRecursiveDelete reports whether the options in args request the deletion of a directory tree, or
// are unknown.
func (r *reader) isRecursiveDelete(args []value) bool {
	if rec, ok := keywordArg(args, "recursive"); ok {
		return !(rec.form == name && strings.EqualFold(rec.text, "false"))
	}
	o := namedOrNthArg(args, 1, "")
	return o.form == unknown && len(args) > 1 && args[1].key == "" && args[1].form != name
}

// addDeleteCommands adds the commands for a call that deletes files, unless its options request a dry
// run.
func (r *reader) addDeleteCommands(e *entry, v value, args []value, from int) {
	if no, ok := keywordArg(args, "noop dryRun dry_run dry-run"); ok && isTrueLiteral(no) {
		return
	}
	cmd := r.deletionCommand(e, v, args)
	subjectArg(e, v, args).eachLeaf(func(p *value) { r.addPathDelete(cmd, p, from) })
}

// addChmodCommands adds the chmod commands for a call that changes the mode of path. A change of owner
// or an unknown mode is an unknown change.
func (r *reader) addChmodCommands(e *entry, path value, args []value, from int) {
	mode := namedOrNthArg(args, len(args)-1, "mode")
	n, err := strconv.Atoi(mode.text)
	if e.op == opChown || err != nil {
		r.addEffectWithWords(&changesUnknownFile, r.snippet(from))
		return
	}
	path.eachLeaf(func(p *value) { r.addPathCommand("chmod "+strconv.FormatInt(int64(n), 8)+" ", *p, from) })
}

// addPathDelete adds the deletion of the path p with the command cmd. If p is not known, it adds an
// effect instead.
func (r *reader) addPathDelete(cmd string, p *value, from int) {
	switch {
	case !p.isBlank() && !p.num:
		r.addCommand(cmd + shellQuote(p))
	case cmd == rmTree:
		r.addEffectWithWords(&deletesUnknownTree, r.snippet(from))
	default:
		r.addEffectWithWords(&deletesUnknownFile, r.snippet(from))
	}
}

// addMoveCommands adds the commands for a call that renames, copies or links files.
func (r *reader) addMoveCommands(e *entry, v value, args []value, from int) {
	a, b := namedOrNthArg(args, 0, "src source atPath at from"), namedOrNthArg(args, 1, "dst toPath to target")
	if e.at == self {
		a, b = subjectArg(e, v, args), namedOrNthArg(args, 0, "target")
	}
	cmd := "mv -- "
	switch e.op {
	case opCopy:
		cmd = "cp -- "
	case opCopyTree:
		cmd = "cp -rT -- " // the copy replaces the target, even if that is a directory
	case opLink:
		cmd = "ln -s -- "
	}
	if a.form == list && len(a.items) > 0 {
		a = a.items[0]
	}
	if a.form == choice && b.isKnownText() { // a loop over several files
		a.eachLeaf(func(x *value) { r.addPathMove(e, cmd, *x, b, from) })
		return
	}
	r.addPathMove(e, cmd, a, b, from)
}

// addPathMove adds cmd, which renames, copies or links a to b. Copies to a URL or a connection are
// recorded as sent data, and copies from a URL become a download.
func (r *reader) addPathMove(e *entry, cmd string, a, b value, from int) {
	if b.class != "sock" && (b.isBlank() && a.isBlank() || b.isBlank() && e.op != opMove) {
		r.addEffectWithWords(&movesUnknownFiles, r.snippet(from))
		return
	}
	r.out.seen |= a.taint
	switch {
	case b.class == "sock":
		r.recordSocketData([]value{r.addRead(a)}, true, from)
	case isURL(b.str()):
		r.addRead(a)
		r.addSend(send{url: b.str(), upload: true, words: r.snippet(from)})
	case isURL(a.str()):
		r.addCommand("curl -o " + shellQuote(&b) + " " + shellQuote(&a))
	case a.glob && b.isKnownText() && !b.glob && b.text != "" && r.renamesAllToOne(e, from): // each file overwrites the one before
		r.addCommand("rm -- " + shellQuote(&a))
	default:
		r.addCommand(cmd + shellQuote(&a) + " " + shellQuote(&b))
	}
}

// renamesAllToOne reports whether a loop seems to rename all its files to the same name, so that only
// one is left. Functions that move files do not count, because they may move them into a directory.
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
