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

// mostLines are the lines of one file, or of what changed in it, that are shown unless
// all are asked for. How wide they are is up to the terminal.
const mostLines = 2000

// A showing is what a person sees of what is approved. Nothing in it can drive
// the terminal, and where something is left out it says so.
type showing struct {
	strings.Builder
	full   bool
	paint  *term.Screen // which it is for
	zone   *time.Location
	hidden []string // what is not shown
}

// whyOwn returns why a person's own hook needs approval here; "" = it is the project's.
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

// partName is what a file is called, or a part of it: "scripts and settings of package.json".
func partName(path, part string) string {
	if part != "" {
		path = part + " of " + path
	}
	return visible.Line(path)
}

const showIndent = "          "

// item shows one hook: what runs, and what is new about it.
func (s *showing) item(k *app.Kit, it *approval.Item) {
	root := k.Root()
	for line := range strings.Lines(it.New.Shows) {
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
	for _, what := range leaves(it.Hook) {
		s.line(visible.Line(what))
	}
	if it.Old == nil {
		s.first(root, it)
		return
	}
	before := it.Old.At.In(s.zone).Format(time.DateTime)
	changed := s.changed("its definition", &it.Definition)
	for i := range it.Files {
		changed = s.file(root, &it.Files[i]) || changed
	}
	if !changed {
		s.line("unchanged since it was approved " + before)
		return
	}
	s.line("approved before: " + before)
}

// first shows a hook that was never approved: its definition and its scripts.
func (s *showing) first(root string, it *approval.Item) {
	s.line("its definition (never approved before):")
	s.text(it.Definition.New)
	for i := range it.Files {
		f := &it.Files[i]
		name := partName(base.RelativePath(root, f.Path), f.Part)
		if !f.NewKept || isBinary(f.New) {
			s.line(name + ": " + s.unseen(name, f))
			continue
		}
		s.line(name + ":")
		s.text(f.New)
	}
}

// file shows what changed about a file, and reports whether something did.
func (s *showing) file(root string, f *approval.FileContent) bool {
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
			s.line("  " + s.unseen(name, f))
		}
		return true
	case f.Was.SHA256 == f.Now.SHA256:
		return false
	case !f.OldKept || !f.NewKept || isBinary(f.Old) || isBinary(f.New):
		s.line(name + " changed:")
		s.line("  was " + s.describeSum(f.Was, isBinary(f.Old)))
		s.line("  is  " + s.unseen(name, f))
		if f.NewKept && !isBinary(f.New) {
			s.line("  its earlier content is unknown, so all of it is shown:")
			s.text(f.New)
		}
		return true
	}
	return s.changed(name, &f.Content)
}

// unseen is known of what a file is now. One that is too large to be kept is not shown,
// and one that is no text cannot be.
func (s *showing) unseen(name string, f *approval.FileContent) string {
	known := s.describeSum(f.Now, f.NewKept && isBinary(f.New))
	if !f.NewKept && f.Now != nil && f.Now.Size == 0 {
		return known + "; the file is empty"
	}
	if !f.NewKept {
		s.hidden = append(s.hidden, name)
		known += "; too large to show here: look at the file itself"
	}
	return known
}

// describeSum is what can be said of a file that is not shown.
func (s *showing) describeSum(f *approval.FileSum, binary bool) string {
	what := ""
	if binary {
		what = "binary, "
	}
	return fmt.Sprintf("%s%s, sha256 %s, written %s", what, base.Amount(f.Size, "byte"), f.SHA256, f.MTime.In(s.zone).Format(time.DateTime))
}

// changed shows what is different, and reports whether something is.
func (s *showing) changed(name string, c *approval.Content) bool {
	if c.OldKept && bytes.Equal(c.Old, c.New) {
		return false
	}
	if !c.OldKept { // it was approved by a program that kept nothing
		s.line(name + " (its earlier content is unknown):")
		s.text(c.New)
		return true
	}
	text := diff.Diff("approved", c.Old, "now", c.New)
	if _, rest, ok := bytes.Cut(text, []byte("\n")); ok {
		text = rest // the first line is a command that nobody gave
	}
	s.line(name + " changed:")
	s.some([]byte(s.paint.DiffString(showIndent+"  ", text)), func(line string) { s.WriteString(line + "\n") })
	return true
}

// text shows lines, so many unless all are asked for.
func (s *showing) text(text []byte) {
	s.some(text, func(line string) { s.line("  " + line) })
}

// some calls show for lines, so many unless all are asked for.
func (s *showing) some(text []byte, show func(line string)) {
	n := 0
	for line := range bytes.Lines(text) {
		if n++; s.full || n <= mostLines {
			show(string(bytes.TrimRight(line, "\n")))
		}
	}
	if more := n - mostLines; more > 0 && !s.full {
		s.hidden = append(s.hidden, base.Amount(more, "line"))
		s.line(fmt.Sprintf("  [… %s not shown: to see everything, add --full]", base.Amount(more, "more line")))
	}
}

func (s *showing) line(text string) {
	s.WriteString(showIndent + visible.Text(text) + "\n")
}

// isBinary reports whether content is no text that a person could read. Text with some
// bytes that are none is text: a shell runs it.
func isBinary(content []byte) bool {
	if coverage.IsBinary(content) && bytes.IndexByte(content[:min(len(content), 64)], 0) >= 0 {
		return true
	}
	line, _, _ := bytes.Cut(content[:min(len(content), 256)], []byte("\n"))
	if len(line) > 0 && odd(line) == 0 {
		return false
	}
	return odd(content)*10 > len(content)*3
}

// odd counts the bytes that no text has.
func odd(content []byte) int {
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
