package tools

import (
	"strings"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// addPatch adds the files that a patch names and the text that it writes to each. For a tool that only
// reads, it adds the patch as data.
func (w *walker) addPatch(o *object, m *member, val []byte) {
	if o.verb&(useRead|useSearch|useLook) != 0 {
		w.addText(Data, o, m, val)
		return
	}
	if !w.wants(WritePath | DeletePath | Content) {
		return
	}
	s, _ := rawjson.Text(val)
	p := patchReader{key: string(m.key), file: o.file}
	if text := replacements(s); text != "" {
		p.text.WriteString(text)
	} else {
		p.readLines(s)
	}
	p.flushText()
	for i := range p.out {
		w.addPart(p.out[i])
	}
}

// A patchReader collects the parts of a patch.
type patchReader struct {
	out  []Part
	key  string
	file string // the file of the current lines
	text strings.Builder
}

// fileHeads lists the headers of the "*** Begin Patch" format that name a file.
var fileHeads = [...]struct {
	head string
	role Role
}{
	{"Add File: ", WritePath}, {"Update File: ", WritePath}, {"Delete File: ", DeletePath}, {"Move to: ", WritePath},
}

// readLines adds the files and the added text of a patch.
func (p *patchReader) readLines(s string) {
	from := "" // the last --- line
	for line := range strings.Lines(s) {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "*** "):
			p.readFileHeader(trimmed[len("*** "):])
		case strings.HasPrefix(line, "--- "):
			from = diffName(line)
			continue
		case from != "" && strings.HasPrefix(line, "+++ "):
			p.flushText()
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

// readFileHeader adds the file that a "*** " line names, if any. rest is the line without the
// asterisks.
func (p *patchReader) readFileHeader(rest string) {
	for i := range fileHeads {
		if name, ok := strings.CutPrefix(rest, fileHeads[i].head); ok {
			p.flushText()
			p.file = name
			p.out = append(p.out, Part{Role: fileHeads[i].role, Text: name, Key: p.key})
		}
	}
}

// flushText adds the text collected for the current file.
func (p *patchReader) flushText() {
	if p.text.Len() > 0 {
		p.out = append(p.out, Part{Role: Content, Text: p.text.String(), Key: p.key, Path: p.file})
		p.text.Reset()
	}
}

// diffName returns the file that a "--- " or "+++ " line of a unified diff names.
func diffName(line string) string {
	name, _, _ := strings.Cut(line[len("+++ "):], "\t")
	name = strings.TrimSpace(name)
	if strings.HasPrefix(name, "a/") || strings.HasPrefix(name, "b/") {
		return name[2:]
	}
	return name
}

// replacements returns the new texts of all search-and-replace blocks in diff, which consist of the
// old text, a line of equals signs, and the new text up to a line that ends with REPLACE. It returns
// "" if there are none.
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
