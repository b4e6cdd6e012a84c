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

// What no grant lifts is marked in a verdict's metadata: by final if the call is about
// checkrein itself, by FinalWithin if checkrein only lies in what the call takes away,
// such as the home.
const (
	Final       = "self-protection"
	FinalWithin = "self-protection, because the path contains its files"
	// FinalTranscript marks what would change a transcript of an agent's calls.
	FinalTranscript = "protection of transcripts"
)

// A finding is what a call would change that is protected, and what becomes of it.
type finding struct {
	decision checkrein.Decision
	rule     string // that says so
	final    bool   // it guards checkrein itself: no grant lifts it
	within   bool   // checkrein only lies in what the call takes away
	mark     string // that says what final guards; "" = checkrein itself
	what     string // that is protected
	way      string // the way that works, or what would happen
	evidence string
	cause    *checkrein.Cause // what would change it; nil = the evidence says it
}

// add keeps the stricter of two findings. What no grant lifts stays so whatever else a
// call does, and is the one of two that are equally strict that people hear of.
func (w *finding) add(other finding) {
	whole := w.final || other.final
	if other.decision > w.decision || other.decision == w.decision && other.final && !w.final {
		if other.evidence == "" {
			other.evidence = w.evidence
		}
		*w = other
	}
	w.final = whole
}

// by returns which effect of a command it is about.
func (w finding) by(e *shell.Effect) finding {
	if w.decision != checkrein.NoOpinion && w.cause == nil {
		w.cause = &builtin.AddCause(nil, e)[0]
	}
	return w
}

// settled reports whether nothing can make the finding stricter.
func (w *finding) settled() bool { return w.decision == checkrein.Deny && w.final }

func (w *finding) verdict() checkrein.Verdict {
	if w.decision == checkrein.NoOpinion {
		return checkrein.Verdict{}
	}
	why := w.what + " is protected"
	if w.way != "" {
		why += "; " + w.way
	}
	why = builtin.WithoutColons(why)
	v := checkrein.Verdict{Decision: w.decision, Reason: builtin.BlockedReason(why, w.evidence), Metadata: builtin.Metadata(shell.RadiusHigh.String(), shell.FSModify.String(), "")}
	if w.decision == checkrein.Ask {
		v.Reason = why + ": " + w.evidence
	}
	v = builtin.Sign(v, w.rule, strings.TrimSuffix(why, byPerson)) // which is said of every block
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

// ownThings is what people read of checkrein's own files.
const ownThings = "checkrein itself (configuration, state, programs)"

const byPerson = "; the user can do it in a terminal outside the agent"

// ownFinding is checkrein itself, by one of its paths.
func (k *guard) ownFinding(path string) finding {
	rule := "self/config"
	switch {
	case slices.Contains(k.programs, path):
		rule = "self/programs"
	case strings.Contains(filepath.ToSlash(path), "/.local/state/"), k.state != "" && study.InDir(path, study.RealPath(k.state, true)):
		rule = "self/state"
	}
	return finding{decision: checkrein.Deny, rule: rule, final: true, what: ownThings,
		way: "agents may not change it" + byPerson}
}

// inside is the finding of checkrein's path when all of a folder is taken away. If that is
// another folder, such as the home, checkrein does not advise doing it by hand.
func (w finding) inside(folder, path string) finding {
	if w.within = path != folder; w.within {
		w.way = strings.TrimSuffix(w.way, byPerson)
	}
	return w
}

// kinds are the kinds of paths that a person is asked about, with the rule that says
// so and what changing them does.
var kinds = [...]struct{ kind, rule, what, does string }{
	{"shell-rc", "protect/startup-files", "a start-up file", "its commands run whenever a new shell or program starts"},
	{"git-hooks", "protect/git-hooks", "Git's hooks or configuration", "Git uses it with your permissions, outside the agent too"},
	{"login", "protect/login", "a file that decides who may log in", "a mistake locks users out or lets others in"},
	{"cron", "protect/cron", "a scheduled job", "the system runs it later, outside the agent"},
}

// findingOf is what becomes of a path of a kind.
func findingOf(kind, abs string, k *guard) finding {
	name := path.Base(filepath.ToSlash(abs))
	switch kind {
	case "checkrein":
		return k.ownFinding(abs)
	case kindTranscript:
		return transcriptFinding
	case "keys", "credentials":
		switch {
		case strings.HasPrefix(name, "authorized_keys"):
			return k.asked("protect/login", "the list of SSH keys that may log in", "anyone with an added key can log in")
		case kind == "keys" && (name == "config" || name == "rc" || name == "environment" || strings.Contains(abs, "/.ssh/config.d/")):
			return k.asked("protect/ssh-config", "an ssh setting that can run programs", "ssh uses it, outside the agent too")
		case strings.HasSuffix(name, ".pub") || strings.HasPrefix(name, "known_hosts"):
			return finding{}
		case readsAsGlob(abs) || exists(abs):
			return k.asked("protect/credentials", "a file with credentials", "its current contents would be lost")
		}
		return finding{}
	}
	for _, row := range kinds {
		if row.kind == kind {
			return k.asked(row.rule, row.what, row.does)
		}
	}
	if s := filepath.ToSlash(abs); strings.HasPrefix(s, "/etc/") || strings.HasPrefix(s, "/private/etc/") {
		return k.asked("protect/system", "the system's configuration", "programs on the whole machine use it")
	}
	return finding{}
}

// asked is what a person is asked about; strict does not ask.
func (k *guard) asked(rule, what, does string) finding {
	w := finding{decision: checkrein.Ask, rule: rule, what: what, way: does}
	if k.strict {
		w.decision = checkrein.Deny
	}
	return w
}

func readsAsGlob(p string) bool { return strings.ContainsAny(p, "*?[") }

func exists(p string) bool {
	_, err := os.Lstat(p)
	return err == nil
}
