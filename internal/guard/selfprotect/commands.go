package selfprotect

import (
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/files"
	"github.com/checkrein/checkrein/internal/shell/program"
	"github.com/checkrein/checkrein/internal/shell/rules"
)

// ownCommandFinding returns the finding for a checkrein command that agents may not run. If why is
// files.ReasonUnknown, its arguments are unknown.
func ownCommandFinding(why string) finding {
	w := finding{decision: checkrein.Deny, rule: "self/command", final: true, what: "a checkrein command that agents may not run",
		advice: "agents may run scan, explain, validate, eval without -c, classify, status, packs, docs, version, their help, and other commands that only show something" + userMayDoIt}
	if why == files.ReasonUnknown {
		w.what, w.advice = "a checkrein command whose arguments are unknown until it runs", "they may be options that agents may not use, so write -- before them"
	}
	return w
}

// bypassFinding returns the finding for a command that bypasses checkrein. The text does completes the
// sentence "this ...".
func (k *guard) bypassFinding(rule, does string) finding {
	way := "start it without that option or setting"
	switch rule {
	case program.RuleGuardEnded:
		way = "name only processes that you started"
	case program.RuleGuardLater:
		way = "set it only in front of the command that needs it"
	case ruleGitHooks:
		way = "let the hooks run, and fix what they find"
	}
	return k.askFinding("protect/around", "the guard on agents", "this "+does+", so "+way+userMayDoIt)
}

// checkPIDs returns the finding for a command that signals or inspects the process of a host by its
// id.
func (k *guard) checkPIDs(texts []study.Text) finding {
	if k.isHost == nil {
		return finding{}
	}
	for _, t := range texts {
		for _, c := range t.Calls {
			if c.Remote != "" || !rules.IsProcessTool(c.Name) || isKillProbe(c) {
				continue
			}
			for i := range c.Args {
				if pid := k.hostPID(c.Args[i].Text); pid != "" {
					return k.bypassFinding(program.RuleGuardEnded, "kills, stops, limits or inspects process "+pid+", which is an agent or one of its parents")
				}
			}
		}
	}
	return finding{}
}

// hostPID returns the first process id of a host in a word such as 42, -p42 or --pid=42,43, or "" if
// there is none.
func (k *guard) hostPID(word string) string {
	for number := range strings.SplitSeq(word, ",") {
		_, after, given := strings.Cut(number, "=")
		if !given {
			after = strings.TrimLeft(number, "-p")
		}
		if pid, err := strconv.Atoi(after); err == nil && pid > 1 && k.isHost(pid) {
			return after
		}
	}
	return ""
}

// isKillProbe reports whether c, a call of kill, only tests whether a process exists or lists signals.
func isKillProbe(c *shell.Call) bool {
	return len(c.Args) > 1 && (c.Args[0].Text == "-0" || c.Args[0].Text == "-s" && c.Args[1].Text == "0" || c.Args[0].Text == "-l")
}

// checkForwardedCommand returns the finding for a checkrein command in the arguments of a program that
// may run them although it is not a known wrapper, such as go run, a loader, or a script of the
// project.
func (k *guard) checkForwardedCommand(c *shell.Call) finding {
	if c.Name == "git" {
		return finding{}
	}
	for i := range c.Args {
		name, _, _ := strings.Cut(c.Args[i].Text, "@") // drop the version of a Go module
		if !isOwnName(name) || hasGlob(name) {
			continue
		}
		words := make([]string, 0, len(c.Args))
		for _, w := range c.Args[i+1:] {
			words = append(words, w.Text)
		}
		if len(words) > 0 && slices.ContainsFunc(files.OwnCommands(), func(row files.OwnCommand) bool { return row.Name == words[0] }) && !files.AgentMayRun(words) {
			return ownCommandFinding("")
		}
	}
	return finding{}
}
