package app

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/loosening"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/guard/packguard"
	"github.com/checkrein/checkrein/internal/hook/packset"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/text/message"
)

// Guards describes how the default guards differ from their defaults.
type Guards struct {
	Off     []string // packs that a file switched off
	OffBy   []string // the places in files that switch them off
	Ignored []string // settings of projects' files that have no effect
	Shadow  string   // until when verdicts are recorded but not enforced; "" = they are enforced
	Paused  bool     // Shadow comes from the user's pause, not from a file
	Held    []string // settings in the user's file that loosen the guard and must be confirmed first
	Grants  []FileGrant
	Tried   []Trial // what is in shadow mode
	// HeldShadow are those of Held that are about shadow mode.
	HeldShadow []string
}

// Guards returns the state of the default guards.
func (k *Kit) Guards() Guards {
	g := Guards{Off: k.packs.Off, Ignored: k.ignoredSettings(), Grants: k.FileGrants()}
	s := k.currentShadow()
	g.Shadow, g.Paused = s.until, s.paused
	for i := range k.config.Settings.Packs {
		if s := &k.config.Settings.Packs[i]; (s.Off || s.Name == "") && s.From.Scope != checkrein.ScopeProject && !s.Trial {
			g.OffBy = append(g.OffBy, s.From.String())
		}
	}
	for _, item := range k.held {
		g.Held = append(g.Held, loosening.Describe(item))
		if loosening.IsShadow(item) {
			g.HeldShadow = append(g.HeldShadow, loosening.Describe(item))
		}
	}
	g.Tried = k.trials()
	return g
}

// ignoredSettings returns a line for each setting in projects' files that does not count, once per
// file.
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

// Until returns the time in g.Shadow as local time, for people.
func (g *Guards) Until() string { return LocalTime(g.Shadow) }

// A PackEntry is an entry for a pack in a configuration file.
type PackEntry struct {
	setting.Pack
	Held    []string // the parts that are held back until the user confirms them
	Ignored []string // the parts that do not count, because a project's file can only tighten rules
}

// PackEntries returns the entries for packs in the configuration files, including entries that are
// held back. Those of a fleet's bundle on trial are left out; see [Guards.Tried].
func (k *Kit) PackEntries() []PackEntry {
	var out []PackEntry
	for _, s := range k.fileSettings.Packs {
		if s.Trial {
			continue
		}
		one := PackEntry{Pack: s, Ignored: packset.IgnoredLoosening(&s)}
		if s.From.Scope == checkrein.ScopeUser {
			mine := loosening.PackLoosenings(&s)
			for _, item := range k.held {
				if slices.Contains(mine, item) {
					one.Held = append(one.Held, strings.TrimPrefix(loosening.Describe(item), "pack "+s.Name+": "))
				}
			}
		}
		out = append(out, one)
	}
	return out
}

// Loosenings returns, as items of [loosening.Describe], what the files loosen.
func (k *Kit) Loosenings() []string { return loosening.List(&k.fileSettings, &k.config.Managed) }

// PackSettings returns the settings of packs in files that are in force.
func (k *Kit) PackSettings() []setting.Pack { return k.config.Settings.Packs }

// DryRun returns a function that decides events with the hooks that pick selects and leaves no trace:
// it uses no grant, and saves and records nothing. Shadow mode has no influence.
func (k *Kit) DryRun(pick func(*checkrein.Hook) bool) func(context.Context, checkrein.Event) checkrein.Verdict {
	v := k.view()
	return k.dryRun(withoutHooks(v.hooks, func(h checkrein.Hook) bool { return !pick(&h) }), v.approvals.IsOff())
}

// DryRunPacks returns a function that decides events with the packs alone, and like [Kit.DryRun]
// leaves no trace.
func (k *Kit) DryRunPacks() func(context.Context, checkrein.Event) checkrein.Verdict {
	return k.DryRun(func(h *checkrein.Hook) bool {
		w, err := packguard.HookPolicy(h)
		return w != nil || err != nil
	})
}

// DryRunDefaultPacks returns a function that decides events with the packs in their default settings,
// and leaves no trace.
func (k *Kit) DryRunDefaultPacks() func(context.Context, checkrein.Event) checkrein.Verdict {
	every := packset.EncodeArgs([]packset.Part{packset.DefaultPart(packset.Every)})
	return k.dryRun([]checkrein.Hook{impliedHook(checkrein.ScopeUser, "packs", checkrein.PreToolUse, "packs", every...)}, false)
}

// dryRun returns a function that decides events with exactly these hooks, and leaves no trace. off
// means that the master switch is off.
func (k *Kit) dryRun(hooks []checkrein.Hook, off bool) func(context.Context, checkrein.Event) checkrein.Verdict {
	opts := k.engineOptions
	opts.Hooks = hooks
	opts.Trust, opts.Off, opts.Lift = approvalChecker{k, k.view().approvals}, off, nil
	e := engine.New(opts)
	return func(ctx context.Context, ev checkrein.Event) checkrein.Verdict {
		ev.Shared = new(sync.Map)
		return e.Decide(ctx, k.withSession(ev)).Verdict
	}
}

// Messages returns messages about what differs from the defaults.
func (g *Guards) Messages() []message.Message {
	var out []message.Message
	if len(g.Off) > 0 {
		out = append(out, message.New("packs that are off: "+strings.Join(g.Off, ", "), g.SwitchOnRemedy()))
	}
	switch {
	case g.Paused:
		out = append(out, message.New("paused until "+g.Until()+": "+onlyRecorded, message.Run("checkrein pause off", "to end the pause")))
	case g.Shadow != "":
		out = append(out, message.New("shadow mode until "+g.Until()+": "+onlyRecorded))
	}
	for i := range g.Tried {
		out = append(out, g.Tried[i].Message())
	}
	for i := range g.Grants {
		out = append(out, g.Grants[i].Message())
	}
	for _, line := range g.Ignored {
		out = append(out, message.New(line))
	}
	if len(g.Held) > 0 {
		out = append(out, heldMessage(g.Held))
	}
	return out
}

// SwitchOnRemedy returns how to switch on the packs that are off, or the zero Remedy if no file
// switches them off.
func (g *Guards) SwitchOnRemedy() message.Remedy {
	if len(g.OffBy) == 0 {
		return message.Remedy{}
	}
	return message.Do("to switch them on, remove off: true or packs: [] from " + strings.Join(g.OffBy, " and "))
}

// heldMessage returns a message about settings that are held back, with the command to confirm them.
func heldMessage(what []string) message.Message {
	return message.New("held back, because it appeared in your file while an agent was running: "+strings.Join(what, "; "), message.RunYourself("checkrein confirm", "to apply it"))
}

// holdBackLoosening holds back settings in the user's own files that loosen the guard and appeared
// while a host was running. Named files and those that stand in for the user's are used for one run
// only, so they are not checked.
func (k *Kit) holdBackLoosening(opts *Options) {
	k.readOnly = opts.ReadOnly
	k.fileSettings = k.config.Settings
	if len(k.named) > 0 || opts.Replay != nil && opts.Replay.Policy != "" {
		return
	}
	c := loosening.Case{State: k.approvalState, Settings: &k.config.Settings, Managed: k.config.Managed, Called: opts.Called, Peek: opts.ReadOnly || !opts.Called, // dry runs leave no trace
		Tampered: func(err error) { k.noteAnomaly(err.Error()) }}
	for _, f := range k.config.Files {
		if f.Scope == checkrein.ScopeUser && f.Dialect == "native" {
			c.Files = append(c.Files, f.Path)
		}
	}
	k.held = loosening.Settle(c)
}

// noteCounting records which of the user's own hooks and packs count, so that shadow mode of one of them is held back
// later; see [loosening.NoteCounting].
func (k *Kit) noteCounting(opts *Options) {
	if len(k.named) > 0 || !opts.Called || opts.ReadOnly || opts.Replay != nil {
		return
	}
	var ids []string
	for i := range k.config.Hooks {
		if h := &k.config.Hooks[i]; h.From.Scope == checkrein.ScopeUser && !h.Implied && !k.IsInShadow(h) {
			ids = append(ids, h.ID)
		}
	}
	for _, p := range k.config.Settings.Packs {
		if p.From.Scope == checkrein.ScopeUser && len(p.By) > 0 && !slices.Contains(p.Shadow, setting.EveryRule) {
			ids = append(ids, loosening.PackID(p.Name))
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	digest := shortDigest(strings.Join(ids, "\x00"))
	if !k.standing.began && (len(ids) == 0 || digest == k.standing.counted) {
		return
	}
	loosening.NoteCounting(k.approvalState, ids, k.standing.began)
	if opts.Session != "" {
		_ = k.memory.updateBeginning(beginningKey(opts.Host, opts.Session), func(kept *beginning) error { // if this fails, the next event does it
			kept.Counted = digest
			return nil
		})
	}
}

// forgetRemovedLoosening removes the confirmations of settings that are no longer in the files. It
// runs once per session, so that other events need not read the confirmations.
func (k *Kit) forgetRemovedLoosening() {
	if len(k.named) == 0 && !k.readOnly {
		loosening.DropRemoved(k.state, &k.fileSettings, &k.config.Managed)
	}
}

// Confirm records that the user accepts the settings in their files that loosen the guard.
func (k *Kit) Confirm() error { return loosening.Confirm(k.state, &k.fileSettings, &k.config.Managed) }

// guardNotices returns notices about unknown packs and about ignored and held settings, and the notice
// shadow about shadow mode unless that is "".
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
		out = append(out, heldMessage(g.Held).Sentences())
	}
	return out
}
