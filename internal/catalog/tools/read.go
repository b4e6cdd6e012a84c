package tools

import (
	pathpkg "path"
	"strings"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// addCommand adds a command together with its arguments, which may be in another member. It adds a
// patch or code instead if the tool takes those.
func (w *walker) addCommand(o *object, m *member, val []byte) {
	if o.tool.use&usePatch != 0 {
		w.addPatch(o, m, val)
		return
	}
	if o.lang != "" && !isShell(o.lang) && (o.hasAny(isLanguage) || string(m.key) == "script") {
		w.addCode(o, m, val)
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
	if o.truncated {
		w.addUnread(string(m.key))
	}
	first, _, _ := strings.Cut(s, " ")
	if name := o.tool.program; name != "" && first != name {
		w.addPart(Part{Role: Command, Text: name + " " + text, Key: string(m.key)})
		if !isKnownProgram(first) { // git {"command":"rm x"} may be either
			return
		}
	}
	p := Part{Role: Command, Text: text, Key: string(m.key), Lang: commandLanguage(o.lang)}
	if argv != nil {
		p.Role, p.Argv = Argv, argv
	}
	w.addPart(p)
}

// withArgs returns command followed by the object's other arguments, as text and, if possible, as a
// list. For example, {"command":"rm","args":["-rf"]} becomes rm -rf.
func (o *object) withArgs(command string) (text string, argv []string) {
	if !o.hasAny(isArgs) {
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

// readArgs sets args and argText from the members that hold the arguments of the object's command.
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
		} else if list, _ := wordList(m.val); len(list) > 0 {
			if o.args = list; o.argText != "" {
				o.args = nil // there is more than one list
			}
			o.argText += " " + joinQuoted(list)
		}
		if len(o.argText) > maxInner {
			o.truncated = true
			return
		}
	}
}

// addArgs adds arguments that are a string. JSON in the string is read like nested arguments.
func (w *walker) addArgs(o *object, m *member, val []byte) {
	s, _ := rawjson.Text(val)
	if head := strings.TrimLeft(s, " \t\r\n"); head != "" && (head[0] == '{' || head[0] == '[') && rawjson.Check([]byte(head)) == nil {
		if len(s) > maxInner {
			w.addUnread(string(m.key))
			return
		}
		o.depth++
		w.walkValue(o, &member{m.key, nil, isInner}, []byte(head))
		o.depth--
		return
	}
	switch {
	case m.means == isArgs && o.hasAny(isCommand, isProgram): // added together with the command
	case m.means == isArgs && o.tool.program != "":
		w.addPart(Part{Role: Command, Text: o.tool.program + " " + s, Key: string(m.key)})
	default:
		w.addPart(Part{Role: Data, Text: s, Key: string(m.key)})
	}
}

// addVerbArgs adds the paths in argv if its first word names an operation on files, as in
// {"args":["delete","a.txt"]}. It reports false if argv is something else.
func (w *walker) addVerbArgs(o *object, m *member, argv []string) bool {
	verb, ok := verbNamed(argv[0])
	if !ok || len(argv) < 2 {
		return false
	}
	for _, text := range argv[1:] {
		w.addVerbPath(o, m, verb, text)
	}
	return true
}

// addVerbPath adds text as a path on which the operation verb is done, if it has the form of a path.
func (w *walker) addVerbPath(o *object, m *member, verb tool, text string) {
	if text == "" || text[0] == '-' || !strings.ContainsAny(text, "/.~") || strings.ContainsAny(text, "\n\t") {
		return
	}
	at := *o
	at.verb, at.tree = verb.verb, o.tree || verb.use&useTree != 0
	at.writes = verb.verb&(useRead|useSearch|useLook) == 0
	role := at.pathRole(isPath)
	w.addPart(Part{Role: role, Text: fromFileURL(text), Key: string(m.key), Tree: role == DeletePath && at.tree})
}

// maxInner limits the size of arguments that are JSON in a string.
const maxInner = 1 << 20

// addCode adds code, or data or content if the tool only reads or stores the code.
func (w *walker) addCode(o *object, m *member, val []byte) {
	runs := o.tool.use&(useRun|useShell) != 0
	switch {
	case !runs && o.verb&useWrite != 0:
		w.addContent(o, m, val)
		return
	case !runs && o.verb != 0,
		!runs && o.tool.use&useCode == 0 && isAmbiguousName(m.key):
		w.addText(Data, o, m, val)
		return
	}
	if !w.wants(Runs | Data) {
		return
	}
	s, _ := rawjson.Text(val)
	p := Part{Role: Code, Text: s, Key: string(m.key), Lang: o.lang}
	if p.Lang == "" {
		p.Lang = languageOfKey(string(m.key))
	}
	switch {
	case isShell(p.Lang):
		p.Role, p.Lang = Command, commandLanguage(p.Lang)
	case p.Lang == "sql":
		p.Role, p.Lang = SQL, ""
	case !strings.ContainsAny(s, "(=;\n!%`\"'"): // such as a country code or a status code
		p.Role, p.Lang = Data, ""
	}
	w.addPart(p)
	if p.Role != Command && isCommandLine(s) {
		w.addPart(Part{Role: Command, Text: s, Key: p.Key})
	}
}

// isAmbiguousName reports whether an argument with this name may also be something other than code.
func isAmbiguousName(key []byte) bool {
	switch string(key) {
	case "expression", "expr", "function", "cell":
		return true
	}
	return false
}

// addQuery adds text that may be an SQL statement or the text of a search.
func (w *walker) addQuery(o *object, m *member, val []byte) {
	if o.tool.use&useSearch == 0 && w.wants(SQL|Data) {
		if s, _ := rawjson.Text(val); isStatement(s, o.tool.use&useData != 0) {
			w.addPart(Part{Role: SQL, Text: s, Key: string(m.key)})
			return
		}
	}
	w.addText(Data, o, m, val)
}

// addPath adds a path with the role that the tool's verb determines. It adds code, a URL or data if
// the text is not a path.
func (w *walker) addPath(o *object, m *member, val []byte) {
	if m.means == isSource && o.tool.use&(useRun|useCode) != 0 && !o.hasAny(isPath, isDest, isOutPath) {
		w.addCode(o, m, val)
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
			s = clean // hosts also drop the newline, or the element that contains it
		} else {
			role = Data
		}
	case len(s) > maxPath && (strings.HasPrefix(s, "data:") || !o.tool.known && isBase64Text(s)):
		role = Data
	case role&Paths != 0 && hasScheme(s):
		if strings.Contains(s, "/../") { // if it is used as a path, .. can remove the scheme
			w.addPart(Part{Role: role, Text: s, Key: string(m.key), Tree: role == DeletePath && o.tree})
		}
		role = URL
	}
	p := Part{Role: role, Text: s, Key: string(m.key)}
	p.Tree = role == DeletePath && o.tree
	moves := o.verb&useMove != 0 && o.tool.use&useLink == 0 && o.hasAny(isDest, isOutPath)
	p.From = moves && role == WritePath && m.means != isDest && m.means != isOutPath
	w.addPart(p)
}

// pathRole returns the role of a path whose name has the meaning m.
func (o *object) pathRole(m meaning) Role {
	runs := o.tool.use&useShell != 0 || o.hasAny(isCommand, isCommands, isCode)
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

// addContent adds text as content of a file if the tool writes one, and as data otherwise.
func (w *walker) addContent(o *object, m *member, val []byte) {
	switch {
	case m.means == isNew && !o.hasAny(isOld), !o.writes:
		w.addText(Data, o, m, val)
	case o.verb&useWrite != 0 || o.file != "" || o.hasAny(isPath, isOutPath):
		w.addText(Content, o, m, val)
	default:
		w.addText(Data, o, m, val)
	}
}

// addURL adds a URL, or a path if the text is a file URL or a path.
func (w *walker) addURL(o *object, m *member, val []byte) {
	if !w.wants(URL | Paths) {
		return
	}
	s, _ := rawjson.Text(val)
	if strings.HasPrefix(s, "file:") || strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~/") || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") {
		w.addPath(o, &member{m.key, val, isPath}, val)
		return
	}
	w.addPart(Part{Role: URL, Text: s, Key: string(m.key)})
}

// addPayload adds text as a payload if the call has a URL, and as data otherwise.
func (w *walker) addPayload(o *object, m *member, val []byte) {
	if o.hasAny(isURL) {
		w.addText(Payload, o, m, val)
		return
	}
	w.addText(Data, o, m, val)
}

// addInput adds text that may be typed into a program, run, written to a file or sent, depending on
// the tool.
func (w *walker) addInput(o *object, m *member, val []byte) {
	switch {
	case o.tool.use&usePatch != 0:
		w.addPatch(o, m, val)
	case o.typed:
		if w.wants(Command) {
			s, _ := rawjson.Text(val)
			w.addPart(Part{Role: Command, Text: typedText(s), Key: string(m.key), Lang: commandLanguage(o.lang)})
		}
	case o.tool.use&useRun != 0 && o.tool.use&useCode != 0 && !o.hasAny(isCode):
		w.addCode(o, m, val)
	case o.hasAny(isURL):
		w.addText(Payload, o, m, val)
	case o.hasAny(isPath, isOutPath) && o.writes:
		w.addText(Content, o, m, val)
	case isObjectText(val):
		w.addArgs(o, m, val)
	case m.means == isText && o.tool.use&(useRun|useShell) == 0:
		w.addText(Data, o, m, val)
	default:
		w.addByForm(o, m, val)
	}
}

// typedText returns s with the names of keys replaced by the characters that they type.
func typedText(s string) string {
	return strings.NewReplacer("{enter}", "\n", "\r", "\n").Replace(s)
}

// isObjectText reports whether a JSON string seems to hold a JSON object.
func isObjectText(val []byte) bool { return len(val) > 3 && val[1] == '{' }
