package mockmodel

import "maps"

// A Script is what the model will say. The zero Script says "done" at once.
type Script struct {
	// Turns are given in order, one for each request that offers tools. The
	// same conversation sent again is a retry and gets the same turn again.
	Turns []Turn
	// Choose, if set, is asked instead of Turns; a zero Turn from it is Final.
	// It may be called from several goroutines at once.
	Choose func(Request) Turn
	// Final is said when the turns are used up; "" is "done".
	Final string
	// Side is said to requests that offer no tools; "" is "ok".
	Side string
	// SideFault and SideUsage are those of such an answer.
	SideFault Fault
	SideUsage Usage
}

// A Turn is one answer of the model: a text, calls of tools, or both. The zero
// Turn stands for the script's Final.
type Turn struct {
	Text  string
	Calls []Call
	// Status, if set, makes the answer an HTTP error with Text as its message.
	// An agent that tries again gets the same error.
	Status int
	// Fault is what goes wrong with the answer.
	Fault Fault
	// Usage is what the answer is said to have consumed; the zero Usage is one
	// token in and one out.
	Usage Usage
}

// Usage counts tokens. Input counts all of the prompt, and Output all of the answer;
// the others are a part of them. Each protocol tells what it has a word for.
type Usage struct {
	Input, Output           int
	CachedRead, CachedWrite int // of Input
	Reasoning               int // of Output
}

func (t Turn) isZero() bool {
	return t.Text == "" && len(t.Calls) == 0 && t.Status == 0 && t.Fault == (Fault{}) && t.Usage == (Usage{})
}

// A Call is one call of a tool. Shell, Read and so on make one in checkrein's
// words; Native makes one in the words of an agent.
type Call struct {
	// Tool is a canonical name (shell, read, write, edit, patch, glob, search,
	// fetch, task, mcp:server/tool) or, if Exact is set, the agent's own name.
	Tool string
	// Args has the arguments. Those of a canonical tool are translated: path,
	// command, content, old, new, pattern, url, prompt, patch. Other keys go
	// through as they are, and what the schema requires beside them is made up.
	Args map[string]any
	// Exact is set if Tool and Args are the agent's own words.
	Exact bool
}

// Shell runs a command.
func Shell(command string) Call {
	return Call{Tool: "shell", Args: map[string]any{"command": command}}
}

// Read reads a file. Most agents want an absolute path.
func Read(path string) Call {
	return Call{Tool: "read", Args: map[string]any{"path": path}}
}

// Write writes a file. An agent whose only pen is a patch gets a patch.
func Write(path, content string) Call {
	return Call{Tool: "write", Args: map[string]any{"path": path, "content": content}}
}

// Edit replaces a text in a file; whole lines of it where only a patch can.
func Edit(path, old, new string) Call {
	return Call{Tool: "edit", Args: map[string]any{"path": path, "old": old, "new": new}}
}

// Patch applies a patch in the form that Codex reads.
func Patch(patch string) Call {
	return Call{Tool: "patch", Args: map[string]any{"patch": patch}}
}

// MCP calls a tool of an MCP server.
func MCP(server, tool string, args map[string]any) Call {
	return Call{Tool: "mcp:" + server + "/" + tool, Args: maps.Clone(args)}
}

// Native calls a tool by the agent's own name, with the agent's own arguments.
func Native(name string, args map[string]any) Call {
	return Call{Tool: name, Args: maps.Clone(args), Exact: true}
}

func (s Script) final() Turn {
	if s.Final == "" {
		return Turn{Text: "done"}
	}
	return Turn{Text: s.Final}
}

func (s Script) side() Turn {
	t := Turn{Text: s.Side, Fault: s.SideFault, Usage: s.SideUsage}
	if t.Text == "" {
		t.Text = "ok"
	}
	return t
}

// turn returns turn n of a script for a request.
func (s Script) turn(n int, q Request) Turn {
	var t Turn
	switch {
	case s.Choose != nil:
		t = s.Choose(q)
	case n < len(s.Turns):
		t = s.Turns[n]
	}
	if t.isZero() {
		return s.final()
	}
	return t
}
