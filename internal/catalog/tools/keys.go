package tools

// A meaning is what an argument's name says of it.
type meaning uint8

const (
	isOther     meaning = iota // the name says nothing: its value may
	isCommand                  // a command, or one as a list of words
	isCommands                 // several
	isProgram                  // the program of a command whose words are in isArgs
	isArgs                     // words of a command, or a tool's arguments
	isCode                     // of an interpreter
	isSQL                      // statements
	isQuery                    // statements or search text
	isPath                     // a file or directory
	isDirPath                  // a directory, in which commands run if there are any
	isDir                      // the directory in which commands run
	isOutPath                  // a file that is written
	isSource                   // where a file comes from
	isDest                     // where it goes
	isContent                  // text of a file
	isNew                      // text of a file, in an edit
	isOld                      // text that was there
	isPatch                    // a patch
	isURL                      // an address
	isPayload                  // what is sent to an address, else prose
	isInput                    // what is typed into a program that runs, else what it looks like
	isText                     // the same, else prose
	isInner                    // another tool's arguments, maybe as text
	isToolName                 // whose arguments isInner are
	isLanguage                 // of code
	isAction                   // what the tool is to do
	isRecursive                // with everything below
	isFilter                   // what a search goes by, and all in it
	isProse                    // for people
)

// An argName is the name of an argument in small letters without marks between its
// words: file_path, filePath and File-Path are one. Canonical is checkrein's word
// for it, where hosts have several and rewrites need one.
type argName struct {
	name, canonical string
	means           meaning
}

// maxName is how long a name of an argument may be that means something.
const maxName = 48

// spelled returns a name without marks and in small letters; nil if it is too long
// to be one of ours.
func spelled(buf *[maxName]byte, name []byte) []byte {
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

// argNamed finds an argument's row; nil = it has none.
func argNamed(name []byte) *argName {
	var buf [maxName]byte
	key := spelled(&buf, name)
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

// meaningOf reads a name; of one that is not in the table its last word counts,
// where that word has one meaning: the_command, target_sql, rule_names.
func meaningOf(name []byte) meaning {
	if m := oneOrMore(name); m != isOther {
		return m
	}
	at := len(name)
	for at > 0 && !startsWord(name, at) {
		at--
	}
	if at == 0 {
		return isOther
	}
	switch m := oneOrMore(name[at:]); m {
	case isCommand, isSQL, isPath, isURL, isCode, isDirPath, isProse, isText, isContent:
		return m
	}
	return isOther
}

// oneOrMore reads a word of the table, or several of what it means.
func oneOrMore(name []byte) meaning {
	if row := argNamed(name); row != nil {
		return row.means
	}
	if n := len(name); n > 3 && name[n-1]|0x20 == 's' {
		if row := argNamed(name[:n-1]); row != nil {
			return row.means
		}
	}
	return isOther
}

// startsWord reports whether a word begins at a place of a name.
func startsWord(name []byte, at int) bool {
	if at >= len(name) {
		return false
	}
	before, c := name[at-1], name[at]
	return before == '_' || before == '-' || before == '.' || 'a' <= before && before <= 'z' && 'A' <= c && c <= 'Z'
}

// CanonicalName returns checkrein's word for an argument; one that hosts agree on
// keeps its name.
func CanonicalName(name string) string {
	if row := argNamed([]byte(name)); row != nil && row.canonical != "" {
		return row.canonical
	}
	return name
}

// IsDir reports whether an argument's name is one for the directory in which commands run.
func IsDir(name string) bool {
	row := argNamed([]byte(name))
	return row != nil && (row.means == isDir || row.means == isDirPath)
}

// Means reports whether an argument's name is another word for name.
func Means(key []byte, name string) bool {
	a, b := argNamed(key), argNamed([]byte(name))
	return a != nil && b != nil && a.canonical != "" && a.canonical == b.canonical
}
