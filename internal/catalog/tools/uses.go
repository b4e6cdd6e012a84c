package tools

import "strings"

// A use is a set of operations that the words of a tool's name suggest.
type use uint16

const (
	useShell   use = 1 << iota // runs commands
	useRun                     // runs something
	useCode                    // runs, or is about, code
	useData                    // talks to a database
	useSearch                  // searches
	useRead                    // reads
	useLook                    // reads code without running it
	useWrite                   // creates or changes
	useDelete                  // deletes
	useMove                    // moves or links
	useCopy                    // copies
	useTree                    // works on whole directories
	useProgram                 // is a program whose name commands may omit: kubectl {"command":"get pods"}
	usePatch                   // takes patches
	useLink                    // links, so that a source stays where it is

	useVerbs = useSearch | useRead | useLook | useWrite | useDelete | useMove | useCopy
)

// A useWord is a word of tool names in lower case, with the uses and the language that it suggests.
type useWord struct {
	word, lang string
	use        use
}

// findUseWord returns the row for word, or nil if it is not listed.
func findUseWord(word []byte) *useWord {
	lo, hi := 0, len(useWords)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if useWords[mid].word < string(word) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(useWords) && useWords[lo].word == string(word) {
		return &useWords[lo]
	}
	return nil
}

// A tool describes what the name of a tool suggests about it.
type tool struct {
	use     use
	verb    use    // the first of useVerbs in its name, or 0
	lang    string // the language that it runs
	program string // the program whose name its commands may omit
	known   bool   // it is a host's own tool, recognized by its full name
}

// canonicalUses lists the uses of tools that have a canonical name.
var canonicalUses = [...]struct {
	canonical string
	use       use
}{
	{"edit", useWrite}, {"fetch", useRead}, {"glob", useRead}, {"list", useRead}, {"patch", useWrite | usePatch}, {"read", useRead},
	{"search", useSearch}, {"shell", useShell}, {"task", 0}, {"todo", 0}, {"websearch", useSearch}, {"write", useWrite},
}

// parseTool returns what the name of a tool suggests. For a tool of an MCP server, the tool's own name
// determines the operation, and the server's name suggests what it works on.
func parseTool(name, canonical string) tool {
	if canonical == "" {
		canonical = CanonicalTool(name)
	}
	server := ""
	if rest, ok := strings.CutPrefix(canonical, "mcp:"); ok {
		server, name, _ = strings.Cut(rest, "/")
		canonical = CanonicalTool(name)
	}
	var t tool
	if server != "" {
		t.addName(server)
		t.use &= useShell | useCode | useData
		t.verb, t.program = 0, ""
	}
	for i := range canonicalUses {
		if c := &canonicalUses[i]; c.canonical == canonical {
			t.use |= c.use
			t.verb = c.use & useVerbs
			t.known = server == ""
			if canonical == "shell" {
				t.lang = otherShell(name)
			}
			return t
		}
	}
	t.addName(name)
	return t
}

// otherShell returns "powershell" if name contains that word, or "".
func otherShell(name string) string {
	const other = "powershell"
	for i := 0; i+len(other) <= len(name); i++ {
		if strings.EqualFold(name[i:i+len(other)], other) {
			return other
		}
	}
	return ""
}

// maxWords limits how many words of a name are read.
const maxWords = 16

// addName adds what the words of name suggest.
func (t *tool) addName(name string) {
	words, plain := 0, true
	for rest := name; rest != "" && words < maxWords; words++ {
		var word [maxName]byte
		n := 0
		n, rest = nextWord(&word, rest)
		row := findUseWord(word[:n])
		if row == nil {
			plain = plain && (n == 0 || isFiller(word[:n]))
			continue
		}
		t.use |= row.use
		if t.verb == 0 {
			t.verb = row.use & useVerbs
		}
		if t.lang == "" {
			t.lang = row.lang
		}
		switch {
		case row.use&useProgram != 0:
			t.program = row.word
		case row.use&(useShell|useRun) == 0:
			plain = false
		}
	}
	if !plain {
		t.program = ""
	}
}

// isFiller reports whether word says nothing about what a tool does.
func isFiller(word []byte) bool {
	switch string(word) {
	case "cli", "tool", "call", "raw", "generic", "mcp":
		return true
	}
	return false
}

// nextWord writes the first word of name to word in lower case, and returns its length and the rest of
// name. Words end at separators and before capital letters.
func nextWord(word *[maxName]byte, name string) (length int, rest string) {
	n := 0
	for i := range len(name) {
		c := name[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		digit := '0' <= c && c <= '9'
		if !letter && !digit {
			return n, name[i+1:]
		}
		if 'A' <= c && c <= 'Z' {
			before := byte('A')
			if i > 0 {
				before = name[i-1]
			}
			behind := byte('A')
			if i+1 < len(name) {
				behind = name[i+1]
			}
			if i > 0 && (before < 'A' || before > 'Z' || 'a' <= behind && behind <= 'z') {
				return n, name[i:]
			}
			c |= 0x20
		}
		if n < len(word) {
			word[n] = c
			n++
		}
	}
	return n, ""
}
