package tools

import (
	"strings"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Share describes how an argument determines the text that a call writes to a file.
type Share uint8

// The shares.
const (
	NoShare Share = iota // none, as for prose, a switch or a mode
	Names                // the name of the file
	Whole                // the whole text, or an added part of it
	Added                // text that is appended
	Put                  // text that is inserted at Line
	Old                  // text that is replaced
	New                  // text that replaces Old
	Line                 // the line at which text is inserted
	Other                // something on which the text may depend in an unknown way
)

// ShareOf returns the share of the member key of a call that writes the file at path. Objects and
// lists usually have none themselves, but their members may.
func ShareOf(key string, val []byte, path string) Share {
	name, kind := []byte(key), rawjson.Kind(val)
	s, isText := rawjson.Text(val)
	var buf [maxName]byte
	word := string(normalizeName(&buf, name))
	switch {
	case kind == 'n', kind == 'b':
		return NoShare
	case word == "insertline" || word == "line":
		return Line
	case !isText && namesPosition(word):
		return Other // a range of lines
	case !isText:
		return shareOfNonText(shareOfText(word, meaningOf(name), "{"), val)
	}
	m := meaningOf(name)
	if m == isPath || m == isOutPath || m == isDest || m == isURL || m == isDirPath {
		if name, _ := ShortPath(fromFileURL(s)); name == path {
			return Names
		}
	}
	return shareOfText(word, m, s)
}

// namesPosition reports whether a normalized name is one for a position or range in a file.
func namesPosition(word string) bool {
	for _, part := range [...]string{"line", "range", "offset", "position", "column"} {
		if strings.Contains(word, part) {
			return true
		}
	}
	return false
}

// shareOfNonText returns the share of a value that is not a string. one is the share that a string
// with the same name would have.
func shareOfNonText(one Share, val []byte) Share {
	odd := false
	switch rawjson.Kind(val) {
	case '[':
		rawjson.Elements(val, func(_ int, e []byte) bool {
			_, odd = rawjson.Text(e)
			return !odd
		})
	case '{', '0':
		odd = one != Other
	}
	if odd && one != NoShare {
		return Other
	}
	return NoShare
}

// shareOfText returns the share of the string s, given its normalized name and that name's meaning.
func shareOfText(word string, m meaning, s string) Share {
	switch word {
	case "search", "find", "original", "target":
		return Old
	case "replace", "replacement", "replacewith":
		return New
	case "inserttext":
		return Put
	case "appendtext":
		return Added
	case "codeedit": // omits the unchanged parts
		return Other
	}
	if row := findArgName([]byte(word)); row != nil && row.canonical == "new_string" {
		return New
	}
	switch m {
	case isOld:
		return Old
	case isNew:
		return New
	case isContent, isText:
		return Whole
	case isProse, isLanguage, isToolName, isRecursive, isDir, isDirPath:
		return NoShare
	case isAction:
		if takesTextFromElsewhere(s) {
			return Other
		}
		return NoShare
	case isOther:
		if !strings.ContainsAny(s, "{[\n") {
			return NoShare
		}
		return Other
	case isSource, isDest, isPath, isOutPath, isURL:
		return Other // the path of another file
	case isCommand:
		if takesTextFromElsewhere(s) {
			return Other
		}
	}
	if isPlainWord(s) {
		return NoShare
	}
	return Other
}

// takesTextFromElsewhere reports whether the operation s writes text that is not in the call, as undo
// and copy do.
func takesTextFromElsewhere(s string) bool {
	for _, verb := range [...]string{"undo", "redo", "revert", "restore", "copy", "move", "rename", "link", "symlink", "download"} {
		if len(s) >= len(verb) && strings.EqualFold(s[:len(verb)], verb) {
			return true
		}
	}
	return false
}

// isPlainWord reports whether s is a single word such as utf-8.
func isPlainWord(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return len(s) <= maxName
}

// NamesFile reports whether a member is the path of a file that the call is about.
func NamesFile(key string, val []byte) bool {
	s, ok := rawjson.Text(val)
	if !ok || s == "" {
		return false
	}
	switch meaningOf([]byte(key)) {
	case isPath, isOutPath, isDest:
		return true
	case isURL:
		return strings.HasPrefix(s, "file:")
	}
	return false
}
