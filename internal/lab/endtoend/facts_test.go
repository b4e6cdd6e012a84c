package endtoend

import "github.com/checkrein/checkrein/internal/host/mockmodel"

// A fact describes the behaviour of a host that checkrein cannot change and that its row in the table
// of hosts does not have.
type fact struct {
	host string
	// noRead tells that files are read with the shell.
	noRead bool
	// noCallIDs tells that hooks do not hear which call they are asked about.
	noCallIDs bool
	// records are those of a run that differ from what most hosts cause, by
	// event and decision.
	records map[string]int
	// prints tells that a headless run shows what the person is told.
	prints bool
	// blockedExit and blockedSilently are how a headless run ends whose prompt
	// was blocked.
	blockedExit     int
	blockedSilently bool
}

// feedback is the extra event of hosts that send the reason which keeps the agent going as a prompt.
const feedback = "user_prompt_submit none"

func facts() []fact {
	return []fact{
		{host: "claude"},
		{host: "codex", noRead: true, blockedSilently: true},
		{
			host: "gemini", prints: true, noCallIDs: true,
			records: map[string]int{feedback: 4},
		},
		{
			host: "opencode", prints: true, blockedExit: 1,
			records: map[string]int{"stop deny": 1, "stop none": 0, "before_llm_call none": 7, "on_response_end none": 1},
		},
		{
			host: "copilot", noCallIDs: true, blockedExit: 1,
			records: map[string]int{feedback: 4, "permission_request none": 2},
		},
		{
			host: "qwen", blockedSilently: true,
			records: map[string]int{feedback: 4, "other none": 5, "notification none": 1, "session_end none": 0},
		},
	}
}

// readCall returns the call with which the model reads a file.
func (f fact) readCall(path string) mockmodel.Call {
	if f.noRead {
		return mockmodel.Shell("cat " + path)
	}
	return mockmodel.Read(path)
}
