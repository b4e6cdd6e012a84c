package windows

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// cmdCommand runs one command of cmd.exe and returns what it prints.
func (r *reader) cmdCommand(s string, in flow) flow {
	s = strings.TrimLeft(s, "@ \t\r")
	if r.depth >= maxDepth || !r.spend(len(s)) {
		r.exceeds("is nested too deeply to be checked", s)
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
		if r.spend(len(body)) {
			r.cmdScript(body)
		}
		if rest = strings.TrimSpace(rest); strings.HasPrefix(rest, ">") {
			_, redir := r.cmdWords("x " + rest)
			for _, d := range redir {
				r.redirect("echo", d[0], d[1])
			}
		}
		return unsure()
	}
	head, tail := s, ""
	if i := strings.IndexAny(s, " \t/(=,;"); i > 0 {
		head, tail = s[:i], s[i:]
	}
	switch lower(strings.ReplaceAll(strings.ReplaceAll(head, "^", ""), `"`, "")) {
	case "rem", "title":
		return flow{}
	case "if":
		r.cmdIf(tail)
		return flow{}
	case "for":
		r.opaque("runs a loop of cmd.exe", s)
		return flow{}
	case "else", "call":
		return r.cmdCommand(strings.TrimSpace(r.percent(tail)), in)
	case "set":
		r.safe(shell.IO, s)
		return flow{text: hole, secret: !strings.Contains(tail, "=")} // it prints the environment
	}
	words, redir := r.cmdWords(s)
	if len(words) == 0 {
		r.cmdRedirects(":", redir, flow{})
		return flow{}
	}
	return r.cmdRun(words, redir, in, s)
}

// cmdIf runs what stands behind a condition.
func (r *reader) cmdIf(tail string) {
	if strings.Contains(tail, "(") {
		r.opaque("runs a condition of cmd.exe", tail)
		return
	}
	f := strings.Fields(tail)
	skip := 1
	for len(f) > 0 && (strings.EqualFold(f[0], "/i") || strings.EqualFold(f[0], "not")) {
		f = f[1:]
	}
	switch low := lower(first(f)); {
	case low == "exist" || low == "defined" || low == "errorlevel" || low == "cmdextversion":
		skip = 2
	case strings.Contains(low, "=="):
		skip = 1
	case len(f) > 1 && facts.InList("equ neq lss leq gtr geq ==", lower(f[1])):
		skip = 3
	}
	if len(f) > skip {
		r.cmdCommand(strings.Join(f[skip:], " "), flow{})
	}
}

// cmdRun runs a command of words.
func (r *reader) cmdRun(words []string, redir [][2]string, in flow, source string) flow {
	name, args := programName(words[0]), words[1:]
	in = r.cmdRedirects(cmdPrinter(name, args), redir, in)
	paths, flags := cmdFlags(args)
	if contains(flags, "/?") {
		r.safe(shell.IO, source)
		return flow{}
	}
	if out, ok := r.cmdFile(name, paths, flags, source); ok {
		return out
	}
	switch program.CmdOf(name) {
	case program.CmdCd:
		if len(paths) > 0 {
			r.dir = paths[0]
		}
		r.safe(shell.IO, source)
	case program.CmdEcho:
		r.safe(shell.IO, source)
		return literal(strings.Join(args, " "))
	case program.CmdClock:
		if len(paths) > 0 && !contains(flags, "/t") {
			r.unknown("sets the clock", source)
			return flow{}
		}
		r.safe(shell.FSRead, source)
	case program.CmdReads, program.CmdRemark:
		r.safe(shell.FSRead, source)
	case program.CmdType:
		r.safe(shell.FSRead, source)
		out := flow{text: hole, file: true}
		for _, p := range paths {
			out = out.from(r.readFile(p))
		}
		return out
	default:
		if program.OutputOf(name) == program.OutputFetches {
			r.pipedUpload(args, in, source)
			r.hand(append([]string{name}, args...))
			return flow{text: hole, net: true}
		}
		if strings.Contains(words[0], hole) {
			r.opaque("runs a program whose name is computed", source)
			return flow{}
		}
		if tongue := facts.TongueOf(name); tongue == facts.Cmd || tongue == facts.PowerShell {
			args = rawArgs(source)
		}
		r.program(words[0], args, in, source)
	}
	return unsure()
}

// cmdPrinter is a program that prints as much as a command does, for the judgement
// of redirections.
func cmdPrinter(name string, args []string) string {
	switch program.CmdOf(name) {
	case program.CmdRemark:
		return ":"
	case program.CmdType, program.CmdCopy:
		if strings.EqualFold(first(args), "nul") {
			return ":"
		}
	}
	return "echo"
}

// cmdRedirects runs a command's redirections and returns what it reads.
func (r *reader) cmdRedirects(prints string, redir [][2]string, in flow) flow {
	for _, d := range redir {
		switch {
		case d[0] != "<":
			r.redirect(prints, d[0], d[1])
		case facts.SecretFile(d[1]):
			in.secret, in.file = true, true
		}
	}
	return in
}

// cmdFlags distinguishes flags from other words; flags may stand together: /s/q.
func cmdFlags(args []string) (paths, flags []string) {
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

// rawArgs are the arguments of a command as they were written, but for the quotes
// that a program takes off.
func rawArgs(source string) []string {
	w := splitArgs(source)
	if len(w) > 0 {
		return w[1:]
	}
	return nil
}

// pipedUpload judges what is piped into curl, if it sends its input.
func (r *reader) pipedUpload(args []string, in flow, source string) {
	fromInput := func(a string) bool { return a == "-" || a == "." || strings.HasSuffix(a, "@-") }
	if i := slices.IndexFunc(args, isURL); i >= 0 && (in.secret || in.file) && slices.ContainsFunc(args, fromInput) {
		r.upload(args[i], in, source)
	}
}

// cmdFile runs the built-in commands that work on files.
func (r *reader) cmdFile(name string, paths, flags []string, source string) (flow, bool) {
	switch kind := program.CmdOf(name); kind {
	case program.CmdDelete, program.CmdDeleteTree:
		for _, p := range orHole(paths) {
			r.cmdDelete(p, contains(flags, "/s") || kind == program.CmdDeleteTree, contains(flags, "/f /q"))
		}
	case program.CmdRemoveDir:
		for _, p := range orHole(paths) {
			if contains(flags, "/s") {
				r.file("rm", "-rf", p)
			} else {
				r.file("rmdir", p)
			}
		}
	case program.CmdCopy:
		if len(paths) > 1 && strings.EqualFold(paths[0], "nul") {
			r.file("truncate", "-s", "0", paths[1])
			break
		}
		if len(paths) == 1 {
			paths = append(paths, ".")
		}
		if len(paths) > 1 {
			r.shared(paths[:len(paths)-1], paths[len(paths)-1], source)
			r.file("cp", paths...)
		}
	case program.CmdMove:
		if len(paths) > 1 {
			if contains(flags, "/y") {
				paths = append([]string{"-f"}, paths...)
			}
			r.file("mv", paths...)
		}
	case program.CmdMakeDir:
		for _, p := range paths {
			r.file("mkdir", "-p", p)
		}
	case program.CmdLink:
		if len(paths) > 1 {
			r.file("ln", "-s", paths[1], paths[0])
		}
	default:
		return flow{}, false
	}
	if len(r.effects) == 0 && r.quiet == 0 {
		r.unknown("does something unknown", source)
	}
	return flow{}, true
}

// cmdDelete deletes files: with everything below when deep.
func (r *reader) cmdDelete(p string, deep, force bool) {
	var args []string
	if deep {
		args = append(args, "-r")
	}
	if force {
		args = append(args, "-f")
	}
	r.file("rm", append(args, p)...)
}
