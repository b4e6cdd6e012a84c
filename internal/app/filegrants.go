package app

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/guard/binding"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// fileGrants returns the grants in configuration files that may apply to a call that the deciders by
// block. Each is bound as if the granted call had been made in the same place as this one.
func (k *Kit) fileGrants(ev *checkrein.Event, call *grant.Call, by []grant.Decider) []grant.Grant {
	var out []grant.Grant
	for i := range k.config.Settings.Grants {
		s := &k.config.Settings.Grants[i]
		lifts := liftedDeciders(s, by)
		if len(lifts) == 0 || ev.Tool == nil || k.whyInactive(s) != "" || !k.inProject(s.In, ev) {
			continue
		}
		g := grant.Grant{ID: s.From.String(), Scope: grant.File, Lifts: lifts, By: s.From.String(), Why: s.Reason}
		if s.Call != "" {
			as, ok := binding.WithCommand(ev, s.Call)
			if !ok {
				continue
			}
			g.Binding = k.bind(&as)
		} else if (s.Tool == ev.Tool.Name || s.Tool == ev.Tool.Canonical) && rawjson.EqualForEveryReader(s.Input, ev.Tool.Input) {
			g.Binding = grant.Binding{Text: call.Text, World: call.World} // whatever the call's files are now
		}
		for j := range lifts {
			if len(s.Rules) > 0 {
				g.Narrow(&lifts[j], s.Rules...)
			}
		}
		out = append(out, g)
	}
	return out
}

// liftedDeciders returns those of by whose decisions the grant lifts. Decisions of programs are lifted
// only if the grant names them.
func liftedDeciders(s *setting.Grant, by []grant.Decider) []grant.Decider {
	var out []grant.Decider
	for i := range by {
		if len(s.Rules) == 0 && !by[i].Program || slices.ContainsFunc(s.Rules, by[i].UsedRule) {
			out = append(out, by[i])
		}
	}
	return out
}

// inProject reports whether the call in ev belongs to the project dir and runs only inside it. Every
// call is in the project "".
func (k *Kit) inProject(dir string, ev *checkrein.Event) bool {
	if dir == "" {
		return true
	}
	if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		dir = filepath.Join(k.home, rest)
	}
	dir = realDir(dir)
	if realDir(ev.Session.Root) != dir {
		return false
	}
	places, all := binding.CallDirs(ev, k.callEnv(ev))
	return all && !slices.ContainsFunc(places, func(p string) bool {
		p = realDir(p)
		return p != dir && !approval.IsBelow(dir, p)
	})
}

// realDir returns path with symlinks resolved, or path cleaned if that fails.
func realDir(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// whyInactive returns why the grant has no effect, for example because it ended, or "" if it has.
func (k *Kit) whyInactive(s *setting.Grant) string {
	if s.From.Scope > checkrein.ScopeUser {
		return "a project's file cannot grant anything"
	}
	if until, err := time.Parse(time.RFC3339, s.Until); s.Until != "" && (err != nil || !k.now().Before(until)) {
		return "it ended at " + s.Until
	}
	return ""
}

// A FileGrant is a grant in a file of the user or the administrator.
type FileGrant struct {
	ID     string    `json:"id"` // file:line, as records name it
	Of     string    `json:"of"` // the scope of the file: user or managed
	Shown  string    `json:"shown"`
	Rules  []string  `json:"rules,omitempty"`
	In     string    `json:"in,omitempty"`
	Until  time.Time `json:"until,omitzero"`
	Why    string    `json:"why"`
	Broken string    `json:"broken,omitempty"` // why it does not count; "" = it does
	// Remedies are the ways to make it count.
	Remedies []message.Remedy `json:"remedies,omitempty"`
}

// FileGrants returns the grants in the user's and the administrator's files, including those that do
// not count.
func (k *Kit) FileGrants() []FileGrant {
	var out []FileGrant
	for i := range k.fileSettings.Grants {
		s := &k.fileSettings.Grants[i]
		if s.From.Scope > checkrein.ScopeUser {
			continue
		}
		g := FileGrant{ID: s.From.String(), Of: s.From.Scope.String(), Shown: s.Call, Rules: s.Rules, In: s.In, Why: s.Reason, Broken: k.whyInactive(s)}
		if g.Shown == "" {
			g.Shown = s.Tool + " " + string(s.Input)
		}
		g.Until, _ = time.Parse(time.RFC3339, s.Until)
		counts := func(o setting.Grant) bool {
			return o.From == s.From && o.In == s.In && o.Until == s.Until && slices.Equal(o.Rules, s.Rules)
		}
		if g.Broken == "" && !slices.ContainsFunc(k.config.Settings.Grants, counts) {
			g.Broken, g.Remedies = "you have not confirmed it yet", []message.Remedy{message.RunYourself("checkrein confirm", "to confirm it")}
		}
		out = append(out, g)
	}
	return out
}

// Message returns a sentence about the grant, for people.
func (g *FileGrant) Message() message.Message {
	verb := " allows `"
	if g.Broken != "" {
		verb = " would allow `"
	}
	text := "grant " + g.ID + verb + strings.Join(strings.Fields(g.Shown), " ") + "`"
	if len(g.Rules) > 0 {
		text += ", which " + strings.Join(g.Rules, ", ") + " stops"
	}
	if g.In != "" {
		text += ", only in " + g.In
	}
	switch {
	case g.Broken != "":
		text += ", but does not count: " + g.Broken
	case !g.Until.IsZero():
		text += ", until " + g.Until.Local().Format(time.DateTime)
	}
	return message.New(text+". Reason given: "+g.Why, g.Remedies...)
}

// Channels returns the channels for messages. Those of projects do not count. Of two channels with the
// same name, the administrator's counts, or else the first.
func (k *Kit) Channels() []setting.Channel {
	var out []setting.Channel
	for _, c := range k.config.Settings.Channels {
		if c.From.Scope <= checkrein.ScopeUser && !slices.ContainsFunc(out, func(o setting.Channel) bool { return o.Name == c.Name }) {
			out = append(out, c)
		}
	}
	return out
}

// grantTexts returns the grants in files as strings for the digest of the policy. They include the
// time at which a grant ends, but not whether it has ended.
func (k *Kit) grantTexts() []string {
	var out []string
	for i := range k.config.Settings.Grants {
		s := &k.config.Settings.Grants[i]
		out = append(out, strings.Join(append([]string{"grant", s.From.Scope.String(), s.Call, s.Tool, string(s.Input), s.In, s.Until}, s.Rules...), "\x00"))
	}
	return out
}
