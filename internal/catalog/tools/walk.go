package tools

import (
	"bytes"
	"strings"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Limits of what is read of one call, larger than tools need. Judging executed text
// costs more than reading it.
const (
	maxDepth   = 64
	maxValues  = 1 << 16
	maxRuns    = 256
	maxRunText = 1 << 20 // bytes; a single text may have more
	maxChanged = 1 << 12 // paths that are written or deleted
)

// A walker visits the arguments of a call.
type walker struct {
	want Role
	out  []Part
	left int // values that may still be read
	runs int // parts that run
	size int // the bytes of these parts
	mods int // paths that are written or deleted
	full bool
	long bool // a path is too long

	decode func(val []byte) string // decodes a JSON string
}

// A member is a member of an object with the meaning of its name.
type member struct {
	key, val []byte
	means    meaning
}

// A scope holds what the members of an object inherit.
type scope struct {
	tool  tool
	file  string // the file that content is written to
	key   string // the key of the enclosing list or object
	depth int
	text  bool // all of it is content
	data  bool // all of it is data
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

// hasAny reports whether the object has a member with one of the meanings.
func (o *object) hasAny(list ...meaning) bool {
	for _, m := range list {
		if o.has&(1<<m) != 0 {
			return true
		}
	}
	return false
}

// wants reports whether one of the roles is wanted.
func (w *walker) wants(r Role) bool { return w.want&r != 0 }

// addPart adds p if it is wanted and within the limits.
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
// an Unread part once and returns false.
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

// addUnread adds, once, an Unread part.
func (w *walker) addUnread(key string) {
	if !w.full {
		w.full = true
		w.addPart(Part{Role: Unread, Key: key})
	}
}

// walkObject adds the members of an object.
func (w *walker) walkObject(obj []byte, s scope) {
	if s.depth > maxDepth {
		w.addUnread(s.key)
		return
	}
	var room [4]member // a call has a few arguments
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

// resolveMembers interprets the members of an object together. If files is set, it finds the file that
// content is written to.
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
			if o.hasAny(isPath, isDirPath, isSource) && isMode(m.val) {
				m.means = isAction
				o.setAction(m.val)
			}
		case isAction:
			o.setAction(m.val)
		case isLanguage:
			o.lang = canonicalLanguage(shortText(m.val))
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

// setAction sets the verb from a word that names an operation.
func (o *object) setAction(val []byte) {
	var t tool
	t.addName(shortText(val))
	if t.verb != 0 {
		o.verb = t.verb
	}
	o.tree = o.tree || t.use&useTree != 0
}

// setInnerTool sets the tool of the nested arguments.
func (o *object) setInnerTool(val []byte) {
	if name := shortText(val); name != "" {
		o.inner = parseTool(name, "")
	}
}

// shortText returns a text of a word or two, or "" for any other value.
func shortText(val []byte) string {
	if len(val) > 2*maxName {
		return ""
	}
	s, _ := rawjson.Text(val)
	return s
}

// walkValue adds a member, or an element of its list.
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

// childScope returns the scope of the values in a member.
func (o *object) childScope(m *member) scope {
	s := scope{tool: o.tool, file: o.file, key: string(m.key), depth: o.depth + 1, text: o.text, data: o.data}
	switch m.means {
	case isInner, isArgs, isInput:
		s.tool = o.inner
	case isContent:
		s.text = s.text || o.writes
	case isFilter, isQuery:
		s.data = true
	}
	return s
}

// walkList adds the elements of a list, or the list as a command.
func (w *walker) walkList(o *object, m *member, val []byte) {
	if argv, plain := wordList(val); plain && !o.data && w.addArgv(o, m, argv) {
		return
	}
	withCommand := m.means == isArgs && o.hasAny(isCommand, isProgram) // the command includes them
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

// addArgv adds a list of words as a command if it is one. It reports whether the list needs no further
// reading.
func (w *walker) addArgv(o *object, m *member, argv []string) (done bool) {
	switch m.means {
	case isCommand:
		if o.tool.use&usePatch != 0 {
			return false
		}
	case isArgs:
		switch {
		case o.hasAny(isCommand, isProgram): // read together with the command
			return true
		case o.tool.program != "":
			argv = append([]string{o.tool.program}, argv...)
		case !isArgv(argv):
			return false
		}
	case isCommands, isOther, isInput, isInner:
		if !isArgv(argv) {
			return false
		}
	default:
		return false
	}
	w.addPart(Part{Role: Argv, Text: joinQuoted(argv), Argv: argv, Key: string(m.key)})
	// Some tools take several commands under this name.
	return !strings.ContainsAny(argv[0], " \t\n")
}

// wordList returns the words of a list, and whether it contains nothing else. Numbers count as words.
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

// addString adds a text by the meaning of its name.
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
		w.addUnnamed(o, m, val)
	default:
		w.addText(Data, o, m, val)
	}
}

// addText adds a text with a role.
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
