package study

import (
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// JudgeToolName judges a tool of an MCP server by its name, because its arguments do not show what it
// deletes on a server or that a file leaves the machine. It returns nil for other tools.
func JudgeToolName(ev *checkrein.Event, at CallEnv) []PartReport {
	t := ev.Tool
	if t == nil {
		return nil
	}
	if name := CanonicalName(t); name != "" && !strings.HasPrefix(name, "mcp:") {
		return nil
	}
	place := shell.Place{Dir: at.Dir, Root: ev.Session.Root, Home: at.Home}
	if tools.IsDestructiveName(t.Name) {
		e := shell.Effect{Label: shell.Destructive, Kind: "delete", Category: shell.DeleteByName, Rule: "tool", Impact: shell.ImpactMedium, Words: t.Name,
			Reason: "calls a tool whose name suggests that it deletes all items of a kind"}
		return newPartReports(t.Name+" "+string(t.Input[:min(len(t.Input), maxShown+1)]), []shell.Report{shell.NewReport([]shell.Effect{e}, 0)}, &place)
	}
	if command := gitCommand(t); command != "" {
		place = CallPlace(ev, at)
		return newPartReports(command, []shell.Report{classify.Command(command, place)}, &place)
	}
	if !tools.IsSendingName(t.Name) {
		return nil
	}
	s := pathBatch{place: &place, shown: t.Name, each: "-T "}
	command := "curl https://" + serverHost(t.Name) + "/"
	more := false
	for _, p := range Parts(t, tools.Paths) {
		if !s.add(command, p.Text) {
			more = true
			break
		}
	}
	s.flush(command)
	for i := range s.out {
		s.out[i].Report.Effects = secretEffects(s.out[i].Report.Effects)
	}
	if more {
		s.out = append(s.out, limitReport(t, &place, "names more files than checkrein can check")...)
	}
	return s.out
}

// secretEffects returns the effects in list that concern secrets. Sending other files is the purpose
// of such tools.
func secretEffects(list []shell.Effect) []shell.Effect {
	out := list[:0:0]
	for _, e := range list {
		if e.Category == shell.ExfilSecret || e.Category == shell.SecretFileRead {
			out = append(out, e)
		}
	}
	return out
}

// serverHost returns a made-up host name for the MCP server of the tool name.
func serverHost(name string) string {
	rest, ok := strings.CutPrefix(tools.CanonicalTool(name), "mcp:")
	if s, _, cut := strings.Cut(rest, "/"); ok && cut && s != "" && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789-_.") == "" {
		return strings.ToLower(s) + ".invalid"
	}
	return "elsewhere.invalid"
}

// gitCommand returns a Git command that does the same as t, a tool of a Git server that loses data by
// a forced push or a hard reset. It returns "" for other tools.
func gitCommand(t *checkrein.Tool) string {
	name := strings.ToLower(t.Name)
	if !strings.Contains(name, "git") {
		return ""
	}
	arg := func(names ...string) string {
		for _, n := range names {
			if s := rawjson.GetText(t.Input, n); s != "" {
				return s
			}
		}
		return ""
	}
	yes := func(key string) bool { v, _ := rawjson.Get(t.Input, key); return string(v) == "true" }
	switch {
	case strings.HasSuffix(name, "push"):
		spec := arg("refspec", "refSpec", "ref", "branch", "branch_name", "branchName")
		forced := yes("force") || yes("forced") || yes("force_push") || yes("forcePush") || yes("mirror")
		if !forced && !strings.HasPrefix(spec, "+") {
			return ""
		}
		remote := arg("remote", "remote_name", "remoteName")
		if remote == "" {
			remote = "origin"
		}
		return strings.TrimRight("git push --force "+tools.Quote(remote)+" "+quoteNonEmpty(spec), " ")
	case strings.HasSuffix(name, "reset") && (arg("mode", "type", "reset_type") == "hard" || yes("hard")):
		return "git reset --hard"
	}
	return ""
}

// quoteNonEmpty returns word in quotes, or "" if it is empty.
func quoteNonEmpty(word string) string {
	if word == "" {
		return ""
	}
	return tools.Quote(word)
}
