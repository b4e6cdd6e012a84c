package wiretest

import "regexp"

// A message about a block: what was blocked, why and by which rule, how a person can allow it,
// and the request to leave it at that, which the message about a prompt lacks.
var (
	blocked = regexp.MustCompile(`checkrein blocked ([^\n]*?: [^\n]*? \[[^\]\n]+\]\.)(?: ([^\n]*?, so the user was not asked and this is denied\.))?` + allowed + `(?:\\n|\n)Do not look for another way to do the same: say what you wanted to do and why, or go on with something else\.`)
	prompt  = regexp.MustCompile(`checkrein blocked (this prompt: [^\n]*? \[[^\]\n]+\]\.) A person can allow it` + where + ` and send it again: checkrein allow [0-9a-f]{4,}`)
	asked   = regexp.MustCompile(`checkrein asks about ([^\n]*?: [^\n]*? \[[^\]\n]+\]\.) To stop being asked in this session, run` + where + `: checkrein allow [0-9a-f]{4,} --session`)
)

const (
	where   = ` (?:in another terminal|in a terminal outside [A-Za-z ]+'s window \(terminals in it count as the agent's\))`
	allowed = ` A person can allow it` + where + `: checkrein allow [0-9a-f]{4,}`
)

// ShortenMessages replaces messages about blocks with short ones, so that replies can be compared. It
// keeps what differs, and leaves a message alone that lacks a part. Texts may be inside JSON.
func ShortenMessages(told string) string {
	told = blocked.ReplaceAllString(told, "<blocked $1$2>")
	told = prompt.ReplaceAllString(told, "<blocked $1>")
	return asked.ReplaceAllString(told, "<asks $1>")
}
