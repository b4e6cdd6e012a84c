package edit

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

const (
	begin = "*** Begin Patch"
	end   = "*** End Patch"
)

// findPatches appends the patches in v, the input of a call, to patches, and adds to texts the number
// of strings that are more than a word.
func findPatches(v []byte, patches *[]string, texts *int, depth int) {
	if depth > maxDepth {
		*texts++
		return
	}
	found := func(m []byte) {
		s, is := rawjson.Text(m)
		if !is {
			findPatches(m, patches, texts, depth+1)
			return
		}
		if strings.ContainsAny(s, "\n{") {
			*texts++
		}
		if i := strings.Index(s, begin); i >= 0 {
			*patches = append(*patches, s[i+len(begin):])
		}
	}
	switch rawjson.Kind(v) {
	case '{':
		rawjson.Each(v, func(_ string, m []byte) bool { found(m); return true })
	case '[':
		rawjson.Elements(v, func(_ int, m []byte) bool { found(m); return true })
	}
}

// A section is the part of a patch for one file.
type section struct {
	verb, path, to string
	lines          []string
}

// parsePatch splits a patch into its sections.
func parsePatch(patch string) []section {
	var out []section
	for line := range strings.SplitSeq(patch, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if strings.HasPrefix(line, end) {
			break
		}
		head, ok := strings.CutPrefix(strings.TrimSpace(line), "*** ")
		verb, path, named := strings.Cut(head, ": ")
		switch {
		case ok && named && (verb == "Add File" || verb == "Update File" || verb == "Delete File"):
			out = append(out, section{verb: verb, path: path})
		case ok && named && verb == "Move to" && len(out) > 0:
			out[len(out)-1].to = path
		case len(out) > 0:
			s := &out[len(out)-1]
			s.lines = append(s.lines, line)
		}
	}
	return out
}

// applyPatch returns the contents of the file path after patch, or false if the patch does not apply
// or the file cannot be read.
func applyPatch(patch, path string, read func(string) ([]byte, bool)) ([][]byte, bool) {
	var text []byte
	known := false
	for _, s := range parsePatch(patch) {
		if s.path != path && s.to != path {
			continue
		}
		before := text
		if !known {
			var ok bool
			if before, ok = read(s.path); !ok {
				return nil, false
			}
		}
		switch {
		case s.verb == "Delete File", s.path == path && s.to != "" && s.to != path:
			text = nil
		case s.verb == "Add File":
			var b strings.Builder
			for _, l := range s.lines {
				if rest, ok := strings.CutPrefix(l, "+"); ok {
					b.WriteString(rest + "\n")
				}
			}
			text = []byte(b.String())
		default:
			out, ok := applyHunks(string(before), s.lines)
			if !ok {
				return nil, false
			}
			text = []byte(out)
		}
		known = true
	}
	return [][]byte{text}, known
}

// applyHunks applies the changes in lines, those of a section, to text. Lines match exactly or, as in
// hosts, without surrounding spaces. It returns false if they do not apply.
func applyHunks(text string, lines []string) (string, bool) {
	have := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if text == "" {
		have = nil
	}
	at := 0
	var old, to []string
	flush := func() bool {
		if len(old) == 0 && len(to) == 0 {
			return true
		}
		i := len(have)
		if len(old) > 0 {
			if i = findLines(have, old, at); i < 0 {
				return false
			}
		} else if at > 0 {
			i = at
		}
		have = slices.Concat(have[:i], to, have[i+len(old):])
		at = i + len(to)
		old, to = nil, nil
		return true
	}
	for _, l := range lines {
		switch {
		case strings.HasPrefix(l, "@@"):
			if !flush() {
				return "", false
			}
			if head := strings.TrimSpace(strings.Trim(l, "@")); head != "" {
				i := findLines(have, []string{head}, at)
				if i < 0 {
					return "", false
				}
				at = i + 1
			}
		case strings.HasPrefix(l, "*** End of File"):
		case strings.HasPrefix(l, "+"):
			to = append(to, l[1:])
		case strings.HasPrefix(l, "-"):
			old = append(old, l[1:])
		case l == "":
			old, to = append(old, ""), append(to, "")
		default:
			line := strings.TrimPrefix(l, " ")
			old, to = append(old, line), append(to, line)
		}
	}
	// An empty line at the end of a patch is not part of a change.
	for n := len(old); n > 0 && old[n-1] == "" && len(to) > 0 && to[len(to)-1] == "" && findLines(have, old, at) < 0; n-- {
		old, to = old[:n-1], to[:len(to)-1]
	}
	if !flush() {
		return "", false
	}
	return strings.Join(have, "\n") + "\n", true
}

// findLines returns the index in have at which the lines want begin, at or after from or else
// anywhere, or -1 if there is none.
func findLines(have, want []string, from int) int {
	for _, same := range [...]func(a, b string) bool{
		func(a, b string) bool { return a == b },
		func(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) },
	} {
		for _, start := range [...]int{from, 0} {
			for i := start; i+len(want) <= len(have); i++ {
				if slices.EqualFunc(have[i:i+len(want)], want, same) {
					return i
				}
			}
		}
	}
	return -1
}
