package selfprotect

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
)

// CheckSettings returns the verdict for path, a settings file that host is about to load. It denies a
// file that turns hooks off, one with a command that certainly does harm, and one without checkrein's entries if no
// other settings file of the host has them. The place is that of the session.
func CheckSettings(host, path string, place shell.Place) checkrein.Verdict {
	home, getenv, roots := place.Home, place.Getenv, []string{place.Root, place.Dir}
	f, near := hostfiles.FindFile(path, home, getenv, roots...)
	if f == nil || !near || f.Host != host {
		return checkrein.Verdict{}
	}
	w := wiringFinding(path, "")
	w.evidence = path
	text, ok := study.ReadBounded(path)
	if !ok {
		w = unreadableFinding(path)
		w.evidence = path
		return w.verdict()
	}
	if does := study.HarmInSettings(path, place); does != "" {
		w := finding{decision: checkrein.Deny, rule: ruleAgentCommands, what: path, evidence: path}
		w.advice = "a command in it " + does + "; the session continues with its current settings"
		return w.verdict()
	}
	gated, off := f.GateState(text)
	if len(off) > 0 {
		w.advice = "this sets " + off[0] + ", which turns hooks off; the session continues with its current settings"
		return w.verdict()
	}
	if f.Gate == "" || gated {
		return checkrein.Verdict{}
	}
	wired := hostfiles.EachPath(home, getenv, roots, func(p string, other *hostfiles.File) bool {
		if other.Host != host {
			return false
		}
		text, _ := study.ReadBounded(p)
		gated, _ := other.GateState(text)
		return gated
	})
	if wired {
		return checkrein.Verdict{}
	}
	w.advice = "after this change no settings file would call checkrein before tools run; the session continues with its current settings, and the user can run checkrein uninstall " + host + " in a terminal outside the agent"
	return w.verdict()
}
