// Package grammar reads the `hooks:` block that checkrein's own files share with docker-agent's:
// events, matcher groups, and hook entries.
//
// The keys of an entry are listed in a table ([Options]), which the parser, suggestions for typos, the
// configuration schema and the reference page all use.
package grammar

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// An Option is a key that a hook entry may have.
type Option struct {
	Key  string
	Kind []yamldoc.Kind // the allowed kinds of its value
	// Types are the hook types that have the key; nil means all.
	Types []string
	// Native is set if docker-agent's grammar lacks the key.
	Native bool
	// With is the name of the corresponding setting of the handler, or "" if the key sets a
	// property of the hook itself.
	With  string
	Words []string // the allowed values; nil means any
	// Example is the remedy for a value of the wrong kind, or "" if Doc is clear enough.
	Example string
	Doc     string
}

// Options returns the table of keys. Callers must not modify it. It is static data, which costs
// nothing at program start.
func Options() []Option { return options[:] }

var options = [...]Option{
	{Key: "type", Kind: []yamldoc.Kind{yamldoc.Text}, Words: Types, Doc: "what kind of hook it is; optional in checkrein's own files if another key makes it clear"},
	{Key: "name", Kind: []yamldoc.Kind{yamldoc.Text}, Doc: "the hook's name in messages and approvals"},
	{Key: "command", Kind: []yamldoc.Kind{yamldoc.Text, yamldoc.List}, Types: []string{"command", "builtin"}, With: "command", Doc: "a shell command; a list is a program with its arguments, run without a shell; for a builtin, its name"},
	{Key: "args", Kind: []yamldoc.Kind{yamldoc.List}, Types: []string{"builtin"}, With: "args", Example: "write args: [one, two]", Doc: "the builtin's arguments"},
	{Key: "timeout", Kind: []yamldoc.Kind{yamldoc.Number, yamldoc.Text}, Example: "write seconds, or a duration such as 30s or 1m30s", Doc: "seconds, or a duration such as 30s or 1m30s; 60 s by default"},
	{Key: "env", Kind: []yamldoc.Kind{yamldoc.Map}, Types: []string{"command", "builtin"}, With: "env", Example: "write env: {NAME: value}", Doc: "environment variables; ${env.NAME} is filled in at each run"},
	{Key: "working_dir", Kind: []yamldoc.Kind{yamldoc.Text}, Types: []string{"command", "builtin"}, With: "working_dir", Doc: "the directory the hook runs in; a relative path starts at the session's first directory"},
	{Key: "sandbox", Kind: []yamldoc.Kind{yamldoc.Map, yamldoc.Text}, Example: "write sandbox: walls, or {read: [.], write: [build], network: false}", Types: []string{"command"}, Native: true, With: "sandbox", Doc: "what the program may read and write besides the system directories, and whether it has network access; walls is the profile of contained commands; if the kernel cannot enforce this, the hook fails"},
	{Key: "sealed", Kind: []yamldoc.Kind{yamldoc.Bool}, Example: "write true or false", Types: []string{"command"}, Native: true, With: "sealed", Doc: "run the program from exactly the bytes that were approved, so that replacing its file has no effect; the command must be a list that starts with the program's path; Linux only"},
	{Key: "files", Kind: []yamldoc.Kind{yamldoc.List}, Types: []string{"command", "builtin"}, Native: true, With: "files", Example: "write files: [lib/helper.py, 'lib/*.js', tools]", Doc: "further files that the hook's approval covers, such as those that its script imports: paths, patterns, and directories with all that is in them; relative paths start at the project's directory"},
	{Key: "on_error", Kind: []yamldoc.Kind{yamldoc.Text}, Words: []string{"warn", "ignore", "block"}, Doc: "what happens if the hook cannot answer: warn, ignore or block"},
	{Key: "strict_output", Kind: []yamldoc.Kind{yamldoc.Bool}, Example: "write true or false", Doc: "treat an answer that contains anything without effect as an error"},
	{Key: "model", Kind: []yamldoc.Kind{yamldoc.Text}, Types: []string{"model"}, With: "model", Doc: "the model that judges, as provider/model"},
	{Key: "prompt", Kind: []yamldoc.Kind{yamldoc.Text}, Types: []string{"model"}, With: "prompt", Doc: "a Go text/template that receives the event"},
	{Key: "schema", Kind: []yamldoc.Kind{yamldoc.Text}, Types: []string{"model"}, With: "schema", Words: []string{"pre_tool_use_decision", "guard_decision"}, Doc: "how to read the judge's reply; without a schema the reply becomes context"},
	{Key: "system_prompt", Kind: []yamldoc.Kind{yamldoc.Text}, Types: []string{"model"}, With: "system_prompt", Doc: "replaces the built-in instructions to the judge"},
	{Key: "matcher", Kind: []yamldoc.Kind{yamldoc.Text}, Native: true, Doc: "the tools that the hook applies to; set on the entry itself, not on a group"},
	{Key: "match_words", Kind: []yamldoc.Kind{yamldoc.Bool}, Example: "write true or false", Native: true, Doc: "read the matcher as in Claude files: plain words are exact names, anything else is a regular expression that may match anywhere in the name"},
	{Key: "args_match", Kind: []yamldoc.Kind{yamldoc.Text}, Native: true, Doc: "a regular expression that must match in one of the tool's argument values"},
	{Key: "search", Kind: []yamldoc.Kind{yamldoc.Text}, Native: true, Doc: "a regular expression that must match in the payload that the hook would receive"},
	{Key: "if", Kind: []yamldoc.Kind{yamldoc.Map}, Native: true, Example: "write if: {command: {contains: push}}", Doc: "a condition on the event's fields"},
	{Key: "decision", Kind: []yamldoc.Kind{yamldoc.Text}, Types: []string{"rule"}, Native: true, With: "decision", Words: []string{"none", "allow", "ask", "deny"}, Doc: "what a rule decides"},
	{Key: "reason", Kind: []yamldoc.Kind{yamldoc.Text}, Types: []string{"rule"}, Native: true, With: "reason", Doc: "the reason for the decision; {{field}} is filled in"},
	{Key: "patch", Kind: []yamldoc.Kind{yamldoc.Map}, Types: []string{"rule"}, Native: true, With: "patch", Doc: "tool arguments to set; null deletes one"},
	{Key: "context", Kind: []yamldoc.Kind{yamldoc.Text}, Types: []string{"rule"}, Native: true, With: "context", Doc: "what to tell the model; {{field}} is filled in"},
	{Key: "notice", Kind: []yamldoc.Kind{yamldoc.Text}, Types: []string{"rule"}, Native: true, With: "notice", Doc: "what to tell the user; {{field}} is filled in"},
	{Key: "url", Kind: []yamldoc.Kind{yamldoc.Text}, Types: []string{"http"}, Native: true, With: "url", Doc: "the URL that the event is posted to: https://, or http:// to this machine"},
	{Key: "headers", Kind: []yamldoc.Kind{yamldoc.Map}, Types: []string{"http"}, Native: true, With: "headers", Doc: "the request headers"},
	{Key: "allowed_env", Kind: []yamldoc.Kind{yamldoc.List}, Types: []string{"http"}, Native: true, With: "allowed_env", Doc: "the environment variables that headers may use, as ${env.NAME}"},
	{Key: "allow_local", Kind: []yamldoc.Kind{yamldoc.Bool}, Example: "write true or false", Types: []string{"http"}, Native: true, With: "allow_local", Doc: "allow an address on this machine or in a private network"},
	{Key: "raw", Kind: []yamldoc.Kind{yamldoc.Bool}, Example: "write true or false", Types: []string{"model"}, Native: true, With: "raw", Doc: "send the event to the judge without redacting secrets"},
	{Key: "priority", Kind: []yamldoc.Kind{yamldoc.Number}, Native: true, Doc: "0 to 1000, 100 by default; higher runs first"},
	{Key: "chain", Kind: []yamldoc.Kind{yamldoc.Text}, Native: true, Doc: "hooks in the same chain run one after another, and the first denial skips the rest"},
	{Key: "dialect", Kind: []yamldoc.Kind{yamldoc.Text}, Types: []string{"command", "http"}, Native: true, Words: []string{"native", "docker-agent", "starchild", "hookmd", "claude"}, Doc: "the format of the hook's payload and answer"},
	{Key: "async", Kind: []yamldoc.Kind{yamldoc.Bool}, Example: "write true or false", Native: true, Doc: "the hook runs in the background and cannot make decisions"},
	{Key: "gate", Kind: []yamldoc.Kind{yamldoc.Bool}, Example: "write true or false", Native: true, Doc: "checks the final call or text again after another hook rewrote it"},
	{Key: "rewrites", Kind: []yamldoc.Kind{yamldoc.Bool}, Example: "write true or false", Native: true, Doc: "set to false if the hook never rewrites anything, so that it need not wait for others"},
	{Key: "mode", Kind: []yamldoc.Kind{yamldoc.Text}, Words: Modes, Native: true, Doc: "shadow: the hook runs and its decisions are recorded, but not enforced; enforce is the default; only in user and managed files"},
	{Key: "until", Kind: []yamldoc.Kind{yamldoc.Text}, Native: true, Example: "write until: 2031-12-24", Doc: "a time, or the last day of shadow mode; from then on the hook's decisions are enforced"},
}

// Modes lists the values of mode, on a hook and for all hooks of a file.
var Modes = []string{Shadow, "enforce"}

// Shadow is the mode in which decisions are recorded but not enforced.
const Shadow = "shadow"

// Types lists the hook types of the grammar.
var Types = []string{"command", "builtin", "rule", "http", "model"}

// dialectTypes lists the hook types that files of other dialects may also use.
var dialectTypes = []string{"command", "builtin", "model"}

// impliedTypes lists the keys that imply a hook's type in checkrein's own files. If a hook has
// several, the first one in the list counts.
var impliedTypes = [...]struct{ key, typ string }{
	{"url", "http"}, {"model", "model"}, {"command", "command"},
	{"decision", "rule"}, {"patch", "rule"}, {"context", "rule"}, {"notice", "rule"},
}

// requiredKeys returns the keys that a hook of type typ must have.
func requiredKeys(typ string) []string {
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

// Rules select the variant of the grammar that a block follows.
type Rules struct {
	Dialect string
	// Extra permits the keys and types that only checkrein's own files have.
	Extra bool
	// GateFaultsBlock makes faults of pre_tool_use hooks block, whatever on_error is.
	GateFaultsBlock bool
	// Begin is the remedy for a file that is not a mapping. It shows how such a file begins.
	Begin string
	// Wired is set for files of hosts, into which `install` writes entries that call checkrein.
	Wired bool
}

// IsExact reports whether hooks of dialect are [checkrein.Hook.Exact]. Those of docker-agent are,
// because it has separate events for steering and follow-up prompts and for permission requests.
func IsExact(dialect string) bool { return dialect == "docker-agent" }

// allowedTypes returns the hook types that a block may have.
func (r Rules) allowedTypes() []string {
	if r.Extra {
		return Types
	}
	return dialectTypes
}

// isToolEvent reports whether the hooks of an event can have matchers.
func isToolEvent(row *checkrein.Contract) bool { return row.Subject == checkrein.SubjectTool }
