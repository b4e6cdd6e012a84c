package selfprotect

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
)

// These values of the metadata key "final" mark verdicts that no grant lifts: Final if
// the call changes checkrein itself, FinalWithin if it removes a directory that contains
// checkrein's files, such as the home directory.
const (
	Final       = "self-protection"
	FinalWithin = "self-protection, because the path contains its files"
	// FinalTranscript marks calls that would change a transcript of an agent's calls.
	FinalTranscript = "protection of transcripts"
)

// A finding is a protected thing that a call would change, with the decision about it.
type finding struct {
	decision checkrein.Decision
	rule     string // the id of the rule
	final    bool   // no grant lifts it, because it protects checkrein itself
	within   bool   // the call removes a directory that contains checkrein's files
	mark     string // the value of "final" in the metadata; "" means Final
	what     string // what is protected, for the message
	advice   string // what to do instead, or what would happen
	evidence string
	cause    *checkrein.Cause // the effect that would change it; nil if there is only the evidence
}

// merge replaces w with other if other is stricter, or equally strict and final. The result is final
// if either of them is.
func (w *finding) merge(other finding) {
	whole := w.final || other.final
	if other.decision > w.decision || other.decision == w.decision && other.final && !w.final {
		if other.evidence == "" {
			other.evidence = w.evidence
		}
		*w = other
	}
	w.final = whole
}

// withCause returns w with e as its cause. It returns w unchanged if it already has a cause or has no
// decision.
func (w finding) withCause(e *shell.Effect) finding {
	if w.decision != checkrein.NoOpinion && w.cause == nil {
		w.cause = &builtin.AddCause(nil, e)[0]
	}
	return w
}

// isStrictest reports whether no other finding can be stricter than w.
func (w *finding) isStrictest() bool { return w.decision == checkrein.Deny && w.final }

// verdict returns the verdict for w, or the zero Verdict if w has no decision.
func (w *finding) verdict() checkrein.Verdict {
	if w.decision == checkrein.NoOpinion {
		return checkrein.Verdict{}
	}
	why := w.what + " is protected"
	if w.advice != "" {
		why += "; " + w.advice
	}
	why = builtin.WithoutColons(why)
	v := checkrein.Verdict{Decision: w.decision, Reason: builtin.BlockedReason(why, w.evidence), Metadata: builtin.Metadata(shell.ImpactHigh.String(), shell.FSModify.String(), "")}
	if w.decision == checkrein.Ask {
		v.Reason = why + ": " + w.evidence
	}
	v = builtin.SetRule(v, w.rule, strings.TrimSuffix(why, userMayDoIt)) // the metadata need no such advice
	switch {
	case w.within:
		v.Metadata["final"] = FinalWithin
	case w.final && w.mark != "":
		v.Metadata["final"] = w.mark
	case w.final:
		v.Metadata["final"] = Final
	}
	if w.cause != nil {
		v.Because = []checkrein.Cause{*w.cause}
		v.Because[0].Rule = w.rule
	}
	return v
}

// ownFilesText is the description of checkrein's own files in messages.
const ownFilesText = "checkrein itself (configuration, state, programs)"

// userMayDoIt is the end of the advice for changes that only the user may make.
const userMayDoIt = "; the user can do it in a terminal outside the agent"

// ownFinding returns the finding for a change of path, which is one of checkrein's own paths.
func (k *guard) ownFinding(path string) finding {
	if slices.ContainsFunc(k.before, func(dir string) bool { return study.InDir(path, dir) }) {
		return finding{decision: checkrein.Deny, rule: "self/before-commands", final: true, what: "a file that runs before the agent's commands",
			advice: "agents may not change it" + userMayDoIt}
	}
	rule := "self/config"
	switch {
	case slices.Contains(k.programs, path):
		rule = "self/programs"
	case strings.Contains(filepath.ToSlash(path), "/.local/state/"), k.state != "" && study.InDir(path, study.RealPath(k.state, true)):
		rule = "self/state"
	}
	return finding{decision: checkrein.Deny, rule: rule, final: true, what: ownFilesText,
		advice: "agents may not change it" + userMayDoIt}
}

// forTree returns w, the finding for checkrein's own path, adapted to a call that removes all of
// folder. If folder merely contains path, as the home directory does, the result no longer says that
// the user can do it in a terminal.
func (w finding) forTree(folder, path string) finding {
	if w.within = path != folder; w.within {
		w.advice = strings.TrimSuffix(w.advice, userMayDoIt)
	}
	return w
}

// askedKinds lists the kinds of paths whose changes need the user's permission, with the rule and what
// a change does.
var askedKinds = [...]struct{ kind, rule, what, does string }{
	{"shell-rc", "protect/startup-files", "a start-up file", "its commands run whenever a new shell or program starts"},
	{"git-hooks", "protect/git-hooks", "Git's hooks or configuration", "Git uses it with your permissions, outside the agent too"},
	{"login", "protect/login", "a file that decides who may log in", "a mistake locks users out or lets others in"},
	{"cron", "protect/cron", "a scheduled job", "the system runs it later, outside the agent"},
}

// kindFinding returns the finding for a change of the path abs, which is of the given kind. It has no
// decision if such changes are allowed.
func kindFinding(kind, abs string, k *guard) finding {
	name := path.Base(filepath.ToSlash(abs))
	switch kind {
	case "checkrein":
		return k.ownFinding(abs)
	case kindTranscript:
		return transcriptFinding
	case "keys", "credentials":
		switch {
		case strings.HasPrefix(name, "authorized_keys"):
			return k.askFinding("protect/login", "the list of SSH keys that may log in", "anyone with an added key can log in")
		case kind == "keys" && (name == "config" || name == "rc" || name == "environment" || strings.Contains(abs, "/.ssh/config.d/")):
			return k.askFinding("protect/ssh-config", "an ssh setting that can run programs", "ssh uses it, outside the agent too")
		case strings.HasSuffix(name, ".pub") || strings.HasPrefix(name, "known_hosts"):
			return finding{}
		case hasGlob(abs) || exists(abs):
			return k.askFinding("protect/credentials", "a file with credentials", "its current contents would be lost")
		}
		return finding{}
	}
	for _, row := range askedKinds {
		if row.kind == kind {
			return k.askFinding(row.rule, row.what, row.does)
		}
	}
	if s := filepath.ToSlash(abs); strings.HasPrefix(s, "/etc/") || strings.HasPrefix(s, "/private/etc/") {
		return k.askFinding("protect/system", "the system's configuration", "programs on the whole machine use it")
	}
	return finding{}
}

// askFinding returns a finding that asks the user, or denies if the guard is strict.
func (k *guard) askFinding(rule, what, does string) finding {
	w := finding{decision: checkrein.Ask, rule: rule, what: what, advice: does}
	if k.strict {
		w.decision = checkrein.Deny
	}
	return w
}

// hasGlob reports whether a path contains characters of a glob pattern.
func hasGlob(p string) bool { return strings.ContainsAny(p, "*?[") }

func exists(p string) bool {
	_, err := os.Lstat(p)
	return err == nil
}
