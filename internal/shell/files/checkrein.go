package files

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// RuleOwn is the rule of an effect of a command of checkrein itself that is not on the list for
// agents.
const RuleOwn = "own-command"

// ReasonUnknown is the reason of such an effect if only unknown words prevent the command from being
// allowed.
const ReasonUnknown = "runs checkrein with unknown arguments that may be options"

// A Who is who may run a command of checkrein.
type Who uint8

const (
	People   Who = iota
	Agents       // and people: it only reads and prints
	Internal     // neither: checkrein starts it itself
	GitHooks     // people, and git's hooks: git runs it for every commit or push, an agent's too
)

// An OwnCommand is a command of checkrein or of its companion. Options are written as they are typed,
// those that take a value with a = at the end.
type OwnCommand struct {
	Name string // "" = no command
	Who  Who
	// May are the options that an agent may use, Not those that it may not: with them the command
	// writes, runs or sends something. Every option is in one of them.
	May, Not string
	Needs    string // the option without which the command is for people
	Words    bool   // it takes words that are no options
	Command  bool   // they are a command line: the words after the first belong to it, including options
	Planned  bool   // there is no such command yet

	changes string // the path that it changes; "" = the state of checkrein
}

// OwnCommands returns every command of both programs. Commands that are not in it are for people.
func OwnCommands() []OwnCommand { return ownCommands[:] }

// CommonOptions are options of every command, which only change how it prints.
const CommonOptions = "--color= --no-pager"

const (
	selects    = "--asked --changed --decision= --denied --effect= --event= --hook= --host= --limit= -n= --session= --since= --tool= --until="
	scanMay    = "--json --jsonl --staged --archives --commits= --push-range= --policy= --format= --baseline="
	installMay = "--dry-run --all --force --scope= --event= --program= --shadow --system --lines --verbose -v"
)

var ownCommands = [...]OwnCommand{
	{Name: "", Who: Agents, May: "--version"},
	{Name: "help", Who: Agents, Words: true},
	{Name: "version", Who: Agents},
	{Name: "docs", Who: Agents, Words: true},
	{Name: "classify", Who: Agents, Words: true, Command: true, May: "--explain --json --jsonl --defaults --dir= --dialect="},
	{Name: "scan", Who: Agents, Words: true, May: scanMay, Not: "--write-baseline="},
	{Name: "eval", Who: Agents, May: "--event= --host= --agent= --plan --explain --json --exit-code", Not: "-c= --hook-EVENT="},
	{Name: "redact", Who: Agents, Words: true, Command: true, May: "-c= --of= --shell="}, // what it runs is judged as if it were alone
	{Name: "status", Who: Agents, Words: true, May: "--json --verbose -v"},
	{Name: "packs", Who: Agents, Words: true, May: "--json --config= -c="},
	{Name: "models", Who: Agents, Words: true, May: "--json"},
	{Name: "explain", Who: Agents, Words: true, May: "--last --verbose -v --json --decision= --host= --session=", Not: "--ledger="},
	{Name: "validate", Who: Agents, Words: true, May: "--json --strict --agent= --config= -c="},
	{Name: "match", Who: Agents, Words: true, May: "--event= --tool= --command= --path= --input= --text= --last --record= --json --agent= --config= -c="},
	{Name: "completion", Who: Agents, Words: true},
	{Name: "pr-check", Who: Agents, May: "--title= --body-file= --policy= --format= --json"},
	{Name: "convert", Who: Agents, Words: true, May: "--to= --agent=", Not: "--out= --force"},
	{Name: "suggest", Who: Agents, May: "--json --since=", Not: "--ledger=", Needs: "--json"}, // else it asks, and changes files
	{Name: "allow", Who: Agents, May: "--list --json", Not: "--always --call --for= --once --project --revoke= --rule= --session --why=", Needs: "--list"},
	{Name: "pause", Who: Agents, Not: "--why="},
	{Name: "doctor", Who: Agents, May: "--no-run --json --config= -c=", Not: "--payload= --reseal", Needs: "--no-run"}, // else it runs hooks

	{Name: "hooks", Who: Agents, May: "--json --verbose -v --agent= --config= -c="},
	{Name: "hooks help", Who: Agents, Words: true},
	{Name: "hooks list", Who: Agents, May: "--json --verbose -v --agent= --config= -c="},
	{Name: "hooks doctor", Who: Agents, May: "--no-run --json --config= -c=", Not: "--payload=", Needs: "--no-run"},
	{Name: "hooks approve", Who: Agents, Words: true, May: "--dry-run --all --full --agent= --config= -c=", Not: "--yes -y --cannot-tell", Needs: "--dry-run"},
	{Name: "hooks revoke"}, {Name: "hooks on"}, {Name: "hooks off"}, {Name: "hooks enable"}, {Name: "hooks disable"},

	{Name: "audit", Who: Agents},
	{Name: "audit help", Who: Agents, Words: true},
	{Name: "audit query", Who: Agents, May: selects + " --all -a --count --json --kind= --oldest", Not: "--ledger="},
	{Name: "audit show", Who: Agents, Words: true, May: "--json", Not: "--ledger="},
	{Name: "audit tail", Who: Agents, May: selects + " --follow -f --json --kind=", Not: "--ledger="},
	{Name: "audit summary", Who: Agents, May: "--exit-code --json --last --session= --since=", Not: "--ledger="},
	{Name: "audit verify", Who: Agents, May: "--allow-clock --allow-missed --json --key= --witness= --ledger="},
	{Name: "audit key", Who: Agents, May: "--pem", Not: "--ledger="},
	{Name: "audit export"}, {Name: "audit checkpoint"}, {Name: "audit prune"},

	{Name: "misses", Who: Agents, May: "--host= --json --max= --since="}, // it reads transcripts, and prints nothing that is in them but names of tools

	{Name: "undo"},
	{Name: "undo list", Who: Agents, May: "--json --session="},
	{Name: "undo reset"},
	{Name: "snapshots", Who: Agents, May: "--session="},
	{Name: "snapshots list", Who: Agents, May: "--json --session="},
	{Name: "snapshots undo"}, {Name: "snapshots reset"},

	{Name: "git", Who: Agents},
	{Name: "git status", Who: Agents, May: "--json"},
	{Name: "git install", Who: Agents, May: "--dry-run --dir= --program= --public --private", Needs: "--dry-run", changes: ".git/hooks"},
	{Name: "git uninstall", Who: Agents, May: "--dry-run", Needs: "--dry-run"},
	{Name: "git pre-commit", Who: GitHooks}, {Name: "git pre-push", Who: GitHooks}, // they run hooks and are recorded

	{Name: "install", Who: Agents, Words: true, May: installMay, Needs: "--dry-run", changes: "~/.config/checkrein"},
	{Name: "uninstall", Who: Agents, Words: true, May: "--dry-run --all --force --scope= --system --lines --verbose -v", Needs: "--dry-run", changes: "~/.config/checkrein"},
	{Name: "init", Who: Agents, May: "--dry-run --force --include --no-input --user", Needs: "--dry-run", changes: "~/.config/checkrein/checkrein.yaml"},

	{Name: "prove"}, // it runs agents
	{Name: "hook"}, {Name: "run"}, {Name: "serve"}, {Name: "scrub"}, {Name: "report"}, {Name: "wrong"}, {Name: "confirm"}, {Name: "person"}, {Name: "person forget"},

	{Name: "_async", Who: Internal}, {Name: "_sandbox", Who: Internal},
	{Name: "step", Who: Internal}, {Name: "unpack", Who: Internal}, {Name: "upkeep", Who: Internal}, {Name: "yaml", Who: Internal},
}

// findOwnCommand returns the row of a command line, preferably that of its first two words, and the
// words after them. row is nil for an unknown command.
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

// AgentMay reports whether an agent may run a command of checkrein, by the words after the program's
// name. It compares them literally with the list: options follow the command, in the form in which the
// list has them.
func AgentMay(words []string) bool {
	row, rest := findOwnCommand(words)
	switch {
	case row == nil || row.Who == Internal:
		return false
	case asksHelp(row, rest):
		return true
	case row.Who != Agents:
		return false
	}
	met := row.Needs == ""
	for i := 0; i < len(rest); i++ {
		w := rest[i]
		if w == "--" {
			return met && (row.Words || i == len(rest)-1)
		}
		if strings.Contains(w, placeholder) && row.Not+row.Needs != "" {
			return false // it may be an option
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
		known, next := row.allows(w)
		if !known {
			return false
		}
		met = met || w == row.Needs
		if next {
			if i++; i < len(rest) && strings.Contains(rest[i], placeholder) && row.Not+row.Needs != "" {
				return false // it may be several words
			}
		}
	}
	return met
}

// allows reports whether a word is one of the options that an agent may give, and whether its value is
// the next word.
func (c *OwnCommand) allows(w string) (known, next bool) {
	name, _, inline := strings.Cut(w, "=")
	for o := range strings.FieldsSeq(c.May + " " + CommonOptions) {
		long, value := strings.CutSuffix(o, "=")
		if long == name {
			return value || !inline, value && !inline
		}
	}
	return false, false
}

// asksHelp reports whether the first option is the one for help: then the command does nothing else.
// After another option it may be the value of that one, and after -- a word.
func asksHelp(row *OwnCommand, rest []string) bool {
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

// IsForPeople reports whether a text without blanks begins with a command that is not for agents, or
// not always.
func IsForPeople(text string) bool {
	var best *OwnCommand
	size := 0
	for i := range ownCommands {
		name := strings.Replace(ownCommands[i].Name, " ", "", 1)
		if len(name) > size && strings.HasPrefix(text, name) {
			best, size = &ownCommands[i], len(name)
		}
	}
	return best != nil && (best.Who != Agents || best.Needs != "" || best.Name == "pause")
}

// judgeCheckrein judges commands of checkrein itself: only people may give those that are not on the
// list for agents.
func (j *job) judgeCheckrein() {
	words := make([]string, len(j.c.Args))
	for i := range j.c.Args {
		words[i] = j.c.Args[i].Text
	}
	row, rest := findOwnCommand(words)
	if AgentMay(words) || row != nil && row.Who == GitHooks && j.c.Source != nil {
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
	if i := slices.IndexFunc(words, func(w string) bool { return strings.Contains(w, placeholder) }); i >= 0 && AgentMay(slices.Insert(slices.Clone(words), i, "--")) {
		why = ReasonUnknown
	}
	j.keys = append(j.keys, key{})
	j.out = append(j.out, shell.Effect{
		Label: shell.Unknown, Kind: "modify", Category: shell.FSModify, Impact: shell.ImpactMedium, Rule: RuleOwn,
		Words: j.commandText(), Reason: why, Paths: []string{j.base.locate(path).path},
	})
}
