package windows

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// evalCmdCommand adds the effects of s, one command of cmd.exe, and returns its output.
func (r *evaluator) evalCmdCommand(s string, in flow) flow {
	s = strings.TrimLeft(s, "@ \t\r")
	if r.depth >= maxDepth || !r.spendBudget(len(s)) {
		r.addLimitExceeded("is nested too deeply to be checked", s)
		return flow{}
	}
	r.depth++
	defer func() { r.depth-- }()
	if s == "" || strings.HasPrefix(s, "::") || strings.HasPrefix(s, ":") {
		return flow{}
	}
	if s[0] == '(' {
		body, rest := s[1:], ""
		if i := strings.LastIndexByte(s, ')'); i > 0 {
			body, rest = s[1:i], s[i+1:]
		}
		if r.spendBudget(len(body)) {
			r.evalCmdScript(body)
		}
		if rest = strings.TrimSpace(rest); strings.HasPrefix(rest, ">") {
			_, redir := r.splitCmdWords("x " + rest)
			for _, d := range redir {
				r.addRedirect("echo", d[0], d[1])
			}
		}
		return unknownFlow()
	}
	head, tail := s, ""
	if i := strings.IndexAny(s, " \t/(=,;"); i > 0 {
		head, tail = s[:i], s[i:]
	}
	switch lower(strings.ReplaceAll(strings.ReplaceAll(head, "^", ""), `"`, "")) {
	case "rem", "title":
		return flow{}
	case "if":
		r.evalCmdIf(tail)
		return flow{}
	case "for":
		r.addOpaque("runs a loop of cmd.exe, which checkrein does not read", s)
		return flow{}
	case "else", "call":
		return r.evalCmdCommand(strings.TrimSpace(r.replaceCmdVars(tail)), in)
	case "set":
		r.addSafe(shell.IO, s)
		return flow{text: placeholder, secret: !strings.Contains(tail, "=")} // without =, set prints the environment
	}
	words, redir := r.splitCmdWords(s)
	if len(words) == 0 {
		r.evalCmdRedirects(":", redir, flow{})
		return flow{}
	}
	return r.evalCmdWords(words, redir, in, s)
}

// evalCmdIf adds the effects of the command in tail, the text after the word if, which begins with a
// condition.
func (r *evaluator) evalCmdIf(tail string) {
	if strings.Contains(tail, "(") {
		r.addOpaque("runs a command of cmd.exe with a condition that checkrein does not read", tail)
		return
	}
	f := strings.Fields(tail)
	skip := 1
	for len(f) > 0 && (strings.EqualFold(f[0], "/i") || strings.EqualFold(f[0], "not")) {
		f = f[1:]
	}
	switch low := lower(firstOrEmpty(f)); {
	case low == "exist" || low == "defined" || low == "errorlevel" || low == "cmdextversion":
		skip = 2
	case strings.Contains(low, "=="):
		skip = 1
	case len(f) > 1 && facts.InList("equ neq lss leq gtr geq ==", lower(f[1])):
		skip = 3
	}
	if len(f) > skip {
		r.evalCmdCommand(strings.Join(f[skip:], " "), flow{})
	}
}

// evalCmdWords adds the effects of the command that words form, and returns its output.
func (r *evaluator) evalCmdWords(words []string, redir [][2]string, in flow, source string) flow {
	name, args := programName(words[0]), words[1:]
	in = r.evalCmdRedirects(printerForCmd(name, args), redir, in)
	paths, flags := splitCmdFlags(args)
	if containsAny(flags, "/?") {
		r.addSafe(shell.IO, source)
		return flow{}
	}
	if out, ok := r.evalCmdFileCommand(name, paths, flags, source); ok {
		return out
	}
	switch program.CmdOf(name) {
	case program.CmdCd:
		if len(paths) > 0 {
			r.dir = paths[0]
		}
		r.addSafe(shell.IO, source)
	case program.CmdEcho:
		r.addSafe(shell.IO, source)
		return literalFlow(strings.Join(args, " "))
	case program.CmdClock:
		if len(paths) > 0 && !containsAny(flags, "/t") {
			r.addUnknown("sets the clock", source)
			return flow{}
		}
		r.addSafe(shell.FSRead, source)
	case program.CmdReads, program.CmdRemark:
		r.addSafe(shell.FSRead, source)
	case program.CmdType:
		r.addSafe(shell.FSRead, source)
		out := flow{text: placeholder, fromFile: true}
		for _, p := range paths {
			out = out.withSourcesOf(r.evalFileRead(p))
		}
		return out
	default:
		if program.OutputOf(name) == program.OutputFetches {
			r.addPipedUpload(args, in, source)
			r.addNestedCommand(append([]string{name}, args...))
			return flow{text: placeholder, fromNet: true}
		}
		if strings.Contains(words[0], placeholder) {
			r.addOpaque("runs a program whose name is computed", source)
			return flow{}
		}
		if lang := facts.LanguageOf(name); lang == facts.Cmd || lang == facts.PowerShell {
			args = argsAfterProgram(source)
		}
		r.evalProgram(words[0], args, in, source)
	}
	return unknownFlow()
}

// printerForCmd returns a program that stands for the cmd.exe command name when redirections are
// judged: ":" if the command prints nothing, or else "echo".
func printerForCmd(name string, args []string) string {
	switch program.CmdOf(name) {
	case program.CmdRemark:
		return ":"
	case program.CmdType, program.CmdCopy:
		if strings.EqualFold(firstOrEmpty(args), "nul") {
			return ":"
		}
	}
	return "echo"
}

// evalCmdRedirects adds the effects of redirections, where the program prints stands for the command.
// It returns the input of the command, which is in with the sources of redirected files.
func (r *evaluator) evalCmdRedirects(prints string, redir [][2]string, in flow) flow {
	for _, d := range redir {
		switch {
		case d[0] != "<":
			r.addRedirect(prints, d[0], d[1])
		case facts.IsSecretFile(d[1]):
			in.secret, in.fromFile = true, true
		}
	}
	return in
}

// splitCmdFlags separates flags from other words. Flags may be joined, as in /s/q, and are returned in
// lower case.
func splitCmdFlags(args []string) (paths, flags []string) {
	for _, a := range args {
		if strings.HasPrefix(a, "/") && len(a) > 1 && (len(a) < 4 || strings.Contains(a, ":") || a[2] == '/') {
			for _, f := range strings.Split(lower(a[1:]), "/") {
				flags = append(flags, "/"+f)
			}
		} else {
			paths = append(paths, a)
		}
	}
	return paths, flags
}

// argsAfterProgram returns the words of source after the first one, without the quotes that a Windows
// program removes.
func argsAfterProgram(source string) []string {
	w := splitWindowsArgs(source)
	if len(w) > 0 {
		return w[1:]
	}
	return nil
}

// addPipedUpload adds the effect of curl with args if it sends its input in to a URL.
func (r *evaluator) addPipedUpload(args []string, in flow, source string) {
	fromInput := func(a string) bool { return a == "-" || a == "." || strings.HasSuffix(a, "@-") }
	if i := slices.IndexFunc(args, isURL); i >= 0 && (in.secret || in.fromFile) && slices.ContainsFunc(args, fromInput) {
		r.addUpload(args[i], in, source)
	}
}

// evalCmdFileCommand adds the effects of a built-in command of cmd.exe on files. It reports false for
// other commands.
func (r *evaluator) evalCmdFileCommand(name string, paths, flags []string, source string) (flow, bool) {
	switch kind := program.CmdOf(name); kind {
	case program.CmdDelete, program.CmdDeleteTree:
		for _, p := range orPlaceholder(paths) {
			r.addCmdDelete(p, containsAny(flags, "/s") || kind == program.CmdDeleteTree, containsAny(flags, "/f /q"))
		}
	case program.CmdRemoveDir:
		for _, p := range orPlaceholder(paths) {
			if containsAny(flags, "/s") {
				r.addFileCommand("rm", "-rf", p)
			} else {
				r.addFileCommand("rmdir", p)
			}
		}
	case program.CmdCopy:
		if len(paths) > 1 && strings.EqualFold(paths[0], "nul") {
			r.addFileCommand("truncate", "-s", "0", paths[1])
			break
		}
		if len(paths) == 1 {
			paths = append(paths, ".")
		}
		if len(paths) > 1 {
			r.addShareCopy(paths[:len(paths)-1], paths[len(paths)-1], source)
			r.addFileCommand("cp", paths...)
		}
	case program.CmdMove:
		if len(paths) > 1 {
			if containsAny(flags, "/y") {
				paths = append([]string{"-f"}, paths...)
			}
			r.addFileCommand("mv", paths...)
		}
	case program.CmdMakeDir:
		for _, p := range paths {
			r.addFileCommand("mkdir", "-p", p)
		}
	case program.CmdLink:
		if len(paths) > 1 {
			r.addFileCommand("ln", "-s", paths[1], paths[0])
		}
	default:
		return flow{}, false
	}
	if len(r.effects) == 0 && r.quiet == 0 {
		r.addUnknown("runs a command with unknown effects", source)
	}
	return flow{}, true
}

// addCmdDelete adds the effect of deleting the files p, also in subdirectories if deep is set.
func (r *evaluator) addCmdDelete(p string, deep, force bool) {
	var args []string
	if deep {
		args = append(args, "-r")
	}
	if force {
		args = append(args, "-f")
	}
	r.addFileCommand("rm", append(args, p)...)
}
