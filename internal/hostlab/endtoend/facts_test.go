package endtoend

import "github.com/checkrein/checkrein/internal/mockmodel"

// A fact is what is known of a host, as far as checkrein cannot change it.
type fact struct {
	host string
	// rewrites tells that a call can be rewritten.
	rewrites bool
	// noContext lists where context does not reach the model.
	noContext []string
	// noRead tells that files are read with the shell.
	noRead bool
	// noCallIDs tells that hooks do not hear which call they are asked about.
	noCallIDs bool
	// noStop tells that nothing keeps the agent going.
	noStop bool
	// records are those of a run that differ from what most hosts cause, by
	// event and decision.
	records map[string]int
	// prints tells that a headless run shows what the person is told.
	prints bool
	// blockedExit and blockedSilently are how a headless run ends whose prompt
	// was blocked.
	blockedExit     int
	blockedSilently bool
	// open lists the faults on which the host runs a tool that nobody allowed,
	// for checkrein had no say.
	open []string
}

// feedback is of hosts that send what keeps the agent going as a prompt.
const feedback = "user_prompt_submit none"

func facts() []fact {
	return []fact{
		{host: "claude", rewrites: true},
		{host: "codex", rewrites: true, noRead: true, blockedSilently: true},
		{
			host: "gemini", rewrites: true, prints: true, noCallIDs: true, noContext: []string{"call"},
			records: map[string]int{feedback: 4},
		},
		{
			host: "opencode", rewrites: true, prints: true, noContext: []string{"call"}, noStop: true, blockedExit: 1,
			records: map[string]int{"stop deny": 1, "stop none": 0, "before_llm_call none": 7, "on_response_end none": 1},
		},
		{
			host: "copilot", rewrites: true, noCallIDs: true, blockedExit: 1,
			records: map[string]int{feedback: 4, "permission_request none": 2},
		},
		{
			host: "qwen", noContext: []string{"call"}, blockedSilently: true,
			records: map[string]int{feedback: 4, "other none": 5, "notification none": 1, "session_end none": 0},
		},
	}
}

// read is how the model reads a file.
func (f fact) read(path string) mockmodel.Call {
	if f.noRead {
		return mockmodel.Shell("cat " + path)
	}
	return mockmodel.Read(path)
}
