package tools

import "strings"

// A use is what the words of a tool's name say that it does.
type use uint16

const (
	useShell   use = 1 << iota // runs commands
	useRun                     // runs something
	useCode                    // runs, or is about, code
	useData                    // talks to a database
	useSearch                  // searches
	useRead                    // reads
	useLook                    // reads code, does not run it
	useWrite                   // makes or changes
	useDelete                  // deletes
	useMove                    // moves or links
	useCopy                    // copies
	useTree                    // whole directories
	useProgram                 // is a program that commands may leave out: kubectl {"command":"get pods"}
	usePatch                   // takes patches

	useVerbs = useSearch | useRead | useLook | useWrite | useDelete | useMove | useCopy
)

// A useWord is a word of tool names, in small letters.
type useWord struct {
	word, lang string
	use        use
}

func wordNamed(word []byte) *useWord {
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

// A tool is what is known of a tool by its name.
type tool struct {
	use     use
	verb    use    // the first of useVerbs in its name; 0 = none
	lang    string // of what it runs
	program string // that its commands may leave out
	known   bool   // a host's own, by its whole name
}

// canonicalUses is what the tools do that have a name of ours.
var canonicalUses = [...]struct {
	canonical string
	use       use
}{
	{"edit", useWrite}, {"fetch", useRead}, {"glob", useRead}, {"list", useRead}, {"patch", useWrite | usePatch}, {"read", useRead},
	{"search", useSearch}, {"shell", useShell}, {"task", 0}, {"todo", 0}, {"websearch", useSearch}, {"write", useWrite},
}

// toolOf reads a tool's name. A tool of a server is judged by the name that the
// server gives it, and the server's own name tells what it talks to.
func toolOf(name, canonical string) tool {
	if canonical == "" {
		canonical = Canonical(name)
	}
	server := ""
	if rest, ok := strings.CutPrefix(canonical, "mcp:"); ok {
		server, name, _ = strings.Cut(rest, "/")
		canonical = Canonical(name)
	}
	var t tool
	if server != "" {
		t.read(server)
		t.use &= useShell | useCode | useData
		t.verb, t.program = 0, ""
	}
	for i := range canonicalUses {
		if c := &canonicalUses[i]; c.canonical == canonical {
			t.use |= c.use
			t.verb = c.use & useVerbs
			t.known = server == ""
			if canonical == "shell" {
				t.lang = shellOf(name)
			}
			return t
		}
	}
	t.read(name)
	return t
}

// shellOf is the shell that a name says, where that is not the usual one.
func shellOf(name string) string {
	const other = "powershell"
	for i := 0; i+len(other) <= len(name); i++ {
		if strings.EqualFold(name[i:i+len(other)], other) {
			return other
		}
	}
	return ""
}

// maxWords is how many words of a name are read.
const maxWords = 16

// read takes in the words of a name.
func (t *tool) read(name string) {
	words, plain := 0, true
	for rest := name; rest != "" && words < maxWords; words++ {
		var word [maxName]byte
		n := 0
		n, rest = nextWord(&word, rest)
		row := wordNamed(word[:n])
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

// isFiller reports whether a word says nothing about what a tool does.
func isFiller(word []byte) bool {
	switch string(word) {
	case "cli", "tool", "call", "raw", "generic", "mcp":
		return true
	}
	return false
}

// nextWord writes the first word of a name in small letters, and returns its
// length and the rest. Words end at marks and before capital letters.
func nextWord(word *[maxName]byte, name string) (int, string) {
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
