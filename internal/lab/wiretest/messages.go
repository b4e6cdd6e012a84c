package wiretest

import "regexp"

// Messages about a blocked call, a blocked prompt and a question. They contain what was
// blocked, why and by which rule, and how a person can allow it; a blocked call's also asks the
// model not to try another way.
var (
	blocked = regexp.MustCompile(`checkrein blocked ([^\n]*?: [^\n]*? \[[^\]\n]+\]\.)(?: ([^\n]*?, so the user was not asked and this is denied\.))?` + allowed + `(?:\\n|\n)Do not look for another way to do the same: say what you wanted to do and why, or go on with something else\.`)
	prompt  = regexp.MustCompile(`checkrein blocked (this prompt: [^\n]*? \[[^\]\n]+\]\.) A person can allow it` + where + ` and send it again: checkrein allow [0-9a-f]{4,}`)
	asked   = regexp.MustCompile(`checkrein asks about ([^\n]*?: [^\n]*? \[[^\]\n]+\]\.) To stop being asked in this session, run` + where + `: checkrein allow [0-9a-f]{4,} --session`)
)

const (
	where   = ` (?:in another terminal|in a terminal outside [A-Za-z ]+'s window \(terminals in it count as the agent's\))`
	allowed = ` A person can allow it` + where + `: checkrein allow [0-9a-f]{4,}`
)

// ShortenMessages shortens the messages about blocks and questions in text, so that replies can
// be compared: it keeps only what differs between them. It does not change incomplete messages.
// Messages may be inside JSON.
func ShortenMessages(text string) string {
	text = blocked.ReplaceAllString(text, "<blocked $1$2>")
	text = prompt.ReplaceAllString(text, "<blocked $1>")
	return asked.ReplaceAllString(text, "<asks $1>")
}
