package tools

import (
	"bytes"
	"strings"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Limits for the arguments of one call. They are larger than tools need. Those for text that runs are
// lower, because judging such text costs more than reading it.
const (
	maxDepth   = 64
	maxValues  = 1 << 16
	maxRuns    = 256
	maxRunText = 1 << 20 // total bytes of text that runs; a single text may have more
	maxChanged = 1 << 12 // paths that are written or deleted
)

// A walker collects the parts of a call.
type walker struct {
	want Role
	out  []Part
	left int // values that may still be read
	runs int // parts with a role of Runs
	size int // the total bytes of these parts
	mods int // paths that are written or deleted
	full bool
	long bool // a path was too long

	decode func(val []byte) string // decodes a JSON string
}

// A member is a member of a JSON object, with the meaning of its key.
type member struct {
	key, val []byte
	means    meaning
}

// A scope holds what the members of an object inherit from the enclosing values.
type scope struct {
	tool  tool
	file  string // the file that content is written to
	key   string // the key of the enclosing list or object
	depth int
	text  bool // all strings in it are content
	data  bool // all strings in it are data
}

// An object is a JSON object whose members are interpreted together.
type object struct {
	scope
	members   []member
	has       uint32 // the set of meanings of its members
	verb      use    // the operation on its paths
	lang      string // the language of its code
	tree      bool   // deletions are recursive
	inner     tool   // the tool of the nested arguments
	typed     bool   // its texts are typed into a program that runs commands
	writes    bool   // some member is written to its path
	args      []string
	argText   string // the arguments of its command, as text
	truncated bool   // it has more arguments than are read
}

// hasAny reports whether o has a member with one of the meanings in list.
func (o *object) hasAny(list ...meaning) bool {
	for _, m := range list {
		if o.has&(1<<m) != 0 {
			return true
		}
	}
	return false
}

// wants reports whether the caller wants one of the roles in r.
func (w *walker) wants(r Role) bool { return w.want&r != 0 }

// addPart adds p if the caller wants it and the limits allow it; beyond the limits it adds an Unread
// part.
func (w *walker) addPart(p Part) {
	if p.Role&(Paths|Dir) != 0 && len(p.Text) > maxPath && !w.shortenPath(&p) {
		return
	}
	switch {
	case !w.wants(p.Role), p.Text == "" && p.Role != Unread:
		return
	case p.Role&Runs != 0:
		w.runs++
		w.size += len(p.Text)
		if w.runs > maxRuns || w.runs > 1 && w.size > maxRunText {
			w.addUnread(p.Key)
			return
		}
	}
	if p.Role&(WritePath|DeletePath) != 0 {
		w.mods++
	}
	if p.Role != Unread && len(w.out) > maxValues || p.Role&(WritePath|DeletePath) != 0 && w.mods > maxChanged {
		w.addUnread(p.Key)
		return
	}
	w.out = append(w.out, p)
}

// shortenPath shortens the path of p to a length that systems accept. If that is impossible, it adds
// the path as data, adds an Unread part the first time, and returns false.
func (w *walker) shortenPath(p *Part) bool {
	short, ok := ShortPath(p.Text)
	if ok {
		p.Text = short
		return true
	}
	if !w.long {
		w.long = true
		w.addPart(Part{Role: Unread, Text: longPath, Key: p.Key})
	}
	w.addPart(Part{Role: Data, Text: p.Text, Key: p.Key})
	return false
}

// addUnread adds an Unread part, unless there is one already.
func (w *walker) addUnread(key string) {
	if !w.full {
		w.full = true
		w.addPart(Part{Role: Unread, Key: key})
	}
}

// walkObject adds the parts of an object.
func (w *walker) walkObject(obj []byte, s scope) {
	if s.depth > maxDepth {
		w.addUnread(s.key)
		return
	}
	var room [4]member // calls usually have few arguments
	o := object{scope: s, members: room[:0]}
	rawjson.EachRaw(obj, func(key, val []byte) bool {
		if w.left--; w.left < 0 {
			return false
		}
		o.members = append(o.members, member{key, val, meaningOf(key)})
		return true
	})
	if w.left < 0 {
		w.addUnread(s.key)
	}
	o.resolveMembers(w.wants(Content))
	for i := range o.members {
		w.walkValue(&o, &o.members[i], o.members[i].val)
	}
}

// resolveMembers sets the fields of o that depend on several members. If files is set, it also finds
// the file to which content is written.
func (o *object) resolveMembers(files bool) {
	o.verb, o.inner = o.tool.verb, o.tool
	for i := range o.members {
		o.has |= 1 << o.members[i].means
	}
	for i := range o.members {
		m := &o.members[i]
		switch m.means {
		case isURL:
			if bytes.HasPrefix(m.val, []byte(`"file:`)) {
				m.means = isPath
			}
		case isCommand:
			runs := o.tool.use&(useShell|useRun) != 0 || o.hasAny(isArgs)
			if !runs && o.hasAny(isPath, isDirPath, isSource) && isEditorCommand(m.val) {
				m.means = isAction
				o.setAction(m.val)
			}
		case isAction:
			if !isRequestMethod(m.val) {
				o.setAction(m.val)
			}
		case isLanguage:
			o.lang = canonicalLanguage(textIfShort(m.val))
		case isToolName:
			o.setInnerTool(m.val)
		case isProse:
			if o.hasAny(isArgs, isInner, isInput) && string(m.key) == "name" {
				o.setInnerTool(m.val)
			}
		case isRecursive:
			o.tree = string(m.val) == "true" || string(m.val) == `"true"`
		case isPath, isDirPath:
			if files && o.file == "" || files && o.depth > 0 {
				if s, ok := rawjson.Text(m.val); ok {
					o.file, _ = ShortPath(fromFileURL(s))
				}
			}
		}
	}
	o.has = 0
	for i := range o.members {
		o.has |= 1 << o.members[i].means
	}
	if o.lang == "" {
		o.lang = o.tool.lang
	}
	o.tree = o.tree || o.tool.use&useTree != 0
	looks := useRead | useSearch | useLook
	o.writes = o.verb&looks == 0 && (o.verb != 0 || o.hasAny(isContent, isPatch, isInput, isText))
	o.typed = o.tool.use&useShell != 0 && o.verb&looks == 0 && !o.hasAny(isCommand, isCommands, isProgram, isCode)
}

// setAction sets the verb if val names an operation.
func (o *object) setAction(val []byte) {
	var t tool
	t.addName(textIfShort(val))
	if t.verb != 0 {
		o.verb, o.tool.verb, o.inner.verb = t.verb, t.verb, t.verb
		o.tool.use |= t.use & useLink
	}
	o.tree = o.tree || t.use&useTree != 0
}

// setInnerTool sets the tool of the nested arguments to the one with the name val.
func (o *object) setInnerTool(val []byte) {
	if name := textIfShort(val); name != "" {
		o.inner = parseTool(name, "")
	}
}

// textIfShort returns the text of val if that is a short string, or "".
func textIfShort(val []byte) string {
	if len(val) > 2*maxName {
		return ""
	}
	s, _ := rawjson.Text(val)
	return s
}

// walkValue adds the parts of val, which is the value of m or an element of it.
func (w *walker) walkValue(o *object, m *member, val []byte) {
	switch rawjson.Kind(val) {
	case '"':
		w.addString(o, m, val)
	case '[':
		w.walkList(o, m, val)
	case '{':
		w.walkObject(val, o.childScope(m))
	}
}

// childScope returns the scope of the values inside m.
func (o *object) childScope(m *member) scope {
	s := scope{tool: o.tool, file: o.file, key: string(m.key), depth: o.depth + 1, text: o.text, data: o.data}
	switch m.means {
	case isInner, isArgs, isInput:
		s.tool = o.inner
	case isContent:
		s.text = s.text || o.writes
	case isFilter, isQuery:
		s.data = true
	case isOther:
		if verb, ok := verbNamed(string(m.key)); ok && verb.verb&useDelete != 0 {
			s.tool.verb = verb.verb
		}
	}
	return s
}

// walkList adds a list of words as a command if it is one, and otherwise the parts of each element.
func (w *walker) walkList(o *object, m *member, val []byte) {
	if argv, plain := wordList(val); plain && !o.data && w.addArgv(o, m, argv) {
		return
	}
	withCommand := m.means == isArgs && o.hasAny(isCommand, isProgram) // words are added with the command
	if o.depth >= maxDepth {
		w.addUnread(string(m.key))
		return
	}
	deeper := *o
	deeper.depth++
	rawjson.Elements(val, func(_ int, v []byte) bool {
		if w.left--; w.left < 0 {
			w.addUnread(string(m.key))
			return false
		}
		if kind := rawjson.Kind(v); !withCommand || kind == '{' || kind == '[' {
			w.walkValue(&deeper, m, v)
		}
		return true
	})
}

// addArgv adds argv as a command if it is one. It reports whether the elements need not be read one by
// one.
func (w *walker) addArgv(o *object, m *member, argv []string) (done bool) {
	switch m.means {
	case isCommand:
		if o.tool.use&usePatch != 0 {
			return false
		}
	case isArgs:
		switch {
		case o.hasAny(isCommand, isProgram): // added together with the command
			return true
		case o.tool.program != "":
			argv = append([]string{o.tool.program}, argv...)
		case !isArgv(argv):
			return w.addVerbArgs(o, m, argv)
		}
	case isCommands, isOther, isInput, isInner:
		if !isArgv(argv) {
			return false
		}
	default:
		return false
	}
	w.addPart(Part{Role: Argv, Text: joinQuoted(argv), Argv: argv, Key: string(m.key)})
	// If the first element has several words, the list may hold several commands.
	return !strings.ContainsAny(argv[0], " \t\n")
}

// wordList returns the strings, numbers and booleans of a list, and reports whether it has only such
// elements and the first is not empty.
func wordList(list []byte) ([]string, bool) {
	var out []string
	plain := true
	rawjson.Elements(list, func(i int, v []byte) bool {
		switch rawjson.Kind(v) {
		case '"':
			s, _ := rawjson.Text(v)
			out = append(out, s)
		case '0', 'b':
			out = append(out, string(v))
		default:
			plain = false
		}
		return i < maxValues
	})
	return out, plain && len(out) > 0 && len(out) <= maxValues && out[0] != ""
}

// addString adds a string with the role that the meaning of its name determines.
func (w *walker) addString(o *object, m *member, val []byte) {
	switch {
	case o.text:
		w.addText(Content, o, m, val)
		return
	case o.data:
		w.addText(Data, o, m, val)
		return
	}
	switch m.means {
	case isCommand, isCommands:
		w.addCommand(o, m, val)
	case isProgram:
		if o.hasAny(isArgs) || o.typed {
			w.addCommand(o, m, val)
		} else {
			w.addText(Data, o, m, val)
		}
	case isArgs, isInner:
		w.addArgs(o, m, val)
	case isCode:
		w.addCode(o, m, val)
	case isSQL:
		if o.tool.use&useSearch != 0 {
			w.addText(Data, o, m, val)
		} else {
			w.addText(SQL, o, m, val)
		}
	case isQuery:
		w.addQuery(o, m, val)
	case isPath, isDirPath, isDir, isOutPath, isSource, isDest:
		w.addPath(o, m, val)
	case isContent, isNew:
		w.addContent(o, m, val)
	case isPatch:
		w.addPatch(o, m, val)
	case isURL:
		w.addURL(o, m, val)
	case isPayload:
		w.addPayload(o, m, val)
	case isInput, isText:
		w.addInput(o, m, val)
	case isOther:
		w.addByForm(o, m, val)
	default:
		w.addText(Data, o, m, val)
	}
}

// addText adds the string val with this role.
func (w *walker) addText(role Role, o *object, m *member, val []byte) {
	if !w.wants(role) {
		return
	}
	p := Part{Role: role, Text: w.decode(val), Key: string(m.key)}
	if role == Content {
		p.Path = o.file
	}
	w.addPart(p)
}
