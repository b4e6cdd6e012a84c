package install

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/text/tomldoc"
)

// A TOMLForm is the form of a TOML file that has a [[hooks]] table for each hook.
type TOMLForm struct{ Host string }

// formatTable returns the [[hooks]] table of an entry.
func (f TOMLForm) formatTable(e Entry) string {
	return fmt.Sprintf("[[hooks]]\nevent = %s\ncommand = %s\ntimeout = %d\n", quoteTOML(e.Event), quoteTOML(e.Command), e.Timeout)
}

// ownTables returns the indexes of checkrein's tables in doc.
func (f TOMLForm) ownTables(doc tomldoc.Doc) []int {
	var out []int
	for i, t := range doc {
		if t.Array && slices.Equal(t.Path, []string{"hooks"}) {
			line, _ := tomldoc.Lookup(t.Values, []string{"command"})
			if _, ok := hostfiles.OwnProgram(line, f.Host); ok {
				out = append(out, i)
			}
		}
	}
	return out
}

func (f TOMLForm) Find(src []byte) ([]Entry, error) {
	doc, err := tomldoc.Parse(src)
	if err != nil {
		return nil, fmt.Errorf("%w: correct the file first", err)
	}
	var out []Entry
	for _, i := range f.ownTables(doc) {
		var e Entry
		e.Event, _ = tomldoc.Lookup(doc[i].Values, []string{"event"})
		e.Command, _ = tomldoc.Lookup(doc[i].Values, []string{"command"})
		timeout, _ := tomldoc.Lookup(doc[i].Values, []string{"timeout"})
		e.Timeout, _ = strconv.Atoi(timeout)
		if m, _ := tomldoc.Lookup(doc[i].Values, []string{"matcher"}); m != "" && m != ".*" {
			e.Narrowed = "matcher " + strconv.Quote(m)
		}
		out = append(out, e)
	}
	return out, nil
}

func (f TOMLForm) Put(src []byte, want []Entry) ([]byte, error) {
	doc, err := tomldoc.Parse(src)
	if err != nil {
		return nil, fmt.Errorf("%w: correct the file first", err)
	}
	src, doc, err = withoutEmptyList(src, doc)
	if err != nil {
		return nil, err
	}
	newline := "\n"
	if bytes.Contains(src, []byte("\r\n")) {
		newline = "\r\n"
	}
	write := func(e Entry) []byte { return []byte(strings.ReplaceAll(f.formatTable(e), "\n", newline)) }
	left := slices.Clone(want)
	out, from := []byte(nil), 0
	for _, i := range f.ownTables(doc) {
		t := doc[i]
		event, _ := tomldoc.Lookup(t.Values, []string{"event"})
		at := slices.IndexFunc(left, func(w Entry) bool { return w.Event == event })
		keep := src[t.Start:t.End]
		switch {
		case at < 0: // not wanted, or a duplicate
			keep = nil
		case !f.matches(t, left[at]):
			keep = write(left[at])
		}
		if at >= 0 {
			left = slices.Delete(left, at, at+1)
		}
		out = append(out, src[from:t.Start]...)
		if keep == nil {
			out = trimBlankLine(out)
		}
		out = append(out, keep...)
		from = t.End
	}
	out = append(out, src[from:]...)
	for _, w := range left {
		if len(out) > 0 && out[len(out)-1] != '\n' {
			out = append(out, newline...)
		}
		if len(out) > 0 && !bytes.HasSuffix(out, []byte("\n\n")) && !bytes.HasSuffix(out, []byte("\n\r\n")) {
			out = append(out, newline...)
		}
		out = append(out, write(w)...)
	}
	if _, err := tomldoc.Parse(out); err != nil {
		return nil, fmt.Errorf("checkrein's edit would make the file invalid TOML, so the file was not changed: %w", err)
	}
	return out, nil
}

// matches reports whether t is the table that install would write for e.
func (f TOMLForm) matches(t tomldoc.Table, e Entry) bool {
	line, _ := tomldoc.Lookup(t.Values, []string{"command"})
	timeout, _ := tomldoc.Lookup(t.Values, []string{"timeout"})
	return line == e.Command && timeout == strconv.Itoa(e.Timeout) && len(t.Values) == 3
}

// withoutEmptyList returns src and doc without a "hooks = []" line, which TOML does not allow together
// with [[hooks]] tables. It returns an error if that list has elements.
func withoutEmptyList(src []byte, doc tomldoc.Doc) ([]byte, tomldoc.Doc, error) {
	for _, v := range doc[0].Values {
		if !slices.Equal(v.Key, []string{"hooks"}) {
			continue
		}
		if strings.Join(strings.Fields(v.Raw), "") != "[]" {
			return nil, nil, fmt.Errorf("its hooks are written as a list in brackets, which TOML does not allow together with [[hooks]] tables: write each hook as a [[hooks]] table and install again")
		}
		out := append(bytes.Clone(src[:v.Start]), src[v.End:]...)
		doc, err := tomldoc.Parse(out)
		return out, doc, err
	}
	return src, doc, nil
}

func (f TOMLForm) Drop(src []byte) ([]byte, error) {
	doc, err := tomldoc.Parse(src)
	if err != nil {
		return nil, fmt.Errorf("%w: correct the file first", err)
	}
	out, from := []byte(nil), 0
	mine := f.ownTables(doc)
	if len(mine) == 0 {
		return src, nil
	}
	for _, i := range mine {
		out = trimBlankLine(append(out, src[from:doc[i].Start]...))
		from = doc[i].End
	}
	out = append(out, src[from:]...)
	if IsBlank(out) {
		return nil, nil
	}
	return out, nil
}

// trimBlankLine returns out without an empty line at its end.
func trimBlankLine(out []byte) []byte {
	for _, tail := range []string{"\n", "\r\n"} {
		if bytes.HasSuffix(out, []byte("\n"+tail)) {
			return out[:len(out)-len(tail)]
		}
	}
	return out
}
