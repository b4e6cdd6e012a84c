package mockmodel

import "maps"

// A Script holds the answers of the model. The zero Script answers "done".
type Script struct {
	// Turns are the answers to requests that offer tools, in order. A request with the same
	// conversation as an earlier one is a retry and gets the same turn.
	Turns []Turn
	// Choose, if set, replaces Turns: it returns the turn for a request. The zero Turn stands for Final. It must be safe
	// for concurrent use.
	Choose func(Request) Turn
	// Final is the answer after all turns; "" = "done".
	Final string
	// Side is the answer to requests that offer no tools; "" = "ok".
	Side string
	// SideFault and SideUsage are the fault and the usage of that answer.
	SideFault Fault
	SideUsage Usage
}

// A Turn is one answer of the model: a text, tool calls, or both. The zero Turn stands for the
// script's Final.
type Turn struct {
	Text  string
	Calls []Call
	// Status, if set, makes the answer an HTTP error with Text as its message. A retry gets the same
	// error.
	Status int
	// Fault is an error of the answer.
	Fault Fault
	// Usage is the reported usage; zero = one token of input and one of output.
	Usage Usage
}

// Usage counts tokens. Input counts the whole prompt and Output the whole answer; the other fields
// count parts of them. Each protocol reports the counts for which it has a field.
type Usage struct {
	Input, Output           int
	CachedRead, CachedWrite int // of Input
	Reasoning               int // of Output
}

func (t Turn) isZero() bool {
	return t.Text == "" && len(t.Calls) == 0 && t.Status == 0 && t.Fault == (Fault{}) && t.Usage == (Usage{})
}

// A Call is a tool call. Shell, Read and the like return one with checkrein's names; Native returns
// one with an agent's own names.
type Call struct {
	// Tool is a canonical name (shell, read, write, edit, patch, glob, search,
	// fetch, task, mcp:server/tool) or, if Exact is set, the agent's own name.
	Tool string
	// Args holds the arguments. For a canonical tool, the server translates the names path, command,
	// content, old, new, pattern, url, prompt and patch, passes on other arguments as they are, and
	// gives other required arguments a filler value.
	Args map[string]any
	// Exact is set if Tool and Args use the agent's own names.
	Exact bool
}

// Shell returns a call that runs a command.
func Shell(command string) Call {
	return Call{Tool: "shell", Args: map[string]any{"command": command}}
}

// Read returns a call that reads a file. Most agents require an absolute path.
func Read(path string) Call {
	return Call{Tool: "read", Args: map[string]any{"path": path}}
}

// Write returns a call that writes a file, as a patch if the agent has no other tool for it.
func Write(path, content string) Call {
	return Call{Tool: "write", Args: map[string]any{"path": path, "content": content}}
}

// Edit returns a call that replaces text in a file. If the agent only takes patches, old and new must
// be whole lines.
func Edit(path, old, new string) Call {
	return Call{Tool: "edit", Args: map[string]any{"path": path, "old": old, "new": new}}
}

// Patch returns a call that applies a patch in the format of Codex.
func Patch(patch string) Call {
	return Call{Tool: "patch", Args: map[string]any{"patch": patch}}
}

// MCP returns a call to a tool of an MCP server.
func MCP(server, tool string, args map[string]any) Call {
	return Call{Tool: "mcp:" + server + "/" + tool, Args: maps.Clone(args)}
}

// Native returns a call to the tool with the agent's own name and arguments.
func Native(name string, args map[string]any) Call {
	return Call{Tool: name, Args: maps.Clone(args), Exact: true}
}

// finalTurn returns the answer after all turns.
func (s Script) finalTurn() Turn {
	if s.Final == "" {
		return Turn{Text: "done"}
	}
	return Turn{Text: s.Final}
}

// sideTurn returns the answer to requests that offer no tools.
func (s Script) sideTurn() Turn {
	t := Turn{Text: s.Side, Fault: s.SideFault, Usage: s.SideUsage}
	if t.Text == "" {
		t.Text = "ok"
	}
	return t
}

// turnFor returns turn n of the script, or the turn that Choose returns for q.
func (s Script) turnFor(n int, q Request) Turn {
	var t Turn
	switch {
	case s.Choose != nil:
		t = s.Choose(q)
	case n < len(s.Turns):
		t = s.Turns[n]
	}
	if t.isZero() {
		return s.finalTurn()
	}
	return t
}
