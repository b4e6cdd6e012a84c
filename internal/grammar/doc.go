// Package grammar reads the `hooks:` block that checkrein's own files and
// docker-agent's share: events, matcher groups, and hook entries.
//
// What an entry may say is a table ([Options]); reading, suggestions for typos,
// the configuration schema and the reference page all come from it.
package grammar

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/yamldoc"
)

// An Option is a key that a hook entry may have.
type Option struct {
	Key  string
	Kind []yamldoc.Kind // what its value may be
	// Types are the hook types that know the key; nil = all.
	Types []string
	// Native says that docker-agent's grammar does not have it.
	Native bool
	// With is the name of the setting that it becomes, "" when it is a
	// property of the hook itself.
	With  string
	Words []string // the only texts it may be; nil = any
	Doc   string
}

// Options returns the table, which is static data: it is written out so that
// nothing is put together at start. Callers must not change it.
func Options() []Option { return options[:] }

var options = [...]Option{
	{Key: "type", Kind: []yamldoc.Kind{yamldoc.Text}, Words: []string{"command", "builtin", "rule", "http", "model"}, Doc: "what runs; may be left out of checkrein's own files where another key tells it"},
	{Key: "name", Kind: []yamldoc.Kind{yamldoc.Text}, Doc: "what to call the hook in messages and approvals"},
	{Key: "command", Kind: []yamldoc.Kind{yamldoc.Text, yamldoc.List}, Types: []string{"command", "builtin"}, With: "command", Doc: "a shell command; a list is a program and its arguments, run without a shell; for a builtin, its name"},
	{Key: "args", Kind: []yamldoc.Kind{yamldoc.List}, Types: []string{"builtin"}, With: "args", Doc: "arguments of a builtin"},
	{Key: "timeout", Kind: []yamldoc.Kind{yamldoc.Number}, Doc: "seconds, 60 by default"},
	{Key: "env", Kind: []yamldoc.Kind{yamldoc.Map}, Types: []string{"command", "builtin"}, With: "env", Doc: "environment variables; ${env.NAME} is filled in at each run"},
	{Key: "working_dir", Kind: []yamldoc.Kind{yamldoc.Text}, Types: []string{"command", "builtin"}, With: "working_dir", Doc: "where it runs; a relative one is joined to the session's first directory"},
	{Key: "sandbox", Kind: []yamldoc.Kind{yamldoc.Map}, Types: []string{"command"}, Native: true, With: "sandbox", Doc: "what the program may read and write beside the system's directories, and that it has no network; where the kernel cannot keep that, the hook faults"},
	{Key: "sealed", Kind: []yamldoc.Kind{yamldoc.Bool}, Types: []string{"command"}, Native: true, With: "sealed", Doc: "the program runs from the very bytes that were approved, so that no swap of its file counts; the command is a list that begins with the path of that one file; Linux only"},
	{Key: "on_error", Kind: []yamldoc.Kind{yamldoc.Text}, Words: []string{"warn", "ignore", "block"}, Doc: "what happens when the hook cannot answer: warn, ignore or block"},
	{Key: "strict_output", Kind: []yamldoc.Kind{yamldoc.Bool}, Doc: "an answer with anything in it that has no effect is a fault"},
	{Key: "model", Kind: []yamldoc.Kind{yamldoc.Text}, Types: []string{"model"}, With: "model", Doc: "the judge, as provider/model"},
	{Key: "prompt", Kind: []yamldoc.Kind{yamldoc.Text}, Types: []string{"model"}, With: "prompt", Doc: "a text/template over the event"},
	{Key: "schema", Kind: []yamldoc.Kind{yamldoc.Text}, Types: []string{"model"}, With: "schema", Words: []string{"pre_tool_use_decision"}, Doc: "how to read the judge's reply"},
	{Key: "system_prompt", Kind: []yamldoc.Kind{yamldoc.Text}, Types: []string{"model"}, With: "system_prompt", Doc: "replaces the built-in instructions to the judge"},
	{Key: "matcher", Kind: []yamldoc.Kind{yamldoc.Text}, Native: true, Doc: "which tools, on the entry itself instead of on a group"},
	{Key: "match_words", Kind: []yamldoc.Kind{yamldoc.Bool}, Native: true, Doc: "the matcher is read as Claude files do: plain words are exact names, anything else is an expression found anywhere in one"},
	{Key: "args_match", Kind: []yamldoc.Kind{yamldoc.Text}, Native: true, Doc: "an expression that must be found in a value of the tool's arguments"},
	{Key: "search", Kind: []yamldoc.Kind{yamldoc.Text}, Native: true, Doc: "an expression that must be found in the payload that the hook would get"},
	{Key: "if", Kind: []yamldoc.Kind{yamldoc.Map}, Native: true, Doc: "a condition over the event's fields"},
	{Key: "decision", Kind: []yamldoc.Kind{yamldoc.Text}, Types: []string{"rule"}, Native: true, With: "decision", Words: []string{"none", "allow", "ask", "deny"}, Doc: "what a rule decides"},
	{Key: "reason", Kind: []yamldoc.Kind{yamldoc.Text}, Types: []string{"rule"}, Native: true, With: "reason", Doc: "why; {{field}} is filled in"},
	{Key: "patch", Kind: []yamldoc.Kind{yamldoc.Map}, Types: []string{"rule"}, Native: true, With: "patch", Doc: "arguments of the tool to set; null deletes one"},
	{Key: "context", Kind: []yamldoc.Kind{yamldoc.Text}, Types: []string{"rule"}, Native: true, With: "context", Doc: "what to tell the model; {{field}} is filled in"},
	{Key: "notice", Kind: []yamldoc.Kind{yamldoc.Text}, Types: []string{"rule"}, Native: true, With: "notice", Doc: "what to tell the person; {{field}} is filled in"},
	{Key: "url", Kind: []yamldoc.Kind{yamldoc.Text}, Types: []string{"http"}, Native: true, With: "url", Doc: "where the event is posted: https://, or http:// to this machine"},
	{Key: "headers", Kind: []yamldoc.Kind{yamldoc.Map}, Types: []string{"http"}, Native: true, With: "headers", Doc: "headers of the request"},
	{Key: "allowed_env", Kind: []yamldoc.Kind{yamldoc.List}, Types: []string{"http"}, Native: true, With: "allowed_env", Doc: "the environment variables that headers may hold, as ${env.NAME}"},
	{Key: "allow_local", Kind: []yamldoc.Kind{yamldoc.Bool}, Types: []string{"http"}, Native: true, With: "allow_local", Doc: "the address may be on this machine or in a private network"},
	{Key: "raw", Kind: []yamldoc.Kind{yamldoc.Bool}, Types: []string{"model"}, Native: true, With: "raw", Doc: "send the event to the judge without redacting secrets"},
	{Key: "priority", Kind: []yamldoc.Kind{yamldoc.Number}, Native: true, Doc: "0 to 1000, 100 by default; higher runs first"},
	{Key: "chain", Kind: []yamldoc.Kind{yamldoc.Text}, Native: true, Doc: "hooks of one chain run one after another, and the first denial skips the rest of it"},
	{Key: "dialect", Kind: []yamldoc.Kind{yamldoc.Text}, Types: []string{"command", "http"}, Native: true, Words: []string{"native", "docker-agent", "starchild", "hookmd", "claude"}, Doc: "whose words the hook hears and answers in"},
	{Key: "async", Kind: []yamldoc.Kind{yamldoc.Bool}, Native: true, Doc: "runs beside and cannot decide"},
	{Key: "gate", Kind: []yamldoc.Kind{yamldoc.Bool}, Native: true, Doc: "judges the final subject once more when it was rewritten"},
	{Key: "rewrites", Kind: []yamldoc.Kind{yamldoc.Bool}, Native: true, Doc: "false promises that it changes nothing, so it need not wait for others"},
}

// Types are the hook types of the grammar.
var Types = [...]string{"command", "builtin", "rule", "http", "model"}

// required lists the keys that a type cannot do without.
func required(typ string) []string {
	switch typ {
	case "command", "builtin":
		return []string{"command"}
	case "rule":
		return nil
	case "http":
		return []string{"url"}
	case "model":
		return []string{"model", "prompt"}
	}
	return nil
}

// A Rules says whose grammar a block follows.
type Rules struct {
	Dialect string
	// Extra permits what only checkrein's own files have.
	Extra bool
	// GateFaultsBlock makes pre_tool_use faults block whatever on_error says.
	GateFaultsBlock bool
	// Wired says that such files are hosts' own, into which `install` writes.
	Wired bool
}

// types are the hook types that the block may name.
func (r Rules) types() []string {
	if r.Extra {
		return Types[:]
	}
	return []string{"command", "builtin", "model"}
}

// toolEvent reports whether an event's entries can have matchers.
func toolEvent(row *checkrein.Contract) bool { return row.Subject == checkrein.SubjectTool }
