package files

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// RuleOwn is the rule of the effect of a checkrein command that agents may not run.
const RuleOwn = "own-command"

// ReasonUnknown is the reason of an effect with RuleOwn if agents may run the command, but unknown
// words in it may be options that they may not use.
const ReasonUnknown = "runs checkrein with unknown arguments that may be options"

// An Audience determines who may run a command of checkrein.
type Audience uint8

const (
	People   Audience = iota
	Agents            // agents and people: the command only reads and prints
	Internal          // neither: checkrein starts the command itself
	GitHooks          // people and git hooks: git runs it for every commit or push, an agent's too
)

// An OwnCommand is a command of checkrein or of its companion. Options are written as users type them,
// with a trailing = if they take a value.
type OwnCommand struct {
	Name     string // "" = the program without a command
	Audience Audience
	// Allowed are the options that an agent may use. Denied are those that it may not use, because
	// the command then writes, runs or sends something. Every option is in one of the two.
	Allowed, Denied string
	Required        string // the option without which only people may run the command
	Words           bool   // it takes operands
	Command         bool   // the operands are a command line: everything after the first belongs to it, including options
	Planned         bool   // the command does not exist yet

	changes string // the path that it changes; "" = checkrein's state directory
}

// OwnCommands returns the commands of both programs. Commands that it lacks are for people.
func OwnCommands() []OwnCommand { return ownCommands[:] }

// CommonOptions lists options of every command that only change how it prints.
const CommonOptions = "--color= --no-pager"

const (
	selects    = "--asked --changed --decision= --denied --effect= --event= --hook= --host= --limit= -n= --session= --since= --tool= --until="
	scanMay    = "--json --jsonl --staged --archives --commits= --push-range= --policy= --format= --baseline="
	installMay = "--dry-run --all --force --scope= --event= --program= --shadow --system --walls --lines --verbose -v"
)

var ownCommands = [...]OwnCommand{
	{Name: "", Audience: Agents, Allowed: "--version"},
	{Name: "help", Audience: Agents, Words: true},
	{Name: "version", Audience: Agents},
	{Name: "self", Audience: Agents}, {Name: "self check", Audience: Agents, Allowed: "--index="},
	{Name: "docs", Audience: Agents, Words: true},
	{Name: "classify", Audience: Agents, Words: true, Command: true, Allowed: "--explain --json --jsonl --defaults --dir= --dialect="},
	{Name: "scan", Audience: Agents, Words: true, Allowed: scanMay, Denied: "--write-baseline="},
	{Name: "eval", Audience: Agents, Allowed: "--event= --host= --agent= --plan --explain --json --exit-code", Denied: "-c= --hook-EVENT="},
	{Name: "redact", Audience: Agents, Words: true, Command: true, Allowed: "-c= --of= --shell="}, // what it runs is judged as if it were alone
	{Name: "status", Audience: Agents, Words: true, Allowed: "--json --verbose -v"},
	{Name: "packs", Audience: Agents, Words: true, Allowed: "--json --config= -c="},
	{Name: "models", Audience: Agents, Words: true, Allowed: "--json"},
	{Name: "explain", Audience: Agents, Words: true, Allowed: "--last --verbose -v --json --decision= --host= --session= --policy=", Denied: "--ledger="},
	{Name: "validate", Audience: Agents, Words: true, Allowed: "--json --strict --agent= --config= -c="},
	{Name: "match", Audience: Agents, Words: true, Allowed: "--event= --tool= --command= --path= --input= --text= --last --record= --json --agent= --config= -c="},
	{Name: "analyze", Audience: Agents, Words: true, Allowed: "--diff --host= --fail-on= --json --config= -c="},
	{Name: "completion", Audience: Agents, Words: true},
	{Name: "pr-check", Audience: Agents, Allowed: "--title= --body-file= --policy= --format= --json"},
	{Name: "convert", Audience: Agents, Words: true, Allowed: "--to= --agent=", Denied: "--out= --force"},
	{Name: "suggest", Audience: Agents, Allowed: "--json --since=", Denied: "--ledger=", Required: "--json"}, // else it asks, and changes files
	{Name: "allow", Audience: Agents, Allowed: "--list --json", Denied: "--always --call --for= --once --open= --project --revoke= --rule= --session --why=", Required: "--list"},
	{Name: "approvals", Audience: Agents, Allowed: "--json"},
	{Name: "approvals code"}, {Name: "approvals passkey"}, {Name: "approvals phone"}, {Name: "approvals remove"},
	{Name: "shadow", Audience: Agents},
	{Name: "shadow help", Audience: Agents, Words: true},
	{Name: "shadow report", Audience: Agents, Allowed: "--json --since=", Denied: "--ledger="},
	{Name: "shadow enforce"},
	{Name: "pause", Audience: Agents, Denied: "--why="},
	{Name: "doctor", Audience: Agents, Allowed: "--no-run --json --config= -c=", Denied: "--payload= --reseal", Required: "--no-run"}, // else it runs hooks

	{Name: "hooks", Audience: Agents, Allowed: "--json --verbose -v --agent= --config= -c="},
	{Name: "hooks help", Audience: Agents, Words: true},
	{Name: "hooks list", Audience: Agents, Allowed: "--json --verbose -v --agent= --config= -c="},
	{Name: "hooks doctor", Audience: Agents, Allowed: "--no-run --json --config= -c=", Denied: "--payload=", Required: "--no-run"},
	{Name: "hooks approve", Audience: Agents, Words: true, Allowed: "--dry-run --all --full --agent= --config= -c=", Denied: "--yes -y --cannot-tell", Required: "--dry-run"},
	{Name: "hooks revoke"}, {Name: "hooks on"}, {Name: "hooks off"}, {Name: "hooks enable"}, {Name: "hooks disable"},

	{Name: "audit", Audience: Agents},
	{Name: "audit help", Audience: Agents, Words: true},
	{Name: "audit query", Audience: Agents, Allowed: selects + " --all -a --count --json --kind= --oldest", Denied: "--ledger="},
	{Name: "audit show", Audience: Agents, Words: true, Allowed: "--json", Denied: "--ledger="},
	{Name: "audit tail", Audience: Agents, Allowed: selects + " --follow -f --json --kind=", Denied: "--ledger="},
	{Name: "audit summary", Audience: Agents, Allowed: "--exit-code --json --last --session= --since=", Denied: "--ledger="},
	{Name: "audit verify", Audience: Agents, Allowed: "--allow-clock --allow-missed --json --key= --witness= --ledger="},
	{Name: "audit key", Audience: Agents, Allowed: "--pem", Denied: "--ledger="},
	{Name: "audit export"}, {Name: "audit checkpoint"}, {Name: "audit prune"},

	{Name: "misses", Audience: Agents, Allowed: "--host= --json --max= --since="}, // it reads transcripts, and prints nothing that is in them but names of tools

	{Name: "replay", Audience: Agents, Words: true, Allowed: "--against= --examples= --fail-on= --full --host= --json --markdown --no-managed --policy= --session= --since=", Denied: "--junit= --key="}, // it executes nothing, and prints calls as the ledger has them

	{Name: "undo", Audience: Agents, Words: true, Allowed: "--list --all --json --session=", Denied: "--force --forget --keep= --last --yes -y", Required: "--list"}, // else it changes files
	{Name: "walls", Audience: Agents, Allowed: "--json"},
	{Name: "undo list", Audience: Agents, Allowed: "--json --session="},
	{Name: "undo reset"},
	{Name: "snapshots", Audience: Agents, Allowed: "--session="},
	{Name: "snapshots list", Audience: Agents, Allowed: "--json --session="},
	{Name: "snapshots undo"}, {Name: "snapshots reset"},

	{Name: "git", Audience: Agents},
	{Name: "git status", Audience: Agents, Allowed: "--json"},
	{Name: "git install", Audience: Agents, Allowed: "--dry-run --dir= --program= --public --private", Required: "--dry-run", changes: ".git/hooks"},
	{Name: "git uninstall", Audience: Agents, Allowed: "--dry-run", Required: "--dry-run"},
	{Name: "git pre-commit", Audience: GitHooks}, {Name: "git pre-push", Audience: GitHooks}, // they run hooks and are recorded

	{Name: "fleet status", Audience: Agents, Allowed: "--json --advisory"},

	{Name: "install", Audience: Agents, Words: true, Allowed: installMay, Required: "--dry-run", changes: "~/.config/checkrein"},
	{Name: "uninstall", Audience: Agents, Words: true, Allowed: "--dry-run --all --force --scope= --system --lines --verbose -v", Required: "--dry-run", changes: "~/.config/checkrein"},
	{Name: "init", Audience: Agents, Allowed: "--dry-run --force --include --no-input --user", Required: "--dry-run", changes: "~/.config/checkrein/checkrein.yaml"},

	{Name: "prove"}, {Name: "canary"}, // they run agents, and hooks of other people
	{Name: "test"}, // it runs hooks, on calls that a file makes up
	{Name: "hook"}, {Name: "run"}, {Name: "serve"}, {Name: "open"}, {Name: "watch"}, {Name: "fleet"}, {Name: "fleet join"}, {Name: "fleet leave"}, {Name: "fleet login"}, {Name: "fleet token"}, {Name: "fleet machines"}, {Name: "fleet revoke"}, {Name: "fleet records"}, {Name: "fleet keys"}, {Name: "fleet push"}, {Name: "fleet rollout"}, {Name: "fleet freeze"}, {Name: "fleet diff"}, {Name: "fleet export"}, {Name: "fleet approvals"}, {Name: "fleet approve"}, {Name: "fleet deny"}, {Name: "fleet apply"}, {Name: "scrub"}, {Name: "report"}, {Name: "wrong"}, {Name: "confirm"}, {Name: "person"}, {Name: "person forget"},

	{Name: "_async", Audience: Internal}, {Name: "_sandbox", Audience: Internal},
	{Name: "fleet-agent", Audience: Internal}, {Name: "fleet-answer", Audience: Internal}, {Name: "step", Audience: Internal}, {Name: "unpack", Audience: Internal}, {Name: "upkeep", Audience: Internal}, {Name: "yaml", Audience: Internal},
}

// findOwnCommand returns the row of the command that words, the words after the program's name, begin
// with, and the words after it. A row for the first two words takes precedence over one for the first.
// row is nil if the command is unknown.
func findOwnCommand(words []string) (row *OwnCommand, rest []string) {
	if len(words) == 0 || strings.HasPrefix(words[0], "-") {
		return &ownCommands[0], words
	}
	for i := range ownCommands {
		name, sub, two := strings.Cut(ownCommands[i].Name, " ")
		switch {
		case name != words[0]:
		case !two:
			row, rest = &ownCommands[i], words[1:]
		case len(words) > 1 && words[1] == sub:
			return &ownCommands[i], words[2:]
		}
	}
	return row, rest
}

// AgentMayRun reports whether an agent may run checkrein with words, the words after the program's
// name. It compares them literally with the list, so options must follow the command in the form in
// which the list has them.
func AgentMayRun(words []string) bool {
	row, rest := findOwnCommand(words)
	switch {
	case row == nil || row.Audience == Internal:
		return false
	case startsWithHelp(row, rest):
		return true
	case row.Audience != Agents:
		return false
	}
	met := row.Required == ""
	for i := 0; i < len(rest); i++ {
		w := rest[i]
		if w == "--" {
			return met && (row.Words || i == len(rest)-1)
		}
		if strings.Contains(w, placeholder) && row.Denied+row.Required != "" {
			return false // the word may be an option
		}
		if !strings.HasPrefix(w, "-") || w == "-" {
			if !row.Words {
				return false
			}
			if row.Command {
				return met
			}
			continue
		}
		known, next := row.allowsOption(w)
		if !known {
			return false
		}
		met = met || w == row.Required
		if next {
			if i++; i < len(rest) && strings.Contains(rest[i], placeholder) && row.Denied+row.Required != "" {
				return false // the value may expand to several words
			}
		}
	}
	return met
}

// allowsOption reports whether w is an option that an agent may use (known), and whether its value is
// the next word (next).
func (c *OwnCommand) allowsOption(w string) (known, next bool) {
	name, _, inline := strings.Cut(w, "=")
	for o := range strings.FieldsSeq(c.Allowed + " " + CommonOptions) {
		long, value := strings.CutSuffix(o, "=")
		if long == name {
			return value || !inline, value && !inline
		}
	}
	return false, false
}

// startsWithHelp reports whether the first option in rest is --help or -h, so that the command only
// prints help. After another option it could be that option's value, and after -- an operand.
func startsWithHelp(row *OwnCommand, rest []string) bool {
	for i, w := range rest {
		switch {
		case w == "--help" || w == "-h":
			return row.Name != "" || len(rest) == 1
		case strings.HasPrefix(w, "-") || strings.ContainsAny(w, placeholder+"*?["):
			return false
		case i > 8:
			return false
		}
	}
	return false
}

// IsForPeople reports whether text, a command line without its blanks, begins with a command that
// agents may not run, or may run only with certain options.
func IsForPeople(text string) bool {
	var best *OwnCommand
	size := 0
	for i := range ownCommands {
		name := strings.Replace(ownCommands[i].Name, " ", "", 1)
		if len(name) > size && strings.HasPrefix(text, name) {
			best, size = &ownCommands[i], len(name)
		}
	}
	return best != nil && (best.Audience != Agents || best.Required != "" || best.Name == "pause")
}

// judgeOwnCommand judges commands of checkrein itself. It adds an effect for those that agents may not
// run.
func (j *job) judgeOwnCommand() {
	words := make([]string, len(j.c.Args))
	for i := range j.c.Args {
		words[i] = j.c.Args[i].Text
	}
	row, rest := findOwnCommand(words)
	if AgentMayRun(words) || row != nil && row.Audience == GitHooks && j.c.Source != nil {
		return
	}
	path := "~/.local/state/checkrein"
	if row != nil && row.changes != "" {
		path = row.changes
		if row.Name == "init" && !slices.Contains(rest, "--user") {
			path = "checkrein.yaml"
		}
	}
	why := "runs a checkrein command that agents may not run"
	if i := slices.IndexFunc(words, func(w string) bool { return strings.Contains(w, placeholder) }); i >= 0 && AgentMayRun(slices.Insert(slices.Clone(words), i, "--")) {
		why = ReasonUnknown
	}
	j.keys = append(j.keys, key{})
	j.out = append(j.out, shell.Effect{
		Label: shell.Unknown, Kind: "modify", Category: shell.FSModify, Impact: shell.ImpactMedium, Rule: RuleOwn,
		Words: j.commandText(), Reason: why, Paths: []string{j.base.locate(path).path},
	})
}
