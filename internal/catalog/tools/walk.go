package tools

import (
	"bytes"
	"strings"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// What is read of one call: deeper, or more, than tools have. What runs is judged,
// which costs more than reading it.
const (
	maxDepth   = 64
	maxValues  = 1 << 16
	maxRuns    = 256
	maxRunText = 1 << 20 // bytes; a single text may have more
	maxChanged = 1 << 12 // paths that are written or deleted
)

// A walker goes through the arguments of a call.
type walker struct {
	want Role
	out  []Part
	left int // values that may still be read
	runs int // parts that run
	size int // of them
	mods int // paths that are written or deleted
	full bool
	long bool // a path is too long

	decode func(val []byte) string // says what a string means
}

// A member is one of an object's, and what its name says.
type member struct {
	key, val []byte
	means    meaning
}

// A scope is what an object's members inherit.
type scope struct {
	tool  tool
	file  string // the file that contents go to
	key   string // of the list or object that this lies in
	depth int
	text  bool // all of it is content
	data  bool // all of it is data
}

// An object is one whose members are read together: each says what others are.
type object struct {
	scope
	members []member
	has     uint32 // the meanings that it has
	verb    use    // what is done to its paths
	lang    string // of its code
	tree    bool   // deletions take everything below
	inner   tool   // whose arguments lie in it
	typed   bool   // its texts are typed into a program that runs commands
	writes  bool   // something in it is put into its path
	args    []string
	argText string // the words of its command, as text
	cut     bool   // it has more of them than are read
}

func (o *object) got(list ...meaning) bool {
	for _, m := range list {
		if o.has&(1<<m) != 0 {
			return true
		}
	}
	return false
}

func (w *walker) wants(r Role) bool { return w.want&r != 0 }

func (w *walker) add(p Part) {
	if p.Role&(Paths|Dir) != 0 && len(p.Text) > maxPath && !w.shorten(&p) {
		return
	}
	switch {
	case !w.wants(p.Role), p.Text == "" && p.Role != Unread:
		return
	case p.Role&Runs != 0:
		w.runs++
		w.size += len(p.Text)
		if w.runs > maxRuns || w.runs > 1 && w.size > maxRunText {
			w.unread(p.Key)
			return
		}
	}
	if p.Role&(WritePath|DeletePath) != 0 {
		w.mods++
	}
	if p.Role != Unread && len(w.out) > maxValues || p.Role&(WritePath|DeletePath) != 0 && w.mods > maxChanged {
		w.unread(p.Key)
		return
	}
	w.out = append(w.out, p)
}

// shorten makes a path one that a system takes, or says once that there is one of
// which nobody can tell where it leads.
func (w *walker) shorten(p *Part) bool {
	short, ok := ShortPath(p.Text)
	if ok {
		p.Text = short
		return true
	}
	if !w.long {
		w.long = true
		w.add(Part{Role: Unread, Text: longPath, Key: p.Key})
	}
	w.add(Part{Role: Data, Text: p.Text, Key: p.Key})
	return false
}

// unread reports once that something was left out.
func (w *walker) unread(key string) {
	if !w.full {
		w.full = true
		w.add(Part{Role: Unread, Key: key})
	}
}

func (w *walker) object(obj []byte, s scope) {
	if s.depth > maxDepth {
		w.unread(s.key)
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
		w.unread(s.key)
	}
	o.look(w.wants(Content))
	for i := range o.members {
		w.value(&o, &o.members[i], o.members[i].val)
	}
}

// look takes in what an object's members say of each other.
func (o *object) look(files bool) {
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
			if o.got(isPath, isDirPath, isSource) && isMode(m.val) {
				m.means = isAction
				o.action(m.val)
			}
		case isAction:
			o.action(m.val)
		case isLanguage:
			o.lang = language(short(m.val))
		case isToolName:
			o.innerTool(m.val)
		case isProse:
			if o.got(isArgs, isInner, isInput) && string(m.key) == "name" {
				o.innerTool(m.val)
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
	o.writes = o.verb&looks == 0 && (o.verb != 0 || o.got(isContent, isPatch, isInput, isText))
	o.typed = o.tool.use&useShell != 0 && o.verb&looks == 0 && !o.got(isCommand, isCommands, isProgram, isCode)
}

// action takes in a word that says what is to be done.
func (o *object) action(val []byte) {
	var t tool
	t.read(short(val))
	if t.verb != 0 {
		o.verb = t.verb
	}
	o.tree = o.tree || t.use&useTree != 0
}

func (o *object) innerTool(val []byte) {
	if name := short(val); name != "" {
		o.inner = toolOf(name, "")
	}
}

// short is a text of a word or two; "" if it is something else.
func short(val []byte) string {
	if len(val) > 2*maxName {
		return ""
	}
	s, _ := rawjson.Text(val)
	return s
}

// value reads a member, or an element of the list that it is.
func (w *walker) value(o *object, m *member, val []byte) {
	switch rawjson.Kind(val) {
	case '"':
		w.text(o, m, val)
	case '[':
		w.list(o, m, val)
	case '{':
		w.object(val, o.below(m))
	}
}

// below is the scope of what lies in a member.
func (o *object) below(m *member) scope {
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

func (w *walker) list(o *object, m *member, val []byte) {
	if argv, plain := words(val); plain && !o.data && w.argv(o, m, argv) {
		return
	}
	withCommand := m.means == isArgs && o.got(isCommand, isProgram) // which has its words already
	if o.depth >= maxDepth {
		w.unread(string(m.key))
		return
	}
	deeper := *o
	deeper.depth++
	rawjson.Elements(val, func(_ int, v []byte) bool {
		if w.left--; w.left < 0 {
			w.unread(string(m.key))
			return false
		}
		if kind := rawjson.Kind(v); !withCommand || kind == '{' || kind == '[' {
			w.value(&deeper, m, v)
		}
		return true
	})
}

// argv reads a list of words as a command, where it is one.
func (w *walker) argv(o *object, m *member, argv []string) (done bool) {
	switch m.means {
	case isCommand:
		if o.tool.use&usePatch != 0 {
			return false
		}
	case isArgs:
		switch {
		case o.got(isCommand, isProgram): // with which they are read
			return true
		case o.tool.program != "":
			argv = append([]string{o.tool.program}, argv...)
		case !runsWords(argv):
			return false
		}
	case isCommands, isOther, isInput, isInner:
		if !runsWords(argv) {
			return false
		}
	default:
		return false
	}
	w.add(Part{Role: Argv, Text: joined(argv), Argv: argv, Key: string(m.key)})
	// Some tools take several commands under this name.
	return !strings.ContainsAny(argv[0], " \t\n")
}

// words are a list's, and whether it holds nothing else. Numbers are words, too.
func words(list []byte) ([]string, bool) {
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

// text reads one text by what its name says.
func (w *walker) text(o *object, m *member, val []byte) {
	switch {
	case o.text:
		w.plain(Content, o, m, val)
		return
	case o.data:
		w.plain(Data, o, m, val)
		return
	}
	switch m.means {
	case isCommand, isCommands:
		w.command(o, m, val)
	case isProgram:
		if o.got(isArgs) || o.typed {
			w.command(o, m, val)
		} else {
			w.plain(Data, o, m, val)
		}
	case isArgs, isInner:
		w.args(o, m, val)
	case isCode:
		w.code(o, m, val)
	case isSQL:
		if o.tool.use&useSearch != 0 {
			w.plain(Data, o, m, val)
		} else {
			w.plain(SQL, o, m, val)
		}
	case isQuery:
		w.query(o, m, val)
	case isPath, isDirPath, isDir, isOutPath, isSource, isDest:
		w.path(o, m, val)
	case isContent, isNew:
		w.content(o, m, val)
	case isPatch:
		w.patch(o, m, val)
	case isURL:
		w.address(o, m, val)
	case isPayload:
		w.sent(o, m, val)
	case isInput, isText:
		w.input(o, m, val)
	case isOther:
		w.other(o, m, val)
	default:
		w.plain(Data, o, m, val)
	}
}

// plain adds a text as it is.
func (w *walker) plain(role Role, o *object, m *member, val []byte) {
	if !w.wants(role) {
		return
	}
	p := Part{Role: role, Text: w.decode(val), Key: string(m.key)}
	if role == Content {
		p.Path = o.file
	}
	w.add(p)
}
