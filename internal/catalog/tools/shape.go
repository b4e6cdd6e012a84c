package tools

import (
	"strings"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// other reads a text whose name says nothing, by what it looks like.
func (w *walker) other(o *object, m *member, val []byte) {
	head := val[1:min(len(val), 1+maxName)]
	role := Data
	looks := o.verb&(useRead|useSearch|useLook) != 0 // and runs nothing
	switch {
	case o.typed && m.means == isOther && strings.ContainsRune(string(head), ' '):
		role = Command
	case len(head) > 7 && (string(head[:7]) == "http://" || string(head[:7]) == "https:/"):
		role = URL
	case len(head) > 5 && string(head[:5]) == "file:":
		w.path(o, &member{m.key, val, isPath}, val)
		return
	case strings.HasPrefix(string(head), "*** Begin Patch"):
		w.patch(o, m, val)
		return
	case !looks && m.means == isOther && (strings.HasPrefix(string(head), `{\"`) || strings.HasPrefix(string(head), `[{\"`)):
		w.value(o, &member{m.key, val, isInner}, val)
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
	w.plain(role, o, m, val)
}

// maxLine is how long a text under any name may be that is looked at.
const maxLine = 4096

// A head is the beginning of a command that is told from prose: a program that
// people do not begin sentences with, or one that is followed by an option or a
// path.
var heads = [...]string{
	"adb", "aws", "az", "bash", "cd", "chmod", "chown", "cmd", "crontab", "curl", "dash", "dd", "del", "diskutil", "doas", "docker", "env", "eval", "export",
	"fdisk", "find", "gcloud", "gh", "git", "gsutil", "helm", "kill", "killall", "kubectl", "launchctl", "mkfs", "mv", "mysql", "nc", "node", "nohup", "npm",
	"osascript", "perl", "pkill", "podman", "powershell", "psql", "pwsh", "python", "python3", "rclone", "rd", "reboot", "redis-cli", "remove-item", "rm",
	"rmdir", "rsync", "ruby", "scp", "sh", "shred", "shutdown", "ssh", "sudo", "systemctl", "tee", "terraform", "timeout", "truncate", "wget", "wipefs", "xargs",
	"zsh",
}

func isHead(word string) bool {
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

// isCommandLine reports whether a text is a command without doubt.
func isCommandLine(s string) bool {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "#!/") {
		return true
	}
	first, rest, _ := strings.Cut(s, " ")
	if rest == "" || len(first) > maxName || !isHead(first) {
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

// runsWords reports whether a list of words is a program with its arguments.
func runsWords(argv []string) bool {
	return len(argv) > 1 && !strings.ContainsAny(argv[0], " \t\n") && isHead(argv[0])
}

// modes are the commands of editors of files, which are no programs.
var modes = [...]string{"append", "copy", "create", "delete", "edit", "get", "insert", "list", "move", "read", "remove", "rename", "replace", "save", "str_replace", "strreplace", "undo", "undo_edit", "update", "view", "write"}

func isMode(val []byte) bool {
	s := strings.ToLower(short(val))
	for _, m := range modes {
		if s == m {
			return true
		}
	}
	return false
}

// A langName is a word for a language.
type langName struct{ word, lang string }

var langNames = [...]langName{
	{"bash", "shell"}, {"ipython", "python"}, {"javascript", "javascript"}, {"js", "javascript"}, {"node", "javascript"}, {"nodejs", "javascript"},
	{"powershell", "powershell"}, {"ps1", "powershell"}, {"pwsh", "powershell"}, {"py", "python"}, {"python", "python"}, {"python2", "python"}, {"python3", "python"},
	{"rb", "ruby"}, {"rscript", "r"}, {"sh", "shell"}, {"shell", "shell"}, {"sqlite", "sql"}, {"terminal", "shell"}, {"ts", "javascript"}, {"typescript", "javascript"}, {"zsh", "shell"},
}

// language is our word for a language.
func language(word string) string {
	word = strings.ToLower(word)
	for i := range langNames {
		if langNames[i].word == word {
			return langNames[i].lang
		}
	}
	return word
}

// keyLang is the language that a name says: python_code, jsCode.
func keyLang(key string) string {
	var t tool
	t.read(key)
	return t.lang
}

func isShell(lang string) bool { return lang == "shell" || lang == "powershell" }

// shellLang is what is said of a command's language.
func shellLang(lang string) string {
	if lang == "powershell" {
		return lang
	}
	return ""
}

// fromFileURL is the path of a file's address, and any other text itself.
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
	rest = unescaped(rest)
	if len(rest) > 2 && rest[0] == '/' && rest[2] == ':' { // /C:/x
		rest = rest[1:]
	}
	return rest
}

// unescaped reads the %41 in a path.
func unescaped(s string) string {
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

func hexDigit(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}
