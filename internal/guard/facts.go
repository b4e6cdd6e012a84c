package guard

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/shell"
)

// What no grant lifts is marked in a verdict's metadata: by final if the call is about
// checkrein itself, by FinalWithin if checkrein only lies in what the call takes away,
// such as the home.
const (
	final       = "self-protection"
	FinalWithin = "self-protection, because the path contains its files"
	// FinalTranscript marks what would change a transcript of an agent's calls.
	FinalTranscript = "protection of transcripts"
)

// by says in a verdict's metadata who decides, and why: one line, without the
// command.
func by(v checkrein.Verdict, rule, reason string) checkrein.Verdict {
	if v.Metadata == nil {
		v.Metadata = map[string]string{}
	}
	v.Metadata["rule"], v.Metadata["reason"] = rule, reason
	return v
}

// A stop is one effect of a call that a guard denies or asks about.
type stop struct {
	decision     checkrein.Decision
	rule, reason string
}

// maxCauses is how many effects a verdict names as what it was decided by.
const maxCauses = 16

// because adds an effect to what a verdict was decided by.
func because(list []checkrein.Cause, e *shell.Effect) []checkrein.Cause {
	if len(list) >= maxCauses {
		return list
	}
	return append(list, checkrein.Cause{Label: e.Label.String(), Kind: e.Kind, Category: e.Row().Name, Rule: e.RuleName(), Radius: e.Radius.String(),
		On: e.On, Maybe: e.Maybe, Paths: e.Paths, Hosts: e.Hosts})
}

// seenRepo is a reader of repositories whose answers are noted.
func seenRepo(seen *checkrein.Seen, read func(dir string) *shell.Repo) func(dir string) *shell.Repo {
	if seen == nil {
		return read
	}
	return func(dir string) *shell.Repo {
		r := read(dir)
		if r == nil {
			seen.Repo(checkrein.SeenRepo{Dir: dir, None: true})
			return nil
		}
		seen.Repo(checkrein.SeenRepo{Dir: dir, Head: r.Head, Settings: r.SettingsText})
		if known := r.Default; known != nil {
			r.Default = func(remote string) string {
				ref := known(remote)
				seen.Default(dir, checkrein.SeenDefault{Remote: remote, Ref: ref})
				return ref
			}
		}
		return r
	}
}

// maxAlso is how many further effects a verdict names.
const maxAlso = 2

// also names what else stops a call, in the metadata: the first few with their
// reasons, and every rule, so that lifting one of them lifts no other.
func also(v *checkrein.Verdict, stops []stop) {
	first := stop{v.Decision, v.Metadata["rule"], v.Metadata["reason"]}
	rules := []string{first.rule}
	var texts []string
	slices.SortStableFunc(stops, func(a, b stop) int { return int(b.decision) - int(a.decision) })
	for _, s := range stops {
		if !slices.Contains(rules, s.rule) {
			rules = append(rules, s.rule)
		}
		text := s.reason + " [" + s.rule + "]"
		if s.reason != first.reason && len(texts) < maxAlso && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	if len(texts) > 0 {
		v.Metadata["also"] = strings.Join(texts, "; ")
	}
	if len(rules) > 1 {
		v.Metadata["rules"] = strings.Join(rules, " ")
	}
}
