package packs

import (
	"context"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/guard"
	"github.com/checkrein/checkrein/internal/guard/packguard"
	"github.com/checkrein/checkrein/internal/guard/secretguard"
	"github.com/checkrein/checkrein/internal/hook/dialect/native"
	"github.com/checkrein/checkrein/internal/hook/packset"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Catalog holds the packs as they are in force in a project. Decisions come from the hooks that make
// them.
type Catalog struct {
	ctx      context.Context
	env      *console.Env
	kit      *app.Kit
	Decide   func(context.Context, checkrein.Event) checkrein.Verdict // returns the verdict of all packs on an event
	Settings []app.PackEntry
	watches  []*packguard.Policy // the policies of the hooks that count
	own      []ownPack
	others   []checkrein.Hook // declared hooks with other builtins
}

// An ownPack is a pack that the user, a project or the administrator declares in a file.
type ownPack struct {
	set   *shell.RuleSet
	watch *packguard.Policy
	about string
	hook  checkrein.Hook
	why   string // why it does not count; "" = it does
}

// NewCatalog returns the packs of k.
func NewCatalog(ctx context.Context, env *console.Env, k *app.Kit) *Catalog {
	s := &Catalog{ctx: ctx, env: env, kit: k, Settings: k.PackEntries(), Decide: k.DryRunPacks()}
	for _, h := range k.Hooks() {
		if h.Implied && h.Shadow { // it does not decide
			continue
		}
		w, err := packguard.HookPolicy(&h)
		why := s.whyIdle(&h)
		switch {
		case w == nil && err == nil:
			s.others = append(s.others, h)
		case err != nil || h.Broken != "":
		case h.Implied:
			if why == "" {
				s.watches = append(s.watches, w)
			}
		default:
			for _, set := range w.OwnPacks() {
				s.own = append(s.own, ownPack{set: set, watch: w, hook: h, why: why, about: describeOwn(w, set.Own)})
			}
			if why == "" {
				s.watches = append(s.watches, w)
			}
		}
	}
	return s
}

// whyIdle returns why h does not count, with the command that changes that, or "" if it counts.
func (s *Catalog) whyIdle(h *checkrein.Hook) string {
	if !s.kit.IsOn() && h.From.Scope != checkrein.ScopeManaged {
		return "hooks are switched off: checkrein hooks on"
	}
	if s.kit.NeedsApproval(h) {
		if state, _ := s.kit.Approval(h); state != engine.Approved {
			return "not approved: checkrein hooks approve"
		}
	}
	return ""
}

// describeOwn returns the description of a declared pack.
func describeOwn(w *packguard.Policy, name string) string {
	for _, p := range w.Parts(name) {
		if about := rawjson.GetText([]byte(p.Own), "about"); about != "" {
			return about
		}
	}
	return "rules from a file"
}

// Names returns the names of all packs: those that guard, declared ones, self-protection, those that
// are on only if a file names them, and those that never decide.
func (s *Catalog) Names() []string {
	out := shell.PackNames()
	for _, o := range s.own {
		if !slices.Contains(out, o.set.Own) {
			out = append(out, o.set.Own)
		}
	}
	out = append(out, SelfPacks[:]...)
	for _, set := range native.Sets() {
		out = append(out, set.Name)
	}
	return append(out, shell.PackDev.String(), shell.PackReads.String())
}

// Has reports whether there is a pack called name.
func (s *Catalog) Has(name string) bool { return slices.Contains(s.Names(), name) }

// decisionAbout returns what the hooks decide about e. For an effect of a declared pack, only the hook
// of that pack decides, since no other has its rules.
func (s *Catalog) decisionAbout(e *shell.Effect) checkrein.Decision {
	if i := s.indexOfOwn(e.Row().PackName()); i >= 0 {
		if s.own[i].why != "" {
			return checkrein.NoOpinion
		}
		return s.own[i].watch.Decide(e)
	}
	return Strictest(s.watches, e)
}

// indexOfOwn returns the index of the declared pack name in s.own, or -1 if there is none.
func (s *Catalog) indexOfOwn(name string) int {
	return slices.IndexFunc(s.own, func(o ownPack) bool { return o.set.Own == name })
}

// Strictest returns the strictest decision that one of the policies makes about e.
func Strictest(watches []*packguard.Policy, e *shell.Effect) checkrein.Decision {
	var d checkrein.Decision
	for _, w := range watches {
		d = max(d, w.Decide(e))
	}
	return d
}

// PlainEffect returns an effect of a pack to which the key with this index in setting.PackKeys
// applies, and no particular rule.
func PlainEffect(pack string, key int) *shell.Effect {
	e := &shell.Effect{Label: shell.Destructive, Kind: "delete", Own: &shell.Row{Own: pack}, Impact: shell.Impact(key)}
	if setting.PackKeys[key] == "exfiltration" {
		e.Label, e.Impact = shell.Exfiltration, shell.ImpactMedium
	}
	return e
}

// defaultDecisions returns what packs decide without entries in files, by key.
func (s *Catalog) defaultDecisions() map[string]string {
	w, err := packguard.PartsPolicy([]packset.Part{packset.DefaultPart(packset.Every)})
	out := map[string]string{}
	for i, key := range setting.PackKeys {
		if err == nil {
			out[key] = w.Decide(PlainEffect("any", i)).String()
		}
	}
	return out
}

// ReportPack returns the report of the pack name, without categories and rules.
func (s *Catalog) ReportPack(name string) packReport {
	p := packReport{Name: name, Kind: kindCommands, From: []fileEntry{}}
	for _, set := range native.Sets() {
		if set.Name == name {
			return s.reportTexts(p, &set)
		}
	}
	for _, r := range guard.NamedRules() {
		if strings.HasPrefix(r.Name, name+"/") {
			p.Rules++
		}
	}
	if slices.Contains(SelfPacks[:], name) {
		return s.reportSelf(p)
	}
	if i := s.indexOfOwn(name); i >= 0 {
		return s.reportOwn(p, &s.own[i])
	}
	count := func(r *shell.Rule) {
		if r.Category.Row().PackName() == name {
			p.Rules++
		}
	}
	program.EachRule(count)
	program.EachCodedRule(count)
	pack, guards := shell.PackNamed(name)
	if !guards {
		p.Kind, pack = kindKnowledge, knowledgePack(name)
		p.Also = "This pack never decides. It recognizes harmless commands, so that they do not count as unknown."
	}
	p.About = pack.About()
	if !guards {
		return p
	}
	s.setState(&p)
	p.Also = furtherRules[pack]
	if name == packset.Secrets {
		s.addRedaction(&p)
	}
	return p
}

// furtherRules describes rules of packs that the list of rules does not show in full.
var furtherRules = map[shell.Pack]string{
	shell.PackFilesystem:   rulesByLocation,
	shell.PackPermissions:  rulesByLocation,
	shell.PackDisk:         rulesByLocation,
	shell.PackExfiltration: "This pack judges what is sent and to where. Its rules are named after the sending program: curl, scp, git. The list shows the most common ones.",
	shell.PackSecrets:      "Rules about files with keys and credentials are named after the program that prints or copies them: cat, cp. The list shows the most common ones.",
	shell.PackCode:         "Most of this pack's decisions depend on the whole command. Blocks then name the category, such as code/remote-code.",
}

// rulesByLocation describes rules that are named after the location of paths.
const rulesByLocation = "This pack judges the action and the path's location. Its rules are named accordingly: delete-home, move-system. The list shows the most common ones."

// knowledgePack returns the pack called name that recognizes harmless commands, or shell.NoPack if
// there is none.
func knowledgePack(name string) shell.Pack {
	for _, p := range []shell.Pack{shell.PackDev, shell.PackReads} {
		if p.String() == name {
			return p
		}
	}
	return shell.NoPack
}

// setState sets in p whether the pack is on, how it differs from its defaults, and the entries in
// files.
func (s *Catalog) setState(p *packReport) {
	for _, w := range s.watches {
		p.On = p.On || w.IsOn(p.Name)
		for _, part := range w.Parts(p.Name) {
			if part.Project == "" && !part.IsOff() {
				p.Allow = append(p.Allow, part.Allow...)
			}
		}
	}
	slices.Sort(p.Allow)
	p.Allow = slices.Compact(p.Allow)
	s.setDecides(p)
	for i := range s.Settings {
		if say := &s.Settings[i]; say.Name == p.Name || say.Name == "" {
			p.From = append(p.From, fileEntry{Scope: say.From.Scope.String(), Origin: say.From.String(), Says: entryText(&say.Pack), Held: say.Held, Ignored: say.Ignored})
		}
	}
	switch {
	case p.On:
	case !s.kit.IsOn():
		p.Why = "hooks are switched off: checkrein hooks on"
	case len(p.From) == 0:
		p.Why = "the given files do not name this pack"
	case slices.ContainsFunc(s.Settings, func(e app.PackEntry) bool { return e.Name == p.Name && slices.Contains(e.Shadow, setting.EveryRule) }):
		p.Why = "in shadow mode: its decisions are recorded, but not enforced"
	default:
		p.Why = "switched off by a file"
	}
}

// setDecides sets p.Decides to the decisions that differ from the defaults.
func (s *Catalog) setDecides(p *packReport) {
	if !p.On {
		return
	}
	usual := s.defaultDecisions()
	for i, key := range setting.PackKeys {
		if d := s.decisionAbout(PlainEffect(p.Name, i)).String(); d != usual[key] {
			if p.Decides == nil {
				p.Decides = map[string]string{}
			}
			p.Decides[key] = d
		}
	}
}

// entryText returns what an entry in a file sets, as YAML or in words.
func entryText(s *setting.Pack) string {
	switch {
	case s.Name == "":
		return "packs: []"
	case s.Off:
		return "off: true"
	}
	out := append(settingTexts(s), shadowTexts(s)...)
	if len(out) == 0 {
		return "with its defaults"
	}
	return strings.Join(out, ", ")
}

// settingTexts returns the decisions and allowed paths of a pack's setting as YAML.
func settingTexts(s *setting.Pack) []string {
	var out []string
	for _, by := range s.By {
		out = append(out, by.Key+": "+by.Is.String())
	}
	if len(s.Allow) > 0 {
		out = append(out, "allow: ["+strings.Join(quoteYAML(s.Allow), ", ")+"]")
	}
	return out
}

// shadowTexts returns what an entry puts into shadow mode, as YAML.
func shadowTexts(s *setting.Pack) []string {
	var out []string
	switch {
	case slices.Contains(s.Shadow, setting.EveryRule):
		out = append(out, "mode: shadow")
	case s.Shadow != nil:
		out = append(out, "shadow: ["+strings.Join(s.Shadow, ", ")+"]")
	}
	if s.Shadow != nil && s.Until != "" {
		out = append(out, "until: "+s.Until)
	}
	return out
}

// quoteYAML returns each string of list in single YAML quotes.
func quoteYAML(list []string) []string {
	out := make([]string, len(list))
	for i, t := range list {
		out[i] = "'" + strings.ReplaceAll(t, "'", "''") + "'"
	}
	return out
}

// addRedaction adds to p that the pack secrets also redacts text, if its hook counts.
func (s *Catalog) addRedaction(p *packReport) {
	row, ok := guard.Lookup(secretguard.GuardSecrets)
	if !ok {
		return
	}
	for i := range s.others {
		if h := &s.others[i]; h.Name == row.Name && s.whyIdle(h) == "" {
			p.Also += " It also checks text, on " + kindNames(row.Events) + ": it " + row.Doc + "."
			return
		}
	}
}

// kindNames returns the names of events, joined with commas.
func kindNames(list []checkrein.Kind) string {
	var out []string
	for _, k := range list {
		out = append(out, k.String())
	}
	return strings.Join(out, ", ")
}

// reportOwn returns p completed for the declared pack o.
func (s *Catalog) reportOwn(p packReport, o *ownPack) packReport {
	p.Kind, p.About, p.Rules, p.Why = kindOwn, o.about, len(o.set.Rules), o.why
	p.On = o.why == "" && o.watch.IsOn(p.Name)
	for _, part := range o.watch.Parts(p.Name) {
		p.Allow = append(p.Allow, part.Allow...)
	}
	s.setDecides(&p)
	p.From = append(p.From, fileEntry{Scope: o.hook.From.Scope.String(), Origin: o.hook.From.String(), Says: "its rules"})
	return p
}

// The two parts of self-protection. Files cannot adjust them like packs, but blocks name their
// rules.
const (
	selfPack    = "self"
	protectPack = "protect"
)

// SelfPacks lists the names of the parts of self-protection.
var SelfPacks = [...]string{selfPack, protectPack}

// reportSelf returns p completed for a part of self-protection, which the builtin protect_paths
// implements.
func (s *Catalog) reportSelf(p packReport) packReport {
	p.Kind, p.About = KindSelf, "checkrein itself: programs, settings, state, wiring"
	p.Also = "This pack checks what a call would change, whichever tool makes it. No configuration file can switch the pack off, and no grant can lift its decisions. Make such changes yourself, in your own terminal."
	if p.Name == protectPack {
		p.About = "startup files, keys, logins, and programs that run automatically"
		p.Also = "This pack checks what a call would change, whichever tool makes it. No configuration file can switch the pack off."
	}
	p.Why = "its hook is missing"
	for i := range s.others {
		if h := &s.others[i]; h.Implied && h.Name == "protect_paths" {
			p.Why = s.whyIdle(h)
			p.On = p.Why == ""
		}
	}
	return p
}

// reportTexts returns p completed for set, a pack about texts that is on only if a file names it.
func (s *Catalog) reportTexts(p packReport, set *native.Set) packReport {
	p.Kind, p.About, p.Why = kindTexts, set.About, "on only if a file names it"
	if row, ok := guard.Lookup(set.Builtin); ok {
		p.Also = "This pack is not only about commands. On " + kindNames(set.On) + " it " + row.Doc + "."
	}
	for i := range s.others {
		h := &s.others[i]
		if rawjson.GetText(h.With, "name") != set.Builtin || h.Run != "builtin" {
			continue
		}
		origin := h.From.String()
		if !slices.ContainsFunc(p.From, func(f fileEntry) bool { return f.Origin == origin }) {
			p.From = append(p.From, fileEntry{Scope: h.From.Scope.String(), Origin: origin, Says: "on"})
		}
		if p.Why = s.whyIdle(h); p.Why == "" {
			p.On = true
		}
	}
	if p.On {
		p.Why = ""
	}
	return p
}

// GuardMessages returns messages about how the guards of k differ from their defaults.
func GuardMessages(k *app.Kit) []message.Message {
	guards := k.Guards()
	return guards.Messages()
}
