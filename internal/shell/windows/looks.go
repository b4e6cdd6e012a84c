package windows

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// Looks guesses the language of a command. Without a sign of another one it is
// bash.
func Looks(text string) shell.Dialect {
	text = text[:min(len(text), 4096)]
	low := lower(text)
	ps, cmd := 0, 0
	for i := 0; i < len(text); {
		if c := text[i]; c == '\'' || c == '"' { // text in quotes is data
			if k := strings.IndexByte(text[i+1:], c); k >= 0 {
				if c == '"' && strings.Contains(low[i+1:i+1+k], "$env:") {
					ps += 2
				}
				i += k + 2
				continue
			}
		}
		if text[i] == '`' && i > 0 && letter(text[i-1]) && i+1 < len(text) && letter(text[i+1]) && strings.Count(text, "`")%2 == 1 {
			ps++ // rem`ove
		}
		if text[i] == '&' && (i == 0 || text[i-1] != '&') && starts(text, i) && (strings.HasPrefix(text[i:], "& (") || strings.HasPrefix(text[i:], "& $")) {
			ps += 2
		}
		w := wordAt(text, i)
		if w == "" {
			i++
			continue
		}
		ps += psSign(w, text, low, i)
		cmd += cmdSign(w, text, low, i)
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

// wordAt is the word that begins at i, or "".
func wordAt(s string, i int) string {
	if i > 0 && (letter(s[i-1]) || s[i-1] == '-' || s[i-1] == '/' && i > 1 && s[i-2] > ' ') {
		return ""
	}
	j := i
	for j < len(s) && (letter(s[j]) || s[j] >= '0' && s[j] <= '9' || s[j] == '-' || s[j] == '$' || s[j] == ':' || s[j] == '%' || s[j] == '[' || s[j] == ']' || s[j] == '_') {
		j++
	}
	return s[i:j]
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// psSign counts the signs of PowerShell in the word w that begins at i of a text, which
// low is in small letters.
func psSign(w, text, low string, i int) int {
	end := i + len(w)
	if w[0] == '[' {
		end = min(len(text), i+24)
	}
	low = low[i:end]
	switch {
	case begins(low, "$env:", "$psversiontable", "$executioncontext", "[system.", "[io.", "[convert]::", "[environment]::", "[net."):
		return 2
	case low == "-recurse", low == "$_" && i+2 < len(text) && text[i+2] == '.', low == "$lastexitcode", low == "-usebasicparsing":
		return 3
	case starts(text, i) && facts.InList("iwr irm iex gci ri gwmi icm saps spps pwsh powershell powershell_ise", low):
		return 3
	case low == "-whatif", low == "-erroraction", low == "-literalpath", low == "-confirm:$false", low == "-encodedcommand":
		return 1
	}
	verb, noun, ok := strings.Cut(low, "-")
	if !starts(text, i) || !ok || noun == "" || strings.Contains(noun, "-") || !letter(noun[0]) {
		return 0
	}
	if !facts.InList(commonVerbs, verb) {
		return 0
	}
	if known(low) {
		return 3
	}
	// Nouns have capitals where people write them: Remove-AzVM.
	if i := len(verb) + 1; i < len(w) && upper(w[i]) && upper(w[0]) {
		return 2
	}
	return 0
}

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }

// cmdSign is psSign for cmd.exe.
func cmdSign(w, text, low string, i int) int {
	if namesVariable(w) {
		return 2
	}
	if !starts(text, i) {
		return 0
	}
	end := i + len(w)
	rest := low[end:]
	if len(rest) > 1 && rest[0] == '^' && letter(rest[1]) { // r^d
		return 2
	}
	return cmdWord(low[i:end], strings.TrimLeft(rest, " "))
}

// namesVariable reports whether a word holds a variable as cmd.exe writes it: %PATH%.
func namesVariable(w string) bool {
	_, name, _ := strings.Cut(w, "%")
	name, _, ok := strings.Cut(name, "%")
	return ok && len(name) > 1 && strings.ToUpper(name) == name && letter(name[0])
}

// cmdWord counts the signs of cmd.exe in a command's first word and the text behind
// it: many of its commands have namesakes elsewhere, but not with flags behind a
// slash.
func cmdWord(name, rest string) int {
	flag := len(rest) > 1 && rest[0] == '/' && letter(rest[1]) && (len(rest) == 2 || rest[2] == ' ' || rest[2] == ':')
	next, _, _ := strings.Cut(rest, " ")
	switch name {
	case "del", "erase", "rd", "taskkill", "robocopy", "xcopy", "takeown", "icacls":
		return max(1, counts(flag, 3))
	case "rmdir", "attrib", "cipher", "shutdown", "deltree", "start", "cmd":
		return counts(flag, 3)
	case "copy", "move", "dir":
		return max(counts(flag, 3), counts(strings.Contains(rest, `:\`), 2))
	case "format":
		return counts(flag || len(rest) > 1 && rest[1] == ':', 3)
	case "vssadmin", "wbadmin", "bcdedit", "diskpart", "wmic", "bitsadmin", "certutil", "schtasks", "wevtutil", "fsutil", "netsh", "reg", "forfiles", "setx", "tasklist", "findstr":
		return 2
	case "type":
		return counts(strings.HasPrefix(rest, "nul"), 2)
	case "for":
		return counts(begins(rest, "%", "/f ", "/r "), 3)
	case "if":
		return counts(begins(rest, "exist ", "not exist ", "errorlevel "), 2)
	case "net":
		return counts(facts.InList("delete stop config query start user use share localgroup", next), 1)
	case "sc":
		return counts(facts.InList("delete stop config query user use share localgroup", next), 1)
	}
	return 0
}

func counts(is bool, n int) int {
	if is {
		return n
	}
	return 0
}

// begins reports whether s begins with one of the heads.
func begins(s string, heads ...string) bool {
	return slices.ContainsFunc(heads, func(h string) bool { return strings.HasPrefix(s, h) })
}

// starts reports whether a command begins at i.
func starts(s string, i int) bool {
	for i--; i >= 0 && (s[i] == ' ' || s[i] == '@'); i-- {
	}
	return i < 0 || strings.IndexByte("&|({;\n=", s[i]) >= 0 || s[i] == 'o' && i > 1 && s[i-1]|0x20 == 'd' && s[i-2] == ' '
}
