package docgen

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/grammar"
	"github.com/checkrein/checkrein/internal/hook/lint"
	"github.com/checkrein/checkrein/internal/hook/match"
)

// A key describes a key of a file or of a matcher group, whose parsers have no table with
// descriptions.
type key struct{ name, value, doc string }

var topLevel = []key{
	{"version", "1", "which grammar the file follows; required"},
	{"hooks", "a mapping", "the hooks, by event"},
	{"include", "a string or a list", "more files, in any dialect, relative to this one; none is trusted more than this one"},
	{"packs", "a list", "adjusts guard packs by name ({name: git, high: ask}, {name: git, off: true}), tries a pack or some of its rules in shadow mode ({name: git, mode: shadow}, {name: git, shadow: [push-force], until: 2031-12-24}), switches on pii and security_guard, and holds packs of your own with rules. All other packs are on by default, and those that are not named stay as they are; [] switches all off. Of several files that name a pack the strictest counts; a project's file can only tighten"},
	{"settings", "a mapping", "settings.snapshot, true or false, switches on snapshots of the work tree"},
	{"project_may_allow", "a boolean", "lets a repository's hooks allow calls on other hosts; only in user and managed files"},
	{"self_approve", "a boolean", "lets approvals come from inside an agent; only in user and managed files"},
	{"shadow", "a day or a time", "until then, decisions are recorded but not enforced, except those of managed hooks and self-protection (checkrein install --shadow writes it); only in user and managed files"},
	{"mode", "shadow or enforce", "shadow: the hooks of this file run and their decisions are recorded, but not enforced; a hook's own mode overrides it; only in user and managed files, and never for other files' hooks or self-protection; entries of packs have a mode of their own"},
	{"until", "a day or a time", "when the mode of this file ends; a day is included, and from then on the decisions of its hooks are enforced"},
	{"on_full", "warn or block", "what happens when the ledger cannot be written; only in user and managed files"},
	{"not_replaced", "deny or rewrite", "what happens to a call that would show the model secrets, on a build of an agent that does not honour replaced results: deny (default), or rewrite, so that a shell command runs through checkrein redact; of several files that set it, deny counts; in a project's file only deny does"},
	{"secrets", "a mapping", "secrets.issuers names your own hosts that issue tokens of a known form, such as {github: [git.corp.example]}: such tokens may be sent there; only in user and managed files"},
	{"grants", "a list", "calls that are allowed although guards would stop them, for machines where no user can be asked; only in user and managed files"},
	{"channels", "a mapping", "where checkrein run may send messages, by name: a shoutrrr URL such as telegram://${file:~/.config/telegram-token}@telegram?chats=@me; ${env.NAME} and ${file:PATH} are filled in when a message is sent; only in user and managed files"},
	{"judge", "a mapping", "a model that is asked about calls that the guards cannot judge and nothing else has decided, with a budget per session; off by default; only in user and managed files"},
	{"ledger", "a mapping", "how long records are kept and who receives checkpoints; only in user and managed files"},
	{"walls", "a mapping", "which commands run behind walls, and what they may do there; a project's file can only contain more commands and hide more files"},
	{"approvals", "a mapping", "how you learn of calls that wait for your answer, and how long they wait; only in user and managed files"},
}

var approvalKeys = []key{
	{"wait", "a duration", "how long a denied call that you could allow waits for your answer, up to 1h and to what its agent's own time limit leaves; without an answer it is denied. By default it is denied at once, and passes when the agent tries again"},
	{"notify", "a list", "names of channels, and desktop for notify-send: checkrein serve sends them a message, without the call, when a call begins to wait"},
}

var wallKeys = []key{
	{"contain", "unknown or project", "which commands run behind walls where they are installed: those that checkrein does not understand (unknown), or also all others that work on the project and need nothing from outside (project, the default); of several files that set it, the one that contains most counts"},
	{"hide", "a list", "files and directories that contained commands may not read, in addition to the default profile: absolute paths, or ones that begin with ~/"},
	{"write", "a list", "files and directories that they may change, in addition to the default profile; only in user and managed files"},
	{"network", "a boolean", "lets contained commands that checkrein cannot read use the network; only in user and managed files"},
	{"sockets", "a boolean", "lets contained commands use unix sockets, such as those of databases and of Docker, which lead out of the walls; only in user and managed files"},
}

var grantKeys = []key{
	{"call", "a string", "a shell command: calls with the same effects are allowed, however they are written, but nothing that does more; a command that is not fully understood is allowed only word for word"},
	{"tool", "a string", "instead of call: the name of a tool"},
	{"input", "a mapping", "with tool: all of its arguments"},
	{"rules", "a string or a list", "whose decisions it lifts: rules such as git/push-force, or names of hooks. A hook that is a program must be named here; all others are lifted by default"},
	{"in", "a string", "the only project in which it applies: an absolute path, or one that begins with ~/"},
	{"until", "a day or a time", "when it ends; a day ends at midnight"},
	{"reason", "a string", "why, for people who review the file; required"},
}

var judgeKeys = []key{
	{"model", "a string", "the judge, as provider/model; required"},
	{"prompt", "a string", "what it is asked instead of the default question: a template, as for a hook of type model"},
	{"calls", "a number", "how many questions a session may ask, from 1 to 10000; the default is 20"},
	{"money", "a number", "how many USD a session may spend, from 0.000001 to 1000; the default is 0.10"},
	{"timeout", "a number or a string", "how long it may take: seconds, or a duration such as 20s, up to 10m; the default is 20s"},
	{"on_spent", "none, ask or deny", "what is decided about such a call when the budget is spent; the default, none, is the same as without a judge"},
}

var ledgerKeys = []key{
	{"keep_days", "a number", "how many days records are kept, from 1 to 36500; the default is 90; if several files set it, the largest is used"},
	{"keep_mib", "a number", "how many MiB records may take, from 16 to 1048576; the default is 2048; if several files set it, the largest is used"},
	{"witness", "a string", "a file to which every signed checkpoint is added, best where the agent cannot write: an absolute path, or one that begins with ~/; a managed file's setting wins"},
	{"witness_command", "a list", "a program and its arguments, which reads every signed checkpoint as one line on stdin: an absolute path, or a name in PATH; a managed file's setting wins"},
}

var groupKeys = []key{
	{"matcher", "a string", "which tools; only on tool events"},
	{"preempt_yolo", "a boolean", "its hooks also run where the host would approve without asking"},
	{"hooks", "a list", "the entries"},
}

// sandboxKeys lists the keys of a hook's sandbox.
var sandboxKeys = []key{
	{"profile", "`walls`", "the sandbox of contained commands, which the other keys change: it reads everything but credentials, writes the project, temporary files and caches, and gets no variables with secrets; `sandbox: walls` is the same as this key alone"},
	{"read", "a list", "files and directories that the program may read and run programs from; not with a profile"},
	{"write", "a list", "files and directories that it may write and read; they must exist"},
	{"network", "a boolean", "false: it cannot open any socket, not even on this machine; true by default"},
}

func sandboxTable() string { return keysTable(sandboxKeys) }

func groupTable() string { return keysTable(groupKeys) }

// topLevelTable returns a table of the top-level keys, followed by the keys of grants, judge,
// ledger, walls and approvals.
func topLevelTable() string {
	keys := slices.Clone(topLevel)
	for _, k := range grantKeys {
		k.name = "grants[]." + k.name
		keys = append(keys, k)
	}
	for _, k := range judgeKeys {
		k.name = "judge." + k.name
		keys = append(keys, k)
	}
	for _, k := range ledgerKeys {
		k.name = "ledger." + k.name
		keys = append(keys, k)
	}
	for _, k := range wallKeys {
		k.name = "walls." + k.name
		keys = append(keys, k)
	}
	for _, k := range approvalKeys {
		k.name = "approvals." + k.name
		keys = append(keys, k)
	}
	return keysTable(keys)
}

// preemptEvents returns the events whose groups may have preempt_yolo.
func preemptEvents() string {
	return codes(eventNames(func(c *checkrein.Contract) bool {
		return accepts(c.Name, `{"preempt_yolo": true, "hooks": [{"command": "x"}]}`)
	}))
}

// keysTable returns a table of keys.
func keysTable(keys []key) string {
	t := newTable("key", "value", "meaning")
	for _, k := range keys {
		t.row(code(k.name), k.value, escapeMarkdown(k.doc))
	}
	return t.String()
}

// typeDocs describes what each type of hook runs.
var typeDocs = map[string]string{
	"command": "a program: the event as JSON on stdin, the answer by exit code and stdout",
	"builtin": "a function that comes with checkrein and runs in process",
	"rule":    "a decision for events that meet its condition, without a process",
	"http":    "a request that posts the event; needs checkreind",
	"model":   "a model that judges the event; needs checkreind",
}

func typeTable() string {
	t := newTable("type", "what runs", "needs", "told by, where `type` is left out", "in docker-agent files")
	for _, typ := range grammar.Types {
		t.row(code(typ), escapeMarkdown(typeDocs[typ]), codes(requiredKeys(typ)), codes(impliedBy(typ)), yesOrEmpty(inAgentFiles(typ)))
	}
	return t.String()
}

// inAgentFiles reports whether docker-agent's grammar has a key for hooks of type typ.
func inAgentFiles(typ string) bool {
	return slices.ContainsFunc(grammar.Options(), func(o grammar.Option) bool {
		return !o.Native && slices.Contains(o.Types, typ)
	})
}

func optionTable() string {
	t := newTable("key", "value", "meaning", "types", "in docker-agent files")
	for _, o := range grammar.Options() {
		types := "all"
		if o.Types != nil {
			types = codes(o.Types)
		}
		t.row(code(o.Key), allowedValues(&o), escapeMarkdown(o.Doc), types, yesOrEmpty(!o.Native))
	}
	return t.String()
}

func allowedValues(o *grammar.Option) string {
	if o.Words != nil {
		return codes(o.Words)
	}
	kinds := make([]string, len(o.Kind))
	for i, k := range o.Kind {
		kinds[i] = k.String()
	}
	return strings.Join(kinds, " or ")
}

func conditionTable() string {
	t := newTable("field", "type", "meaning", "on")
	for _, f := range condFields() {
		typ := f.typ
		if typ == "" {
			typ = "any"
		}
		t.row(code(f.name), typ, escapeMarkdown(f.doc), eventsCell(f.isOn))
	}
	return t.String()
}

func operatorTable() string {
	t := newTable("operator", "holds when the field", "takes", "on fields of type")
	match.EachOperator(func(name, doc string) {
		var types, values []string
		for _, typ := range []string{"string", "number", "boolean"} {
			if validOperands(name, typ) != nil {
				types = append(types, typ)
			}
		}
		for _, i := range validOperands(name, "") {
			if v := operands[i].typ; !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		t.row(code(name), escapeMarkdown(doc), strings.Join(values, " or "), strings.Join(types, ", "))
	})
	return t.String()
}

// templateTable returns a table of the options whose values are templates or may contain variables.
func templateTable() string {
	t := newTable("key", "of type", "meaning")
	for _, o := range grammar.Options() {
		if strings.Contains(o.Doc, "{{") || strings.Contains(o.Doc, "template") || strings.Contains(o.Doc, "${") {
			t.row(code(o.Key), codes(o.Types), escapeMarkdown(o.Doc))
		}
	}
	return t.String()
}

// lintTable returns a table of the checks that validate runs on files that it can parse.
func lintTable() string {
	t := newTable("check", "level", "finds")
	for _, c := range lint.Checks() {
		level := "warning"
		if c.Level == lint.Error {
			level = "error"
		}
		t.row(code(c.Name), level, escapeMarkdown(c.What))
	}
	return t.String()
}
