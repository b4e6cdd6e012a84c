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

// maxShownLines is how many lines of a file, or of its diff, are shown without --full.
const maxShownLines = 2000

// A reviewText is the text that the user reviews before approving hooks. It contains no control
// characters from files, and marks where something is left out.
type reviewText struct {
	strings.Builder
	full   bool
	paint  *term.Screen // the screen it is for
	zone   *time.Location
	hidden []string // the parts that are left out
}

// whyOwnHook returns why the user's own hook needs approval in this project, or "" if the hook is the
// project's.
func whyOwnHook(k *app.Kit, it *approval.Item) string {
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

// partName returns path for display or, if part is not "", a name such as "scripts and settings of
// package.json".
func partName(path, part string) string {
	if part != "" {
		path = part + " of " + path
	}
	return visible.EscapeLine(path)
}

// showIndent is the indentation of lines about a hook.
const showIndent = "          "

// addItem adds what the hook of it runs, and what is new about it.
func (s *reviewText) addItem(k *app.Kit, it *approval.Item) {
	root := k.Root()
	for line := range strings.Lines(it.New.Runs) {
		s.addLine("| " + strings.TrimRight(line, "\n"))
	}
	if why := whyOwnHook(k, it); why != "" {
		s.addLine(why)
	}
	for i := range it.Files {
		if f := &it.Files[i]; f.Now != nil {
			s.addLine("with " + partName(f.Path, f.Part))
		}
	}
	for _, why := range it.Unsure {
		s.addLine("cannot tell which files it runs: " + visible.EscapeLine(why))
	}
	for _, what := range httpDetails(it.Hook) {
		s.addLine(visible.EscapeLine(what))
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
		s.addLine("unchanged since it was approved " + before)
		return
	}
	s.addLine("approved before: " + before)
}

// addNew adds the definition and the files of a hook that was never approved.
func (s *reviewText) addNew(root string, it *approval.Item) {
	s.addLine("its definition (never approved before):")
	s.addText(it.Definition.New)
	for i := range it.Files {
		f := &it.Files[i]
		name := partName(base.RelativePath(root, f.Path), f.Part)
		if !f.NewKept || isBinary(f.New) {
			s.addLine(name + ": " + s.describeHidden(name, f))
			continue
		}
		s.addLine(name + ":")
		s.addText(f.New)
	}
}

// addFileChanges adds what changed in a file since it was approved, and reports whether anything did.
func (s *reviewText) addFileChanges(root string, f *approval.FileContent) bool {
	name := partName(base.RelativePath(root, f.Path), f.Part)
	switch {
	case f.Now == nil:
		s.addLine(name + ": the hook no longer runs it")
		return true
	case f.Was == nil:
		s.addLine(name + ": the hook did not run it before")
		if f.NewKept && !isBinary(f.New) {
			s.addText(f.New)
		} else {
			s.addLine("  " + s.describeHidden(name, f))
		}
		return true
	case f.Was.SHA256 == f.Now.SHA256:
		return false
	case !f.OldKept || !f.NewKept || isBinary(f.Old) || isBinary(f.New):
		s.addLine(name + " changed:")
		s.addLine("  was " + s.describeDigest(f.Was, isBinary(f.Old)))
		s.addLine("  is  " + s.describeHidden(name, f))
		if f.NewKept && !isBinary(f.New) {
			s.addLine("  its earlier content is unknown, so all of it is shown:")
			s.addText(f.New)
		}
		return true
	}
	return s.addDiff(name, &f.Content)
}

// describeHidden returns the size and digest of a file that is not shown because it is too large or
// binary, and why it is not. It adds name to s.hidden if the file is too large.
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

// describeDigest returns the size, digest and modification time of a file.
func (s *reviewText) describeDigest(f *approval.FileDigest, binary bool) string {
	what := ""
	if binary {
		what = "binary, "
	}
	return fmt.Sprintf("%s%s, sha256 %s, written %s", what, base.Amount(f.Size, "byte"), f.SHA256, f.MTime.In(s.zone).Format(time.DateTime))
}

// addDiff adds the differences between the old and the new content, and reports whether there are any.
func (s *reviewText) addDiff(name string, c *approval.Content) bool {
	if c.OldKept && bytes.Equal(c.Old, c.New) {
		return false
	}
	if !c.OldKept { // it was approved with a version of checkrein that did not store contents
		s.addLine(name + " (its earlier content is unknown):")
		s.addText(c.New)
		return true
	}
	text := diff.Diff("approved", c.Old, "now", c.New)
	if _, rest, ok := bytes.Cut(text, []byte("\n")); ok {
		text = rest // drop the first line, a diff command
	}
	s.addLine(name + " changed:")
	s.eachShown([]byte(s.paint.DiffString(showIndent+"  ", text)), func(line string) { s.WriteString(line + "\n") })
	return true
}

// addText adds the lines of text, at most maxShownLines without --full.
func (s *reviewText) addText(text []byte) {
	s.eachShown(text, func(line string) { s.addLine("  " + line) })
}

// eachShown calls show for each line of text, for at most maxShownLines without --full, and adds a
// line about those left out.
func (s *reviewText) eachShown(text []byte, show func(line string)) {
	n := 0
	for line := range bytes.Lines(text) {
		if n++; s.full || n <= maxShownLines {
			show(string(bytes.TrimRight(line, "\n")))
		}
	}
	if more := n - maxShownLines; more > 0 && !s.full {
		s.hidden = append(s.hidden, base.Amount(more, "line"))
		s.addLine(fmt.Sprintf("  [… %s not shown: to see everything, add --full]", base.Amount(more, "more line")))
	}
}

// addLine adds an indented line, with control characters made visible.
func (s *reviewText) addLine(text string) {
	s.WriteString(showIndent + visible.EscapeText(text) + "\n")
}

// isBinary reports whether content is not readable text. Text with a few invalid bytes is not binary,
// since a shell would run it.
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

// countNonText returns the number of bytes in content that do not occur in text: invalid UTF-8 and
// control characters other than white space.
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
