package conduct

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode"
)

// maxEvidence is how much of a file is looked at, from its end: what was done
// just now stands there.
const maxEvidence = 32 << 20

// readEvidence reads a registry for [proves]. One that is not there yet has
// nothing in it.
func readEvidence(path string) (string, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() { // a pipe would have us wait
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

// referencesIn returns what a text names that could be looked up: addresses, ids,
// and what stands in quotes or bold.
func referencesIn(text string) []string {
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
		if isAddress(word) || isID(word) || isNumberOf(before, word) {
			out = append(out, word)
		}
		before = strings.TrimRight(word, ":#")
	}
	return out
}

// isAddress reports whether a word in lower case is an address or a path.
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

// isID reports whether a word is the id of something: letters and digits, as only
// machines mix them. Times, dates, prices and versions are none.
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

// isNumberOf is "#4521", "id 4521".
func isNumberOf(before, word string) bool {
	n := strings.TrimPrefix(word, "#")
	return n != "" && strings.Trim(n, "0123456789") == "" && (n != word || before == "id" || before == "number" || before == "no")
}

// proves reports whether evidence, as [readEvidence] gives it, has what a reply
// refers to: an address as a whole, or its last part, or an id.
func proves(evidence, ref string) bool {
	if evidence == "" {
		return false
	}
	if !isAddress(ref) {
		return stands(evidence, strings.TrimPrefix(ref, "#"), isIDByte)
	}
	if _, rest, ok := strings.Cut(ref, "://"); ok {
		ref = rest
	}
	ref = strings.TrimPrefix(ref, "www.")
	for _, whole := range []string{ref, upTo(ref, "#"), upTo(ref, "?")} {
		whole = strings.TrimRight(whole, "/")
		if whole != "" && (stands(evidence, whole, isAddressByte) || stands(evidence, whole+"/", isAddressByte)) {
			return true
		}
	}
	path := strings.TrimRight(upTo(upTo(ref, "#"), "?"), "/")
	slash := strings.LastIndexByte(path, '/')
	if slash < 0 || slash == len(path)-1 {
		return false
	}
	id := path[slash+1:]
	if isID(id) {
		return stands(evidence, id, isIDByte)
	}
	return stands(evidence, id, isProseByte) // a plain word must stand alone
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func upTo(s, mark string) string {
	s, _, _ = strings.Cut(s, mark)
	return s
}

// stands reports whether a text has a word that no byte of its own kind touches.
func stands(text, word string, kind func(byte) bool) bool {
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

func isIDByte(c byte) bool {
	return c >= 'a' && c <= 'z' || isDigit(c) || c == '-' || c == '_' || c >= 0x80
}

// isAddressByte is for what an address goes on with.
func isAddressByte(c byte) bool { return isIDByte(c) || strings.IndexByte("/.?=&%~+", c) >= 0 }

// isProseByte is everything but what parts the values of a file.
func isProseByte(c byte) bool { return strings.IndexByte("\"'\n\r\t,", c) < 0 }
