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

// A Shelf is the packs as they are here: every decision comes from the hooks that
// decide.
type Shelf struct {
	ctx      context.Context
	env      *console.Env
	kit      *app.Kit
	Weigh    func(context.Context, checkrein.Event) checkrein.Verdict // by all packs together
	Settings []app.PackEntry
	watches  []*packguard.Policy // of the hooks that count
	own      []ownPack
	others   []checkrein.Hook // declared hooks with another builtin than packs
}

// An ownPack is a person's own, or a project's.
type ownPack struct {
	set   *shell.RuleSet
	watch *packguard.Policy
	about string
	hook  checkrein.Hook
	why   string // it does not count; "" = it does
}

func NewShelf(ctx context.Context, env *console.Env, k *app.Kit) *Shelf {
	s := &Shelf{ctx: ctx, env: env, kit: k, Settings: k.PackEntries(), Weigh: k.DryRunPacks()}
	for _, h := range k.Hooks() {
		w, err := packguard.HookPolicy(&h)
		why := s.idle(&h)
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
				s.own = append(s.own, ownPack{set: set, watch: w, hook: h, why: why, about: aboutOwn(w, set.Own)})
			}
			if why == "" {
				s.watches = append(s.watches, w)
			}
		}
	}
	return s
}

// idle returns why a hook does not count.
func (s *Shelf) idle(h *checkrein.Hook) string {
	if !s.kit.On() && h.From.Scope != checkrein.ScopeManaged {
		return "hooks are switched off: checkrein hooks on"
	}
	if s.kit.NeedsApproval(h) {
		if state, _ := s.kit.Approval(h); state != engine.Approved {
			return "not approved: checkrein hooks approve"
		}
	}
	return ""
}

func aboutOwn(w *packguard.Policy, name string) string {
	for _, p := range w.Parts(name) {
		if about := rawjson.GetText([]byte(p.Own), "about"); about != "" {
			return about
		}
	}
	return "rules from a file"
}

// Names are all packs: those that guard, the person's own, those that a file must
// name, and those that only know.
func (s *Shelf) Names() []string {
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

func (s *Shelf) Has(name string) bool { return slices.Contains(s.Names(), name) }

// about is what the hooks decide about an effect. Rules of a person's own are known
// to their own hook alone.
func (s *Shelf) about(e *shell.Effect) checkrein.Decision {
	if i := s.ownNamed(e.Row().PackName()); i >= 0 {
		if s.own[i].why != "" {
			return checkrein.NoOpinion
		}
		return s.own[i].watch.Decide(e)
	}
	return Strictest(s.watches, e)
}

func (s *Shelf) ownNamed(name string) int {
	return slices.IndexFunc(s.own, func(o ownPack) bool { return o.set.Own == name })
}

func Strictest(watches []*packguard.Policy, e *shell.Effect) checkrein.Decision {
	var d checkrein.Decision
	for _, w := range watches {
		d = max(d, w.Decide(e))
	}
	return d
}

// PlainEffect is the effect of a pack that comes under a key and has no rule of its own.
func PlainEffect(pack string, key int) *shell.Effect {
	e := &shell.Effect{Label: shell.Destructive, Kind: "delete", Own: &shell.Row{Own: pack}, Impact: shell.Impact(key)}
	if setting.PackKeys[key] == "exfiltration" {
		e.Label, e.Impact = shell.Exfiltration, shell.ImpactMedium
	}
	return e
}

// usual is what packs of which no file says anything decide.
func (s *Shelf) usual() map[string]string {
	w, err := packguard.PartsPolicy([]packset.Part{packset.Usual(packset.Every)})
	out := map[string]string{}
	for i, key := range setting.PackKeys {
		if err == nil {
			out[key] = w.Decide(PlainEffect("any", i)).String()
		}
	}
	return out
}

// Pack is what is said of a pack in the list.
func (s *Shelf) Pack(name string) packReport {
	p := packReport{Name: name, Kind: kindCommands, From: []packSaid{}}
	for _, set := range native.Sets() {
		if set.Name == name {
			return s.texts(p, &set)
		}
	}
	for _, r := range guard.NamedRules() {
		if strings.HasPrefix(r.Name, name+"/") {
			p.Rules++
		}
	}
	if slices.Contains(SelfPacks[:], name) {
		return s.selfProtection(p)
	}
	if i := s.ownNamed(name); i >= 0 {
		return s.ownPack(p, &s.own[i])
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
		p.Kind, pack = kindKnowledge, knowledge(name)
		p.Also = "This pack never decides. It recognizes harmless commands, so that they do not count as unknown."
	}
	p.About = pack.About()
	if !guards {
		return p
	}
	s.state(&p)
	p.Also = furtherRules[pack]
	if name == packset.Secrets {
		s.redacts(&p)
	}
	return p
}

// furtherRules reports of packs which rules they have beside those that are listed.
var furtherRules = map[shell.Pack]string{
	shell.PackFilesystem:   byPlace,
	shell.PackPermissions:  byPlace,
	shell.PackDisk:         byPlace,
	shell.PackExfiltration: "This pack judges what is sent and to where. Its rules are named after the sending program: curl, scp, git. The list shows the most common ones.",
	shell.PackSecrets:      "Rules about files with keys and credentials are named after the program that prints or copies them: cat, cp. The list shows the most common ones.",
	shell.PackCode:         "Most of this pack's decisions depend on the whole command. Blocks then name the category, such as code/remote-code.",
}

const byPlace = "This pack judges the action and the path's location. Its rules are named accordingly: delete-home, move-system. The list shows the most common ones."

// knowledge finds a pack that guards nothing.
func knowledge(name string) shell.Pack {
	for _, p := range []shell.Pack{shell.PackDev, shell.PackReads} {
		if p.String() == name {
			return p
		}
	}
	return shell.NoPack
}

// state reports whether a pack is on, what it decides otherwise than usual, and who
// says so.
func (s *Shelf) state(p *packReport) {
	for _, w := range s.watches {
		p.On = p.On || w.IsOn(p.Name)
		for _, part := range w.Parts(p.Name) {
			if part.Project == "" && !part.None() {
				p.Allow = append(p.Allow, part.Allow...)
			}
		}
	}
	slices.Sort(p.Allow)
	p.Allow = slices.Compact(p.Allow)
	s.decides(p)
	for i := range s.Settings {
		if say := &s.Settings[i]; say.Name == p.Name || say.Name == "" {
			p.From = append(p.From, packSaid{Scope: say.From.Scope.String(), Origin: say.From.String(), Says: says(&say.Pack), Held: say.Held, Ignored: say.Ignored})
		}
	}
	switch {
	case p.On:
	case !s.kit.On():
		p.Why = "hooks are switched off: checkrein hooks on"
	case len(p.From) == 0:
		p.Why = "the given files do not name this pack"
	default:
		p.Why = "switched off by a file"
	}
}

func (s *Shelf) decides(p *packReport) {
	if !p.On {
		return
	}
	usual := s.usual()
	for i, key := range setting.PackKeys {
		if d := s.about(PlainEffect(p.Name, i)).String(); d != usual[key] {
			if p.Decides == nil {
				p.Decides = map[string]string{}
			}
			p.Decides[key] = d
		}
	}
}

// says is a setting as a file has it.
func says(s *setting.Pack) string {
	switch {
	case s.Name == "":
		return "packs: []"
	case s.Off:
		return "off: true"
	}
	out := settings(s)
	if len(out) == 0 {
		return "with its defaults"
	}
	return strings.Join(out, ", ")
}

func settings(s *setting.Pack) []string {
	var out []string
	for _, by := range s.By {
		out = append(out, by.Key+": "+by.Is.String())
	}
	if len(s.Allow) > 0 {
		out = append(out, "allow: ["+strings.Join(yamlTexts(s.Allow), ", ")+"]")
	}
	return out
}

func yamlTexts(list []string) []string {
	out := make([]string, len(list))
	for i, t := range list {
		out[i] = "'" + strings.ReplaceAll(t, "'", "''") + "'"
	}
	return out
}

// redacts reports what the pack secrets does beside judging commands.
func (s *Shelf) redacts(p *packReport) {
	row, ok := guard.Lookup(secretguard.GuardSecrets)
	if !ok {
		return
	}
	for i := range s.others {
		if h := &s.others[i]; h.Name == row.Name && s.idle(h) == "" {
			p.Also += " It also checks text, on " + kinds(row.Events) + ": it " + row.Doc + "."
			return
		}
	}
}

func kinds(list []checkrein.Kind) string {
	var out []string
	for _, k := range list {
		out = append(out, k.String())
	}
	return strings.Join(out, ", ")
}

// ownPack is a person's own pack.
func (s *Shelf) ownPack(p packReport, o *ownPack) packReport {
	p.Kind, p.About, p.Rules, p.Why = kindOwn, o.about, len(o.set.Rules), o.why
	p.On = o.why == "" && o.watch.IsOn(p.Name)
	for _, part := range o.watch.Parts(p.Name) {
		p.Allow = append(p.Allow, part.Allow...)
	}
	s.decides(&p)
	p.From = append(p.From, packSaid{Scope: o.hook.From.Scope.String(), Origin: o.hook.From.String(), Says: "its rules"})
	return p
}

// The two parts of self-protection. They are not packs that a file can adjust, but
// blocks name their rules.
const (
	selfPack    = "self"
	protectPack = "protect"
)

var SelfPacks = [...]string{selfPack, protectPack}

// selfProtection is what is on beside the packs, by the builtin protect_paths.
func (s *Shelf) selfProtection(p packReport) packReport {
	p.Kind, p.About = KindSelf, "checkrein itself: programs, settings, state, wiring"
	p.Also = "This pack checks what a call would change, whichever tool makes it. No configuration file can switch the pack off, and no grant can lift its decisions. Make such changes yourself, in your own terminal."
	if p.Name == protectPack {
		p.About = "startup files, keys, logins, and programs that run automatically"
		p.Also = "This pack checks what a call would change, whichever tool makes it. No configuration file can switch the pack off."
	}
	p.Why = "its hook is missing"
	for i := range s.others {
		if h := &s.others[i]; h.Implied && h.Name == "protect_paths" {
			p.Why = s.idle(h)
			p.On = p.Why == ""
		}
	}
	return p
}

// texts is a pack that is about texts, and on only where a file names it.
func (s *Shelf) texts(p packReport, set *native.Set) packReport {
	p.Kind, p.About, p.Why = kindTexts, set.About, "on only if a file names it"
	if row, ok := guard.Lookup(set.Builtin); ok {
		p.Also = "This pack is not only about commands. On " + kinds(set.On) + " it " + row.Doc + "."
	}
	for i := range s.others {
		h := &s.others[i]
		if rawjson.GetText(h.With, "name") != set.Builtin || h.Run != "builtin" {
			continue
		}
		origin := h.From.String()
		if !slices.ContainsFunc(p.From, func(f packSaid) bool { return f.Origin == origin }) {
			p.From = append(p.From, packSaid{Scope: h.From.Scope.String(), Origin: origin, Says: "on"})
		}
		if p.Why = s.idle(h); p.Why == "" {
			p.On = true
		}
	}
	if p.On {
		p.Why = ""
	}
	return p
}

// GuardMessages returns where the default guards are not as they come.
func GuardMessages(k *app.Kit) []message.Message {
	guards := k.Guards()
	return guards.Messages()
}
