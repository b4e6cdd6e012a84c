package tools

import (
	"strings"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// patch reads a patch: the files that it names, and the text that it puts in each.
func (w *walker) patch(o *object, m *member, val []byte) {
	if o.verb&(useRead|useSearch|useLook) != 0 {
		w.plain(Data, o, m, val)
		return
	}
	if !w.wants(WritePath | DeletePath | Content) {
		return
	}
	s, _ := rawjson.Text(val)
	p := patch{key: string(m.key), file: o.file}
	if text := replacements(s); text != "" {
		p.text.WriteString(text)
	} else {
		p.read(s)
	}
	p.end()
	for i := range p.out {
		w.add(p.out[i])
	}
}

// A patch is one that is being read.
type patch struct {
	out  []Part
	key  string
	file string // that the lines belong to
	text strings.Builder
}

// fileHeads are the lines of the patch envelope that name a file.
var fileHeads = [...]struct {
	head string
	role Role
}{
	{"Add File: ", WritePath}, {"Update File: ", WritePath}, {"Delete File: ", DeletePath}, {"Move to: ", WritePath},
}

func (p *patch) read(s string) {
	from := "" // the last --- line
	for line := range strings.Lines(s) {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "*** "):
			p.head(trimmed[len("*** "):])
		case strings.HasPrefix(line, "--- "):
			from = diffName(line)
			continue
		case from != "" && strings.HasPrefix(line, "+++ "):
			p.end()
			role := WritePath
			if p.file = diffName(line); p.file == "/dev/null" {
				p.file, role = from, DeletePath
			}
			p.out = append(p.out, Part{Role: role, Text: p.file, Key: p.key})
		case strings.HasPrefix(line, "+"):
			p.text.WriteString(line[1:])
		}
		from = ""
	}
}

// head reads a line that names a file.
func (p *patch) head(rest string) {
	for i := range fileHeads {
		if name, ok := strings.CutPrefix(rest, fileHeads[i].head); ok {
			p.end()
			p.file = name
			p.out = append(p.out, Part{Role: fileHeads[i].role, Text: name, Key: p.key})
		}
	}
}

// end adds what one file gets.
func (p *patch) end() {
	if p.text.Len() > 0 {
		p.out = append(p.out, Part{Role: Content, Text: p.text.String(), Key: p.key, Path: p.file})
		p.text.Reset()
	}
}

// diffName is the file that a line of a unified diff names.
func diffName(line string) string {
	name, _, _ := strings.Cut(line[len("+++ "):], "\t")
	name = strings.TrimSpace(name)
	if strings.HasPrefix(name, "a/") || strings.HasPrefix(name, "b/") {
		return name[2:]
	}
	return name
}

// replacements are the second halves of blocks between marks, as in a merge
// conflict: what is searched for, =======, and what comes in its place.
func replacements(diff string) string {
	if !strings.Contains(diff, " REPLACE") {
		return ""
	}
	var b strings.Builder
	in := false
	for line := range strings.Lines(diff) {
		switch mark := strings.TrimSpace(line); {
		case strings.Trim(mark, "=") == "" && len(mark) >= 5:
			in = true
		case in && strings.HasSuffix(mark, " REPLACE") && strings.Trim(mark, "+>") == " REPLACE":
			in = false
		case in:
			b.WriteString(line)
		}
	}
	return b.String()
}
