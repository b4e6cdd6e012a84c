package hooks

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/approval/coverage"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/rogpeppe/go-internal/diff"
)

// maxShownLines is how many lines of a file, or of its changes, are shown without --full.
const maxShownLines = 2000

// A reviewText is the text that a person reviews. It contains no terminal control sequences, and says
// where something is left out.
type reviewText struct {
	strings.Builder
	full   bool
	paint  *term.Screen // the screen it is for
	zone   *time.Location
	hidden []string // parts that are not shown
}

// whyOwn returns why a person's own hook needs approval here, or "" if it is the project's.
func whyOwn(k *app.Kit, it *approval.Item) string {
	if k.FileOf(it.Hook) == it.Hook.From.File {
		return ""
	}
	var runs []string
	for i := range it.Files {
		if f := &it.Files[i]; f.Now != nil {
			runs = append(runs, partName(base.RelativePath(k.Root(), f.Path), f.Part))
		}
	}
	if len(runs) == 0 {
		return "your own hook, which needs approval here because checkrein cannot tell which of this project's files it runs"
	}
	return "your own hook, which needs approval here because it would run " + strings.Join(runs, ", ") + " from this project"
}

// partName returns the name of a file or of a part of it: "scripts and settings of package.json".
func partName(path, part string) string {
	if part != "" {
		path = part + " of " + path
	}
	return visible.Line(path)
}

// showIndent precedes each line about a hook.
const showIndent = "          "

// item adds one hook: what it runs, and what is new.
func (s *reviewText) item(k *app.Kit, it *approval.Item) {
	root := k.Root()
	for line := range strings.Lines(it.New.Runs) {
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
		s.line("cannot tell which files it runs: " + visible.Line(why))
	}
	for _, what := range sentByHTTP(it.Hook) {
		s.line(visible.Line(what))
	}
	if it.Old == nil {
		s.addNew(root, it)
		return
	}
	before := it.Old.At.In(s.zone).Format(time.DateTime)
	changed := s.addDiff("its definition", &it.Definition)
	for i := range it.Files {
		changed = s.addFileChanges(root, &it.Files[i]) || changed
	}
	if !changed {
		s.line("unchanged since it was approved " + before)
		return
	}
	s.line("approved before: " + before)
}

// addNew adds the definition and the scripts of a hook that was never approved.
func (s *reviewText) addNew(root string, it *approval.Item) {
	s.line("its definition (never approved before):")
	s.text(it.Definition.New)
	for i := range it.Files {
		f := &it.Files[i]
		name := partName(base.RelativePath(root, f.Path), f.Part)
		if !f.NewKept || isBinary(f.New) {
			s.line(name + ": " + s.describeHidden(name, f))
			continue
		}
		s.line(name + ":")
		s.text(f.New)
	}
}

// addFileChanges adds what changed in a file, and reports whether something did.
func (s *reviewText) addFileChanges(root string, f *approval.FileContent) bool {
	name := partName(base.RelativePath(root, f.Path), f.Part)
	switch {
	case f.Now == nil:
		s.line(name + ": the hook no longer runs it")
		return true
	case f.Was == nil:
		s.line(name + ": the hook did not run it before")
		if f.NewKept && !isBinary(f.New) {
			s.text(f.New)
		} else {
			s.line("  " + s.describeHidden(name, f))
		}
		return true
	case f.Was.SHA256 == f.Now.SHA256:
		return false
	case !f.OldKept || !f.NewKept || isBinary(f.Old) || isBinary(f.New):
		s.line(name + " changed:")
		s.line("  was " + s.describeDigest(f.Was, isBinary(f.Old)))
		s.line("  is  " + s.describeHidden(name, f))
		if f.NewKept && !isBinary(f.New) {
			s.line("  its earlier content is unknown, so all of it is shown:")
			s.text(f.New)
		}
		return true
	}
	return s.addDiff(name, &f.Content)
}

// describeHidden describes the current state of a file that is not shown, because it is too large or
// binary.
func (s *reviewText) describeHidden(name string, f *approval.FileContent) string {
	known := s.describeDigest(f.Now, f.NewKept && isBinary(f.New))
	if !f.NewKept && f.Now != nil && f.Now.Size == 0 {
		return known + "; the file is empty"
	}
	if !f.NewKept {
		s.hidden = append(s.hidden, name)
		known += "; too large to show here: look at the file itself"
	}
	return known
}

// describeDigest returns the size, digest and time of a file that is not shown.
func (s *reviewText) describeDigest(f *approval.FileDigest, binary bool) string {
	what := ""
	if binary {
		what = "binary, "
	}
	return fmt.Sprintf("%s%s, sha256 %s, written %s", what, base.Amount(f.Size, "byte"), f.SHA256, f.MTime.In(s.zone).Format(time.DateTime))
}

// addDiff adds the differences in a content, and reports whether there are any.
func (s *reviewText) addDiff(name string, c *approval.Content) bool {
	if c.OldKept && bytes.Equal(c.Old, c.New) {
		return false
	}
	if !c.OldKept { // it was approved by a version that did not keep contents
		s.line(name + " (its earlier content is unknown):")
		s.text(c.New)
		return true
	}
	text := diff.Diff("approved", c.Old, "now", c.New)
	if _, rest, ok := bytes.Cut(text, []byte("\n")); ok {
		text = rest // drop the first line, a diff command
	}
	s.line(name + " changed:")
	s.eachShown([]byte(s.paint.DiffString(showIndent+"  ", text)), func(line string) { s.WriteString(line + "\n") })
	return true
}

// text adds lines, at most maxShownLines without --full.
func (s *reviewText) text(text []byte) {
	s.eachShown(text, func(line string) { s.line("  " + line) })
}

// eachShown calls show for lines, at most maxShownLines without --full.
func (s *reviewText) eachShown(text []byte, show func(line string)) {
	n := 0
	for line := range bytes.Lines(text) {
		if n++; s.full || n <= maxShownLines {
			show(string(bytes.TrimRight(line, "\n")))
		}
	}
	if more := n - maxShownLines; more > 0 && !s.full {
		s.hidden = append(s.hidden, base.Amount(more, "line"))
		s.line(fmt.Sprintf("  [… %s not shown: to see everything, add --full]", base.Amount(more, "more line")))
	}
}

// line adds an indented line.
func (s *reviewText) line(text string) {
	s.WriteString(showIndent + visible.Text(text) + "\n")
}

// isBinary reports whether content is not readable text. Text with a few invalid bytes is text: a
// shell runs it.
func isBinary(content []byte) bool {
	if coverage.IsBinary(content) && bytes.IndexByte(content[:min(len(content), 64)], 0) >= 0 {
		return true
	}
	line, _, _ := bytes.Cut(content[:min(len(content), 256)], []byte("\n"))
	if len(line) > 0 && countNonText(line) == 0 {
		return false
	}
	return countNonText(content)*10 > len(content)*3
}

// countNonText returns the number of bytes that do not occur in text.
func countNonText(content []byte) int {
	n := 0
	for len(content) > 0 {
		r, size := utf8.DecodeRune(content)
		if r == utf8.RuneError && size == 1 || r < ' ' && r != '\n' && r != '\t' && r != '\r' {
			n++
		}
		content = content[size:]
	}
	return n
}
