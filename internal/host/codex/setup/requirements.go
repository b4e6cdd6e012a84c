package setup

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/text/tomldoc"
)

// requirementsFile is the file with which an administrator binds Codex. Its hooks need nobody's trust, and
// users cannot turn them off.
const requirementsFile = "/etc/codex/requirements.toml"

// The lines around what install writes.
const (
	beginMark = "# checkrein's hooks begin\n"
	endMark   = "# checkrein's hooks end\n"
)

// requirements is the form of requirements.toml: the entries are a block of their own at its end.
type requirements struct {
	dir string // of the hooks' program; Codex skips the hooks if it does not exist
}

// Find implements [install.Form].
func (requirements) Find(src []byte) ([]install.Entry, error) {
	doc, err := tomldoc.Parse(src)
	if err != nil {
		return nil, fmt.Errorf("%w: correct the file first", err)
	}
	var out []install.Entry
	for i, t := range doc {
		line, _ := tomldoc.Lookup(t.Values, []string{"command"})
		if _, ok := hostfiles.OwnProgram(line, "codex"); !ok || len(t.Path) != 3 || t.Path[0] != "hooks" || t.Path[2] != "hooks" {
			continue
		}
		e := install.Entry{Event: t.Path[1], Command: line}
		timeout, _ := tomldoc.Lookup(t.Values, []string{"timeout"})
		e.Timeout, _ = strconv.Atoi(timeout)
		if m, _ := tomldoc.Lookup(doc[i-1].Values, []string{"matcher"}); m != "" && m != ".*" && m != "*" {
			e.Narrowed = "matcher " + strconv.Quote(m)
		}
		out = append(out, e)
	}
	return out, nil
}

// Put implements [install.Form].
func (f requirements) Put(src []byte, want []install.Entry) ([]byte, error) {
	out, err := f.Drop(src)
	if err != nil {
		return nil, err
	}
	out = bytes.Clone(out)
	doc, err := tomldoc.Parse(out)
	if err != nil {
		return nil, fmt.Errorf("%w: correct the file first", err)
	}
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	block := bytes.NewBufferString(beginMark)
	switch {
	case doc.Get("features", "hooks") == "false":
		return nil, errors.New("it turns hooks off ([features] hooks = false): remove that first")
	case !hasTable(doc, "features"):
		fmt.Fprintf(block, "[features]\nhooks = true\n\n")
	}
	switch {
	case doc.Get("hooks", "managed_dir") != "":
	case hasTable(doc, "hooks"):
		return nil, errors.New("its table [hooks] names no managed_dir, so Codex skips its hooks: add one first")
	default:
		fmt.Fprintf(block, "[hooks]\nmanaged_dir = %s\n\n", install.EncodeJSON(f.dir))
	}
	for _, e := range want {
		fmt.Fprintf(block, "[[hooks.%[1]s]]\n[[hooks.%[1]s.hooks]]\ntype = \"command\"\ncommand = %s\ntimeout = %d\n\n", e.Event, install.EncodeJSON(e.Command), e.Timeout)
	}
	block.WriteString(endMark)
	return append(out, block.Bytes()...), nil
}

// hasTable reports whether doc has a table or a value called name, other than the tables below it.
func hasTable(doc tomldoc.Doc, name string) bool {
	return slices.ContainsFunc(doc, func(t tomldoc.Table) bool {
		return len(t.Path) == 1 && t.Path[0] == name ||
			len(t.Path) == 0 && slices.ContainsFunc(t.Values, func(v tomldoc.Value) bool { return v.Key[0] == name })
	})
}

// Drop implements [install.Form].
func (requirements) Drop(src []byte) ([]byte, error) {
	before, rest, ok := strings.Cut(string(src), beginMark)
	if !ok {
		return src, nil
	}
	_, after, ok := strings.Cut(rest, endMark)
	if !ok {
		return nil, fmt.Errorf("the line %q is missing: remove checkrein's hooks yourself", strings.TrimSpace(endMark))
	}
	if out := before + after; strings.TrimSpace(out) != "" {
		return []byte(out), nil
	}
	return nil, nil
}
