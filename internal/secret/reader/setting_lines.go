package reader

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/named"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// This file finds passwords in settings files, where values look like code because they
// have no quotes and a spaced operator: password = canyon5423.

// besideReach is the maximum number of bytes of an adjacent line that are read.
const besideReach = 160

// isAmongSettings reports whether at least one of the lines above and below v is a setting, and
// neither is code.
func isAmongSettings(s string, v named.Value) bool {
	from := lex.SkipBack(s, v.NameFrom, max(0, v.NameFrom-40), func(c byte) bool { return c != '\n' })
	above, below := "", ""
	if from > 0 && s[from-1] == '\n' {
		above = s[lex.SkipBack(s, from-1, max(0, from-besideReach), func(c byte) bool { return c != '\n' }) : from-1]
	}
	if to := lex.Skip(s, v.To, min(len(s), v.To+besideReach), func(c byte) bool { return c != '\n' }); to < len(s) && s[to] == '\n' {
		below = s[to+1 : lex.Skip(s, to+1, min(len(s), to+besideReach), func(c byte) bool { return c != '\n' })]
	}
	first, second := classifyLine(above), classifyLine(below)
	return first >= 0 && second >= 0 && first+second > 0
}

// classifyLine returns 1 if line is a setting or a section header, 0 if it is blank or a comment, and
// -1 otherwise.
func classifyLine(line string) int {
	i := lex.Skip(line, 0, len(line), func(c byte) bool { return lex.IsSpace(c) || c == '+' || c == '-' })
	for len(line) > i && lex.IsSpace(line[len(line)-1]) {
		line = line[:len(line)-1]
	}
	switch {
	case i >= len(line) || line[i] == '#' || line[i] == ';':
		return 0
	case line[i] == '[':
		if line[len(line)-1] == ']' && !value.HasCodePunctuation(line[i+1:len(line)-1]) {
			return 1
		}
		return -1
	}
	to := lex.Skip(line, i, len(line), lex.IsNameByte)
	at := lex.Skip(line, to, len(line), lex.IsBlank)
	if to == i || at >= len(line) || line[at] != '=' && (line[at] != ':' || at+1 < len(line) && line[at+1] != ' ' || line[len(line)-1] == ',') {
		return -1
	}
	for k := at + 1; k < len(line); k++ {
		switch line[k] {
		case '(', '"', '\'', '`', ';', '{', '[', '=':
			return -1
		}
	}
	return 1
}

// hasUserAbove reports whether one of the two lines above i starts with a name such as user, host or
// login.
func hasUserAbove(s string, i int) bool {
	i = lex.SkipBack(s, i, max(0, i-40), func(c byte) bool { return c != '\n' })
	for range 2 {
		if i == 0 || s[i-1] != '\n' {
			return false
		}
		from := lex.SkipBack(s, i-1, max(0, i-besideReach), func(c byte) bool { return c != '\n' })
		line := s[from : i-1]
		at := lex.Skip(line, 0, len(line), func(c byte) bool { return !lex.IsLetter(c) })
		to := lex.Skip(line, at, len(line), lex.IsNameByte)
		if to < len(line) && (line[to] == ':' || line[to] == '=' || line[to] == ' ') && lex.IsOneOf(line[at:to], "user username login email mail account host hostname server ip url usr uid name id benutzer utilisateur usuario") {
			return true
		}
		i = from
	}
	return false
}
