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

// A View reads an event's fields for conditions and caches expensive ones, so that many conditions on
// one event share them. It is not safe for concurrent use.
type View struct {
	ev        *checkrein.Event
	home      string
	judge     func(*checkrein.Event) Acts
	command   []string
	resolve   func(ev *checkrein.Event, path string) string
	paths     []string
	callPaths []callPath // parallel to paths
	touched   int        // number of paths that are arguments or affected, and not only named in a command
	resolved  int        // number of paths whose symlinks were resolved
	steps     int
	acts      Acts
	read      struct{ command, paths, acts bool }
}

// ViewOf returns a view of ev. A leading ~ in a path stands for home. The function judge returns what
// a tool call does; if it is nil, that is unknown.
func ViewOf(ev *checkrein.Event, home string, judge func(*checkrein.Event) Acts) View {
	return View{ev: ev, home: home, judge: judge}
}

// WithResolver returns a copy of v that resolves symlinks in absolute paths with resolve. If that is
// nil, symlinks are not resolved.
func (v View) WithResolver(resolve func(ev *checkrein.Event, path string) string) View {
	v.resolve = resolve
	return v
}

// A value is the value of a field: a string, a list of strings, or raw JSON.
type value struct {
	text string
	list []string
	raw  []byte
	kind valueKind
}

type valueKind uint8

const (
	absent valueKind = iota
	isText
	isList
	isRaw
)

// textValue returns the value s, or an absent value if s is empty.
func textValue(s string) value {
	if s == "" {
		return value{}
	}
	return value{text: s, kind: isText}
}

// listValue returns the value l, or an absent value if l is empty.
func listValue(l []string) value {
	if len(l) == 0 {
		return value{}
	}
	return value{list: l, kind: isList}
}

// rawValue returns the JSON value b, or an absent value if b is nil or null.
func rawValue(b []byte) value {
	if b == nil || rawjson.Kind(b) == 'n' {
		return value{}
	}
	if s, ok := rawjson.Text(b); ok {
		return value{text: s, kind: isText}
	}
	return value{raw: b, kind: isRaw}
}

// A field is a row of the table of fields that conditions can test.
type field struct {
	name string
	typ  fieldType
	// on reports whether events with the given contract have the field.
	on  func(*checkrein.Contract) bool
	get func(v *View, rest string) value
}

type fieldType uint8

const (
	textField fieldType = iota
	pathField           // a text that is a path, or a list of them
	numberField
	boolField
	anyField // the type depends on the event
)

// These are named functions, not closures, so that the table below is static data
// and costs nothing at program start.
func onAny(*checkrein.Contract) bool       { return true }
func onTool(c *checkrein.Contract) bool    { return c.Subject == checkrein.SubjectTool }
func onPrompt(c *checkrein.Contract) bool  { return c.Text == "prompt" }
func onReply(c *checkrein.Contract) bool   { return c.Text == "stop_response" }
func onMessage(c *checkrein.Contract) bool { return c.Text == "message" }

// conditionFields lists the fields that conditions can test. "tool_input." stands for all dotted names
// that begin with it. lookupField adds the payload members that the event's contract lists.
var conditionFields = [...]field{
	{"event", textField, onAny, func(v *View, _ string) value { return textValue(v.eventName()) }},
	{"host", textField, onAny, func(v *View, _ string) value { return textValue(v.hostName()) }},
	{"session_id", textField, onAny, func(v *View, _ string) value { return textValue(v.ev.Session.ID) }},
	{"cwd", pathField, onAny, func(v *View, _ string) value { return textValue(v.ev.Session.Dir) }},
	{"agent", textField, onAny, func(v *View, _ string) value { return textValue(v.ev.Session.ActiveAgent()) }},
	{"tool_name", textField, onTool, func(v *View, _ string) value { return textValue(v.toolName()) }},
	{"tool", textField, onTool, func(v *View, _ string) value { return textValue(v.canonicalTool()) }},
	{"tool_input.", anyField, onTool, (*View).toolInput},
	{"tool_response", anyField, onTool, func(v *View, _ string) value { return v.toolOutput() }},
	{"tool_error", boolField, onTool, func(v *View, _ string) value { return v.toolError() }},
	{"command", textField, onTool, func(v *View, _ string) value { return v.commandLine() }},
	{"paths", pathField, onTool, func(v *View, _ string) value { return v.pathList() }},
	{"effects", textField, onTool, func(v *View, _ string) value { return listValue(v.toolActs().Effects) }},
	{"radius", textField, onTool, func(v *View, _ string) value { return textValue(v.toolActs().Radius) }},
	{"prompt", textField, onPrompt, func(v *View, _ string) value { return textValue(v.ev.Text) }},
	{"response", textField, onReply, func(v *View, _ string) value { return textValue(v.ev.Text) }},
	{"message", textField, onMessage, func(v *View, _ string) value { return textValue(v.ev.Text) }},
}

// lookupField returns the field called name of events with the contract row. For a dotted name such as
// tool_input.command, rest is the part after the field's own name.
func lookupField(name []byte, row *checkrein.Contract) (f *field, rest string, ok bool) {
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
		return &field{row.Text, textField, onAny, func(v *View, _ string) value { return textValue(v.ev.Text) }}, "", true
	}
	for _, n := range row.Fields {
		if n == string(name) {
			return &field{n, payloadFieldType(n), onAny, (*View).payloadMember}, n, true
		}
	}
	return nil, "", false
}

// payloadFieldType returns the type of the payload member name, or anyField if it is unknown.
func payloadFieldType(name string) fieldType {
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

// FieldNames returns the names of the fields that conditions on events with the contract row may test.
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

// canonicalTool returns the canonical name of the tool, or the host's name if it has none, or "" if
// the event has no tool.
func (v *View) canonicalTool() string {
	if v.ev.Tool == nil {
		return ""
	}
	if v.ev.Tool.Canonical == "" {
		return v.ev.Tool.Name
	}
	return v.ev.Tool.Canonical
}

// toolInput returns the argument at the dotted path. Its first element may be any host's name for the
// argument.
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
	return rawValue(val)
}

func (v *View) toolOutput() value {
	if v.ev.Tool == nil {
		return value{}
	}
	return rawValue(v.ev.Tool.Output)
}

func (v *View) toolError() value {
	if v.ev.Tool == nil || !v.ev.Tool.Failed {
		return value{raw: []byte("false"), kind: isRaw}
	}
	return value{raw: []byte("true"), kind: isRaw}
}

// payloadMember returns the payload member name of the event.
func (v *View) payloadMember(name string) value { return rawValue(v.ev.Detail(name)) }

// commandLine returns the command of the call as a string, or as a list if the call has several.
func (v *View) commandLine() value {
	if !v.read.command && v.ev.Tool != nil {
		v.command, v.read.command = v.ev.Tool.Commands(), true
	}
	if len(v.command) == 1 {
		return textValue(v.command[0])
	}
	return listValue(v.command)
}

// toolActs returns what the tool call does. The result is zero if that is unknown.
func (v *View) toolActs() *Acts {
	if !v.read.acts && v.ev.Tool != nil && v.judge != nil {
		v.acts, v.read.acts = v.judge(v.ev), true
	}
	return &v.acts
}

// CachedActs returns what the tool call does, or nil if no condition needed it.
func (v *View) CachedActs() *Acts {
	if !v.read.acts {
		return nil
	}
	acts := v.acts
	return &acts
}

// addNamed adds the paths that the call names to acts.Paths and v.paths.
func (v *View) addNamed(acts *Acts) {
	acts.Paths = slices.Clone(acts.Paths)
	for _, p := range acts.Named() {
		if !slices.Contains(acts.Paths, p) {
			acts.Paths = append(acts.Paths, p)
			v.paths = append(v.paths, p)
		}
	}
	acts.Named = nil
}

// pathList returns the cleaned paths in the call's arguments, and those that its commands affect and name.
func (v *View) pathList() value {
	if !v.read.paths && v.ev.Tool != nil {
		acts := v.toolActs()
		v.paths, v.read.paths = append(v.ev.Tool.Paths(), acts.Paths...), true
		v.touched = len(v.paths)
		if acts.Named != nil {
			v.addNamed(acts)
		}
		v.callPaths = make([]callPath, len(v.paths))
		for i, p := range v.paths {
			v.callPaths[i].raw, v.paths[i] = p, cleanPath(p)
		}
	}
	return listValue(v.paths)
}

// cleanPath resolves . and .. in p lexically, so that different spellings of a path compare equal. It
// keeps a trailing slash.
func cleanPath(p string) string {
	out := path.Clean(filepath.ToSlash(p))
	if strings.HasSuffix(p, "/") && out != "/" {
		out += "/"
	}
	return out
}

// absPath returns p as an absolute, clean path, without following symlinks. A relative path stays
// relative if the session's directory is unknown.
func (v *View) absPath(p string) string { return path.Clean(v.absUnclean(p)) }

// absUnclean is like absPath, but keeps . and .., whose meaning depends on symlinks.
func (v *View) absUnclean(p string) string {
	p = filepath.ToSlash(p)
	if p == "~" || strings.HasPrefix(p, "~/") {
		p = filepath.ToSlash(v.home) + p[1:]
	}
	if !path.IsAbs(p) && !filepath.IsAbs(p) && v.ev.Session.Dir != "" {
		p = filepath.ToSlash(v.ev.Session.Dir) + "/" + p
	}
	return p
}

// isUnder reports whether p is dir or lies below it.
func (v *View) isUnder(p, dir string) bool {
	p, dir = v.absPath(p), v.absPath(dir)
	switch dir {
	case "/":
		return strings.HasPrefix(p, "/")
	case ".":
		return !path.IsAbs(p) && !filepath.IsAbs(p) && p != ".." && !strings.HasPrefix(p, "../")
	}
	return p == dir || strings.HasPrefix(p, dir+"/")
}
