package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// onlyEdits reports whether all commands in script, one in each line, are those by which ed and ex edit
// lines and save the file that they edit. They neither run programs nor read or write other files, and do
// not empty the whole file.
func onlyEdits(script string) bool {
	text := false // the line is text to add
	for line := range strings.Lines(script) {
		line = strings.TrimRight(line, "\r\n")
		if text {
			text = line != "."
			continue
		}
		adds, ok := isEdit(line, 0)
		if !ok {
			return false
		}
		text = adds
	}
	return true
}

// isEdit reports whether command is one that onlyEdits allows, and whether the lines after it are text to
// add. Depth is the number of commands that it belongs to.
func isEdit(command string, depth int) (adds, ok bool) {
	command = strings.TrimLeft(command, ": \t")
	whole := strings.HasPrefix(command, "%") || strings.HasPrefix(command, ",") || strings.HasPrefix(command, "1,$")
	command, ok = skipAddresses(command)
	n := 0
	for n < len(command) && facts.IsLetter(command[n]) {
		n++
	}
	word, rest := command[:n], command[n:]
	switch {
	case !ok || depth > 4, whole && facts.InList("d delete c change", word):
		return false, false
	case strings.HasPrefix(rest, "|") && facts.InList("d delete j join p print y yank u undo w wa", word):
		return isEdit(rest[1:], depth+1)
	case facts.InList("s su substitute", word):
		return isSubstitution(rest, depth)
	case facts.InList("g v global vglobal", word) && depth == 0:
		pattern, rest, ok := cutDelimited(rest)
		_, more := isEdit(rest, depth+1)
		return false, ok && more && strings.Trim(pattern, "^.*$") != ""
	case facts.InList("a i c append insert change", word):
		return true, rest == "" && depth == 0
	case facts.InList("w wa wq wqa x xa q qa Q", word):
		return false, rest == "" || rest == "!"
	case word == "",
		facts.InList("d delete j join k mark l list m move t co copy n nu number p print y yank pu put u undo h H P z", word):
		return false, strings.Trim(rest, "0123456789+-.,$= abcdefghijklmnopqrstuvwxyz") == ""
	}
	return false, false
}

// skipAddresses returns command without the addresses of lines at its start. It reports false if an
// address has no end.
func skipAddresses(command string) (rest string, ok bool) {
	for command != "" {
		switch c := command[0]; {
		case strings.IndexByte("0123456789.,;$%+- \t", c) >= 0:
			command = command[1:]
		case c == '\'' && len(command) > 1:
			command = command[2:]
		case c == '/' || c == '?':
			if _, command, ok = cutDelimited(command); !ok {
				return "", false
			}
		default:
			return command, true
		}
	}
	return "", true
}

// cutDelimited returns the part of text between its first byte, a punctuation mark, and the next one
// like it without a backslash, and the text after that. It reports false if there is none.
func cutDelimited(text string) (part, rest string, ok bool) {
	if text == "" || strings.IndexByte("/?,:;#@%~^_=+!", text[0]) < 0 {
		return "", "", false
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return text[1:i], text[i+1:], true
		}
	}
	return "", "", false
}

// isSubstitution reports whether args, the text after the name of a command to substitute text, has a
// replacement that is not an expression, and behind its flags only commands that onlyEdits allows.
func isSubstitution(args string, depth int) (adds, ok bool) {
	pattern, rest, ok := cutDelimited(args)
	if !ok {
		return false, false
	}
	replacement, flags, ok := cutDelimited(args[:1] + rest)
	if !ok {
		replacement, flags = rest, ""
	}
	if strings.HasPrefix(replacement, `\=`) || replacement == "" && strings.Trim(pattern, "^.*$") == "" || !ok && strings.ContainsAny(rest, `\|`) {
		return false, false
	}
	if flags = strings.TrimLeft(flags, "gpcinlIr&0123456789 "); flags == "" {
		return false, true
	}
	if flags[0] != '|' {
		return false, false
	}
	return isEdit(flags[1:], depth+1)
}
