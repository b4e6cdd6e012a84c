//go:build ignore

package install

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/text/tomldoc"
)

var kimi = spec{
	name: "kimi", scopes: []Scope{User},
	folders: []string{".kimi"}, programs: []string{"kimi"},
	timeout: 600, within: 600 - margin,
	shell: true, shut: shutDenied,
	files: func(m *Machine, _ Scope, want []entry) ([]file, error) {
		return []file{{path: filepath.Join(m.Home, ".kimi", "config.toml"), form: tomlForm{"kimi"}, want: want}}, nil
	},
	repeats: runsOnce,
	after:   []string{"Kimi CLI reads its configuration when it starts: start a new session."},
}

// A tomlForm is a TOML file with one [[hooks]] table a hook.
type tomlForm struct{ host string }

func (f tomlForm) table(e entry) string {
	return fmt.Sprintf("[[hooks]]\nevent = %s\ncommand = %s\ntimeout = %d\n", quoteTOML(e.event), quoteTOML(e.command), e.timeout)
}

// mine lists our tables of a file.
func (f tomlForm) mine(doc tomldoc.Doc) []int {
	var out []int
	for i, t := range doc {
		if t.Array && slices.Equal(t.Path, []string{"hooks"}) {
			line, _ := tomldoc.Lookup(t.Values, []string{"command"})
			if _, ok := hostfiles.Ours(line, f.host); ok {
				out = append(out, i)
			}
		}
	}
	return out
}

func (f tomlForm) find(src []byte) ([]entry, error) {
	doc, err := tomldoc.Scan(src)
	if err != nil {
		return nil, fmt.Errorf("%w: correct the file first", err)
	}
	var out []entry
	for _, i := range f.mine(doc) {
		var e entry
		e.event, _ = tomldoc.Lookup(doc[i].Values, []string{"event"})
		e.command, _ = tomldoc.Lookup(doc[i].Values, []string{"command"})
		timeout, _ := tomldoc.Lookup(doc[i].Values, []string{"timeout"})
		e.timeout, _ = strconv.Atoi(timeout)
		if m, _ := tomldoc.Lookup(doc[i].Values, []string{"matcher"}); m != "" && m != ".*" {
			e.narrowed = "matcher " + strconv.Quote(m)
		}
		out = append(out, e)
	}
	return out, nil
}

func (f tomlForm) put(src []byte, want []entry) ([]byte, error) {
	doc, err := tomldoc.Scan(src)
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
	write := func(e entry) []byte { return []byte(strings.ReplaceAll(f.table(e), "\n", newline)) }
	left := slices.Clone(want)
	out, from := []byte(nil), 0
	for _, i := range f.mine(doc) {
		t := doc[i]
		event, _ := tomldoc.Lookup(t.Values, []string{"event"})
		at := slices.IndexFunc(left, func(w entry) bool { return w.event == event })
		keep := src[t.Start:t.End]
		switch {
		case at < 0: // not wanted, or there already
			keep = nil
		case !f.same(t, left[at]):
			keep = write(left[at])
		}
		if at >= 0 {
			left = slices.Delete(left, at, at+1)
		}
		out = append(out, src[from:t.Start]...)
		if keep == nil {
			out = withoutBlank(out)
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
	if _, err := tomldoc.Scan(out); err != nil {
		return nil, fmt.Errorf("checkrein's edit would make the file invalid TOML, so the file was not changed: %w", err)
	}
	return out, nil
}

// same reports whether a table is as we would write it.
func (f tomlForm) same(t tomldoc.Table, e entry) bool {
	line, _ := tomldoc.Lookup(t.Values, []string{"command"})
	timeout, _ := tomldoc.Lookup(t.Values, []string{"timeout"})
	return line == e.command && timeout == strconv.Itoa(e.timeout) && len(t.Values) == 3
}

// withoutEmptyList removes `hooks = []`, beside which no [[hooks]] may stand.
func withoutEmptyList(src []byte, doc tomldoc.Doc) ([]byte, tomldoc.Doc, error) {
	for _, v := range doc[0].Values {
		if !slices.Equal(v.Key, []string{"hooks"}) {
			continue
		}
		if strings.Join(strings.Fields(v.Raw), "") != "[]" {
			return nil, nil, fmt.Errorf("its hooks are written as a list in brackets, which TOML does not allow together with [[hooks]] tables: write each hook as a [[hooks]] table and install again")
		}
		out := append(bytes.Clone(src[:v.Start]), src[v.End:]...)
		doc, err := tomldoc.Scan(out)
		return out, doc, err
	}
	return src, doc, nil
}

func (f tomlForm) drop(src []byte) ([]byte, error) {
	doc, err := tomldoc.Scan(src)
	if err != nil {
		return nil, fmt.Errorf("%w: correct the file first", err)
	}
	out, from := []byte(nil), 0
	mine := f.mine(doc)
	if len(mine) == 0 {
		return src, nil
	}
	for _, i := range mine {
		out = withoutBlank(append(out, src[from:doc[i].Start]...))
		from = doc[i].End
	}
	out = append(out, src[from:]...)
	if isBlank(out) {
		return nil, nil
	}
	return out, nil
}

// withoutBlank removes the empty line that a text ends with: we wrote it.
func withoutBlank(out []byte) []byte {
	for _, tail := range []string{"\n", "\r\n"} {
		if bytes.HasSuffix(out, []byte("\n"+tail)) {
			return out[:len(out)-len(tail)]
		}
	}
	return out
}
