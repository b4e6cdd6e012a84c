package conduct

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode"
)

// maxEvidence is how many bytes of a file are read, from its end, where the latest work is listed.
const maxEvidence = 32 << 20

// readEvidence returns the end of the evidence file path in lower case, for [proves], or "" if the
// file does not exist.
func readEvidence(path string) (string, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() { // reading a pipe could block
		return "", errors.New(path + " is not a regular file: name a regular file that lists the finished work")
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-maxEvidence), maxEvidence))
	text := strings.ToLower(string(data))
	text = strings.ReplaceAll(text, `\/`, "/")
	return strings.ReplaceAll(text, "//www.", "//"), err
}

// findReferences returns what text names that can be looked up: URLs, ids, and texts in quotes or
// bold.
func findReferences(text string) []string {
	var out []string
	for _, mark := range [...][2]string{{"`", "`"}, {`"`, `"`}, {"“", "”"}, {"**", "**"}} {
		for rest := text; ; {
			_, after, ok := strings.Cut(rest, mark[0])
			name, next, closed := strings.Cut(after, mark[1])
			if !ok || !closed {
				break
			}
			if name = strings.ToLower(strings.Trim(name, " .,!?:;*_")); len(name) >= 4 && strings.IndexFunc(name, unicode.IsLetter) >= 0 {
				out = append(out, name)
			}
			rest = next
		}
	}
	before := ""
	for _, field := range strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("()[]<>{}\"'`*|,“”", r) }) {
		word := strings.ToLower(strings.Trim(field, ".,!?:;_…"))
		if isAddress(word) || isID(word) || isNumberID(before, word) {
			out = append(out, word)
		}
		before = strings.TrimRight(word, ":#")
	}
	return out
}

// isAddress reports whether word, in lower case, is a URL, a domain or a path.
func isAddress(word string) bool {
	if strings.Contains(word, "://") {
		return true
	}
	head, path, slash := strings.Cut(word, "/")
	if slash && head == "" {
		return len(path) > 0 && isIDByte(path[0])
	}
	dot := strings.LastIndexByte(head, '.')
	if dot <= 0 || !slash && strings.Count(word, ".") < 1 {
		return false
	}
	end := head[dot+1:]
	return len(end) >= 2 && strings.Trim(end, "abcdefghijklmnopqrstuvwxyz") == "" && (slash || isIDByte(head[0]) && !isDigit(head[0]))
}

// isID reports whether word is an id, with letters and digits mixed as only machines write them.
// Times, dates, prices and versions are not ids.
func isID(word string) bool {
	word = strings.TrimPrefix(word, "#")
	letters, digits := 0, 0
	for i := range len(word) {
		switch c := word[i]; {
		case c >= 'a' && c <= 'z':
			letters++
		case isDigit(c):
			digits++
		case c != '-' && c != '_':
			return false
		}
	}
	return len(word) >= 6 && letters > 0 && digits > 0
}

// isNumberID reports whether word, which follows the word before, is a number that identifies
// something, as in "#4521" or "id 4521".
func isNumberID(before, word string) bool {
	n := strings.TrimPrefix(word, "#")
	return n != "" && strings.Trim(n, "0123456789") == "" && (n != word || before == "id" || before == "number" || before == "no")
}

// proves reports whether evidence, as [readEvidence] returns it, contains the reference ref: a whole
// URL, its last element, or an id.
func proves(evidence, ref string) bool {
	if evidence == "" {
		return false
	}
	if !isAddress(ref) {
		return containsWord(evidence, strings.TrimPrefix(ref, "#"), isIDByte)
	}
	if _, rest, ok := strings.Cut(ref, "://"); ok {
		ref = rest
	}
	ref = strings.TrimPrefix(ref, "www.")
	for _, whole := range []string{ref, cutBefore(ref, "#"), cutBefore(ref, "?")} {
		whole = strings.TrimRight(whole, "/")
		if whole != "" && (containsWord(evidence, whole, isAddressByte) || containsWord(evidence, whole+"/", isAddressByte)) {
			return true
		}
	}
	path := strings.TrimRight(cutBefore(cutBefore(ref, "#"), "?"), "/")
	slash := strings.LastIndexByte(path, '/')
	if slash < 0 || slash == len(path)-1 {
		return false
	}
	id := path[slash+1:]
	if isID(id) {
		return containsWord(evidence, id, isIDByte)
	}
	return containsWord(evidence, id, isProseByte) // a word without digits must be a whole value
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// cutBefore returns s up to mark, or all of s if it does not contain mark.
func cutBefore(s, mark string) string {
	s, _, _ = strings.Cut(s, mark)
	return s
}

// containsWord reports whether text contains word with no byte before or after it for which kind
// returns true.
func containsWord(text, word string, kind func(byte) bool) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		at := from + i
		end := at + len(word)
		if (at == 0 || !kind(text[at-1]) || text[at-1] == '/' && word[0] != '/') && (end == len(text) || !kind(text[end])) {
			return true
		}
		from = at + 1
	}
}

// isIDByte reports whether c can be part of an id.
func isIDByte(c byte) bool {
	return c >= 'a' && c <= 'z' || isDigit(c) || c == '-' || c == '_' || c >= 0x80
}

// isAddressByte reports whether c can be part of a URL.
func isAddressByte(c byte) bool { return isIDByte(c) || strings.IndexByte("/.?=&%~+", c) >= 0 }

// isProseByte reports whether c can be part of a value in a file, and so does not separate values.
func isProseByte(c byte) bool { return strings.IndexByte("\"'\n\r\t,", c) < 0 }
