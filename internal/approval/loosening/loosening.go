// Package loosening keeps an agent from taking its guards away by editing the
// person's own file: what that file loosens counts as it was when no agent host
// was alive.
//
// A loosening is a pack that is weaker than usual or off, self_approve,
// project_may_allow, not_replaced, shadow, an issuer of secrets, a grant, a channel or a judge, in a file of the person's own. (A managed file is
// not the agent's to write, and a project's file loosens nothing.)
//
// The law, for a configuration that is about to count:
//
//   - What loosens nothing counts, and nothing is read or written.
//   - What loosens no more than was accepted before counts.
//   - What loosens more counts, and is accepted from now on, if every host that is
//     alive started after the files were last changed; so too if none is alive. The
//     host that asks counts as alive before its first event, so that a person can
//     write the file and then start the host. The change time of a file cannot be
//     set back, its modification time can.
//   - Otherwise it is held back: what is in force is what both the file and the
//     last accepted one loosen. That stays so, whoever is alive later, until a
//     person confirms it or the file loosens something else.
//   - What the file tightens counts at once.
//
// What was accepted is sealed: a record that is not as it was left, or that an older
// build left without a seal, counts as none.
//
// It is a guard rail: who can read the ledger's key can accept anything, and a change
// that is made while no hook runs and whose host is gone before the next one looks like
// a person's.
package loosening

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/liveagents"
	"github.com/checkrein/checkrein/internal/hook/packset"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Case is a configuration that is about to count.
type Case struct {
	State    state.Dir
	Settings *setting.Settings // merged, of all scopes; what is held back is taken out
	Managed  setting.Settings  // those of managed files alone
	Files    []string          // the person's own, from which the settings come
	Called   bool              // a host called this process
	Peek     bool              // write nothing
	Tampered func(error)       // is called if what was accepted is not as it was left; nil = nothing is
}

// Settle applies the law and returns what is held back.
func Settle(c Case) (held []string) {
	now := of(c.Settings, &c.Managed)
	if len(now) == 0 {
		return nil
	}
	rec, err := load(c.State)
	if err != nil && c.Tampered != nil {
		c.Tampered(err)
	}
	if coveredAll(rec.Accepted, now) {
		return nil
	}
	if !slices.Equal(rec.Held, now) {
		accept := !c.appeared()
		if !c.Peek {
			rec = change(c.State, func(r *record) {
				if accept {
					r.Accepted, r.Held = now, nil
				} else {
					r.Held = now
				}
			})
		}
		if accept {
			return nil
		}
	}
	for _, item := range now {
		if !covered(rec.Accepted, item) {
			held = append(held, item)
		}
	}
	restrict(c.Settings, &c.Managed, rec.Accepted)
	return held
}

// appeared reports whether a host is alive that was so when the files changed.
func (c *Case) appeared() bool {
	for _, f := range c.Files {
		at, err := state.LastChange(f)
		if err != nil {
			return true // when it changed cannot be told, so it may be now
		}
		if _, alive := liveagents.AliveSince(c.State, c.Called, at); alive {
			return true
		}
	}
	return false
}

// Confirm accepts what a configuration loosens: a person said so.
func Confirm(dir state.Dir, settings, managed *setting.Settings) error {
	unlock, err := dir.Lock(file)
	if err != nil {
		return err
	}
	defer unlock()
	return record{Accepted: of(settings, managed)}.save(dir)
}

// AcceptShadow accepts a time of shadow, and nothing else: a person asked for it.
func AcceptShadow(dir state.Dir, until string) error {
	unlock, err := dir.Lock(file)
	if err != nil {
		return err
	}
	defer unlock()
	rec, _ := load(dir) // what does not count is replaced
	add := func(list []string) []string {
		list = append(slices.DeleteFunc(list, func(item string) bool { return strings.HasPrefix(item, shadow) }), shadow+until)
		slices.Sort(list)
		return list
	}
	rec.Accepted = add(rec.Accepted)
	if len(rec.Held) > 0 { // so that the rest stays held back
		rec.Held = add(rec.Held)
	}
	return rec.save(dir)
}

// change changes what is kept, alone, and returns what is kept then. What cannot be
// kept is told again the next time.
func change(dir state.Dir, do func(*record)) record {
	unlock, err := dir.Lock(file)
	if err == nil {
		defer unlock()
	}
	rec, _ := load(dir) // as above
	do(&rec)
	if err == nil {
		_ = rec.save(dir)
	}
	return rec
}

// Shrink forgets what was accepted and is not in the files any more, so that it
// does not count if it comes back.
func Shrink(dir state.Dir, settings, managed *setting.Settings) {
	now := of(settings, managed)
	if rec, err := load(dir); err == nil && !slices.Equal(shrunk(rec.Accepted, now), rec.Accepted) {
		change(dir, func(r *record) { r.Accepted = shrunk(r.Accepted, now) })
	}
}

// shrunk is what is left of what was accepted.
func shrunk(accepted, now []string) []string {
	left := slices.DeleteFunc(slices.Clone(accepted), func(item string) bool { return !covered(now, item) })
	for _, item := range now {
		if covered(accepted, item) && !slices.Contains(left, item) {
			left = append(left, item)
		}
	}
	slices.Sort(left)
	return left
}

// A record is what is kept of it.
type record struct {
	Accepted []string `json:"accepted,omitempty"`
	Held     []string `json:"held,omitempty"`
}

const (
	file    = state.LoosenedFile
	maxFile = 256 << 10
)

// load reads what was accepted; nothing was if it cannot be read, or if an older build
// left it without a seal. It returns an error if it was tampered with.
func load(dir state.Dir) (record, error) {
	data, unsealed, err := dir.ReadSealed(file, maxFile)
	if state.IsMissing(err) {
		return record{}, nil
	}
	if err != nil || unsealed || rawjson.CheckObject(data) != nil {
		return record{}, err
	}
	var r record
	var ok [2]bool
	r.Accepted, ok[0] = texts(data, "accepted")
	r.Held, ok[1] = texts(data, "held")
	if !ok[0] || !ok[1] {
		return record{}, nil
	}
	return r, nil
}

// Adopt seals what an older build left: a person at a terminal runs this one.
func Adopt(dir state.Dir) error {
	unlock, err := dir.Lock(file)
	if err != nil {
		return err
	}
	defer unlock()
	data, unsealed, err := dir.ReadSealed(file, maxFile)
	if err != nil || !unsealed {
		return err
	}
	return dir.WriteSealed(file, data, true)
}

// texts reads a list of strings, which need not be there. Every call reads the record, so
// without reflection.
func texts(obj []byte, key string) (list []string, ok bool) {
	val, there := rawjson.Get(obj, key)
	if !there || rawjson.Kind(val) == 'n' {
		return nil, true
	}
	if rawjson.Kind(val) != '[' {
		return nil, false
	}
	ok = true
	rawjson.Elements(val, func(_ int, e []byte) bool {
		var text string
		text, ok = rawjson.Text(e)
		list = append(list, text)
		return ok
	})
	return list, ok
}

func (r record) save(dir state.Dir) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return dir.WriteSealed(file, data, true)
}

// The switches that loosen.
const (
	selfApprove     = "self_approve=true"
	projectMayAllow = "project_may_allow=true"
	rewrite         = "not_replaced=rewrite"
	shadow          = "shadow=" // and until when
	everyOff        = "*.off=true"
	issuer          = "issuer="  // and who may be sent secrets
	channel         = "channel=" // its name, and what tells one URL from another
)

// of lists what settings loosen, in order: NAME.high=ask, NAME.off=true,
// NAME.allow=GLOB, *.off=true, and switches.
func of(s, managed *setting.Settings) []string {
	var out []string
	for i := range s.Packs {
		if s.Packs[i].From.Scope == checkrein.ScopeUser {
			out = append(out, Of(&s.Packs[i])...)
		}
	}
	if s.SelfApprove && !managed.SelfApprove {
		out = append(out, selfApprove)
	}
	if s.ProjectMayAllow && !managed.ProjectMayAllow {
		out = append(out, projectMayAllow)
	}
	if s.NotReplaced == setting.NotReplacedRewrite && managed.NotReplaced != setting.NotReplacedRewrite {
		out = append(out, rewrite)
	}
	if s.Shadow != "" && s.Shadow > managed.Shadow {
		out = append(out, shadow+s.Shadow)
	}
	for _, name := range s.Issuers {
		if !slices.Contains(managed.Issuers, name) {
			out = append(out, issuer+name)
		}
	}
	for i := range s.Grants {
		if s.Grants[i].From.Scope == checkrein.ScopeUser {
			out = append(out, ofGrant(&s.Grants[i]))
		}
	}
	for i := range s.Channels {
		if s.Channels[i].From.Scope == checkrein.ScopeUser {
			out = append(out, ofChannel(&s.Channels[i]))
		}
	}
	for i := range s.Judges {
		if s.Judges[i].From.Scope == checkrein.ScopeUser {
			out = append(out, ofJudge(&s.Judges[i]))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ofChannel distinguishes a channel from one that leads elsewhere. The URL holds a token, and
// items are kept and shown.
func ofChannel(c *setting.Channel) string {
	sum := sha256.Sum256([]byte(c.URL))
	return channel + c.Name + " " + hex.EncodeToString(sum[:8])
}

// Of lists what a setting of the person's own loosens.
func Of(p *setting.Pack) []string {
	switch {
	case p.Name == "":
		return []string{everyOff}
	case p.Off:
		return []string{p.Name + ".off=true"}
	}
	var out []string
	for _, by := range p.By {
		if loosens(by) {
			out = append(out, p.Name+"."+by.Key+"="+by.Is.String())
		}
	}
	for _, glob := range p.Allow {
		out = append(out, p.Name+".allow="+glob)
	}
	return out
}

func loosens(by setting.PackDecision) bool {
	i := slices.Index(setting.PackKeys[:], by.Key)
	return i >= 0 && packset.Loosens(i, by.Is)
}

func coveredAll(by, items []string) bool {
	return !slices.ContainsFunc(items, func(item string) bool { return !covered(by, item) })
}

// covered reports whether items loosen at least what one does.
func covered(by []string, item string) bool {
	if slices.Contains(by, item) {
		return true
	}
	if until, ok := strings.CutPrefix(item, shadow); ok {
		return slices.ContainsFunc(by, func(b string) bool { u, ok := strings.CutPrefix(b, shadow); return ok && u >= until })
	}
	if g, ok := grantOf(item); ok {
		return grantCovered(by, &g)
	}
	if j, ok := judgeOf(item); ok {
		return slices.ContainsFunc(by, func(b string) bool { have, ok := judgeOf(b); return ok && have.covers(&j) })
	}
	name, text, _ := strings.Cut(item, ".")
	if !isOfPack(item) || item == everyOff {
		return false
	}
	if slices.Contains(by, everyOff) || slices.Contains(by, name+".off=true") {
		return true
	}
	key, val, _ := strings.Cut(text, "=")
	want, ok := checkrein.ParseDecision(val)
	return ok && key != "allow" && slices.ContainsFunc(by, func(b string) bool {
		rest, ok := strings.CutPrefix(b, name+"."+key+"=")
		d, isDecision := checkrein.ParseDecision(rest)
		return ok && isDecision && d <= want
	})
}

// restrict takes out of settings what was not accepted.
func restrict(s, managed *setting.Settings, accepted []string) {
	s.SelfApprove = s.SelfApprove && (managed.SelfApprove || slices.Contains(accepted, selfApprove))
	s.ProjectMayAllow = s.ProjectMayAllow && (managed.ProjectMayAllow || slices.Contains(accepted, projectMayAllow))
	if s.NotReplaced == setting.NotReplacedRewrite && managed.NotReplaced != setting.NotReplacedRewrite && !slices.Contains(accepted, rewrite) {
		s.NotReplaced = setting.NotReplacedUnset
	}
	if s.Shadow > managed.Shadow && !covered(accepted, shadow+s.Shadow) {
		s.Shadow = managed.Shadow
		for _, item := range accepted {
			if until, ok := strings.CutPrefix(item, shadow); ok {
				s.Shadow = max(s.Shadow, until)
			}
		}
	}
	s.Issuers = slices.DeleteFunc(slices.Clone(s.Issuers), func(name string) bool {
		return !slices.Contains(managed.Issuers, name) && !slices.Contains(accepted, issuer+name)
	})
	s.Grants = restrictGrants(s.Grants, accepted)
	s.Channels = slices.DeleteFunc(slices.Clone(s.Channels), func(c setting.Channel) bool {
		return c.From.Scope == checkrein.ScopeUser && !slices.Contains(accepted, ofChannel(&c))
	})
	s.Judges = slices.DeleteFunc(slices.Clone(s.Judges), func(j setting.Judge) bool {
		return j.From.Scope == checkrein.ScopeUser && !covered(accepted, ofJudge(&j))
	})
	var packs []setting.Pack
	for _, p := range s.Packs {
		if p.From.Scope != checkrein.ScopeUser || coveredAll(accepted, Of(&p)) {
			packs = append(packs, p)
			continue
		}
		packs = append(packs, restrictPack(p, accepted)...)
	}
	s.Packs = packs
}

// restrictPack is what one setting and the accepted ones both loosen, with what
// the setting tightens.
func restrictPack(p setting.Pack, accepted []string) []setting.Pack {
	mine := Of(&p)
	rest := p
	rest.Off, rest.By, rest.Allow = false, nil, nil
	for _, by := range p.By {
		if !p.Off && !loosens(by) {
			rest.By = append(rest.By, by)
		}
	}
	byName := map[string]*setting.Pack{}
	var out []*setting.Pack
	if p.Name != "" {
		byName[p.Name] = &rest
		out = append(out, &rest)
	}
	both := slices.DeleteFunc(slices.Clone(mine), func(item string) bool { return !covered(accepted, item) })
	for _, item := range accepted {
		if isOfPack(item) && covered(mine, item) && !slices.Contains(both, item) && (p.Name == "" || strings.HasPrefix(item, p.Name+".")) {
			both = append(both, item)
		}
	}
	for _, item := range both {
		name, text, _ := strings.Cut(item, ".")
		to := byName[name]
		if to == nil {
			to = &setting.Pack{Name: name, From: p.From}
			byName[name] = to
			out = append(out, to)
		}
		apply(to, text)
	}
	list := make([]setting.Pack, len(out))
	for i := range out {
		list[i] = *out[i]
	}
	return list
}

// isOfPack reports whether an item loosens a pack, not a switch, whose values may have dots too.
func isOfPack(item string) bool {
	name, _, _ := strings.Cut(item, "=")
	return strings.Contains(name, ".")
}

// apply sets KEY=VALUE.
func apply(p *setting.Pack, text string) {
	key, val, _ := strings.Cut(text, "=")
	switch key {
	case "off":
		p.Off = true
	case "allow":
		p.Allow = append(p.Allow, val)
	default:
		d, _ := checkrein.ParseDecision(val)
		i := slices.IndexFunc(p.By, func(by setting.PackDecision) bool { return by.Key == key })
		if i < 0 {
			p.By = append(p.By, setting.PackDecision{Key: key, Is: d})
			return
		}
		p.By[i].Is = max(p.By[i].Is, d)
	}
}

// Words describes an item for people.
func Words(item string) string {
	if item == everyOff {
		return "packs: [] (all packs off)"
	}
	if until, ok := strings.CutPrefix(item, shadow); ok {
		return "shadow until " + until
	}
	if name, ok := strings.CutPrefix(item, issuer); ok {
		return "secrets.issuers: " + name
	}
	if g, ok := grantOf(item); ok {
		return g.words()
	}
	if c, ok := strings.CutPrefix(item, channel); ok {
		name, _, _ := strings.Cut(c, " ")
		return "channel " + name
	}
	if j, ok := judgeOf(item); ok {
		return "judge " + j.Model
	}
	name, text, _ := strings.Cut(item, ".")
	if !isOfPack(item) {
		return strings.Replace(item, "=", ": ", 1)
	}
	return "pack " + name + ": " + strings.Replace(text, "=", ": ", 1)
}
