// Package loosening stops an agent from weakening its guards by editing the user's own configuration
// file. What that file loosens stays as it was when no agent host was running.
//
// A loosening is a pack that is weaker than the default or off, self_approve, project_may_allow,
// not_replaced, shadow, a hook, pack or rule in shadow mode, an issuer of secrets, a grant, a channel or
// a judge, in a file of the user's own. (An agent cannot write a managed file, and a project's file cannot loosen anything.)
//
// The rules, for a configuration that is about to take effect:
//
//   - If it loosens nothing, it takes effect, and nothing is read or written.
//   - Shadow mode of a hook that never counted loosens nothing: see [NoteCounting].
//   - If it loosens no more than was accepted before, it takes effect.
//   - If it loosens more, it takes effect and is accepted from now on if every running
//     host started after the files were last changed, or if none is running. The
//     calling host counts as running before its first event, so that a person can
//     write the file and then start the host. The change time of a file cannot be
//     set back; its modification time can.
//   - Otherwise it is held back: only what both the file and the last accepted one
//     loosen is in force. That stays so, whichever hosts run later, until a person
//     confirms it or the file loosens something else.
//   - What the file tightens takes effect at once.
//
// The accepted loosenings are sealed. A record that was changed, or that an older build left without a
// seal, counts as none.
//
// It is a guard rail, not a barrier. A process that can read the ledger's key can accept anything, and
// a change that is made while no hook runs, by a host that has ended before the next hook, looks like
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
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/packset"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Case is a configuration that is about to take effect.
type Case struct {
	State    state.Dir
	Settings *setting.Settings // merged from all scopes; Settle removes what is held back
	Managed  setting.Settings  // those of managed files alone
	Files    []string          // the user's own files, from which the settings come
	Called   bool              // a host called this process
	Peek     bool              // write nothing
	Tampered func(error)       // called if another program changed the accepted record; may be nil
}

// Settle applies the rules in the package comment to c and returns the items that are held back.
func Settle(c Case) (held []string) {
	now := List(c.Settings, &c.Managed)
	if len(now) == 0 {
		return nil
	}
	rec, err := loadRecord(c.State)
	if err != nil && c.Tampered != nil {
		c.Tampered(err)
	}
	neverCounted := slices.DeleteFunc(slices.Clone(now), func(item string) bool { return !rec.neverCounted(item, c.Settings.Packs) })
	now = slices.DeleteFunc(now, func(item string) bool { return slices.Contains(neverCounted, item) })
	if areCovered(rec.Accepted, now) {
		return nil
	}
	if !slices.Equal(rec.Held, now) {
		accept := !c.changedWhileAlive()
		if !c.Peek {
			rec = changeRecord(c.State, func(r *record) {
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
		if !isCovered(rec.Accepted, item) {
			held = append(held, item)
		}
	}
	restrictSettings(c.Settings, &c.Managed, append(neverCounted, rec.Accepted...))
	return held
}

// NoteCounting records that the user's own hooks with these IDs, or entries for packs with these [PackID]s,
// count, so that shadow mode of one of them loosens something from now on. If only is set, no others count
// anymore.
func NoteCounting(dir state.Dir, ids []string, only bool) {
	rec, _ := loadRecord(dir) // an invalid record counts as none
	unknown := func(r *record) []string {
		return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return slices.Contains(r.Counted, id) })
	}
	if rec.Counted != nil && len(unknown(&rec)) == 0 && (!only || len(rec.Counted) == len(ids)) || rec.Counted == nil && !only {
		return
	}
	changeRecord(dir, func(r *record) {
		if only {
			r.Counted = append([]string{}, ids...)
		} else {
			r.Counted = append(r.Counted, unknown(r)...)
		}
	})
}

// changedWhileAlive reports whether a host is running that was already running when the files last
// changed.
func (c *Case) changedWhileAlive() bool {
	for _, f := range c.Files {
		at, err := state.LastChange(f)
		if err != nil {
			return true // the time of the change is unknown, so it may be now
		}
		if _, alive := liveagents.AliveSince(c.State, c.Called, at); alive {
			return true
		}
	}
	return false
}

// Confirm accepts what settings loosen compared with managed, after a person confirmed it.
func Confirm(dir state.Dir, settings, managed *setting.Settings) error {
	unlock, err := dir.Lock(file)
	if err != nil {
		return err
	}
	defer unlock()
	rec, _ := loadRecord(dir) // an invalid record is replaced
	return record{Accepted: List(settings, managed), Counted: rec.Counted}.save(dir)
}

// AcceptShadow accepts shadow mode until until, and nothing else, because a person requested it.
func AcceptShadow(dir state.Dir, until string) error {
	unlock, err := dir.Lock(file)
	if err != nil {
		return err
	}
	defer unlock()
	rec, _ := loadRecord(dir) // an invalid record is replaced
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

// changeRecord calls do with the record while it holds the lock, saves the record and returns it. If
// it cannot be saved, the next call computes it again.
func changeRecord(dir state.Dir, do func(*record)) record {
	unlock, err := dir.Lock(file)
	if err == nil {
		defer unlock()
	}
	rec, _ := loadRecord(dir) // an invalid record counts as none
	do(&rec)
	if err == nil {
		_ = rec.save(dir)
	}
	return rec
}

// DropRemoved removes accepted items that settings no longer contain, so that they need confirmation
// if they come back.
func DropRemoved(dir state.Dir, settings, managed *setting.Settings) {
	now := List(settings, managed)
	if rec, err := loadRecord(dir); err == nil && !slices.Equal(stillAccepted(rec.Accepted, now), rec.Accepted) {
		changeRecord(dir, func(r *record) { r.Accepted = stillAccepted(r.Accepted, now) })
	}
}

// stillAccepted returns the items in accepted that now still covers, and those in now that accepted
// covers.
func stillAccepted(accepted, now []string) []string {
	left := slices.DeleteFunc(slices.Clone(accepted), func(item string) bool { return !isCovered(now, item) })
	for _, item := range now {
		if isCovered(accepted, item) && !slices.Contains(left, item) {
			left = append(left, item)
		}
	}
	slices.Sort(left)
	return left
}

// A record is what the state directory stores about loosenings.
type record struct {
	Accepted []string `json:"accepted,omitempty"`
	Held     []string `json:"held,omitempty"`
	Counted  []string `json:"counted"` // what of the user's own counted, see NoteCounting; nil = unknown, so that all did
}

// neverCounted reports whether item puts something into shadow mode that never counted: a hook, or an entry
// in packs that would only make a pack stricter, so that the pack's default stays in force. That is unknown
// of hooks without a name, whose IDs change when others are added.
func (r *record) neverCounted(item string, packs []setting.Pack) bool {
	what, _ := cutEnd(item)
	id, known := strings.CutPrefix(what, triedHook)
	if name, rule, ok := strings.Cut(what, "."+triedRule); !known && ok && rule == setting.EveryRule && isPackItem(what) {
		id = PackID(name)
		known = !slices.ContainsFunc(packs, func(p setting.Pack) bool {
			return p.Name == name && p.From.Scope == checkrein.ScopeUser && slices.Contains(p.Shadow, rule) && !packset.IsStricter(&p)
		})
	}
	return known && r.Counted != nil && !strings.Contains(id, "#") && !slices.Contains(r.Counted, id)
}

// PackID returns the ID of the user's own entry for a pack, for [NoteCounting].
func PackID(name string) string { return "pack " + name }

const (
	file    = state.LoosenedFile
	maxFile = 256 << 10
)

// loadRecord reads the record. It is empty if it cannot be read, or if an older build left it without
// a seal. The error is not nil if it was tampered with.
func loadRecord(dir state.Dir) (record, error) {
	data, unsealed, err := dir.ReadSealed(file, maxFile)
	if state.IsMissing(err) {
		return record{}, nil
	}
	if err != nil || unsealed || rawjson.CheckObject(data) != nil {
		return record{}, err
	}
	var r record
	var ok [3]bool
	r.Accepted, ok[0] = stringsAt(data, "accepted")
	r.Held, ok[1] = stringsAt(data, "held")
	r.Counted, ok[2] = stringsAt(data, "counted")
	if !ok[0] || !ok[1] || !ok[2] {
		return record{}, nil
	}
	return r, nil
}

// Adopt seals the record that an older build left without a seal. It must be called only when a person
// confirmed that in a terminal.
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

// stringsAt returns the strings in the array at key of obj, or none if there is no such key. It
// reports false if the value is anything else. It avoids reflection, since every hook call reads the
// record.
func stringsAt(obj []byte, key string) (list []string, ok bool) {
	val, there := rawjson.Get(obj, key)
	if !there || rawjson.Kind(val) == 'n' {
		return nil, true
	}
	if rawjson.Kind(val) != '[' {
		return nil, false
	}
	list, ok = []string{}, true
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

// Items for settings that loosen. Those that end in "=" are followed by a value.
const (
	selfApprove     = "self_approve=true"
	projectMayAllow = "project_may_allow=true"
	rewrite         = "not_replaced=rewrite"
	shadow          = "shadow=" // the end of the period
	everyOff        = "*.off=true"
	issuer          = "issuer="  // the issuer that secrets may be sent to
	channel         = "channel=" // its name, and a digest of its URL
)

// List returns, sorted, the items in which s is looser than managed: NAME.high=ask,
// NAME.off=true, NAME.allow=GLOB, *.off=true, and the constants above.
func List(s, managed *setting.Settings) []string {
	var out []string
	for i := range s.Packs {
		if s.Packs[i].From.Scope == checkrein.ScopeUser {
			out = append(out, PackLoosenings(&s.Packs[i])...)
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
	out = append(out, listTried(s.Tried)...)
	for _, name := range s.Issuers {
		if !slices.Contains(managed.Issuers, name) {
			out = append(out, issuer+name)
		}
	}
	out = append(out, listWalls(&s.Walls, &managed.Walls)...)
	for i := range s.Grants {
		if s.Grants[i].From.Scope == checkrein.ScopeUser {
			out = append(out, encodeGrant(&s.Grants[i]))
		}
	}
	for i := range s.Channels {
		if s.Channels[i].From.Scope == checkrein.ScopeUser {
			out = append(out, channelItem(&s.Channels[i]))
		}
	}
	for i := range s.Judges {
		if s.Judges[i].From.Scope == checkrein.ScopeUser {
			out = append(out, encodeJudge(&s.Judges[i]))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// channelItem returns the item for c. It contains a digest of the URL and not the URL itself, which
// holds a token, since items are stored and displayed.
func channelItem(c *setting.Channel) string {
	sum := sha256.Sum256([]byte(c.URL))
	return channel + c.Name + " " + hex.EncodeToString(sum[:8])
}

// PackLoosenings returns the items that p, a user's own setting for a pack, loosens.
func PackLoosenings(p *setting.Pack) []string {
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
	return append(out, ruleItems(p)...)
}

func loosens(by setting.PackDecision) bool {
	i := slices.Index(setting.PackKeys[:], by.Key)
	return i >= 0 && packset.Loosens(i, by.Is)
}

// areCovered reports whether isCovered is true for all items.
func areCovered(by, items []string) bool {
	return !slices.ContainsFunc(items, func(item string) bool { return !isCovered(by, item) })
}

// isCovered reports whether the items in by loosen at least what item does.
func isCovered(by []string, item string) bool {
	if slices.Contains(by, item) {
		return true
	}
	if until, ok := strings.CutPrefix(item, shadow); ok {
		return slices.ContainsFunc(by, func(b string) bool { u, ok := strings.CutPrefix(b, shadow); return ok && u >= until })
	}
	if g, ok := decodeGrant(item); ok {
		return isGrantCovered(by, &g)
	}
	if j, ok := decodeJudge(item); ok {
		return slices.ContainsFunc(by, func(b string) bool { have, ok := decodeJudge(b); return ok && have.includes(&j) })
	}
	if isTrialCovered(by, item) {
		return true
	}
	name, text, _ := strings.Cut(item, ".")
	if !isPackItem(item) || item == everyOff {
		return false
	}
	if slices.Contains(by, everyOff) || slices.Contains(by, name+".off=true") {
		return true
	}
	key, val, _ := strings.Cut(text, "=")
	want, ok := hookfile.ParseDecision(val)
	return ok && key != "allow" && slices.ContainsFunc(by, func(b string) bool {
		rest, ok := strings.CutPrefix(b, name+"."+key+"=")
		d, isDecision := hookfile.ParseDecision(rest)
		return ok && isDecision && d <= want
	})
}

// restrictSettings removes from s what neither managed nor accepted loosens.
func restrictSettings(s, managed *setting.Settings, accepted []string) {
	s.SelfApprove = s.SelfApprove && (managed.SelfApprove || slices.Contains(accepted, selfApprove))
	s.ProjectMayAllow = s.ProjectMayAllow && (managed.ProjectMayAllow || slices.Contains(accepted, projectMayAllow))
	if s.NotReplaced == setting.NotReplacedRewrite && managed.NotReplaced != setting.NotReplacedRewrite && !slices.Contains(accepted, rewrite) {
		s.NotReplaced = setting.NotReplacedUnset
	}
	if s.Shadow > managed.Shadow && !isCovered(accepted, shadow+s.Shadow) {
		s.Shadow = managed.Shadow
		for _, item := range accepted {
			if until, ok := strings.CutPrefix(item, shadow); ok {
				s.Shadow = max(s.Shadow, until)
			}
		}
	}
	s.Tried = slices.DeleteFunc(slices.Clone(s.Tried), func(h setting.TriedHook) bool {
		return !isCovered(accepted, withEnd(triedHook+h.ID, h.Until))
	})
	s.Issuers = slices.DeleteFunc(slices.Clone(s.Issuers), func(name string) bool {
		return !slices.Contains(managed.Issuers, name) && !slices.Contains(accepted, issuer+name)
	})
	restrictWalls(&s.Walls, &managed.Walls, accepted)
	s.Grants = restrictGrants(s.Grants, accepted)
	s.Channels = slices.DeleteFunc(slices.Clone(s.Channels), func(c setting.Channel) bool {
		return c.From.Scope == checkrein.ScopeUser && !slices.Contains(accepted, channelItem(&c))
	})
	s.Judges = slices.DeleteFunc(slices.Clone(s.Judges), func(j setting.Judge) bool {
		return j.From.Scope == checkrein.ScopeUser && !isCovered(accepted, encodeJudge(&j))
	})
	var packs []setting.Pack
	for _, p := range s.Packs {
		if p.From.Scope != checkrein.ScopeUser || areCovered(accepted, PackLoosenings(&p)) {
			packs = append(packs, p)
			continue
		}
		packs = append(packs, restrictPack(p, accepted)...)
	}
	s.Packs = packs
}

// restrictPack returns what both p and the accepted items loosen, together with what p tightens.
func restrictPack(p setting.Pack, accepted []string) []setting.Pack {
	mine := PackLoosenings(&p)
	rest := p
	rest.Off, rest.By, rest.Allow, rest.Shadow, rest.Until = false, nil, nil, nil, ""
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
	both := slices.DeleteFunc(slices.Clone(mine), func(item string) bool { return !isCovered(accepted, item) })
	for _, item := range accepted {
		if isPackItem(item) && isCovered(mine, item) && !slices.Contains(both, item) && (p.Name == "" || strings.HasPrefix(item, p.Name+".")) {
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
		applyItem(to, text)
	}
	list := make([]setting.Pack, len(out))
	for i := range out {
		list[i] = *out[i]
	}
	return list
}

// isPackItem reports whether item is about a pack. The values of other items may contain dots too.
func isPackItem(item string) bool {
	name, _, _ := strings.Cut(item, "=")
	return strings.Contains(name, ".")
}

// applyItem sets what text, KEY=VALUE, says in p.
func applyItem(p *setting.Pack, text string) {
	key, val, _ := strings.Cut(text, "=")
	switch key {
	case "off":
		p.Off = true
	case "allow":
		p.Allow = append(p.Allow, val)
	case "shadow":
		addTrial(p, text)
	default:
		d, _ := hookfile.ParseDecision(val)
		i := slices.IndexFunc(p.By, func(by setting.PackDecision) bool { return by.Key == key })
		if i < 0 {
			p.By = append(p.By, setting.PackDecision{Key: key, Is: d})
			return
		}
		p.By[i].Is = max(p.By[i].Is, d)
	}
}

// Describe returns a description of item for display.
func Describe(item string) string {
	if item == everyOff {
		return "packs: [] (all packs off)"
	}
	if until, ok := strings.CutPrefix(item, shadow); ok {
		return "shadow until " + until
	}
	if name, ok := strings.CutPrefix(item, triedHook); ok {
		return "shadow mode for the hook " + name
	}
	if name, ok := strings.CutPrefix(item, issuer); ok {
		return "secrets.issuers: " + name
	}
	if g, ok := decodeGrant(item); ok {
		return g.describe()
	}
	if c, ok := strings.CutPrefix(item, channel); ok {
		name, _, _ := strings.Cut(c, " ")
		return "channel " + name
	}
	if j, ok := decodeJudge(item); ok {
		return "judge " + j.Model
	}
	name, text, _ := strings.Cut(item, ".")
	if !isPackItem(item) {
		return strings.Replace(item, "=", ": ", 1)
	}
	return "pack " + name + ": " + strings.Replace(text, "=", ": ", 1)
}
