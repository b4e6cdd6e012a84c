package fakehost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/checkrein/checkrein/internal/sys/process"
)

// agentTool is the name of the tool that starts a sub-agent.
const agentTool = "Agent"

// A tool is a tool that the model may call.
type tool struct {
	name, about string
	schema      json.RawMessage
	// invalid returns why an input is invalid, or "" if it is valid.
	invalid func(s *session, input json.RawMessage) string
	// subject returns the text that permission rules are compared with.
	subject func(input json.RawMessage) string
	run     func(ctx context.Context, c *conversation, u call) (any, error)
}

// args holds the members of all built-in tools' inputs.
type args struct {
	Command    *string `json:"command"`
	Timeout    float64 `json:"timeout"` // milliseconds
	Path       *string `json:"file_path"`
	Content    *string `json:"content"`
	Old        *string `json:"old_string"`
	New        *string `json:"new_string"`
	ReplaceAll bool    `json:"replace_all"`
	Prompt     *string `json:"prompt"`
	About      *string `json:"description"`
	Kind       string  `json:"subagent_type"`
}

// decodeArgs decodes a tool's input. Members that are missing or of another type keep their zero
// value.
func decodeArgs(input json.RawMessage) (a args) {
	_ = json.Unmarshal(input, &a) // tools check the members that they need
	return a
}

// allTools returns the built-in tools and those of MCP servers.
func (s *session) allTools(ctx context.Context) []tool {
	list := []tool{
		{
			name: "Bash", about: "Runs a command.",
			schema:  objectSchema(`"command": {"type": "string"}, "timeout": {"type": "number"}, "description": {"type": "string"}`, "command"),
			invalid: func(_ *session, in json.RawMessage) string { return missingMember("Bash", in, "command") },
			subject: func(in json.RawMessage) string { return *decodeArgs(in).Command },
			run:     runBash,
		},
		{
			name: "Read", about: "Reads a file.",
			schema:  objectSchema(`"file_path": {"type": "string"}`, "file_path"),
			invalid: func(_ *session, in json.RawMessage) string { return missingMember("Read", in, "file_path") },
			subject: filePath, run: runRead,
		},
		{
			name: "Write", about: "Writes a file.",
			schema:  objectSchema(`"file_path": {"type": "string"}, "content": {"type": "string"}`, "file_path", "content"),
			invalid: func(_ *session, in json.RawMessage) string { return missingMember("Write", in, "file_path", "content") },
			subject: filePath, run: runWrite,
		},
		{
			name: "Edit", about: "Changes a file.",
			schema:  objectSchema(`"file_path": {"type": "string"}, "old_string": {"type": "string"}, "new_string": {"type": "string"}, "replace_all": {"type": "boolean", "default": false}`, "file_path", "old_string", "new_string"),
			invalid: func(s *session, in json.RawMessage) string { return editProblem(s, in) },
			subject: filePath, run: runEdit,
		},
		{
			name: agentTool, about: "Starts a sub-agent.",
			schema: objectSchema(`"description": {"type": "string"}, "prompt": {"type": "string"}, "subagent_type": {"type": "string"}`, "description", "prompt"),
			invalid: func(_ *session, in json.RawMessage) string {
				return missingMember(agentTool, in, "description", "prompt")
			},
			subject: func(in json.RawMessage) string { return decodeArgs(in).Kind },
			run:     func(ctx context.Context, c *conversation, u call) (any, error) { return c.startSubagent(ctx, u) },
		},
	}
	return append(list, s.serverTools(ctx)...)
}

// objectSchema returns the JSON Schema of an object with the given properties, which are JSON.
func objectSchema(properties string, required ...string) json.RawMessage {
	return json.RawMessage(`{"type": "object", "properties": {` + properties + `}, "required": ` + string(mustJSON(required)) + `, "additionalProperties": false}`)
}

// missingMember returns an error message if input lacks one of the members, which must be strings, or
// "" if it has all.
func missingMember(tool string, input json.RawMessage, members ...string) string {
	var in map[string]json.RawMessage
	if json.Unmarshal(input, &in) != nil {
		return tool + " failed: the input is not an object"
	}
	for _, m := range members {
		var text string
		if json.Unmarshal(in[m], &text) != nil {
			return fmt.Sprintf("%s failed due to the following issue:\nThe required parameter `%s` is missing", tool, m)
		}
	}
	return ""
}

// filePath returns the member file_path of an input.
func filePath(in json.RawMessage) string { return *decodeArgs(in).Path }

// absPath returns the absolute path of the file that a names.
func (s *session) absPath(a args) string {
	if filepath.IsAbs(*a.Path) {
		return filepath.Clean(*a.Path)
	}
	return filepath.Join(s.cwd, *a.Path)
}

// noSuchFile begins the error message for a file that does not exist.
const noSuchFile = "File does not exist. Note: your current working directory is "

// A fileSet holds the paths of the files whose content the model has seen. It is safe for concurrent
// use.
type fileSet struct {
	mu    sync.Mutex
	paths map[string]bool
}

func (k *fileSet) add(path string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.paths == nil {
		k.paths = map[string]bool{}
	}
	k.paths[path] = true
}

func (k *fileSet) has(path string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.paths[path]
}

// withDefaults returns input with the default of replace_all added, which Edit's schema has.
func withDefaults(tool string, input json.RawMessage) json.RawMessage {
	var in map[string]json.RawMessage
	if tool != "Edit" || json.Unmarshal(input, &in) != nil || in["replace_all"] != nil {
		return input
	}
	in["replace_all"] = json.RawMessage("false")
	return mustJSON(in)
}

// editProblem returns why an edit is refused before it runs, or "" if it is not.
func editProblem(s *session, in json.RawMessage) string {
	if why := missingMember("Edit", in, "file_path", "old_string", "new_string"); why != "" {
		return why
	}
	a := decodeArgs(in)
	content, err := os.ReadFile(s.absPath(a))
	switch {
	case err != nil:
		return noSuchFile + s.cwd + "."
	case *a.Old == *a.New:
		return "No changes to make: old_string and new_string are exactly the same."
	}
	switch n := strings.Count(string(content), *a.Old); {
	case n == 0:
		return "String to replace not found in file.\nString: " + *a.Old
	case n > 1 && !a.ReplaceAll:
		return fmt.Sprintf("Found %d matches of the string to replace, but replace_all is false.", n)
	}
	return ""
}

type bashResponse struct {
	Stdout      string `json:"stdout"`
	Stderr      string `json:"stderr"`
	Interrupted bool   `json:"interrupted"`
	IsImage     bool   `json:"isImage"`
	Quiet       bool   `json:"noOutputExpected"`
}

func runBash(ctx context.Context, c *conversation, u call) (any, error) {
	a := decodeArgs(u.input)
	timeout := 2 * time.Minute
	if a.Timeout > 0 {
		timeout = time.Duration(a.Timeout * float64(time.Millisecond))
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	shell := os.Getenv("SHELL")
	if shell == "" {
		shell = "/bin/sh"
	}
	res, err := process.Run(ctx, process.Spec{
		Argv: []string{shell, "-c", *a.Command}, Dir: c.session.cwd, Env: c.session.environ(), MaxOut: 16 << 20,
	})
	r := bashResponse{Stdout: strings.TrimRight(string(res.Stdout), "\n"), Stderr: strings.TrimRight(string(res.Stderr), "\n")}
	r.Quiet = r.Stdout == "" && r.Stderr == ""
	switch {
	case errors.Is(err, process.ErrTimeout):
		return nil, errors.New("Command timed out after " + timeout.String() + "\n" + r.text())
	case err != nil:
		return nil, err
	case res.Exit != 0:
		return nil, errors.New(strings.TrimRight(fmt.Sprintf("Exit code %d\n%s", res.Exit, r.text()), "\n"))
	}
	return r, nil
}

func (r bashResponse) text() string {
	return strings.Trim(r.Stdout+"\n"+r.Stderr, "\n")
}

type readResponse struct {
	Type string   `json:"type"`
	File fileText `json:"file"`
}

type fileText struct {
	Path    string `json:"filePath"`
	Content string `json:"content"`
	Lines   int    `json:"numLines"`
	Start   int    `json:"startLine"`
	Total   int    `json:"totalLines"`
}

func runRead(_ context.Context, c *conversation, u call) (any, error) {
	path := c.session.absPath(decodeArgs(u.input))
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New(noSuchFile + c.session.cwd + ".")
	}
	if err != nil {
		return nil, err
	}
	c.session.read.add(path)
	n := strings.Count(string(content), "\n") + 1
	return readResponse{"text", fileText{path, string(content), n, 1, n}}, nil
}

type writeResponse struct {
	Type     string  `json:"type"`
	Path     string  `json:"filePath"`
	Content  string  `json:"content"`
	Patch    []patch `json:"structuredPatch"`
	Original *string `json:"originalFile"`
	Modified bool    `json:"userModified"`
}

type patch struct {
	OldStart int      `json:"oldStart"`
	OldLines int      `json:"oldLines"`
	NewStart int      `json:"newStart"`
	NewLines int      `json:"newLines"`
	Lines    []string `json:"lines"`
}

// wholeFilePatch returns a patch that replaces the whole file. The real host's has only the lines near
// changes.
func wholeFilePatch(was, is string) patch {
	old, now := strings.Split(strings.TrimSuffix(was, "\n"), "\n"), strings.Split(strings.TrimSuffix(is, "\n"), "\n")
	p := patch{OldStart: 1, OldLines: len(old), NewStart: 1, NewLines: len(now)}
	for _, l := range old {
		p.Lines = append(p.Lines, "-"+l)
	}
	for _, l := range now {
		p.Lines = append(p.Lines, "+"+l)
	}
	return p
}

func runWrite(_ context.Context, c *conversation, u call) (any, error) {
	a := decodeArgs(u.input)
	path := c.session.absPath(a)
	r := writeResponse{Type: "create", Path: path, Content: *a.Content, Patch: []patch{}}
	if was, err := os.ReadFile(path); err == nil {
		r.Type, r.Original, r.Patch = "update", ptr(string(was)), []patch{wholeFilePatch(string(was), *a.Content)}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	c.session.read.add(path)
	return r, os.WriteFile(path, []byte(*a.Content), 0o644)
}

type editResponse struct {
	Path       string  `json:"filePath"`
	Old        string  `json:"oldString"`
	New        string  `json:"newString"`
	Original   string  `json:"originalFile"`
	Patch      []patch `json:"structuredPatch"`
	Modified   bool    `json:"userModified"`
	ReplaceAll bool    `json:"replaceAll"`
	Unread     bool    `json:"contentNotInModelContext,omitempty"`
}

func runEdit(_ context.Context, c *conversation, u call) (any, error) {
	a := decodeArgs(u.input)
	path := c.session.absPath(a)
	was, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	n := 1
	if a.ReplaceAll {
		n = -1
	}
	is := strings.Replace(string(was), *a.Old, *a.New, n)
	r := editResponse{Path: path, Old: *a.Old, New: *a.New, Original: string(was), Patch: []patch{wholeFilePatch(string(was), is)}, ReplaceAll: a.ReplaceAll, Unread: !c.session.read.has(path)}
	return r, os.WriteFile(path, []byte(is), 0o644)
}

// writeSubagentMeta writes the metadata file next to a sub-agent's transcript.
func (s *session) writeSubagentMeta(a *agent, toolUse string) {
	path := strings.TrimSuffix(s.subagentTranscriptPath(a.id), ".jsonl") + ".meta.json"
	_ = os.WriteFile(path, mustJSON(map[string]any{"agentType": a.kind, "description": "scripted", "toolUseId": toolUse, "spawnDepth": 1}), 0o600)
}

// decodeAs converts a tool's response, or a hook's replacement of it, to type T.
func decodeAs[T any](response any) (v T) {
	_ = json.Unmarshal(mustJSON(response), &v) // members of other types, which a hook may return, are ignored
	return v
}

// upToDate ends the results of Write and Edit for a file that the model has seen.
const upToDate = " (file state is current in your context — no need to Read it back)"

// renderResponse returns a tool's response in the form that the model gets.
func renderResponse(tool string, response any) any {
	switch tool {
	case "Bash":
		if text := decodeAs[bashResponse](response).text(); text != "" {
			return text
		}
		return "(Bash completed with no output)"
	case "Read":
		var b strings.Builder
		for i, l := range strings.Split(decodeAs[readResponse](response).File.Content, "\n") {
			if i > 0 {
				b.WriteByte('\n')
			}
			fmt.Fprintf(&b, "%d\t%s", i+1, l)
		}
		return b.String()
	case "Write":
		if r := decodeAs[writeResponse](response); r.Type == "create" {
			return "File created successfully at: " + r.Path + upToDate
		}
		fallthrough
	case "Edit":
		r := decodeAs[editResponse](response)
		text := "The file " + r.Path + " has been updated successfully."
		if !r.Unread {
			text += upToDate
		}
		return text
	case agentTool:
		return []contentBlock{{Type: "text", Text: decodeAs[launchResponse](response).text()}}
	}
	return response // from an MCP server: a string or blocks
}
