package rebuild

import (
	"path"
	"strings"
)

// A File describes the files of the state directory that match a pattern.
type File struct {
	Pattern string // matches names below the state directory, as with path.Match; /** at the end = everything below
	Store   string // the store that the files belong to; "" = they are not derived
	What    string // what the files contain
}

// Files returns the table of everything in the state directory, except lock files and unfinished
// writes. Callers must not change it.
func Files() []File { return files }

// files is the table of files.
var files = []File{
	{"cache/*", "cache", "parsed configuration files"},
	{"scan/*", "", "contents without findings, from older versions; nothing reads it"},
	{"plans/*", "", "which files your own hooks run, from older versions; nothing reads it"},
	{"ledger/index/*", "index", "where each record is, one file per segment"},
	{"ledger/index.db*", "", "the same, from older versions; the next query removes it"},

	{"ledger/*.jsonl", "", "records and their checkpoints: chained and signed"},
	{"ledger/head", "", "the end of the chain, sealed"},
	{"ledger/key", "", "the secret key for seals, signatures and stores"},
	{"ledger/missed", "", "how many calls could not be recorded, sealed"},
	{"missed/*", "", "calls that could not even be counted in the ledger, until a record reports them"},
	{"ledger/prune.refused", "", "where retention last stopped"},

	{"trust.json", "", "approvals"},
	{"approved/*", "", "approved contents, by their hashes"},
	{"loosened.json", "", "confirmed settings that loosen the guard"},
	{"grants.json", "", "calls that users allowed, sealed"},
	{"pause.json", "", "a pause of the guard, sealed"},
	{"blocks/*", "", "blocked calls, by handle, sealed"},
	{"answers/*", "", "what people answered about blocked calls, by handle, sealed"},
	{"approvers.json", "", "public keys of people, and the digest of a code, that prove approvals, sealed"},
	{"inside.key", "", "the secret that marks hooks' child processes"},
	{"inside/*", "", "what those processes reported"},
	{"hosts/*", "", "running agents"},
	{"install/*", "", "what was installed in which agent"},
	{"machine.key", "", "the secret that signs certificates of proofs"},
	{"caps/*.shown", "", "that users were told about a build of an agent that gave the model replaced results in the original"},
	{"caps/*.told", "", "that users were told about an update of an agent"},
	{"caps/*.json", "", "what was proven about each build of an agent, sealed"},
	{"proofs/*.json", "", "proofs of builds of agents, signed"},
	{"proofs/seen/*", "", "the evidence for those proofs: what the model was sent, what ran, what was recorded"},
	{"serve-address", "", "the address of the server that checkrein open uses"},
	{"serve-token", "", "the token of checkrein serve"},
	{"git-program", "", "the program that git's hooks run"},
	{"told-packs", "", "which packs older versions announced"},
	{"told-new", "", "that a removed state directory was reported"},
	{"canary.json", "", "what canary runs found about each hook, sealed"},
	{"sessions/*.json", "", "what checkrein remembers about a session, for a week"},
	{"changed/*.json", "", "which secrets were taken out of results in a session, and which calls rewritten, by keyed digests, for a week"},
	{"judged/*.json", "", "judges' verdicts, kept for an hour, each with a checksum"},
	{"asked/*.json", "", "how much of its judge's budget a session has used, for a week"},
	{"builtins/**", "", "what builtins remember"},
	{"results/**", "", "large tool results, in full"},
	{"runs/*", "", "sessions of checkrein run"},
	{"outbox/*", "", "what such a session would have sent"},
	{"memory/*", "", "what checkrein run's agents remember"},
	{"snapshots/**", "", "files from before an agent changed them"},
	{"undo/**", "", "what calls were about to lose, for a week; each list of files is sealed"},
	{"walls/**", "", "the wrapper that starts commands, its tickets and receipts, and when contained commands ran"},
	{"scrub/**", "", "texts from before scrub changed them"},
	{"log/*", "", "logs"},
}

// FileOf returns the row for the file name, a path with slashes below the state directory. It reports
// false if the file does not belong there.
func FileOf(name string) (File, bool) {
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
