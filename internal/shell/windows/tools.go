package windows

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// evalProgram adds the effects of the program prog, which is not part of the shell: a Windows tool,
// another shell, or a program that becomes a nested command.
func (r *evaluator) evalProgram(prog string, args []string, in flow, words string) {
	name := programName(prog)
	if r.depth >= maxDepth {
		r.addLimitExceeded("is nested too deeply to be checked", words)
		return
	}
	low := make([]string, len(args))
	for i, a := range args {
		low[i] = lower(a)
	}
	if len(low) > 0 && (low[0] == "/?" || low[0] == "-?" || low[0] == "--help") {
		r.addSafe(shell.IO, words)
		return
	}
	if r.evalTransfer(name, args, low, words) || r.addRowEffect(name, low, words) ||
		r.evalOtherShell(name, args, low, in, words) {
		return
	}
	if name == "" || strings.Contains(prog, placeholder) {
		r.addUnknown("runs an unknown program", words)
		return
	}
	list := make([]string, 0, len(args)+1)
	switch {
	case strings.HasSuffix(lower(prog), ".exe") && !strings.ContainsAny(prog, `\/`):
		list = append(list, name)
	case !strings.ContainsAny(prog, `\/`) && (strings.HasSuffix(name, ".bat") || strings.HasSuffix(name, ".cmd") || strings.HasSuffix(name, ".ps1")):
		list = append(list, "./"+prog) // Windows searches the current directory before PATH
	default:
		list = append(list, toSlash(prog))
	}
	r.addNestedCommand(append(list, args...))
}

// evalOtherShell adds the effects of another shell or a launcher. The slice low holds args in lower
// case. It reports false if name is neither.
func (r *evaluator) evalOtherShell(name string, args, low []string, in flow, words string) bool {
	r.depth++
	defer func() { r.depth-- }()
	lang := facts.LanguageOf(name)
	switch {
	case in.fromNet && runsInput(name, args):
		r.addRemoteCode(words)
	case lang == facts.PowerShell, name == "powershell_ise":
		r.evalPowerShellCall(args, low, in, words)
	case lang == facts.Cmd:
		r.evalCmdCall(args, low, in, words)
	case program.StartsOf(name) == program.StartsLinux:
		r.evalWSL(name, args)
	case lang.IsShell():
		r.evalUnixShell(name, args)
	default:
		return r.evalLauncher(name, args, low, words)
	}
	return true
}

// runsInput reports whether the program name with args runs its standard input as code.
func runsInput(name string, args []string) bool {
	switch {
	case facts.IsAnyShell(name):
		return true
	case program.StartsOf(name) == program.StartsLinux:
		return len(args) == 0 || runsInput(programName(args[0]), args[1:])
	}
	return facts.IsInterpreter(name) && !slices.ContainsFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") })
}

// evalCmdCall adds the effects of a call of cmd.exe with args. The slice low holds args in lower case.
func (r *evaluator) evalCmdCall(args, low []string, in flow, words string) {
	for i, a := range low {
		if strings.HasPrefix(a, "//") { // in bash on Windows, a flag needs two slashes
			a, args[i] = a[1:], args[i][1:]
		}
		if strings.HasPrefix(a, "/c") || strings.HasPrefix(a, "/k") || strings.HasPrefix(a, "/r") {
			text := strings.Join(append([]string{args[i][2:]}, args[i+1:]...), " ")
			r.evalNestedCmd(strings.TrimSpace(text))
			return
		}
	}
	if in.text != "" {
		r.evalNestedCmd(in.text)
		return
	}
	r.addUnknown("starts another shell", words)
}

// evalUnixShell adds the commands of the Unix shell name with args as nested commands.
func (r *evaluator) evalUnixShell(name string, args []string) {
	for i, a := range args {
		if i+1 == len(args) {
			break
		}
		if a == "-c" || a == "-lc" || a == "-ic" {
			r.addNestedText(args[i+1])
			return
		}
	}
	r.addNestedCommand(append([]string{name}, args...))
}

// evalWSL adds the Linux command that wsl or a similar program runs as a nested command.
func (r *evaluator) evalWSL(name string, args []string) {
	if i := slices.Index(args, "-e"); i >= 0 && i+1 < len(args) {
		r.addNestedCommand(args[i+1:])
	} else if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		r.addNestedCommand(args)
	} else {
		r.evalUnixShell(name, args)
	}
}

// evalLauncher adds the effects of a Windows program that starts other programs. It reports false if
// name is not one.
func (r *evaluator) evalLauncher(name string, args, low []string, words string) bool {
	switch kind := program.StartsOf(name); kind {
	case program.StartsProgram, program.StartsCommand:
		for i, a := range args {
			switch f := splitWindowsArgs(a); {
			case len(f) == 0 || hasAnyPrefix(a, "/", "-"):
			case kind == program.StartsCommand && isURL(a):
				r.addSafe(shell.IO, words)
				return true
			case kind == program.StartsCommand:
				r.evalNestedCmd(strings.Join(args[i:], " "))
				return true
			default:
				r.evalProgram(f[0], append(f[1:], args[i+1:]...), flow{}, words)
				return true
			}
		}
	case program.StartsForEach:
		for i, a := range low {
			if a == "/c" && i+1 < len(args) {
				r.evalNestedCmd(strings.ReplaceAll(strings.Trim(args[i+1], `"`), "@path", `C:\*`))
				return true
			}
		}
		r.addSafe(shell.FSRead, words)
	case program.StartsScript:
		if strings.Contains(lower(words), "http") || strings.Contains(lower(words), "script:") {
			r.addRemoteCode(words)
		} else {
			r.addOpaque("runs unknown code", words)
		}
	default:
		return false
	}
	return true
}

// evalNestedCmd adds the effects of text that a nested cmd.exe runs.
func (r *evaluator) evalNestedCmd(text string) {
	if len(text) > 1 && text[0] == '"' && text[len(text)-1] == '"' {
		text = text[1 : len(text)-1]
	}
	if r.spendBudget(len(text)) {
		r.evalCmdScript(text)
	}
}

// evalPowerShellCall adds the effects of a call of PowerShell with args. The slice low holds args in
// lower case.
func (r *evaluator) evalPowerShellCall(args, low []string, in flow, words string) {
	for i := 0; i < len(args); i++ {
		switch parsePSOption(low[i]) {
		case commandText:
			r.evalPSCommand(args[i:], in, words)
			return
		case beforeCommandText:
			r.evalPSCommand(args[i+1:], in, words)
			return
		case beforeEncoded:
			r.evalPSEncoded(args[i+1:], words)
			return
		case beforeFile:
			r.addUnknown("runs a script", words)
			return
		case beforeValue:
			i++
		}
	}
	if len(args) == 0 && in.text != "" {
		r.evalScript(in.text, flow{})
		return
	}
	r.addSafe(shell.IO, words)
}

// A psOption describes what an argument of PowerShell is, or what follows it.
type psOption byte

const (
	noValue           psOption = iota // an option without a value
	commandText                       // the first word of the command to run
	beforeCommandText                 // an option that the command follows
	beforeEncoded                     // an option that an encoded command follows
	beforeFile                        // an option that a script file follows
	beforeValue                       // an option that another value follows
)

// psOptions lists PowerShell's own options with values. They may be abbreviated.
var psOptions = [...]struct {
	name  string
	least int    // the length of the shortest abbreviation
	short string // other names
	psOption
}{
	{"command", 3, "c", beforeCommandText},
	{"encodedcommand", 4, "e ec en enc", beforeEncoded},
	{"file", 1, "", beforeFile},
	{"executionpolicy", 1, "ep", beforeValue},
	{"windowstyle", 1, "", beforeValue},
	{"version", 2, "", beforeValue},
	{"outputformat", 1, "", beforeValue},
	{"inputformat", 1, "", beforeValue},
	{"workingdirectory", 1, "", beforeValue},
	{"configurationname", 1, "", beforeValue},
}

// parsePSOption returns the kind of the argument low, which is in lower case.
func parsePSOption(low string) psOption {
	name := strings.TrimLeft(low, "-/")
	switch {
	case !hasAnyPrefix(low, "-", "/"):
		return commandText
	case name == "":
		return beforeCommandText
	}
	for i := range psOptions {
		if o := &psOptions[i]; facts.InList(o.short, name) || len(name) >= o.least && strings.HasPrefix(o.name, name) {
			return o.psOption
		}
	}
	return noValue
}

// evalPSCommand adds the effects of args, which PowerShell runs as its command. If args are "-", it
// runs its input.
func (r *evaluator) evalPSCommand(args []string, in flow, words string) {
	if len(args) == 1 && args[0] == "-" {
		r.evalScript(in.text, flow{})
		return
	}
	text := strings.Join(args, " ")
	if len(text) > 1 && (text[0] == '"' || text[0] == '\'') && text[len(text)-1] == text[0] {
		text = text[1 : len(text)-1]
	}
	if strings.Trim(text, placeholder+" ") == "" {
		r.addOpaque("runs an unknown string as a command", words)
		return
	}
	if r.spendBudget(len(text)) {
		r.evalScript(text, in)
	}
}

// evalPSEncoded adds the effects of the encoded command in the first of args.
func (r *evaluator) evalPSEncoded(args []string, words string) {
	if t, ok := decodeCommand(firstOrEmpty(args)); ok && r.spendBudget(len(t)) {
		r.evalScript(t, flow{})
		return
	}
	r.addOpaque("runs an encoded command that cannot be decoded", words)
}

// containsAny reports whether list contains one of words, which are separated by spaces.
func containsAny(list []string, words string) bool {
	for _, a := range list {
		if facts.InList(words, a) {
			return true
		}
	}
	return false
}

// firstOrEmpty returns the first element of list, or "".
func firstOrEmpty(list []string) string {
	if len(list) > 0 {
		return list[0]
	}
	return ""
}

// evalTransfer adds the effects of a tool that sends or fetches files. It reports false if name is not
// one or if args have no URL.
func (r *evaluator) evalTransfer(name string, args, low []string, words string) bool {
	if program.StartsOf(name) != program.StartsTransfer {
		return false
	}
	url, file := "", ""
	for _, a := range args {
		switch {
		case isURL(a):
			url = a
		case !hasAnyPrefix(a, "/", "-"):
			file = toSlash(a)
		}
	}
	switch {
	case url == "":
		return false
	case containsAny(low, "/upload"):
		r.addUpload(url, flow{fromFile: true, secret: facts.IsSecretFile(file)}, words)
	default:
		r.addNestedCommand([]string{"curl", "-o", file, url})
	}
	return true
}

// splitWindowsArgs splits s into words as Windows programs do: at spaces outside double quotes.
func splitWindowsArgs(s string) []string {
	var out []string
	var b strings.Builder
	quoted, any := false, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted, any = !quoted, true
		case c <= ' ' && !quoted:
			if any {
				out = append(out, b.String())
				b.Reset()
				any = false
			}
		default:
			b.WriteByte(c)
			any = true
		}
	}
	if any {
		out = append(out, b.String())
	}
	return out
}
