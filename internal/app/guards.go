package app

import (
	"context"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/loosening"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/guard/packguard"
	"github.com/checkrein/checkrein/internal/hook/packset"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/text/message"
)

// Guards describes where the guards that are on by default are not as they come.
type Guards struct {
	Off     []string // packs that a file switched off
	OffBy   []string // the places in files that did
	Ignored []string // what projects' files say to no effect
	Shadow  string   // until when verdicts are recorded and not enforced, "" = they are
	Paused  bool     // a person said so for a time, not a file
	Held    []string // what the person's file loosens and must be confirmed first, in words
	Grants  []FileGrant
	Tried   []string // managed hooks in shadow mode, with the places in files that have them so
}

// Guards reports on the default guards.
func (k *Kit) Guards() Guards {
	g := Guards{Off: k.packs.Off, Ignored: k.ignoredSettings(), Grants: k.FileGrants()}
	s := k.shadowed()
	g.Shadow, g.Paused = s.until, s.paused
	for i := range k.config.Settings.Packs {
		if s := &k.config.Settings.Packs[i]; (s.Off || s.Name == "") && s.From.Scope != checkrein.ScopeProject {
			g.OffBy = append(g.OffBy, s.From.String())
		}
	}
	for _, item := range k.held {
		g.Held = append(g.Held, loosening.Words(item))
	}
	for _, h := range k.Hooks() {
		if name := h.Label() + " (" + h.From.String() + ")"; IsTried(&h) && !slices.Contains(g.Tried, name) {
			g.Tried = append(g.Tried, name)
		}
	}
	return g
}

// ignoredSettings returns which settings of projects do not count, each once for a file.
func (k *Kit) ignoredSettings() []string {
	out := slices.Clone(k.packs.Ignored)
	said := map[string]bool{}
	add := func(from checkrein.Origin, what string) {
		if from.Scope > checkrein.ScopeUser && !said[what+from.File] {
			said[what+from.File] = true
			out = append(out, from.String()+": "+what)
		}
	}
	for i := range k.fileSettings.Grants {
		add(k.fileSettings.Grants[i].From, "grants is ignored, because a project's file can only tighten rules")
	}
	for i := range k.fileSettings.Channels {
		add(k.fileSettings.Channels[i].From, "channels is ignored, because messages go only where your own checkrein.yaml says")
	}
	for i := range k.fileSettings.Judges {
		add(k.fileSettings.Judges[i].From, "judge is ignored, because only your own checkrein.yaml may set the judge and its budget")
	}
	return out
}

// Until returns Shadow as people read it, in local time.
func (g *Guards) Until() string { return localTime(g.Shadow) }

// A Saying is what a file says of a pack.
type Saying struct {
	setting.Pack
	Held    []string // what of it is held back until a person confirms it, in words
	Ignored []string // what of it does not count, because a project's file can only tighten
}

// Sayings lists what files say of packs, held back or not.
func (k *Kit) Sayings() []Saying {
	var out []Saying
	for _, s := range k.fileSettings.Packs {
		one := Saying{Pack: s, Ignored: packset.Loose(&s)}
		if s.From.Scope == checkrein.ScopeUser {
			mine := loosening.Of(&s)
			for _, item := range k.held {
				if slices.Contains(mine, item) {
					one.Held = append(one.Held, strings.TrimPrefix(loosening.Words(item), "pack "+s.Name+": "))
				}
			}
		}
		out = append(out, one)
	}
	return out
}

// PackSettings are what files say of packs as far as it counts.
func (k *Kit) PackSettings() []setting.Pack { return k.config.Settings.Packs }

// Scales say what some hooks make of events, and leave no trace of it: no grant is
// used, nothing is remembered or recorded. What shadow would make of that does not
// count.
func (k *Kit) Scales(pick func(*checkrein.Hook) bool) func(context.Context, checkrein.Event) checkrein.Verdict {
	v := k.view()
	return k.weigh(without(v.hooks, func(h checkrein.Hook) bool { return !pick(&h) }), v.trust.Off())
}

// Packs returns what the packs alone decide about events here, as [Kit.Scales] does.
func (k *Kit) Packs() func(context.Context, checkrein.Event) checkrein.Verdict {
	return k.Scales(func(h *checkrein.Hook) bool {
		w, err := packguard.Watching(h)
		return w != nil || err != nil
	})
}

// DefaultPacks returns what the packs decide where no person or file adjusts them.
func (k *Kit) DefaultPacks() func(context.Context, checkrein.Event) checkrein.Verdict {
	every := packset.Args([]packset.Part{packset.Usual(packset.Every)})
	return k.weigh([]checkrein.Hook{impliedHook(checkrein.ScopeUser, "packs", checkrein.PreToolUse, "packs", every...)}, false)
}

// weigh returns what hooks decide about events, without a trace.
func (k *Kit) weigh(hooks []checkrein.Hook, off bool) func(context.Context, checkrein.Event) checkrein.Verdict {
	opts := k.engineOptions
	opts.Hooks = hooks
	opts.Trust, opts.Off, opts.Lift = approvalChecker{k, k.view().trust}, off, nil
	e := engine.New(opts)
	return func(ctx context.Context, ev checkrein.Event) checkrein.Verdict {
		ev.Seen = new(checkrein.Seen)
		return e.Decide(ctx, k.located(ev)).Verdict
	}
}

// Messages returns what is not as it comes.
func (g *Guards) Messages() []message.Message {
	var out []message.Message
	if len(g.Off) > 0 {
		out = append(out, message.New("packs that are off: "+strings.Join(g.Off, ", "), g.SwitchOn()))
	}
	switch {
	case g.Paused:
		out = append(out, message.New("paused until "+g.Until()+": "+onlyRecorded, message.Run("checkrein pause off", "to end the pause")))
	case g.Shadow != "":
		out = append(out, message.New("shadow mode until "+g.Until()+": "+onlyRecorded))
	}
	if len(g.Tried) > 0 {
		out = append(out, message.New("the administrator tries managed hooks in shadow mode; their decisions are recorded but not enforced: "+strings.Join(g.Tried, ", ")))
	}
	for i := range g.Grants {
		out = append(out, g.Grants[i].Message())
	}
	for _, line := range g.Ignored {
		out = append(out, message.New(line))
	}
	if len(g.Held) > 0 {
		out = append(out, heldBack(g.Held))
	}
	return out
}

// SwitchOn returns how to switch on the packs that are off; none = no file is known to
// switch them off.
func (g *Guards) SwitchOn() message.Remedy {
	if len(g.OffBy) == 0 {
		return message.Remedy{}
	}
	return message.Do("to switch them on, remove off: true or packs: [] from " + strings.Join(g.OffBy, " and "))
}

func heldBack(what []string) message.Message {
	return message.New("held back, because it appeared in your file while an agent was running: "+strings.Join(what, "; "), message.RunYourself("checkrein confirm", "to apply it"))
}

// settle holds back what the person's own files loosen while a host is alive. Files
// that are given by name are for one run.
func (k *Kit) settle(opts *Options) {
	k.readOnly = opts.ReadOnly
	k.fileSettings = k.config.Settings
	if len(k.named) > 0 {
		return
	}
	c := loosening.Case{State: k.state, Settings: &k.config.Settings, Managed: k.config.Managed, Called: opts.Called, Peek: opts.ReadOnly || !opts.Called, // what is only tried leaves no trace
		Tampered: func(err error) { k.noteAnomaly(err.Error()) }}
	for _, f := range k.config.Files {
		if f.Scope == checkrein.ScopeUser && f.Dialect == "native" {
			c.Files = append(c.Files, f.Path)
		}
	}
	k.held = loosening.Settle(c)
}

// shrink forgets what was accepted and is not in the files any more, once a
// session: the others cost no look at it.
func (k *Kit) shrink() {
	if len(k.named) == 0 && !k.readOnly {
		loosening.Shrink(k.state, &k.fileSettings, &k.config.Managed)
	}
}

// Confirm lets what the person's files loosen count.
func (k *Kit) Confirm() error { return loosening.Confirm(k.state, &k.fileSettings, &k.config.Managed) }

// guardNotices are what the person must know about the guards.
func (k *Kit) guardNotices(shadow string) []string {
	var out []string
	for _, err := range k.packs.Unknown {
		out = append(out, err.Error())
	}
	out = append(out, k.ignoredSettings()...)
	if shadow != "" {
		out = append(out, shadow)
	}
	if len(k.held) > 0 {
		g := k.Guards()
		out = append(out, heldBack(g.Held).Sentences())
	}
	return out
}
