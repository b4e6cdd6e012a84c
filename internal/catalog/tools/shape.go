package tools

import (
	"strings"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// addByForm adds text of an argument whose name has no meaning, with a role that depends on the form
// of the text.
func (w *walker) addByForm(o *object, m *member, val []byte) {
	head := val[1:min(len(val), 1+maxName)]
	role := Data
	looks := o.verb&(useRead|useSearch|useLook) != 0 // the tool reads and runs nothing
	if verb, ok := verbNamed(string(m.key)); ok && m.means == isOther && verb.verb&useDelete != 0 && w.wants(DeletePath) {
		s, _ := rawjson.Text(val)
		w.addVerbPath(o, m, verb, s)
	}
	switch {
	case o.typed && m.means == isOther && strings.ContainsRune(string(head), ' '):
		role = Command
	case len(head) > 7 && (string(head[:7]) == "http://" || string(head[:7]) == "https:/"):
		role = URL
	case len(head) > 5 && string(head[:5]) == "file:":
		w.addPath(o, &member{m.key, val, isPath}, val)
		return
	case strings.HasPrefix(string(head), "*** Begin Patch"):
		w.addPatch(o, m, val)
		return
	case !looks && m.means == isOther && (strings.HasPrefix(string(head), `{\"`) || strings.HasPrefix(string(head), `[{\"`)):
		w.walkValue(o, &member{m.key, val, isInner}, val)
		return
	case !looks && len(val) <= maxLine && w.wants(Command|SQL|Data):
		s, _ := rawjson.Text(val)
		switch {
		case isCommandLine(s):
			role = Command
		case mayDestroyData(s) && isStatement(s, false):
			role = SQL
		}
	}
	w.addText(role, o, m, val)
}

// maxLine is the length of the longest text of an unknown argument that is searched for a command.
const maxLine = 4096

// knownPrograms lists programs that distinguish a command from prose: either no sentence begins with them, or
// an option or a path follows.
var knownPrograms = [...]string{
	"adb", "aws", "az", "bash", "cd", "chmod", "chown", "cmd", "crontab", "curl", "dash", "dd", "del", "diskutil", "doas", "docker", "env", "eval", "export",
	"fdisk", "find", "gcloud", "gh", "git", "gsutil", "helm", "kill", "killall", "kubectl", "launchctl", "mkfs", "mv", "mysql", "nc", "node", "nohup", "npm",
	"osascript", "perl", "pkill", "podman", "powershell", "psql", "pwsh", "python", "python3", "rclone", "rd", "reboot", "redis-cli", "remove-item", "rm",
	"rmdir", "rsync", "ruby", "scp", "sh", "shred", "shutdown", "ssh", "sudo", "systemctl", "tee", "terraform", "timeout", "truncate", "wget", "wipefs", "xargs",
	"zsh",
}

// isKnownProgram reports whether word is the name or path of one of knownPrograms.
func isKnownProgram(word string) bool {
	word = strings.ToLower(word[strings.LastIndexAny(word, `/\`)+1:])
	word = strings.TrimSuffix(word, ".exe")
	if strings.HasPrefix(word, "mkfs.") {
		return true
	}
	lo, hi := 0, len(knownPrograms)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if knownPrograms[mid] < word {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo < len(knownPrograms) && knownPrograms[lo] == word
}

// isCommandLine reports whether s is certainly a command.
func isCommandLine(s string) bool {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "#!/") {
		return true
	}
	first, rest, _ := strings.Cut(s, " ")
	if rest == "" || len(first) > maxName || !isKnownProgram(first) {
		return false
	}
	for word := range strings.FieldsSeq(rest) {
		switch {
		case len(word) > 1 && strings.IndexByte("-/~.$*|", word[0]) >= 0, strings.Contains(word, "://"), word == "|", word == "push", word == "delete", word == "destroy", word == "reset":
			return true
		}
	}
	return false
}

// isArgv reports whether argv is a known program with arguments.
func isArgv(argv []string) bool {
	return len(argv) > 1 && !strings.ContainsAny(argv[0], " \t\n") && isKnownProgram(argv[0])
}

// verbNamed returns the operation on files that word names, or false if it names none. A verb with an
// object is a name, too: delete_file, fs.unlink.
func verbNamed(word string) (t tool, ok bool) {
	if len(word) > maxName || strings.ContainsAny(word, " \t\n") {
		return t, false
	}
	t.addName(word)
	return t, t.verb != 0
}

// isEditorCommand reports whether val, the command of a tool that edits files, names an operation instead
// of a program. A make without arguments is a program.
func isEditorCommand(val []byte) bool {
	s := textIfShort(val)
	_, ok := verbNamed(s)
	return ok && s != "make" || s == "undo" || s == "undo_edit"
}

// isRequestMethod reports whether val is a method of HTTP, which is about an address and not a file.
func isRequestMethod(val []byte) bool {
	switch textIfShort(val) {
	case "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT":
		return true
	}
	return false
}

// A langName maps a name of a language to checkrein's name for it.
type langName struct{ word, lang string }

var langNames = [...]langName{
	{"bash", "shell"}, {"ipython", "python"}, {"javascript", "javascript"}, {"js", "javascript"}, {"node", "javascript"}, {"nodejs", "javascript"},
	{"powershell", "powershell"}, {"ps1", "powershell"}, {"pwsh", "powershell"}, {"py", "python"}, {"python", "python"}, {"python2", "python"}, {"python3", "python"},
	{"rb", "ruby"}, {"rscript", "r"}, {"sh", "shell"}, {"shell", "shell"}, {"sqlite", "sql"}, {"terminal", "shell"}, {"ts", "javascript"}, {"typescript", "javascript"}, {"zsh", "shell"},
}

// canonicalLanguage returns checkrein's name for a language, or word in lower case if it has no other.
func canonicalLanguage(word string) string {
	word = strings.ToLower(word)
	for i := range langNames {
		if langNames[i].word == word {
			return langNames[i].lang
		}
	}
	return word
}

// languageOfKey returns the language that the name of an argument mentions, as in python_code or
// jsCode, or "".
func languageOfKey(key string) string {
	var t tool
	t.addName(key)
	return t.lang
}

// isShell reports whether lang is the language of a shell.
func isShell(lang string) bool { return lang == "shell" || lang == "powershell" }

// commandLanguage returns the value of Part.Lang for a command in the shell language lang: only
// PowerShell is named.
func commandLanguage(lang string) string {
	if lang == "powershell" {
		return lang
	}
	return ""
}

// fromFileURL returns the path in a file URL. It returns other text unchanged.
func fromFileURL(s string) string {
	rest, ok := strings.CutPrefix(s, "file://")
	if !ok {
		if rest, ok = strings.CutPrefix(s, "file:"); !ok {
			return s
		}
	}
	if host, path, ok := strings.Cut(rest, "/"); ok && (host == "localhost" || host == "127.0.0.1") {
		rest = "/" + path
	}
	rest = unescapePercent(rest)
	if len(rest) > 2 && rest[0] == '/' && rest[2] == ':' { // /C:/x
		rest = rest[1:]
	}
	return rest
}

// unescapePercent decodes percent-encoded bytes, such as %41.
func unescapePercent(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			hi, ok1 := hexDigit(s[i+1])
			lo, ok2 := hexDigit(s[i+2])
			if ok1 && ok2 {
				b.WriteByte(hi<<4 | lo)
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// hexDigit returns the value of a hexadecimal digit. It reports false if c is not one.
func hexDigit(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}
