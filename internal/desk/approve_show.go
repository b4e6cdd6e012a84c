package desk

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/trust"
	"github.com/checkrein/checkrein/kit"
	"github.com/rogpeppe/go-internal/diff"
)

const (
	headLines = 40  // of a script that is shown for the first time
	diffLines = 120 // of what changed in one file
	lineWidth = 400 // characters of one line
)

// A showing is what a person sees of what is approved. Nothing in it can drive
// the terminal, and where something is left out it says so.
type showing struct {
	strings.Builder
	full bool
	zone *time.Location
}

// whyOwn says why a person's own hook needs approval here; "" = it is the project's.
func whyOwn(k *kit.Kit, it *kit.Reviewed) string {
	if k.FileOf(it.Hook) == it.Hook.From.File {
		return ""
	}
	var runs []string
	for i := range it.Files {
		if f := &it.Files[i]; f.Now != nil {
			runs = append(runs, partName(nearer(k.Root(), f.Path), f.Part))
		}
	}
	if len(runs) == 0 {
		return "it is yours, and needs approval here because it cannot be told which files of this project it runs"
	}
	return "it is yours, and needs approval here because it would run " + strings.Join(runs, ", ") + " of this project"
}

// partName is what a file is called, or a part of it: "target lint of Makefile".
func partName(path, part string) string {
	if part != "" {
		path = part + " of " + path
	}
	return trust.VisibleLine(path)
}

const showIndent = "          "

// item shows one hook: what runs, and what is new about it.
func (s *showing) item(k *kit.Kit, it *kit.Reviewed) {
	root := k.Root()
	for line := range strings.Lines(it.Approval.Shows) {
		s.line("| " + strings.TrimRight(line, "\n"))
	}
	if why := whyOwn(k, it); why != "" {
		s.line(why)
	}
	for i := range it.Files {
		if f := &it.Files[i]; f.Now != nil {
			s.line("with " + partName(f.Path, f.Part))
		}
	}
	for _, why := range it.Unsure {
		s.line("cannot tell which files it runs: " + trust.VisibleLine(why))
	}
	for _, what := range leaves(it.Hook) {
		s.line(trust.VisibleLine(what))
	}
	if it.Before == nil {
		s.first(root, it)
		return
	}
	before := it.Before.At.In(s.zone).Format(time.DateTime)
	changed := s.changed("its definition", &it.Definition)
	for i := range it.Files {
		changed = s.file(root, &it.Files[i]) || changed
	}
	if !changed {
		s.line("as it was approved " + before)
		return
	}
	s.line("approved before: " + before)
}

// first shows a hook that was never approved: its definition, and the beginning
// of its scripts.
func (s *showing) first(root string, it *kit.Reviewed) {
	s.line("its definition, approved for the first time:")
	s.text(it.Definition.New, "  ", diffLines)
	for i := range it.Files {
		f := &it.Files[i]
		name := partName(nearer(root, f.Path), f.Part)
		if !f.NewKept || isBinary(f.New) {
			s.line(name + ": " + s.known(f.Now, isBinary(f.New)))
			continue
		}
		s.line(name + ":")
		s.text(f.New, "  ", headLines)
	}
}

// file shows what changed about a file, and reports whether something did.
func (s *showing) file(root string, f *kit.FileChange) bool {
	name := partName(nearer(root, f.Path), f.Part)
	switch {
	case f.Now == nil:
		s.line(name + ": the hook does not run it any more")
		return true
	case f.Was == nil:
		s.line(name + ": the hook did not run it before")
		if f.NewKept && !isBinary(f.New) {
			s.text(f.New, "  ", headLines)
		} else {
			s.line("  " + s.known(f.Now, isBinary(f.New)))
		}
		return true
	case f.Was.SHA256 == f.Now.SHA256:
		return false
	case !f.OldKept || !f.NewKept || isBinary(f.Old) || isBinary(f.New):
		s.line(name + " changed:")
		s.line("  was " + s.known(f.Was, isBinary(f.Old)))
		s.line("  is  " + s.known(f.Now, isBinary(f.New)))
		if f.NewKept && !isBinary(f.New) {
			s.line("  what it was is not known, so all of it is new:")
			s.text(f.New, "  ", headLines)
		}
		return true
	}
	return s.changed(name, &f.Change)
}

// known is what can be said of a file that is not shown.
func (s *showing) known(f *kit.FileSum, binary bool) string {
	what := ""
	if binary {
		what = "binary, "
	}
	return fmt.Sprintf("%s%s, sha256 %s, written %s", what, amount(f.Size, "byte"), f.SHA256, f.MTime.In(s.zone).Format(time.DateTime))
}

// changed shows what is different, and reports whether something is.
func (s *showing) changed(name string, c *kit.Change) bool {
	if c.OldKept && bytes.Equal(c.Old, c.New) {
		return false
	}
	if !c.OldKept { // it was approved by a program that kept nothing
		s.line(name + ", of which nobody knows what it was:")
		s.text(c.New, "  ", diffLines)
		return true
	}
	text := diff.Diff("approved", c.Old, "now", c.New)
	if _, rest, ok := bytes.Cut(text, []byte("\n")); ok {
		text = rest // the first line is a command that nobody gave
	}
	s.line(name + " changed:")
	s.text(text, "  ", diffLines)
	return true
}

// text shows lines, so many unless all are asked for.
func (s *showing) text(text []byte, indent string, most int) {
	n := 0
	for line := range bytes.Lines(text) {
		if n++; s.full || n <= most {
			s.line(indent + s.cut(string(bytes.TrimRight(line, "\n"))))
		}
	}
	if more := n - most; more > 0 && !s.full {
		s.line(fmt.Sprintf("%s[… %s not shown: --full shows all of it]", indent, amount(more, "more line")))
	}
}

// cut marks what it leaves out of a line.
func (s *showing) cut(line string) string {
	if n := utf8.RuneCountInString(line); n > lineWidth && !s.full {
		return fmt.Sprintf("%s[… %s not shown: --full shows all of it]", string([]rune(line)[:lineWidth]), amount(n-lineWidth, "more character"))
	}
	return line
}

func (s *showing) line(text string) {
	s.WriteString(showIndent + trust.Visible(text) + "\n")
}

// isBinary reports whether content is no text that a person could read.
func isBinary(content []byte) bool {
	return bytes.IndexByte(content, 0) >= 0 || !utf8.Valid(content)
}
