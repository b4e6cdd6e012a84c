package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// applyRunOp adds the effects of calling a function that starts a program or runs code, and returns
// its result. E is the function's entry, v the function, and from the index of the call's first token.
func (r *reader) applyRunOp(e *entry, v value, args []value, from int) value {
	if words := r.snippet(from); r.quiet == 0 && containsAny(words, "process.execPath", "process.argv0", "__filename", "sys.executable") { // may run itself
		r.out.forks, r.out.forkAs = true, words
	}
	switch e.op {
	case opShell:
		return r.addShellCall(e, v, args, from)
	case opArgv:
		return r.addSpawnCommand(args, from)
	case opWords, opExecl, opExecv, opNamed:
		return r.addProcess(e, v, args, from)
	case opFork:
		if s := namedOrNthArg(args, 0, ""); r.lang == javascript && s.form == text {
			r.addCommand("node " + shellQuote(&s))
		} else if r.quiet == 0 {
			r.out.forks, r.out.forkAs = true, r.snippet(from)
		}
	case opEndless:
		r.out.endless = true
	case opIter: // iter(f, sentinel) never ends if f does not return the sentinel
		r.out.endless = r.out.endless || len(args) > 1
		if len(args) > 0 {
			return args[0]
		}
	case opDup:
		r.out.dup = true
	case opKill:
		r.addKillCommand(e, args)
	case opEval, opEvalText:
		return r.readEvaluated(e, args, from)
	case opImport, opRequire:
		return r.loadModule(args, from)
	case opDyn:
		r.addUnresolvedEffect("runs unknown code or native functions", r.snippet(from))
	case opUnread:
		r.addUnreadEffect("runs code or changes files in an unknown way", r.snippet(from))
	case opRequirer:
		return value{form: name, text: "require"}
	default:
		return r.callIndirect(e, v, args, from)
	}
	return value{}
}

// addProcess adds the command of a function that gets the program and its arguments as separate
// arguments, and returns its output.
func (r *reader) addProcess(e *entry, v value, args []value, from int) value {
	switch at := int(e.at); e.op {
	case opWords:
		return r.addArgvCommand(args[min(at, len(args)):], from)
	case opExecl:
		return r.addArgvCommand(append([]value{namedOrNthArg(args, at, "")}, args[min(at+2, len(args)):]...), from)
	case opNamed:
		prog := v.text[strings.LastIndexByte(v.text, '.')+1:]
		return r.addArgvCommand(append([]value{textValue(prog)}, args...), from)
	}
	return r.addExecvCommand(e, args, from)
}

// addShellCall adds the command of a function that runs either a command line or a list with a program
// and its arguments, and returns its output.
func (r *reader) addShellCall(e *entry, v value, args []value, from int) value {
	s := subjectArg(e, v, args)
	if o := namedOrNthArg(args, 0, "args cmd command"); o.form == list && len(o.items) > 0 && o.items[0].key != "" { // as in Deno.run({cmd: […]})
		s, _ = keywordArg([]value{{}, o}, "cmd")
	}
	first := s
	if s.form == list {
		first = listItemAt(s, textValue("0"))
	}
	if in, ok := keywordArg(args, "input"); ok && in.form == text && startsWithShell(first.str()) {
		r.addCommand(in.text)
	}
	if isProcessClass(s.class) && s.form == unknown {
		return s // the command was added when the process was created
	}
	switch s.form {
	case list:
		return r.addArgvCommand(s.items, from)
	case choice:
		out := value{}
		for i := range s.items {
			if s.items[i].form == list {
				out = r.addArgvCommand(s.items[i].items, from)
			} else {
				out = r.addCommandLine(s.items[i], from)
			}
		}
		return out
	}
	return r.addCommandLine(s, from)
}

// startsWithShell reports whether the first word of the command s is a shell, with or without its
// directory.
func startsWithShell(s string) bool {
	s, _, _ = strings.Cut(strings.TrimSpace(s), " ")
	return facts.IsAnyShell(strings.TrimSuffix(s[strings.LastIndexByte(s, '/')+1:], ".exe"))
}

// isProcessClass reports whether class is the class of a process that the code started.
func isProcessClass(class string) bool { return class == "command" || class == "shell" }

// addShellInput reports whether v is a method that writes to the standard input of a shell that the
// code started. If so, it adds the strings in args as nested commands.
func (r *reader) addShellInput(v value, args []value) bool {
	if v.recv == nil || v.recv.class != "shell" {
		return false
	}
	switch v.text[strings.LastIndexByte(v.text, '.')+1:] {
	case "write", "puts", "print", "communicate", "end", "send", "sendline", "writelines", "println", "syswrite", "say", "printf":
	default:
		return false
	}
	for i := range args {
		if args[i].form == text {
			r.addCommand(strings.ReplaceAll(args[i].text, homeMark, "$HOME"))
		}
	}
	return true
}

// addCommandLine adds the command line s as a nested command, and returns its output. It adds an
// effect if s or its program is not known.
func (r *reader) addCommandLine(s value, from int) value {
	out := value{taint: fromCommand, class: "command"}
	if readsSecrets(s.str()) {
		out.taint |= fromSecret
		r.out.seen |= fromSecret
	}
	if r.quiet > 0 {
		return out
	}
	if startsWithShell(s.str()) || s.taint&fromNet != 0 {
		r.out.shell = true
		if startsWithShell(s.str()) {
			out.class = "shell"
		}
	}
	if s.taint&fromNet != 0 && s.isBlank() {
		r.addRemoteCode(from)
		return out
	}
	if s.form != text || strings.Trim(s.text, placeholder+" ") == "" {
		if s.form == text && !strings.Contains(s.text, placeholder) {
			return out // an empty command
		}
		r.out.shell = true // over a connection, another machine may choose the command
		r.addUnresolvedEffect("runs an unknown command", r.snippet(from))
		return out
	}
	if prog, _, _ := strings.Cut(strings.TrimSpace(s.text), " "); strings.Contains(prog, placeholder) {
		r.addUnresolvedEffect("runs an unknown command", r.snippet(from))
	}
	r.addCommand(strings.ReplaceAll(s.text, homeMark, "$HOME"))
	return out
}

// addArgvCommand adds a program and its arguments as a nested command, and returns its output. It adds
// an effect if the program is not known.
func (r *reader) addArgvCommand(words []value, from int) value {
	out := value{taint: fromCommand, class: "command"}
	var b strings.Builder
	first := true
	for i := range words {
		if words[i].key != "" {
			continue
		}
		words[i].eachLeaf(func(w *value) {
			if b.Len() > maxText {
				return
			}
			if !first {
				b.WriteByte(' ')
			}
			q := *w
			q.glob = false // patterns are not expanded without a shell
			word := shellQuote(&q)
			if first && strings.Contains(word, "=") {
				word = "'" + strings.ReplaceAll(word, "'", "") + "'"
			}
			b.WriteString(word)
			first = false
			if facts.IsSecretFile(w.str()) {
				out.taint |= fromSecret
				r.out.seen |= fromSecret
			}
		})
	}
	if r.quiet > 0 {
		return out
	}
	if len(words) > 0 && startsWithShell(words[0].str()) {
		r.out.shell = true
		out.class = "shell"
	}
	cmd := b.String()
	if len(words) > 0 && words[0].taint&fromNet != 0 && words[0].isBlank() {
		r.addRemoteCode(from)
		return out
	}
	if len(words) == 0 || words[0].isBlank() {
		r.addUnresolvedEffect("runs an unknown program", r.snippet(from))
		return out
	}
	r.addCommand(cmd)
	return out
}

// addSpawnCommand adds the command of spawn('rm', ['-rf', 'x'], {shell: true}) and similar calls, and
// returns its output.
func (r *reader) addSpawnCommand(args []value, from int) value {
	prog := namedOrNthArg(args, 0, "cmd command")
	rest := namedOrNthArg(args, 1, "args")
	sh, _ := keywordArg(args, "shell")
	if isTrueLiteral(sh) || sh.form == text && sh.text != "" {
		line := prog
		rest.eachLeaf(func(w *value) {
			if w.key == "" && w.form == text {
				line = concat(concat(line, textValue(" ")), *w)
			}
		})
		return r.addCommandLine(line, from)
	}
	words := []value{prog}
	if prog.form == list {
		words = prog.items
	}
	switch {
	case rest.form == list:
		keyedOnly := len(rest.items) > 0 && rest.items[0].key != ""
		if keyedOnly {
			if a, ok := keywordArg(args, "args"); ok {
				words = append(words, a.items...)
			}
		} else {
			words = append(words, rest.items...)
		}
	case rest.form == text:
		words = append(words, rest)
	case len(args) > 1 && args[1].key == "" && rest.form == unknown:
		words = append(words, value{})
	}
	return r.addArgvCommand(words, from)
}

// addExecvCommand adds the command of os.execv(path, [name, arg, …]) and similar calls, and returns
// its output.
func (r *reader) addExecvCommand(e *entry, args []value, from int) value {
	prog, argv := namedOrNthArg(args, int(e.at), "path file"), namedOrNthArg(args, int(e.at)+1, "args argv")
	words := []value{prog}
	switch {
	case argv.form == list && len(argv.items) > 0:
		words = append(words, argv.items[1:]...)
	case argv.form == unknown && len(args) > int(e.at)+1:
		words = append(words, value{})
	}
	return r.addArgvCommand(words, from)
}

// addRemoteCode adds the effect of running code that was received from the network.
func (r *reader) addRemoteCode(from int) {
	r.addEffect(shell.Effect{Label: shell.Unknown, Kind: "run", Category: shell.WorstScriptCategory(r.snippet(from)), Impact: shell.ImpactHigh, Words: r.snippet(from),
		Reason: "runs code received from another machine"})
}

// addKillCommand adds the kill command for a call that sends a signal to a process, or to a process
// group in the case of os.killpg. The code's own process does not count.
func (r *reader) addKillCommand(e *entry, args []value) {
	if sig := namedOrNthArg(args, 1, "sig signal"); sig.num && sig.text == "0" { // signal 0 only tests that the process exists
		return
	}
	group := ""
	if e.name == "os.killpg" {
		group = "-"
	}
	namedOrNthArg(args, 0, "pid").eachLeaf(func(x *value) {
		if x.class != "me" {
			r.addCommand("kill -KILL -- " + group + x.str())
		}
	})
}

// readsSecrets reports whether the command line cmd names a file of secrets, or prints the
// environment.
func readsSecrets(cmd string) bool {
	n := 0
	for w := range strings.FieldsSeq(cmd) {
		n++
		if facts.IsSecretFile(strings.Trim(w, `'";|&<>()`)) || n == 1 && (w == "env" && cmd == w || w == "printenv") {
			return true
		}
	}
	return false
}
