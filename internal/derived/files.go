package derived

import (
	"path"
	"strings"
)

// A File says what a file of the state directory is.
type File struct {
	Pattern string // of names below the directory, as path.Match has it; /** at the end = all below
	Store   string // the store that it is of; "" = it is made from nothing else
	What    string
}

// Files returns the table of everything that lies in the state directory, lock files
// and those of unfinished writes aside. Callers must not change it.
func Files() []File { return files }

var files = []File{
	{"cache/*", "cache", "how configuration files were read"},
	{"scan/*-new", "clean", "contents in which nothing was found"},
	{"scan/*-old", "clean", "the same, of longer ago"},
	{"plans/*", "plans", "which files a person's own hooks run in which project"},
	{"ledger/index/*", "index", "where which records stand, a file for each segment"},
	{"ledger/index.db*", "", "the same of older versions; the next query removes it"},

	{"ledger/*.jsonl", "", "records, and checkpoints of them: chained and signed"},
	{"ledger/head", "", "where the chain ends, sealed"},
	{"ledger/key", "", "the secret that seals, signs and vouches for stores"},
	{"ledger/missed", "", "how many calls could not be recorded, sealed"},
	{"missed/*", "", "calls that could not even be counted in the ledger, until a record tells them"},
	{"ledger/prune.refused", "", "what retention last stopped at"},

	{"trust.json", "", "what people approved"},
	{"approved/*", "", "the contents that were approved, by their digests"},
	{"loosened.json", "", "what people confirmed of settings that loosen"},
	{"grants.json", "", "calls that people allowed, sealed"},
	{"pause.json", "", "a pause of the guard, sealed"},
	{"blocks/*", "", "what was blocked, by handle, sealed"},
	{"inside.key", "", "the secret that marks hooks' own children"},
	{"inside/*", "", "what those told"},
	{"hosts/*", "", "agents that are at work"},
	{"install/*", "", "what was installed in which agent"},
	{"serve-token", "", "the token of checkrein serve"},
	{"git-program", "", "the program that git's hooks run"},
	{"told-packs", "", "that packs were told of"},
	{"sessions/*.json", "", "what is remembered of a session, for a week"},
	{"builtins/**", "", "what builtins remember"},
	{"results/**", "", "large results of tools, in full"},
	{"runs/*", "", "sessions of checkrein run"},
	{"outbox/*", "", "what such a session would have sent"},
	{"snapshots/**", "", "files as they were before an agent changed them"},
	{"scrub/**", "", "texts as they were before scrub changed them"},
	{"log/*", "", "logs"},
}

// Of returns the row of a file by its name, with slashes, below the state directory.
// False means that it does not belong there.
func Of(name string) (File, bool) {
	base := path.Base(name)
	if strings.HasSuffix(base, ".lock") || strings.HasPrefix(base, ".checkrein-") && strings.HasSuffix(base, ".tmp") {
		return File{Pattern: base, What: "a lock, or an unfinished write"}, true
	}
	for _, f := range files {
		if dir, all := strings.CutSuffix(f.Pattern, "/**"); all && strings.HasPrefix(name, dir+"/") {
			return f, true
		}
		if ok, _ := path.Match(f.Pattern, name); ok {
			return f, true
		}
	}
	return File{}, false
}
