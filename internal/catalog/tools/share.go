package tools

import (
	"strings"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Share is what an argument has to do with the text that a file gets.
type Share uint8

// The shares.
const (
	NoShare Share = iota // nothing: prose, a switch, a word that says how
	Names                // the file
	Whole                // all of the text, or what is added to it
	Added                // what is added at the end
	Put                  // what is put at a line
	Old                  // text that is replaced
	New                  // what takes the place of Old
	Line                 // where text is put
	Other                // the text may come from it, and how cannot be told
)

// ShareOf returns what a member of a call that writes the file at path has to do with
// its text. Objects and lists are none themselves, their members may be.
func ShareOf(key string, val []byte, path string) Share {
	name, kind := []byte(key), rawjson.Kind(val)
	s, isText := rawjson.Text(val)
	var buf [maxName]byte
	word := string(spelled(&buf, name))
	switch {
	case kind == 'n', kind == 'b':
		return NoShare
	case word == "insertline" || word == "line":
		return Line
	case !isText && places(word):
		return Other // lines from here to there
	case !isText:
		return shareOfList(shareOfText(word, meaningOf(name), "{"), val)
	}
	m := meaningOf(name)
	if m == isPath || m == isOutPath || m == isDest || m == isURL || m == isDirPath {
		if name, _ := ShortPath(fromFileURL(s)); name == path {
			return Names
		}
	}
	return shareOfText(word, m, s)
}

// places reports whether a name that is not a text's says which part of a file is
// meant.
func places(word string) bool {
	for _, part := range [...]string{"line", "range", "offset", "position", "column"} {
		if strings.Contains(word, part) {
			return true
		}
	}
	return false
}

// shareOfList is that of what is no text: a list of texts, an object or a
// number in the place of one.
func shareOfList(one Share, val []byte) Share {
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
	case "codeedit": // with the places left out that stay
		return Other
	}
	if row := argNamed([]byte(word)); row != nil && row.canonical == "new_string" {
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
		if undoes(s) {
			return Other
		}
		return NoShare
	case isOther:
		if !strings.ContainsAny(s, "{[\n") {
			return NoShare
		}
		return Other
	case isSource, isDest, isPath, isOutPath, isURL:
		return Other // another file's
	case isCommand:
		if undoes(s) {
			return Other
		}
	}
	if isPlainWord(s) {
		return NoShare
	}
	return Other
}

// undoes reports whether what is to be done takes the text from elsewhere.
func undoes(s string) bool {
	for _, verb := range [...]string{"undo", "redo", "revert", "restore", "copy", "move", "rename", "link", "symlink", "download"} {
		if len(s) >= len(verb) && strings.EqualFold(s[:len(verb)], verb) {
			return true
		}
	}
	return false
}

// isPlainWord reports whether a text is a word that says how, such as utf-8.
func isPlainWord(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return len(s) <= maxName
}

// NamesFile reports whether a member is the path of a file that a call is about.
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
