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

// Digest is of a call's arguments, whatever the order of their keys and the white
// space between: two spellings of one object have one digest. Numbers count as
// they are written. It is zero for what is not JSON.
func Digest(input []byte) [32]byte {
	if rawjson.Check(input) != nil {
		return [32]byte{}
	}
	return digest(input)
}

// digest is Digest of what was checked before.
func digest(input []byte) [32]byte {
	return sha256.Sum256(canonical(make([]byte, 0, len(input)), input))
}

// canonical appends a value with its keys sorted.
func canonical(dst, val []byte) []byte {
	switch rawjson.Kind(val) {
	case '{':
		return canonicalObject(dst, val)
	case '[':
		dst = append(dst, '[')
		rawjson.Elements(val, func(i int, v []byte) bool {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = canonical(dst, v)
			return true
		})
		return append(dst, ']')
	case '"':
		s, _ := rawjson.Text(val)
		return rawjson.AppendString(dst, s)
	}
	return append(dst, bytes.TrimSpace(val)...)
}

// An Argument is one of a call's arguments.
type Argument struct {
	Name string
	Sum  [16]byte // of the value: a number and its text have the same
	Path string   // the value, where it seems to be a path
	// Head and Tail are how the value begins and ends, without blanks. Of one that has
	// markers in place of secrets they are what is before the first and after the last.
	Head, Tail string
	Marked     bool
}

const (
	maxArguments = 16
	maxPath      = 256
	maxEnd       = 64 // of a value, of each of its ends
)

// Arguments lists a call's arguments, the first ones of many. The last one of a name counts.
func Arguments(input []byte) (list []Argument) {
	rawjson.Each(input, func(k string, v []byte) bool {
		text := canonical(nil, v)
		if rawjson.Kind(v) == '"' {
			text = text[1 : len(text)-1]
		}
		sum := sha256.Sum256(text)
		a := Argument{Name: short(k, maxName), Sum: [16]byte(sum[:16])}
		a.ends(text)
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

// ends notes how a value begins and ends.
func (a *Argument) ends(text []byte) {
	head, tail := text, text
	if placeholder.In(text) {
		if marks := placeholder.Find(string(text)); len(marks) > 0 {
			a.Marked, head, tail = true, text[:marks[0].Start], text[marks[len(marks)-1].End:]
		}
	}
	var buf []byte
	for i := 0; i < len(head) && len(buf) < maxEnd; i++ {
		if !blank(head[i]) {
			buf = append(buf, head[i])
		}
	}
	a.Head, buf = string(buf), buf[:0]
	for i := len(tail) - 1; i >= 0 && len(buf) < maxEnd; i-- {
		if !blank(tail[i]) {
			buf = append(buf, tail[i])
		}
	}
	slices.Reverse(buf)
	a.Tail = string(buf)
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// SameArguments reports whether a call may be the one that was asked about. A host may
// leave arguments out, add what is usual, and tell hooks the whole path of what the model
// named in short. Whole says that nothing was taken out of what was asked: else a value
// with markers goes with each that begins and ends as it does.
func SameArguments(asked, called []Argument, whole bool) bool {
	common, unnamed := 0, false
	for i := range asked {
		a := &asked[i]
		unnamed = unnamed || !whole && placeholder.In([]byte(a.Name))
		for j := range called {
			c := &called[j]
			if a.Name != c.Name {
				continue
			}
			common++
			if a.Sum == c.Sum || samePath(a.Path, c.Path) || !whole && a.Marked && strings.HasPrefix(c.Head, a.Head) && strings.HasSuffix(c.Tail, a.Tail) {
				continue
			}
			return false
		}
	}
	return common > 0 || unnamed || len(asked) == 0 || len(called) == 0
}

// samePath reports whether one of two paths is the whole of the other one.
func samePath(a, b string) bool {
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

// OtherTool reports whether two names are of tools that do different things. Hosts have
// several names for one, and some write a change of a file down as another kind of it.
func OtherTool(a, b string) bool {
	kind := func(name string) string {
		switch k := tools.Canonical(name); k {
		case "write", "edit", "patch":
			return "change"
		default:
			k, _, _ = strings.Cut(k, ":") // servers are spelled in several ways
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

func canonicalObject(dst, val []byte) []byte {
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
			continue // the last one counts
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = rawjson.AppendString(dst, m.key)
		dst = append(dst, ':')
		dst = canonical(dst, m.val)
	}
	return append(dst, '}')
}

// MaxSubject is how much of a command or a path counts.
const MaxSubject = 4 << 10

// Subject is what a call is about: the command that it runs and the first path that
// it names, both cut to the same length wherever they come from.
func Subject(tool string, input []byte) (command, path string) {
	const commands = tools.Command | tools.Argv
	var texts []string
	for _, p := range tools.Of(tool, tools.Canonical(tool), input, commands|tools.Paths) {
		switch {
		case p.Role&commands == 0:
			if path == "" {
				path = short(p.Text, MaxSubject)
			}
		case !slices.Contains(texts, p.Text):
			texts = append(texts, p.Text)
		}
	}
	return short(strings.Join(texts, "\n"), MaxSubject), path
}

// short returns a text that is cut, if need be between two letters.
func short(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return strings.Clone(s[:most])
}
