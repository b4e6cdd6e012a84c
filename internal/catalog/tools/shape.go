package tools

import (
	"strings"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// addUnnamed adds a text whose name has no meaning, by its form.
func (w *walker) addUnnamed(o *object, m *member, val []byte) {
	head := val[1:min(len(val), 1+maxName)]
	role := Data
	looks := o.verb&(useRead|useSearch|useLook) != 0 // and runs nothing
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
		case losesData(s) && isStatement(s, false):
			role = SQL
		}
	}
	w.addText(role, o, m, val)
}

// maxLine is the longest text under an unknown name that is checked.
const maxLine = 4096

// heads are programs that distinguish a command from prose: sentences do not begin with them, or an
// option or a path follows.
var heads = [...]string{
	"adb", "aws", "az", "bash", "cd", "chmod", "chown", "cmd", "crontab", "curl", "dash", "dd", "del", "diskutil", "doas", "docker", "env", "eval", "export",
	"fdisk", "find", "gcloud", "gh", "git", "gsutil", "helm", "kill", "killall", "kubectl", "launchctl", "mkfs", "mv", "mysql", "nc", "node", "nohup", "npm",
	"osascript", "perl", "pkill", "podman", "powershell", "psql", "pwsh", "python", "python3", "rclone", "rd", "reboot", "redis-cli", "remove-item", "rm",
	"rmdir", "rsync", "ruby", "scp", "sh", "shred", "shutdown", "ssh", "sudo", "systemctl", "tee", "terraform", "timeout", "truncate", "wget", "wipefs", "xargs",
	"zsh",
}

// isProgramWord reports whether a word is one of heads.
func isProgramWord(word string) bool {
	word = strings.ToLower(word[strings.LastIndexAny(word, `/\`)+1:])
	word = strings.TrimSuffix(word, ".exe")
	if strings.HasPrefix(word, "mkfs.") {
		return true
	}
	lo, hi := 0, len(heads)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if heads[mid] < word {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo < len(heads) && heads[lo] == word
}

// isCommandLine reports whether a text is certainly a command.
func isCommandLine(s string) bool {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "#!/") {
		return true
	}
	first, rest, _ := strings.Cut(s, " ")
	if rest == "" || len(first) > maxName || !isProgramWord(first) {
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

// isArgv reports whether a list of words is a program with its arguments.
func isArgv(argv []string) bool {
	return len(argv) > 1 && !strings.ContainsAny(argv[0], " \t\n") && isProgramWord(argv[0])
}

// modes are the commands of file editors, which are not programs.
var modes = [...]string{"append", "copy", "create", "delete", "edit", "get", "insert", "list", "move", "read", "remove", "rename", "replace", "save", "str_replace", "strreplace", "undo", "undo_edit", "update", "view", "write"}

// isMode reports whether a value is one of modes.
func isMode(val []byte) bool {
	s := strings.ToLower(shortText(val))
	for _, m := range modes {
		if s == m {
			return true
		}
	}
	return false
}

// A langName is a name of a language.
type langName struct{ word, lang string }

var langNames = [...]langName{
	{"bash", "shell"}, {"ipython", "python"}, {"javascript", "javascript"}, {"js", "javascript"}, {"node", "javascript"}, {"nodejs", "javascript"},
	{"powershell", "powershell"}, {"ps1", "powershell"}, {"pwsh", "powershell"}, {"py", "python"}, {"python", "python"}, {"python2", "python"}, {"python3", "python"},
	{"rb", "ruby"}, {"rscript", "r"}, {"sh", "shell"}, {"shell", "shell"}, {"sqlite", "sql"}, {"terminal", "shell"}, {"ts", "javascript"}, {"typescript", "javascript"}, {"zsh", "shell"},
}

// canonicalLanguage returns checkrein's name for a language.
func canonicalLanguage(word string) string {
	word = strings.ToLower(word)
	for i := range langNames {
		if langNames[i].word == word {
			return langNames[i].lang
		}
	}
	return word
}

// languageOfKey returns the language in the name of an argument: python_code, jsCode.
func languageOfKey(key string) string {
	var t tool
	t.addName(key)
	return t.lang
}

// isShell reports whether a language is that of a shell.
func isShell(lang string) bool { return lang == "shell" || lang == "powershell" }

// commandLanguage returns the value of Part.Lang for a command.
func commandLanguage(lang string) string {
	if lang == "powershell" {
		return lang
	}
	return ""
}

// fromFileURL returns the path of a file URL, and any other text unchanged.
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

// unescapePercent decodes %41 in a path.
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

// hexDigit returns the value of a hexadecimal digit.
func hexDigit(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}
