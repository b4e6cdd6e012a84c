package study

import (
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// JudgeNamed judges a tool of a server by its name: what it destroys elsewhere no
// argument shows, and a file that it sends has left the machine.
func JudgeNamed(ev *checkrein.Event, at Ground) []Judged {
	t := ev.Tool
	if t == nil {
		return nil
	}
	if name := Canonical(t); name != "" && !strings.HasPrefix(name, "mcp:") {
		return nil
	}
	place := shell.Place{Dir: at.Dir, Root: ev.Session.Root, Home: at.Home}
	if tools.Destroys(t.Name) {
		e := shell.Effect{Label: shell.Destructive, Kind: "delete", Category: shell.DeleteByName, Rule: "tool", Radius: shell.RadiusMedium, Words: t.Name,
			Reason: "calls a tool whose name suggests that it deletes all items of a kind"}
		return judgeReports(t.Name+" "+string(t.Input[:min(len(t.Input), maxShown+1)]), []shell.Report{shell.NewReport([]shell.Effect{e}, 0)}, &place)
	}
	if command := gitCommand(t); command != "" {
		place = PlaceOf(ev, at)
		return judgeReports(command, []shell.Report{classify.Command(command, place)}, &place)
	}
	if !tools.Sends(t.Name) {
		return nil
	}
	s := sweep{place: &place, shown: t.Name, each: "-T "}
	command := "curl https://" + server(t.Name) + "/"
	more := false
	for _, p := range Parts(t, tools.Paths) {
		if !s.add(command, p.Text) {
			more = true
			break
		}
	}
	s.flush(command)
	for i := range s.out {
		s.out[i].Report.Effects = keepSecrets(s.out[i].Report.Effects)
	}
	if more {
		s.out = append(s.out, exceeds(t, &place, "names more files than checkrein can check")...)
	}
	return s.out
}

// keepSecrets drops what is no secret: to send other files is what such tools are
// for.
func keepSecrets(list []shell.Effect) []shell.Effect {
	out := list[:0:0]
	for _, e := range list {
		if e.Category == shell.ExfilSecret || e.Category == shell.SecretFileRead {
			out = append(out, e)
		}
	}
	return out
}

// server is the name of the server that a tool belongs to, as a host.
func server(name string) string {
	rest, ok := strings.CutPrefix(tools.Canonical(name), "mcp:")
	if s, _, cut := strings.Cut(rest, "/"); ok && cut && s != "" && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789-_.") == "" {
		return strings.ToLower(s) + ".invalid"
	}
	return "elsewhere.invalid"
}

// gitCommand is the command that a tool of a git server stands for, of those that
// lose something: a push that overwrites, a hard reset. "" = it is none of them.
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
		return strings.TrimRight("git push --force "+tools.Quote(remote)+" "+quotedIf(spec), " ")
	case strings.HasSuffix(name, "reset") && (arg("mode", "type", "reset_type") == "hard" || yes("hard")):
		return "git reset --hard"
	}
	return ""
}

// quotedIf quotes a word that is there.
func quotedIf(word string) string {
	if word == "" {
		return ""
	}
	return tools.Quote(word)
}
