package tools

// A meaning is the meaning of an argument, by its name.
type meaning uint8

const (
	isOther     meaning = iota // unknown; the value decides
	isCommand                  // a command, or one as a list of words
	isCommands                 // several
	isProgram                  // the program of a command whose words are in isArgs
	isArgs                     // words of a command, or a tool's arguments
	isCode                     // code for an interpreter
	isSQL                      // statements
	isQuery                    // statements or search text
	isPath                     // a file or directory
	isDirPath                  // a directory, in which commands run if there are any
	isDir                      // the directory in which commands run
	isOutPath                  // a file that is written
	isSource                   // the source of a file
	isDest                     // the destination of a file
	isContent                  // text of a file
	isNew                      // text of a file, in an edit
	isOld                      // text that is replaced
	isPatch                    // a patch
	isURL                      // an address
	isPayload                  // data sent to a URL, otherwise prose
	isInput                    // input typed into a running program, otherwise by its form
	isText                     // the same, otherwise prose
	isInner                    // the arguments of another tool, possibly as text
	isToolName                 // the tool of the arguments in isInner
	isLanguage                 // the language of code
	isAction                   // the operation of the tool
	isRecursive                // whether the operation is recursive
	isFilter                   // the conditions of a search, with all nested values
	isProse                    // for people
)

// An argName is the name of an argument in lower case without separators: file_path, filePath and
// File-Path are the same. Canonical is checkrein's name for it if hosts have several and rewrites need
// one.
type argName struct {
	name, canonical string
	means           meaning
}

// maxName is the length of the longest name that has a meaning.
const maxName = 48

// normalizeName returns a name in lower case without separators, or nil if it is too long to be
// listed.
func normalizeName(buf *[maxName]byte, name []byte) []byte {
	n := 0
	for _, c := range name {
		switch {
		case 'A' <= c && c <= 'Z':
			c |= 0x20
		case c == '_' || c == '-' || c == ' ' || c == '.':
			continue
		}
		if n == len(buf) {
			return nil
		}
		buf[n] = c
		n++
	}
	return buf[:n]
}

// findArgName returns the row of an argument's name, or nil.
func findArgName(name []byte) *argName {
	var buf [maxName]byte
	key := normalizeName(&buf, name)
	lo, hi := 0, len(argNames)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if argNames[mid].name < string(key) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(argNames) && argNames[lo].name == string(key) {
		return &argNames[lo]
	}
	return nil
}

// meaningOf returns the meaning of a name. For an unlisted name, its last word counts if it has only
// one meaning: the_command, target_sql, rule_names.
func meaningOf(name []byte) meaning {
	if m := meaningOfWord(name); m != isOther {
		return m
	}
	at := len(name)
	for at > 0 && !startsWord(name, at) {
		at--
	}
	if at == 0 {
		return isOther
	}
	switch m := meaningOfWord(name[at:]); m {
	case isCommand, isSQL, isPath, isURL, isCode, isDirPath, isProse, isText, isContent:
		return m
	}
	return isOther
}

// meaningOfWord returns the meaning of a listed word or of its plural.
func meaningOfWord(name []byte) meaning {
	if row := findArgName(name); row != nil {
		return row.means
	}
	if n := len(name); n > 3 && name[n-1]|0x20 == 's' {
		if row := findArgName(name[:n-1]); row != nil {
			return row.means
		}
	}
	return isOther
}

// startsWord reports whether a word begins at name[at].
func startsWord(name []byte, at int) bool {
	if at >= len(name) {
		return false
	}
	before, c := name[at-1], name[at]
	return before == '_' || before == '-' || before == '.' || 'a' <= before && before <= 'z' && 'A' <= c && c <= 'Z'
}

// CanonicalName returns checkrein's name for an argument, or name if hosts agree on it.
func CanonicalName(name string) string {
	if row := findArgName([]byte(name)); row != nil && row.canonical != "" {
		return row.canonical
	}
	return name
}

// IsDirName reports whether an argument's name is one for the directory in which commands run.
func IsDirName(name string) bool {
	row := findArgName([]byte(name))
	return row != nil && (row.means == isDir || row.means == isDirPath)
}

// IsSynonym reports whether an argument's name is a synonym of name.
func IsSynonym(key []byte, name string) bool {
	a, b := findArgName(key), findArgName([]byte(name))
	return a != nil && b != nil && a.canonical != "" && a.canonical == b.canonical
}
