package match

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/fields"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A View reads an event's fields for conditions and remembers what is costly
// to read, so that many conditions on one event share it. It is not safe for
// concurrent use.
type View struct {
	ev      *checkrein.Event
	home    string
	judge   func(*checkrein.Event) checkrein.Acts
	command []string
	real    func(ev *checkrein.Event, path string) string
	paths   []string
	spots   []spot // of paths
	gone    int    // of them that links were gone after, in so many steps
	steps   int
	acts    checkrein.Acts
	read    struct{ command, paths, acts bool }
}

// ViewOf returns a view of ev. Home is what a leading ~ in a path means; judge
// says what a tool call does, nil = nobody can tell.
func ViewOf(ev *checkrein.Event, home string, judge func(*checkrein.Event) checkrein.Acts) View {
	return View{ev: ev, home: home, judge: judge}
}

// Through is the view with someone who goes along the links in a full path; nil =
// nobody does.
func (v View) Through(real func(ev *checkrein.Event, path string) string) View {
	v.real = real
	return v
}

// A value is a field's value: a text, a list of texts, or raw JSON.
type value struct {
	text string
	list []string
	raw  []byte
	is   valueIs
}

type valueIs uint8

const (
	absent valueIs = iota
	isText
	isList
	isRaw
)

func text(s string) value {
	if s == "" {
		return value{}
	}
	return value{text: s, is: isText}
}

func list(l []string) value {
	if len(l) == 0 {
		return value{}
	}
	return value{list: l, is: isList}
}

func raw(b []byte) value {
	if b == nil || rawjson.Kind(b) == 'n' {
		return value{}
	}
	if s, ok := rawjson.Text(b); ok {
		return value{text: s, is: isText}
	}
	return value{raw: b, is: isRaw}
}

// A field is a row of the table of what conditions can ask about.
type field struct {
	name string
	typ  fieldType
	// on lists which events have it.
	on  func(*checkrein.Contract) bool
	get func(v *View, rest string) value
}

type fieldType uint8

const (
	textField fieldType = iota
	pathField           // a text that is a path, or a list of them
	numberField
	boolField
	anyField // known only when the event is there
)

// Named functions rather than closures: the table below is then static data
// and costs nothing at start.
func always(*checkrein.Contract) bool      { return true }
func onTool(c *checkrein.Contract) bool    { return c.Subject == checkrein.SubjectTool }
func onPrompt(c *checkrein.Contract) bool  { return c.Text == "prompt" }
func onReply(c *checkrein.Contract) bool   { return c.Text == "stop_response" }
func onMessage(c *checkrein.Contract) bool { return c.Text == "message" }

// conditionFields is that table. tool_input.… is one row; payload members of the
// event's own row are added by lookup.
var conditionFields = [...]field{
	{"event", textField, always, func(v *View, _ string) value { return text(v.eventName()) }},
	{"host", textField, always, func(v *View, _ string) value { return text(v.hostName()) }},
	{"session_id", textField, always, func(v *View, _ string) value { return text(v.ev.Session.ID) }},
	{"cwd", pathField, always, func(v *View, _ string) value { return text(v.ev.Session.Dir) }},
	{"agent", textField, always, func(v *View, _ string) value { return text(v.ev.Session.ActiveAgent()) }},
	{"tool_name", textField, onTool, func(v *View, _ string) value { return text(v.toolName()) }},
	{"tool", textField, onTool, func(v *View, _ string) value { return text(v.tool()) }},
	{"tool_input.", anyField, onTool, (*View).toolInput},
	{"tool_response", anyField, onTool, func(v *View, _ string) value { return v.toolOutput() }},
	{"tool_error", boolField, onTool, func(v *View, _ string) value { return v.toolError() }},
	{"command", textField, onTool, func(v *View, _ string) value { return v.commandLine() }},
	{"paths", pathField, onTool, func(v *View, _ string) value { return v.pathList() }},
	{"effects", textField, onTool, func(v *View, _ string) value { return list(v.does().Effects) }},
	{"radius", textField, onTool, func(v *View, _ string) value { return text(v.does().Radius) }},
	{"prompt", textField, onPrompt, func(v *View, _ string) value { return text(v.ev.Text) }},
	{"response", textField, onReply, func(v *View, _ string) value { return text(v.ev.Text) }},
	{"message", textField, onMessage, func(v *View, _ string) value { return text(v.ev.Text) }},
}

// lookup finds the field that name means on the events of a row, and what
// follows in a dotted name.
func lookup(name []byte, row *checkrein.Contract) (f *field, rest string, ok bool) {
	for i := range conditionFields {
		f := &conditionFields[i]
		if strings.HasSuffix(f.name, ".") {
			if rest, ok := bytes.CutPrefix(name, []byte(f.name)); ok && len(rest) > 0 && f.on(row) {
				return f, string(rest), true
			}
			continue
		}
		if f.name == string(name) && f.on(row) {
			return f, "", true
		}
	}
	if row.Text == string(name) && row.Text != "" {
		return &field{row.Text, textField, always, func(v *View, _ string) value { return text(v.ev.Text) }}, "", true
	}
	for _, n := range row.Fields {
		if n == string(name) {
			return &field{n, typeOf(n), always, (*View).detail}, n, true
		}
	}
	return nil, "", false
}

func typeOf(name string) fieldType {
	f, ok := fields.Find(name)
	if !ok {
		return anyField
	}
	switch f.Type {
	case fields.StringValue:
		return textField
	case fields.NumberValue:
		return numberField
	case fields.BoolValue:
		return boolField
	}
	return anyField
}

// FieldNames lists the fields that conditions on a row may use.
func FieldNames(row *checkrein.Contract) []string {
	var out []string
	for _, f := range conditionFields {
		if f.on(row) {
			out = append(out, strings.TrimSuffix(f.name, ".")+strings.Repeat(".NAME", strings.Count(f.name, ".")))
		}
	}
	if row.Text != "" && !slices.Contains(out, row.Text) {
		out = append(out, row.Text)
	}
	return append(out, row.Fields...)
}

func (v *View) eventName() string {
	if v.ev.Kind == checkrein.Other && v.ev.Native != "" {
		return v.ev.Native
	}
	return v.ev.Kind.String()
}

func (v *View) hostName() string {
	if v.ev.Host == "" {
		return "native"
	}
	return v.ev.Host
}

func (v *View) toolName() string {
	if v.ev.Tool == nil {
		return ""
	}
	return v.ev.Tool.Name
}

// tool is the canonical name, or the host's for a tool that has none.
func (v *View) tool() string {
	if v.ev.Tool == nil {
		return ""
	}
	if v.ev.Tool.Canonical == "" {
		return v.ev.Tool.Name
	}
	return v.ev.Tool.Canonical
}

// toolInput reads a dotted path into the arguments. Its first name may be any
// host's word for the argument.
func (v *View) toolInput(dotted string) value {
	if v.ev.Tool == nil {
		return value{}
	}
	head, rest, more := strings.Cut(dotted, ".")
	val, ok := v.ev.Tool.Arg(head)
	for ok && more {
		head, rest, more = strings.Cut(rest, ".")
		val, ok = rawjson.Lookup(val, head)
	}
	if !ok {
		return value{}
	}
	return raw(val)
}

func (v *View) toolOutput() value {
	if v.ev.Tool == nil {
		return value{}
	}
	return raw(v.ev.Tool.Output)
}

func (v *View) toolError() value {
	if v.ev.Tool == nil || !v.ev.Tool.Failed {
		return value{raw: []byte("false"), is: isRaw}
	}
	return value{raw: []byte("true"), is: isRaw}
}

func (v *View) detail(name string) value { return raw(v.ev.Detail(name)) }

// commandLine is a text, or a list when the call says several things.
func (v *View) commandLine() value {
	if !v.read.command && v.ev.Tool != nil {
		v.command, v.read.command = v.ev.Tool.Commands(), true
	}
	if len(v.command) == 1 {
		return text(v.command[0])
	}
	return list(v.command)
}

// does is what the tool call does.
func (v *View) does() *checkrein.Acts {
	if !v.read.acts && v.ev.Tool != nil && v.judge != nil {
		v.acts, v.read.acts = v.judge(v.ev), true
	}
	return &v.acts
}

// Judged is what the tool call does; nil = no condition has asked.
func (v *View) Judged() *checkrein.Acts {
	if !v.read.acts {
		return nil
	}
	acts := v.acts
	return &acts
}

// pathList is what the call names, and what a command line touches.
func (v *View) pathList() value {
	if !v.read.paths && v.ev.Tool != nil {
		v.paths, v.read.paths = append(v.ev.Tool.Paths(), v.does().Paths...), true
		v.spots = make([]spot, len(v.paths))
		for i, p := range v.paths {
			v.spots[i].raw, v.paths[i] = p, clean(p)
		}
	}
	return list(v.paths)
}

// clean takes the . and .. out of a path, by words alone: a path has many
// spellings, and conditions are about the file. A slash at the end stays.
func clean(p string) string {
	out := path.Clean(filepath.ToSlash(p))
	if strings.HasSuffix(p, "/") && out != "/" {
		out += "/"
	}
	return out
}

// abs makes a path absolute by words alone: symbolic links are not followed.
// Where the session's directory is unknown, a relative path stays one.
func (v *View) abs(p string) string { return path.Clean(v.full(p)) }

// full is abs with . and .. left in: they mean what links make of them.
func (v *View) full(p string) string {
	p = filepath.ToSlash(p)
	if p == "~" || strings.HasPrefix(p, "~/") {
		p = filepath.ToSlash(v.home) + p[1:]
	}
	if !path.IsAbs(p) && !filepath.IsAbs(p) && v.ev.Session.Dir != "" {
		p = filepath.ToSlash(v.ev.Session.Dir) + "/" + p
	}
	return p
}

// under reports whether p is dir or lies below it.
func (v *View) under(p, dir string) bool {
	p, dir = v.abs(p), v.abs(dir)
	switch dir {
	case "/":
		return strings.HasPrefix(p, "/")
	case ".":
		return !path.IsAbs(p) && !filepath.IsAbs(p) && p != ".." && !strings.HasPrefix(p, "../")
	}
	return p == dir || strings.HasPrefix(p, dir+"/")
}
