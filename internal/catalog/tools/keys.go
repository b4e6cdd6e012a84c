package tools

// A meaning is what an argument is for, according to its name.
type meaning uint8

const (
	isOther     meaning = iota // unknown; the value decides
	isCommand                  // a command, or one as a list of words
	isCommands                 // several commands
	isProgram                  // the program of a command whose arguments are in isArgs
	isArgs                     // the arguments of a command or of a tool
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
	isInput                    // input typed into a running program; otherwise its form decides
	isText                     // input typed into a running program, otherwise prose
	isInner                    // the arguments of another tool, possibly as text
	isToolName                 // the tool of the arguments in isInner
	isLanguage                 // the language of code
	isAction                   // the operation of the tool
	isRecursive                // whether the operation is recursive
	isFilter                   // the conditions of a search, with all nested values
	isProse                    // text for people
)

// An argName is the name of an argument in lower case without separators, so that file_path, filePath
// and File-Path are the same. canonical is checkrein's name for it, if hosts use several names and
// rewrites need one.
type argName struct {
	name, canonical string
	means           meaning
}

// maxName is the length of the longest listed name.
const maxName = 48

// normalizeName returns name in lower case without separators, or nil if it is too long to be listed.
// The result uses buf.
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

// findArgName returns the row for the name of an argument, or nil if it is not listed.
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

// meaningOf returns the meaning of an argument's name. If the name is not listed, its last word
// counts, provided that the word has only one meaning: the_command, target_sql, rule_names.
func meaningOf(name []byte) meaning {
	if m := listedMeaning(name); m != isOther {
		return m
	}
	at := len(name)
	for at > 0 && !startsWord(name, at) {
		at--
	}
	if at == 0 {
		return isOther
	}
	switch m := listedMeaning(name[at:]); m {
	case isCommand, isSQL, isPath, isURL, isCode, isDirPath, isProse, isText, isContent:
		return m
	}
	return isOther
}

// listedMeaning returns the meaning of a listed name or of its plural, or isOther.
func listedMeaning(name []byte) meaning {
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

// CanonicalName returns checkrein's name for an argument, or name if hosts use no other name for it.
func CanonicalName(name string) string {
	if row := findArgName([]byte(name)); row != nil && row.canonical != "" {
		return row.canonical
	}
	return name
}

// IsDirName reports whether an argument with this name is the directory in which commands run.
func IsDirName(name string) bool {
	row := findArgName([]byte(name))
	return row != nil && (row.means == isDir || row.means == isDirPath)
}

// IsSynonym reports whether hosts use key and name for the same argument.
func IsSynonym(key []byte, name string) bool {
	a, b := findArgName(key), findArgName([]byte(name))
	return a != nil && b != nil && a.canonical != "" && a.canonical == b.canonical
}
