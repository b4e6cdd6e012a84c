package transcript

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/secret/placeholder"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Digest returns a digest of a call's arguments that does not depend on the order of keys, on white
// space or on escapes. The spelling of numbers counts. It returns zero if input is not JSON.
func Digest(input []byte) [32]byte {
	if rawjson.Check(input) != nil {
		return [32]byte{}
	}
	return digestValid(input)
}

// digestValid is Digest for input that is known to be valid JSON.
func digestValid(input []byte) [32]byte {
	return sha256.Sum256(appendCanonical(make([]byte, 0, len(input)), input))
}

// appendCanonical appends val, a JSON value, to dst with sorted keys and without white space.
func appendCanonical(dst, val []byte) []byte {
	switch rawjson.Kind(val) {
	case '{':
		return appendCanonicalObject(dst, val)
	case '[':
		dst = append(dst, '[')
		rawjson.Elements(val, func(i int, v []byte) bool {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendCanonical(dst, v)
			return true
		})
		return append(dst, ']')
	case '"':
		s, _ := rawjson.Text(val)
		return rawjson.AppendString(dst, s)
	}
	return append(dst, bytes.TrimSpace(val)...)
}

// An Argument summarizes an argument of a call.
type Argument struct {
	Name   string
	Digest [16]byte // of the value; the number 1 and the string "1" have the same
	Path   string   // the value, if it seems to be a path
	// Head and Tail are the beginning and the end of the value, without white space. If the value
	// has markers, they are the beginning of the text before the first marker and the end of the
	// text after the last one.
	Head, Tail string
	Marked     bool // the value has markers in place of secrets
}

const (
	maxArguments = 16
	maxPath      = 256
	maxEnd       = 64 // bytes of Head and of Tail
)

// Arguments returns summaries of the first [maxArguments] arguments in input. The last of several
// arguments with the same name counts.
func Arguments(input []byte) (list []Argument) {
	rawjson.Each(input, func(k string, v []byte) bool {
		text := appendCanonical(nil, v)
		if rawjson.Kind(v) == '"' {
			text = text[1 : len(text)-1]
		}
		sum := sha256.Sum256(text)
		a := Argument{Name: truncate(k, maxName), Digest: [16]byte(sum[:16])}
		a.setEnds(text)
		if len(text) <= maxPath && rawjson.Kind(v) == '"' && !bytes.ContainsRune(text, '\n') {
			low := strings.ToLower(k)
			if slices.ContainsFunc([]string{"path", "file", "dir", "cwd", "folder"}, func(s string) bool { return strings.Contains(low, s) }) {
				a.Path = string(text)
			}
		}
		i := slices.IndexFunc(list, func(o Argument) bool { return o.Name == a.Name })
		switch {
		case i >= 0:
			list[i] = a
		case len(list) < maxArguments:
			list = append(list, a)
		}
		return true
	})
	return list
}

// setEnds sets Head, Tail and Marked for the value text.
func (a *Argument) setEnds(text []byte) {
	head, tail := text, text
	if placeholder.MayHaveMarker(text) {
		if marks := placeholder.FindMarkers(string(text)); len(marks) > 0 {
			a.Marked, head, tail = true, text[:marks[0].Start], text[marks[len(marks)-1].End:]
		}
	}
	var buf []byte
	for i := 0; i < len(head) && len(buf) < maxEnd; i++ {
		if !isSpace(head[i]) {
			buf = append(buf, head[i])
		}
	}
	a.Head, buf = string(buf), buf[:0]
	for i := len(tail) - 1; i >= 0 && len(buf) < maxEnd; i-- {
		if !isSpace(tail[i]) {
			buf = append(buf, tail[i])
		}
	}
	slices.Reverse(buf)
	a.Tail = string(buf)
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// SameArguments reports whether a call in a transcript, with the arguments called, may be the one that
// checkrein was asked about with the arguments asked. A host may leave arguments out, add defaults,
// and give hooks the full path of a file to which the model gave a relative path. unredacted is set
// if nothing was redacted in asked; otherwise a value with markers matches every value with the
// same beginning and end.
func SameArguments(asked, called []Argument, unredacted bool) bool {
	common, unnamed := 0, false
	for i := range asked {
		a := &asked[i]
		unnamed = unnamed || !unredacted && placeholder.MayHaveMarker([]byte(a.Name))
		for j := range called {
			c := &called[j]
			if a.Name != c.Name {
				continue
			}
			common++
			if a.Digest == c.Digest || isPathSuffix(a.Path, c.Path) || !unredacted && a.Marked && strings.HasPrefix(c.Head, a.Head) && strings.HasSuffix(c.Tail, a.Tail) {
				continue
			}
			return false
		}
	}
	return common > 0 || unnamed || len(asked) == 0 || len(called) == 0
}

// isPathSuffix reports whether one of the paths a and b ends with the elements of the other.
func isPathSuffix(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	clean := func(s string) []string {
		parts := strings.FieldsFunc(s, func(r rune) bool { return r == '/' || r == '\\' })
		return slices.DeleteFunc(parts, func(p string) bool { return p == "." || p == ".." || p == "~" })
	}
	x, y := clean(a), clean(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	return slices.Equal(x, y[len(y)-len(x):])
}

// AreDifferentTools reports whether a and b are names of tools that do different things. Hosts have
// several names for the same tool, and some record an edit of a file as another kind of change.
func AreDifferentTools(a, b string) bool {
	kind := func(name string) string {
		switch k := tools.CanonicalTool(name); k {
		case "write", "edit", "patch":
			return "change"
		default:
			k, _, _ = strings.Cut(k, ":") // names of MCP servers vary
			return k
		}
	}
	x, y := kind(a), kind(b)
	return a != b && x != "" && y != "" && x != y
}

type member struct {
	key string
	val []byte
}

// appendCanonicalObject is appendCanonical for an object.
func appendCanonicalObject(dst, val []byte) []byte {
	var list []member
	rawjson.Each(val, func(k string, v []byte) bool {
		list = append(list, member{k, v})
		return true
	})
	slices.SortStableFunc(list, func(a, b member) int { return strings.Compare(a.key, b.key) })
	dst = append(dst, '{')
	first := true
	for i, m := range list {
		if i+1 < len(list) && list[i+1].key == m.key {
			continue // the last of several duplicates counts
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = rawjson.AppendString(dst, m.key)
		dst = append(dst, ':')
		dst = appendCanonical(dst, m.val)
	}
	return append(dst, '}')
}

// MaxSubject is the length to which commands and paths are truncated.
const MaxSubject = 4 << 10

// Subject returns the command that a call runs and the first path that it names. Both are truncated to
// [MaxSubject], so that those from a transcript can be compared with those in the ledger.
func Subject(tool string, input []byte) (command, path string) {
	const commands = tools.Command | tools.Argv
	var texts []string
	for _, p := range tools.PartsOf(tool, tools.CanonicalTool(tool), input, commands|tools.Paths) {
		switch {
		case p.Role&commands == 0:
			if path == "" {
				path = truncate(p.Text, MaxSubject)
			}
		case !slices.Contains(texts, p.Text):
			texts = append(texts, p.Text)
		}
	}
	return truncate(strings.Join(texts, "\n"), MaxSubject), path
}

// truncate returns at most the first most bytes of s, without splitting a rune.
func truncate(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return strings.Clone(s[:most])
}
