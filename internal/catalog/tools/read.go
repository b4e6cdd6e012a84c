package tools

import (
	pathpkg "path"
	"strings"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// command reads a command, with the words that another member has for it.
func (w *walker) command(o *object, m *member, val []byte) {
	if o.tool.use&usePatch != 0 {
		w.patch(o, m, val)
		return
	}
	if o.lang != "" && !isShell(o.lang) && (o.got(isLanguage) || string(m.key) == "script") {
		w.code(o, m, val)
		return
	}
	if !w.wants(Command | Argv) {
		return
	}
	s, _ := rawjson.Text(val)
	if s == "" {
		return
	}
	text, argv := o.withArgs(s)
	if o.cut {
		w.unread(string(m.key))
	}
	first, _, _ := strings.Cut(s, " ")
	if name := o.tool.program; name != "" && first != name {
		w.add(Part{Role: Command, Text: name + " " + text, Key: string(m.key)})
		if !isHead(first) { // git {"command":"rm x"} may be either
			return
		}
	}
	p := Part{Role: Command, Text: text, Key: string(m.key), Lang: shellLang(o.lang)}
	if argv != nil {
		p.Role, p.Argv = Argv, argv
	}
	w.add(p)
}

// withArgs puts the words of a command behind it: {"command":"rm","args":["-rf"]}.
func (o *object) withArgs(command string) (text string, argv []string) {
	if !o.got(isArgs) {
		return command, nil
	}
	if o.argText == "" {
		o.readArgs()
	}
	if o.args != nil && !strings.ContainsAny(command, " \t\n") {
		argv = append([]string{command}, o.args...)
	}
	return command + o.argText, argv
}

// readArgs reads the words of an object's command.
func (o *object) readArgs() {
	for i := range o.members {
		m := &o.members[i]
		if m.means != isArgs {
			continue
		}
		if s, ok := rawjson.Text(m.val); ok {
			if s != "" && s[0] != '{' {
				o.argText, o.args = o.argText+" "+s, nil
			}
		} else if list, _ := words(m.val); len(list) > 0 {
			if o.args = list; o.argText != "" {
				o.args = nil // there are more
			}
			o.argText += " " + joined(list)
		}
		if len(o.argText) > maxInner {
			o.cut = true
			return
		}
	}
}

// args reads arguments of a tool that come as text.
func (w *walker) args(o *object, m *member, val []byte) {
	s, _ := rawjson.Text(val)
	if head := strings.TrimLeft(s, " \t\r\n"); head != "" && (head[0] == '{' || head[0] == '[') && rawjson.Check([]byte(head)) == nil {
		if len(s) > maxInner {
			w.unread(string(m.key))
			return
		}
		o.depth++
		w.value(o, &member{m.key, nil, isInner}, []byte(head))
		o.depth--
		return
	}
	switch {
	case m.means == isArgs && o.got(isCommand, isProgram): // with which it is read
	case m.means == isArgs && o.tool.program != "":
		w.add(Part{Role: Command, Text: o.tool.program + " " + s, Key: string(m.key)})
	default:
		w.add(Part{Role: Data, Text: s, Key: string(m.key)})
	}
}

// maxInner bounds arguments inside of a text.
const maxInner = 1 << 20

// code reads code, unless the tool only looks at it or stores it.
func (w *walker) code(o *object, m *member, val []byte) {
	runs := o.tool.use&(useRun|useShell) != 0
	switch {
	case !runs && o.verb&useWrite != 0:
		w.content(o, m, val)
		return
	case !runs && o.verb != 0,
		!runs && o.tool.use&useCode == 0 && isTerse(m.key):
		w.plain(Data, o, m, val)
		return
	}
	if !w.wants(Runs | Data) {
		return
	}
	s, _ := rawjson.Text(val)
	p := Part{Role: Code, Text: s, Key: string(m.key), Lang: o.lang}
	if p.Lang == "" {
		p.Lang = keyLang(string(m.key))
	}
	switch {
	case isShell(p.Lang):
		p.Role, p.Lang = Command, shellLang(p.Lang)
	case p.Lang == "sql":
		p.Role, p.Lang = SQL, ""
	case !strings.ContainsAny(s, "(=;\n!%`\"'"): // a country's, a status'
		p.Role, p.Lang = Data, ""
	}
	w.add(p)
	if p.Role != Command && isCommandLine(s) {
		w.add(Part{Role: Command, Text: s, Key: p.Key})
	}
}

// isTerse reports whether a name is one that other things than code have, too.
func isTerse(key []byte) bool {
	switch string(key) {
	case "expression", "expr", "function", "cell":
		return true
	}
	return false
}

// query reads what may be statements or the text of a search.
func (w *walker) query(o *object, m *member, val []byte) {
	if o.tool.use&useSearch == 0 && w.wants(SQL|Data) {
		if s, _ := rawjson.Text(val); isStatement(s, o.tool.use&useData != 0) {
			w.add(Part{Role: SQL, Text: s, Key: string(m.key)})
			return
		}
	}
	w.plain(Data, o, m, val)
}

// path reads a path: what the tool does to it depends on its verb.
func (w *walker) path(o *object, m *member, val []byte) {
	if m.means == isSource && o.tool.use&(useRun|useCode) != 0 && !o.got(isPath, isDest, isOutPath) {
		w.code(o, m, val)
		return
	}
	role := o.pathRole(m.means)
	if !w.wants(role) && (len(val) <= maxPath || !w.wants(Unread)) {
		return
	}
	s, _ := rawjson.Text(val)
	s = fromFileURL(s)
	switch {
	case strings.ContainsRune(s, '\n'):
		if clean := pathpkg.Clean(strings.TrimSpace(s)); !strings.ContainsRune(clean, '\n') {
			s = clean // as hosts take it, who leave out the line's end or the name that it is in
		} else {
			role = Data
		}
	case len(s) > maxPath && (strings.HasPrefix(s, "data:") || !o.tool.known && isEncoded(s)):
		role = Data
	case role&Paths != 0 && isAddress(s):
		if strings.Contains(s, "/../") { // which takes the scheme away, if it is a name
			w.add(Part{Role: role, Text: s, Key: string(m.key), Tree: role == DeletePath && o.tree})
		}
		role = URL
	}
	p := Part{Role: role, Text: s, Key: string(m.key)}
	p.Tree = role == DeletePath && o.tree
	w.add(p)
}

func (o *object) pathRole(m meaning) Role {
	runs := o.tool.use&useShell != 0 || o.got(isCommand, isCommands, isCode)
	files := o.verb & (useWrite | useDelete | useMove | useCopy)
	switch {
	case m == isDir, m == isDirPath && runs:
		return Dir
	case m == isOutPath:
		return WritePath
	case (m == isSource || m == isDest) && files == 0:
		return Data
	case o.verb&useDelete != 0:
		return DeletePath
	case o.verb&useMove != 0:
		return WritePath
	case o.verb&useCopy != 0, o.verb&useWrite != 0 && m == isSource:
		if m == isDest {
			return WritePath
		}
		return ReadPath
	case o.writes:
		return WritePath
	}
	return ReadPath
}

// content reads text that ends up in a file, where the tool writes one.
func (w *walker) content(o *object, m *member, val []byte) {
	switch {
	case m.means == isNew && !o.got(isOld), !o.writes:
		w.plain(Data, o, m, val)
	case o.verb&useWrite != 0 || o.file != "" || o.got(isPath, isOutPath):
		w.plain(Content, o, m, val)
	default:
		w.plain(Data, o, m, val)
	}
}

// address reads an address; one of a file is a path.
func (w *walker) address(o *object, m *member, val []byte) {
	if !w.wants(URL | Paths) {
		return
	}
	s, _ := rawjson.Text(val)
	if strings.HasPrefix(s, "file:") || strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~/") || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") {
		w.path(o, &member{m.key, val, isPath}, val)
		return
	}
	w.add(Part{Role: URL, Text: s, Key: string(m.key)})
}

// sent reads what is sent to an address, if the call has one.
func (w *walker) sent(o *object, m *member, val []byte) {
	if o.got(isURL) {
		w.plain(Payload, o, m, val)
		return
	}
	w.plain(Data, o, m, val)
}

// input reads what is typed into a program, run, written to a file, or sent.
func (w *walker) input(o *object, m *member, val []byte) {
	switch {
	case o.tool.use&usePatch != 0:
		w.patch(o, m, val)
	case o.typed:
		if w.wants(Command) {
			s, _ := rawjson.Text(val)
			w.add(Part{Role: Command, Text: typed(s), Key: string(m.key), Lang: shellLang(o.lang)})
		}
	case o.tool.use&useRun != 0 && o.tool.use&useCode != 0 && !o.got(isCode):
		w.code(o, m, val)
	case o.got(isURL):
		w.plain(Payload, o, m, val)
	case o.got(isPath, isOutPath) && o.writes:
		w.plain(Content, o, m, val)
	case inText(val):
		w.args(o, m, val)
	case m.means == isText && o.tool.use&(useRun|useShell) == 0:
		w.plain(Data, o, m, val)
	default:
		w.other(o, m, val)
	}
}

// typed is what a tool types, with the names of keys read.
func typed(s string) string {
	return strings.NewReplacer("{enter}", "\n", "\r", "\n").Replace(s)
}

// inText reports whether a text looks like an object in JSON.
func inText(val []byte) bool { return len(val) > 3 && val[1] == '{' }
