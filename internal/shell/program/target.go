package program

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A Surroundings is where a call runs, as far as that decides what it acts on.
type Surroundings struct {
	Container string                   // the container on this machine that the call runs in; "" = none
	Getenv    func(name string) string // the variables of the session, or nil
	Inputs    []string                 // the texts that the call reads as its input or from files
	Named     bool                     // the call itself must name its target; its container does not count

	// Databases returns the databases that the statements of the call name, if these act on nothing
	// else. A table with its database before a dot counts if tables is set.
	Databases func(tables bool) []string
}

// maxTargetText bounds the text of a call in which words are searched. Longer text is not read.
const maxTargetText = 64 << 10

// IsTestTarget reports whether r certainly acts on something of this machine whose name marks it as
// made for tests or development. The row of the program lists what names it. A word about production,
// in any argument or variable, is enough to make it false, and so is an unknown argument.
func (r *Reading) IsTestTarget(in *Surroundings) bool {
	row := r.targetRow()
	container := in.Container
	if in.Named {
		container = ""
	}
	if row == nil && container == "" || r.TooLong || !r.isWhollyKnown() {
		return false
	}
	for _, at := range [...]*Row{r.aliasRow(), r.Row, r.Sub, r.Sub2, r.Sub3} {
		if at != nil && !r.isOnThisMachine(at.At, in) {
			return false
		}
	}
	var names []string
	whole := false
	if row != nil {
		if names, whole = r.targetNames(row.On, in); names == nil && container == "" {
			return false
		}
	}
	if names == nil {
		names = []string{container}
	}
	for _, name := range names {
		if !hasTestWords(name) {
			return false
		}
	}
	return whole || row == nil || !r.mentionsMore(row.Unless, in)
}

// targetRow returns the row that lists what names the target, or nil if there is none.
func (r *Reading) targetRow() *Row {
	for _, row := range [...]*Row{r.aliasRow(), r.Sub3, r.Sub2, r.Sub, r.Row} {
		if row != nil && row.On != "" {
			return row
		}
	}
	return nil
}

// aliasRow returns the row of the alias by which the program was called, or nil.
func (r *Reading) aliasRow() *Row {
	if r.Call.Name == r.Name {
		return nil
	}
	row, _ := findRow(r.Call.Name)
	return row
}

// IsTargetVar reports whether the environment variable names the target of c, or of a program that c
// runs as a package, or its machine.
func IsTargetVar(c *shell.Call, variable string) bool {
	if namesTarget(c.Name, variable) {
		return true
	}
	if PackageOf(c.Name) == 0 {
		return false
	}
	for i := range min(len(c.Args), 8) {
		if t := c.Args[i].Text; namesTarget(t[strings.LastIndexByte(t, '/')+1:], variable) {
			return true
		}
	}
	return false
}

// namesTarget reports whether the rows of program mention the environment variable as that of a
// target.
func namesTarget(program, variable string) bool {
	row, kids, _, _ := lookupProgram(program)
	if row.namesTarget(variable) {
		return true
	}
	for i := range kids {
		if !strings.HasPrefix(kids[i].Name, row.Name+" ") {
			break
		}
		if kids[i].namesTarget(variable) {
			return true
		}
	}
	return false
}

// namesTarget reports whether r mentions the environment variable as that of a target.
func (r *Row) namesTarget(variable string) bool {
	for _, list := range [...]string{r.On, r.At} {
		if strings.Contains(list, "$") && isListedWord(list, "$"+variable) {
			return true
		}
	}
	return false
}

// isWhollyKnown reports whether all arguments are known, not too long, and without words about
// production or addresses of other machines.
func (r *Reading) isWhollyKnown() bool {
	size := 0
	check := func(w *shell.Word) bool {
		size += len(w.Text)
		return w.IsKnown() && size <= maxTargetText && !containsListed(liveWords, w.Text) && !namesOtherMachine(w.Text)
	}
	for i := range r.Call.Args {
		if !check(&r.Call.Args[i]) {
			return false
		}
	}
	for i := range r.Call.Env {
		if !check(&r.Call.Env[i].Value) {
			return false
		}
	}
	return true
}

// namesOtherMachine reports whether text has a URL or the settings of a connection, such as
// "host=x dbname=y", that are not about this machine.
func namesOtherMachine(text string) bool {
	if i := strings.Index(text, "://"); i >= 0 {
		url := text
		if k := strings.LastIndexByte(text[:i], '='); !strings.ContainsAny(text[:i], " \t\n") { // --url=x
			url = text[k+1:]
		}
		if scheme, _, _ := strings.Cut(url, ":"); !isListedWord(objectSchemes, scheme) && !facts.HostOf(url).IsLocal() {
			return true
		}
	}
	for field := range strings.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune(" ?&;,", c) }) {
		switch key, value, _ := strings.Cut(field, "="); strings.ToLower(key) {
		case "host", "hostaddr", "server", "service":
			if value != "" && !isThisMachine(value) {
				return true
			}
		}
	}
	return false
}

// isThisMachine reports whether place, an address, a socket or a known name, is on this machine.
func isThisMachine(place string) bool {
	if strings.Contains(place, "host=") && !strings.Contains(place, "://") {
		return !namesOtherMachine(place)
	}
	return strings.HasPrefix(place, "/") || isLocalPlace(place) || facts.HostOf(place).IsLocal()
}

// isLocalPlace reports whether name is in the list of places on this machine.
func isLocalPlace(name string) bool {
	for place := range strings.FieldsSeq(localPlaces) {
		if start, ok := strings.CutSuffix(place, "*"); strings.EqualFold(place, name) || ok && len(name) > len(start) && strings.EqualFold(name[:len(start)], start) {
			return true
		}
	}
	return false
}

// isOnThisMachine reports whether all machines that the words in at name are this one. In a container, that
// includes the names that only its own network has.
func (r *Reading) isOnThisMachine(at string, in *Surroundings) bool {
	for entry := range strings.FieldsSeq(at) {
		values, _ := r.entryValues(entry, in)
		if name, ok := strings.CutPrefix(entry, "$"); ok && values == nil && in.Getenv != nil {
			if v := in.Getenv(name); v != "" {
				values = []string{v}
			}
		}
		for _, list := range values {
			for v := range strings.SplitSeq(list, ",") {
				if !isThisMachine(v) && (in.Container == "" || strings.ContainsAny(v, ".:/")) {
					return false
				}
			}
		}
	}
	return true
}

// targetNames returns the names of the target by the first entry of on that the call has, and whether the
// call certainly affects nothing else. It returns nil if there is none, or if a variable of the session
// names another target.
func (r *Reading) targetNames(on string, in *Surroundings) (names []string, whole bool) {
	for entry := range strings.FieldsSeq(on) {
		entry, isPlace := strings.CutSuffix(entry, "@")
		values, positive := r.entryValues(entry, in)
		if name, ok := strings.CutPrefix(entry, "$"); ok && values == nil && in.Getenv != nil {
			// The call must say itself that its target is for tests.
			if v := in.Getenv(name); v != "" && !hasTestWord(lastPart(v)) {
				return nil, false
			}
		}
		if len(values) == 0 {
			continue
		}
		whole = isPlace || strings.HasPrefix(entry, "sql")
		for i, v := range values {
			n, err := strconv.Atoi(v)
			switch {
			case positive && err == nil && n > 0, isPlace && isThisMachine(v):
				values[i] = "test"
			case entry == "url":
				values[i], whole = urlPath(v), false
			default:
				values[i], whole = lastPart(v), whole && !isPlace
			}
		}
		return values, whole
	}
	return nil, false
}

// entryValues returns the values of an entry of On or At, and whether they are for tests if they are
// positive numbers.
func (r *Reading) entryValues(entry string, in *Surroundings) (values []string, positive bool) {
	name, isVariable := strings.CutPrefix(entry, "$")
	entry, positive = strings.CutSuffix(entry, ">0")
	switch {
	case isVariable:
		for i := range r.Call.Args {
			if v, ok := strings.CutPrefix(r.Call.Args[i].Text, name+"="); ok {
				values = append(values, v)
			}
		}
		for i := len(r.Call.Env) - 1; i >= 0 && values == nil; i-- {
			if v := &r.Call.Env[i]; v.Name == name {
				values = append(values, v.Value.Text)
			}
		}
	case entry[0] == '=':
		values = append(values, entry[1:])
	case entry == "sql", entry == "sql.":
		isLive := func(text string) bool { return containsListed(liveWords, text) }
		if in.Databases != nil && !slices.ContainsFunc(in.Inputs, isLive) {
			values = in.Databases(entry == "sql.")
		}
	case entry[0] == '-':
		entry, alone := strings.CutSuffix(entry, "!")
		for i := range r.Flags {
			for one := range strings.SplitSeq(entry, "|") {
				if f := &r.Flags[i]; f.Set != alone && hasName(one, f) {
					values = append(values, cmp.Or(f.Value, f.Name))
				}
			}
		}
	default:
		values = r.operandValues(entry)
	}
	return values, positive
}

// operandValues returns the values of an entry of On or At that stands for operands.
func (r *Reading) operandValues(entry string) (values []string) {
	words := r.Words[min(max(r.Extra, r.currentRow().depth()), len(r.Words)):]
	if entry == "2" {
		words = words[min(1, len(words)):]
	}
	for i := range words {
		v := words[i].Text
		switch entry {
		case "1/":
			host, _, ok := strings.Cut(strings.TrimPrefix(v, "mongodb://"), "/")
			if v = host; !ok {
				continue
			}
		case "*/":
			v, _, _ = strings.Cut(v, "/")
		}
		if values = append(values, v); entry != "*" && entry != "*/" && entry != "url" {
			break
		}
	}
	for i := range r.Flags {
		if f := &r.Flags[i]; entry == "url" && f.Set && hasName("--url", f) {
			values = append(values, f.Value)
		}
	}
	return values
}

// urlPath returns the path of a URL, or "" if it has parts that a server reads as others.
func urlPath(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	if i := strings.IndexAny(url, "?#"); i >= 0 {
		url = url[:i]
	}
	if _, url, _ = strings.Cut(url, "/"); strings.Contains(url, "..") || strings.ContainsAny(url, `%\`) {
		return ""
	}
	return url
}

// lastPart returns the name in a target: the last element of the path of a URL or of a path from the
// root, and the database in the settings of a connection.
func lastPart(target string) string {
	if _, db, ok := strings.Cut(target, "dbname="); ok {
		target, _, _ = strings.Cut(db, " ")
		return target
	}
	isURL := strings.Contains(target, "://")
	if isURL {
		target, _, _ = strings.Cut(target, "?")
	}
	if isURL || strings.HasPrefix(target, "/") || strings.HasPrefix(target, "~") {
		return target[strings.LastIndexByte(target, '/')+1:]
	}
	return target
}

// hasTestWords reports whether each of names, which are separated by , or |, has a word for tests or
// development.
func hasTestWords(names string) bool {
	isEnd := func(c rune) bool { return c == ',' || c == '|' }
	for name := range strings.FieldsFuncSeq(names, isEnd) {
		if !hasTestWord(name) {
			return false
		}
	}
	return names != "" && !isEnd(rune(names[0]))
}

// hasTestWord reports whether a part of name is a word for tests or development.
func hasTestWord(name string) bool { return containsListed(testWords, name) }

// containsListed reports whether a part of text, which ends at a punctuation mark or a capital letter, is in
// list, with or without digits after it.
func containsListed(list, text string) bool {
	for len(text) > 0 {
		end := 0
		for end < len(text) && isTargetLetter(text[end]) && (end == 0 || text[end] < 'A' || text[end] >= 'a' || text[end-1] < 'a') {
			end++
		}
		if end > 0 && (isListedWord(list, text[:end]) || isListedWord(list, strings.TrimRight(text[:end], "0123456789"))) {
			return true
		}
		text = text[max(end, 1):]
	}
	return false
}

// isTargetLetter reports whether b is a digit or a letter, or part of one.
func isTargetLetter(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z' || b >= 0x80
}

// isListedWord reports whether list, which is separated by spaces, has word, ignoring case.
func isListedWord(list, word string) bool {
	for one := range strings.FieldsSeq(list) {
		if strings.EqualFold(one, word) {
			return true
		}
	}
	return false
}

// mentionsMore reports whether a word of unless occurs in the arguments or the input of the call.
func (r *Reading) mentionsMore(unless string, in *Surroundings) bool {
	if unless == "" {
		return false
	}
	dotted := isListedWord(unless, "*.*")
	search := func(text string) bool {
		for word := range strings.FieldsFuncSeq(text, isWordEnd) {
			if isListedWord(unless, word) {
				return true
			}
			for part := range strings.SplitSeq(word, ".") {
				if isListedWord(unless, part) {
					return true
				}
			}
			before, behind, ok := strings.Cut(strings.ReplaceAll(word, "`", ""), ".")
			if dotted && ok && before != "" && behind != "" && !hasTestWord(before) && facts.IsLetter(behind[0]) && strings.ContainsAny(text, " \t\n") {
				return true
			}
		}
		return false
	}
	for i := range r.Call.Args {
		if search(r.Call.Args[i].Text) {
			return true
		}
	}
	for _, text := range in.Inputs {
		if len(text) > maxTargetText || containsListed(liveWords, text) || strings.ContainsRune(text, shell.Placeholder) || search(text) {
			return true
		}
	}
	return false
}

// isWordEnd reports whether c ends a word of a statement.
func isWordEnd(c rune) bool {
	return c < 0x80 && !facts.IsLetter(byte(c)) && (c < '0' || c > '9') && !strings.ContainsRune("_-\\.`!*", c)
}
