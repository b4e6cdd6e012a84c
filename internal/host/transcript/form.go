package transcript

// A form is how one host writes its transcripts, as data.
type form struct {
	host string
	// line reads one line, a JSON object.
	line func(d *desk, obj []byte)
	// own lists the keys that a line of the host has: all of one of the lists.
	own [][]string
	// whole says that the file is one JSON value and not one a line.
	whole func(path string) bool
	// needles are what a line has one of that has anything to do with a call or with
	// what is written once; other lines of a host's are not looked into.
	needles []needle
	// retells says that a call may be told several times.
	retells bool
	// inOrder says that calls are told in the order of time.
	inOrder bool
	// sameIDs says that hooks hear the IDs that are in the transcript.
	sameIDs bool
	// inLots is set if hooks get a call several times by design: gates first, then those
	// that help to approve it, and again what a hook rewrote.
	inLots bool
	// starts says that a session tells its hooks that it begins, however it is run.
	starts bool
}

func forms() []form {
	return []form{
		{host: "claude", own: [][]string{{"type", "sessionId"}, {"type", "uuid"}, {"type", "leafUuid"}}, line: claudeLine, inOrder: true, sameIDs: true, starts: true, needles: []needle{{'_', []string{`"tool_use`, `"tool_result`, `"mcp_tool_`}}}},
		{host: "codex", own: [][]string{{"timestamp", "type", "payload"}, {"type", "call_id"}, {"type", "role", "content"}, {"id", "timestamp", "instructions"}}, line: codexLine, inOrder: true, sameIDs: true, starts: true, needles: []needle{{'_', []string{`_call`, `"session_meta"`, `"item_completed"`, `_end"`}}}},
		{host: "gemini", own: [][]string{{"sessionId", "projectHash"}, {"id", "timestamp", "type"}, {"$set"}}, line: geminiLine, whole: isJSON, retells: true, starts: true, needles: []needle{{'C', []string{`"toolCalls"`}}, {'R', []string{`"functionResponse"`}}, {'I', []string{`"sessionId"`}}}},
		{host: "qwen", own: [][]string{{"uuid", "sessionId", "type"}}, line: qwenLine, needles: []needle{{'R', []string{`"functionResponse"`, `"toolCallResult"`}}, {'C', []string{`"functionCall"`}}, {'_', []string{`.tool_call"`}}}},
		{host: "copilot", own: [][]string{{"type", "data", "id", "timestamp"}}, line: copilotLine, starts: true, needles: []needle{{'.', []string{`"tool.`, `"session.start"`, `"session.resume"`}}}},
		{host: "opencode", own: [][]string{{"type", "sessionID"}}, line: opencodeLine, whole: isJSON, sameIDs: true, needles: []needle{{'"', []string{`"tool"`}}}},
		{host: "native", own: [][]string{{"kind", "at"}}, line: runtimeLine, sameIDs: true, inLots: true, starts: true, needles: []needle{{'_', []string{`"tool_calls"`, `"tool_call_id"`}}}},
	}
}

func formOf(host string) (form, bool) {
	for _, f := range forms() {
		if f.host == host {
			return f, true
		}
	}
	return form{}, false
}

// Hosts returns the hosts whose transcripts can be read.
func Hosts() []string {
	var names []string
	for _, f := range forms() {
		names = append(names, f.host)
	}
	return names
}

// Starts reports whether every session of a host tells its hooks that it begins.
func Starts(host string) bool {
	f, _ := formOf(host)
	return f.starts
}

// AsksOnce reports whether a host that is installed once asks about each call once.
func AsksOnce(host string) bool {
	f, _ := formOf(host)
	return f.sameIDs && !f.inLots
}

// SameIDs reports whether hooks of a host hear the IDs of calls that are in its
// transcripts. Where not, calls are found again by what they say and when.
func SameIDs(host string) bool {
	f, _ := formOf(host)
	return f.sameIDs
}
