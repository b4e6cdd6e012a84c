package windows

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// GuessDialect returns the likely language of the command text. It is bash unless there are signs of
// another one.
func GuessDialect(text string) shell.Dialect {
	text = text[:min(len(text), 4096)]
	low := lower(text)
	ps, cmd := 0, 0
	for i := 0; i < len(text); {
		if c := text[i]; c == '\'' || c == '"' { // quoted text is data, not code
			if k := strings.IndexByte(text[i+1:], c); k >= 0 {
				if c == '"' && strings.Contains(low[i+1:i+1+k], "$env:") {
					ps += 2
				}
				i += k + 2
				continue
			}
		}
		if text[i] == '`' && i > 0 && isLetter(text[i-1]) && i+1 < len(text) && isLetter(text[i+1]) && strings.Count(text, "`")%2 == 1 {
			ps++ // a backquote within a word, as in rem`ove
		}
		if text[i] == '&' && (i == 0 || text[i-1] != '&') && isCommandStart(text, i) && (strings.HasPrefix(text[i:], "& (") || strings.HasPrefix(text[i:], "& $")) {
			ps += 2
		}
		w := wordAt(text, i)
		if w == "" {
			i++
			continue
		}
		ps += psScore(w, text, low, i)
		cmd += cmdScore(w, text, low, i)
		i += len(w)
	}
	switch {
	case ps > 0 && ps >= cmd:
		return shell.PowerShell
	case cmd > 0:
		return shell.Cmd
	}
	return shell.Bash
}

// wordAt returns the word that begins at s[i], or "" if none begins there.
func wordAt(s string, i int) string {
	if i > 0 && (isLetter(s[i-1]) || s[i-1] == '-' || s[i-1] == '/' && i > 1 && s[i-2] > ' ') {
		return ""
	}
	j := i
	for j < len(s) && (isLetter(s[j]) || s[j] >= '0' && s[j] <= '9' || s[j] == '-' || s[j] == '$' || s[j] == ':' || s[j] == '%' || s[j] == '[' || s[j] == ']' || s[j] == '_') {
		j++
	}
	return s[i:j]
}

// isLetter reports whether c is an ASCII letter.
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// psScore returns the weight of signs of PowerShell in w, the word at text[i]. The string low is text
// in lower case.
func psScore(w, text, low string, i int) int {
	end := i + len(w)
	if w[0] == '[' {
		end = min(len(text), i+24)
	}
	low = low[i:end]
	switch {
	case hasAnyPrefix(low, "$env:", "$psversiontable", "$executioncontext", "[system.", "[io.", "[convert]::", "[environment]::", "[net."):
		return 2
	case low == "-recurse", low == "$_" && i+2 < len(text) && text[i+2] == '.', low == "$lastexitcode", low == "-usebasicparsing":
		return 3
	case isCommandStart(text, i) && facts.InList("iwr irm iex gci ri gwmi icm saps spps pwsh powershell powershell_ise", low):
		return 3
	case low == "-whatif", low == "-erroraction", low == "-literalpath", low == "-confirm:$false", low == "-encodedcommand":
		return 1
	}
	verb, noun, ok := strings.Cut(low, "-")
	if !isCommandStart(text, i) || !ok || noun == "" || strings.Contains(noun, "-") || !isLetter(noun[0]) {
		return 0
	}
	if !facts.InList(commonVerbs, verb) {
		return 0
	}
	if isKnownCmdlet(low) {
		return 3
	}
	// People usually write the verb and the noun with capitals, as in Remove-AzVM.
	if i := len(verb) + 1; i < len(w) && isUpper(w[i]) && isUpper(w[0]) {
		return 2
	}
	return 0
}

// isUpper reports whether c is an upper-case ASCII letter.
func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// cmdScore is psScore for cmd.exe.
func cmdScore(w, text, low string, i int) int {
	if hasCmdVariable(w) {
		return 2
	}
	if !isCommandStart(text, i) {
		return 0
	}
	end := i + len(w)
	rest := low[end:]
	if len(rest) > 1 && rest[0] == '^' && isLetter(rest[1]) { // a caret within a word, as in r^d
		return 2
	}
	return cmdWordScore(low[i:end], strings.TrimLeft(rest, " "))
}

// hasCmdVariable reports whether w contains a variable of cmd.exe, such as %PATH%.
func hasCmdVariable(w string) bool {
	_, name, _ := strings.Cut(w, "%")
	name, _, ok := strings.Cut(name, "%")
	return ok && len(name) > 1 && strings.ToUpper(name) == name && isLetter(name[0])
}

// cmdWordScore returns the weight of signs of cmd.exe in name, the first word of a command, and rest,
// the text after it. Many commands exist on other systems too, but not with flags after a slash.
func cmdWordScore(name, rest string) int {
	flag := len(rest) > 1 && rest[0] == '/' && isLetter(rest[1]) && (len(rest) == 2 || rest[2] == ' ' || rest[2] == ':')
	next, _, _ := strings.Cut(rest, " ")
	switch name {
	case "del", "erase", "rd", "taskkill", "robocopy", "xcopy", "takeown", "icacls":
		return max(1, weightIf(flag, 3))
	case "rmdir", "attrib", "cipher", "shutdown", "deltree", "start", "cmd":
		return weightIf(flag, 3)
	case "copy", "move", "dir":
		return max(weightIf(flag, 3), weightIf(strings.Contains(rest, `:\`), 2))
	case "format":
		return weightIf(flag || len(rest) > 1 && rest[1] == ':', 3)
	case "vssadmin", "wbadmin", "bcdedit", "diskpart", "wmic", "bitsadmin", "certutil", "schtasks", "wevtutil", "fsutil", "netsh", "reg", "forfiles", "setx", "tasklist", "findstr":
		return 2
	case "type":
		return weightIf(strings.HasPrefix(rest, "nul"), 2)
	case "for":
		return weightIf(hasAnyPrefix(rest, "%", "/f ", "/r "), 3)
	case "if":
		return weightIf(hasAnyPrefix(rest, "exist ", "not exist ", "errorlevel "), 2)
	case "net":
		return weightIf(facts.InList("delete stop config query start user use share localgroup", next), 1)
	case "sc":
		return weightIf(facts.InList("delete stop config query user use share localgroup", next), 1)
	}
	return 0
}

// weightIf returns n if is is true, and 0 otherwise.
func weightIf(is bool, n int) int {
	if is {
		return n
	}
	return 0
}

// hasAnyPrefix reports whether s begins with one of the prefixes.
func hasAnyPrefix(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

// isCommandStart reports whether s[i] is at the start of a command.
func isCommandStart(s string, i int) bool {
	for i--; i >= 0 && (s[i] == ' ' || s[i] == '@'); i-- {
	}
	return i < 0 || strings.IndexByte("&|({;\n=", s[i]) >= 0 || s[i] == 'o' && i > 1 && s[i-1]|0x20 == 'd' && s[i-2] == ' '
}
