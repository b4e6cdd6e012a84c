package secretguard

import (
	"errors"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/secret/placeholder"
)

// A section is the part of a patch that is about one file.
type section struct {
	path  string
	head  string   // Add File, Update File, Delete File
	moved bool     // the patch moves the file to another path
	lines []string // with their signs, without line endings
}

// patchSections parses the patches in the arguments of t.
func patchSections(t *checkrein.Tool) []section {
	var out []section
	eachText(t.Input, "", func(key, text string) {
		if as := tools.TextOf(key); as == tools.PatchText || as == tools.MaybePatch {
			list := parsePatch(text)
			if paths := t.Paths(); len(list) == 0 && as == tools.PatchText && len(paths) == 1 {
				list = []section{{path: paths[0], head: "Update File", lines: strings.Split(text, "\n")}}
			}
			out = append(out, list...)
		}
	})
	return out
}

// parsePatch splits a patch, either a unified diff or in the format of patch tools, into one section
// for each file.
func parsePatch(patch string) []section {
	var out []section
	unified, from := !strings.Contains(patch, " File: "), false
	for line := range strings.Lines(patch) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if name, ok := strings.CutPrefix(line, "+++ "); ok && unified && from {
			name, _, _ = strings.Cut(name, "\t")
			out = append(out, section{path: strings.TrimPrefix(strings.TrimSpace(name), "b/"), head: "Update File"})
			from = false
			continue
		}
		if from = unified && strings.HasPrefix(line, "--- "); from {
			continue
		}
		if rest, ok := strings.CutPrefix(line, "*** "); ok {
			head, path, named := strings.Cut(rest, ": ")
			switch {
			case named && strings.HasSuffix(head, " File"):
				out = append(out, section{path: strings.TrimSpace(path), head: head})
				continue
			case named && head == "Move to" && len(out) > 0:
				out[len(out)-1].moved = true
				continue
			}
		}
		if len(out) > 0 {
			s := &out[len(out)-1]
			s.lines = append(s.lines, line)
		}
	}
	return out
}

// joinSigned joins the lines that begin with one of the characters in signs, without that character.
func (s *section) joinSigned(signs string) string {
	var b strings.Builder
	for _, l := range s.lines {
		if l != "" && strings.IndexByte(signs, l[0]) >= 0 {
			b.WriteString(l[1:] + "\n")
		}
	}
	return b.String()
}

// restorePatch restores secrets in a call that patches files. Context lines are in the file before and
// after the change, so they count as both old and new text.
func (r *restorer) restorePatch() error {
	list, left, foreign := patchSections(r.tool), 0, false
	eachText(r.tool.Input, "", func(key, text string) {
		if as := tools.TextOf(key); as == tools.PatchText || as == tools.MaybePatch {
			n := len(placeholder.FindMarkers(text))
			left += n
			foreign = foreign || len(countIDs(text)) > 0 && !strings.Contains(text, "*** Begin Patch")
		}
	})
	if foreign { // if the tool cannot parse the patch, it may print it with the secrets
		return errors.New("the patch contains a marker, but is not in the tool's own format")
	}
	for i := range list {
		s := &list[i]
		was, is := s.joinSigned(" -@"), s.joinSigned(" +")
		left -= len(placeholder.FindMarkers(s.joinSigned(" -+@")))
		marked := len(countIDs(was))+len(countIDs(is)) > 0
		if !marked && len(placeholder.FindLookalikes(is)) == 0 {
			continue
		}
		text, _ := readBounded(r.call.absPath(s.path))
		c := fileChange{path: s.path, now: text, was: was, is: is}
		if s.head == "Add File" { // it may replace an existing file
			c.was, c.whole = text, true
		}
		if err := r.resolveMarkers(&c); err != nil {
			return err
		}
		if marked && s.moved {
			return errors.New("secrets cannot be restored in a file that the same patch moves")
		}
		if marked {
			r.paths = append(r.paths, s.path)
		}
	}
	switch {
	case left > 0:
		return errors.New("the patch contains a marker outside any file's lines")
	case len(r.by) == 0:
		return nil
	}
	return r.rewriteInput(r.restoreLines)
}

// restoreLines returns patch with secrets in place of their markers. Every line of a secret with
// several lines gets the sign of the line with the marker.
func (r *restorer) restoreLines(patch string) string {
	var b strings.Builder
	for line := range strings.Lines(patch) {
		sign := ""
		if strings.IndexByte(" +-", line[0]) >= 0 {
			sign = line[:1]
		}
		for m, value := range r.by {
			line = strings.ReplaceAll(line, m, strings.ReplaceAll(value, "\n", "\n"+sign))
		}
		b.WriteString(line)
	}
	return b.String()
}
