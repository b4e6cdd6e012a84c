package record

import (
	"crypto/hmac"
	"crypto/sha256"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/seen"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// How many facts of each kind a record lists. Further ones are only counted.
const (
	maxCauses   = 16
	maxPlaces   = 8 // paths of an effect, and hosts
	maxRepos    = 8
	maxRead     = 16        // files
	maxDigested = 256 << 10 // bytes of them that are digested; for the rest only the size is recorded
)

// factLimit returns most, or a smaller limit if the record must be shortened.
func (e *Entry) factLimit(most int) int {
	return e.currentLimit(most, func(i int) int { return [len(shorterLimits)]int{2, 1}[i] })
}

// encodeFacts writes the facts behind the decision other than the event itself, so that the decision
// could be made again: the effects that counted, what conditions used of the call, the branch and the
// files that were read, and the grants that lifted decisions.
func (e *Entry) encodeFacts(b *rawjson.Object) {
	causes, grants := e.decidingEffects()
	repos, files := seen.ForEvent(&e.Outcome.Event).Records()
	acts := e.Outcome.Acts
	if acts != nil && acts.Label == "" {
		acts = nil
	}
	if len(causes)+len(grants)+len(repos)+len(files) == 0 && acts == nil {
		return
	}
	b.Open("facts")
	n := min(len(causes), e.factLimit(maxCauses))
	b.List("effects", n, func(b *rawjson.Object, i int) { e.encodeCause(b, &causes[i]) })
	if acts != nil {
		b.Open("call")
		b.Text("label", acts.Label)
		b.Text("radius", acts.Radius)
		b.Texts("effects", e.limitNames(acts.Effects))
		e.encodePlaces(b, "paths", acts.Paths)
		b.Close()
	}
	b.List("git", min(len(repos), e.factLimit(maxRepos)), func(b *rawjson.Object, i int) { e.encodeRepo(b, &repos[i]) })
	room := maxDigested
	b.List("files", min(len(files), e.factLimit(maxRead)), func(b *rawjson.Object, i int) { room = e.encodeFile(b, &files[i], room) })
	b.Texts("grants", e.limitNames(grants))
	if more := len(causes) - n + max(0, len(repos)-e.factLimit(maxRepos)) + max(0, len(files)-e.factLimit(maxRead)); more > 0 {
		b.Int("more", more)
	}
	b.Close()
}

// A causedEffect is an effect by which a hook decided.
type causedEffect struct {
	*checkrein.Cause
	hook string
}

// decidingEffects returns the effects for which checkrein's own hooks denied or asked, and the grants
// that lifted such decisions. Effects that programs claim are ignored.
func (e *Entry) decidingEffects() (out []causedEffect, grants []string) {
	all := e.Outcome.AllSteps()
	for i := range all {
		s := &all[i]
		var list []checkrein.Cause
		switch {
		case s.Lifted != nil:
			list = s.Lifted.Because
			grants = append(grants, strings.Split(s.Lifted.Grant, ",")...)
		case s.Passed != nil:
			list = s.Passed.Because
		case s.Verdict != nil && s.Verdict.Decision >= checkrein.Ask:
			list = s.Verdict.Because
		}
		for k := range list {
			out = append(out, causedEffect{&list[k], s.Hook.Label()})
		}
	}
	return out, withoutDuplicates(grants)
}

// withoutDuplicates returns list without duplicates, in the same order. It reuses the memory of list.
func withoutDuplicates(list []string) []string {
	out := list[:0]
next:
	for _, s := range list {
		for _, have := range out {
			if have == s {
				continue next
			}
		}
		out = append(out, s)
	}
	return out
}

func (e *Entry) encodeCause(b *rawjson.Object, c *causedEffect) {
	*b = append(*b, '{')
	b.Text("hook", e.limitName(c.hook))
	b.Text("rule", e.limitName(c.Rule))
	b.Text("category", e.limitName(c.Category))
	b.Text("label", c.Label)
	b.Text("kind", e.limitName(c.Kind))
	b.Text("radius", c.Radius)
	b.Text("on", e.redactText(c.On))
	b.Flag("maybe", c.Maybe)
	e.encodePlaces(b, "paths", c.Paths)
	e.encodePlaces(b, "hosts", c.Hosts)
	b.Close()
}

// encodePlaces writes the first paths or hosts in list under name and, if there are more, their
// number.
func (e *Entry) encodePlaces(b *rawjson.Object, name string, list []string) {
	n := min(len(list), e.factLimit(maxPlaces))
	out := make([]string, n)
	for i := range out {
		out[i] = e.redactHead(list[i], maxName, e.Redact.MaskText) // a path in a command may be a secret
	}
	b.Texts(name, out)
	if n < len(list) {
		b.Int(name+"_all", len(list))
	}
}

func (e *Entry) encodeRepo(b *rawjson.Object, r *seen.Repo) {
	*b = append(*b, '{')
	b.Text("dir", e.limitName(r.Dir))
	b.Flag("none", r.None)
	b.Text("head", e.limitName(r.Head))
	b.List("defaults", min(len(r.Defaults), e.factLimit(maxPlaces)), func(b *rawjson.Object, i int) {
		*b = append(*b, '{')
		b.Text("remote", e.limitName(r.Defaults[i].Remote))
		b.Text("ref", e.limitName(r.Defaults[i].Ref))
		b.Close()
	})
	if r.Settings != nil {
		b.Hex("settings", e.keyedDigest(r.Settings())[:16])
	}
	b.Close()
}

// encodeFile writes the path, size and keyed digest of f, a file that was read. The digest is left out
// if f has more than room bytes. encodeFile returns the room that is left.
func (e *Entry) encodeFile(b *rawjson.Object, f *seen.File, room int) int {
	*b = append(*b, '{')
	b.Text("path", e.limitName(f.Path))
	b.Int("bytes", len(f.Text))
	if room -= len(f.Text); room >= 0 {
		b.Hex("digest", e.keyedDigest(f.Text))
	}
	b.Close()
	return room
}

// keyedDigest returns the digest of text under the key e.Digests.
func (e *Entry) keyedDigest(text string) []byte {
	mac := hmac.New(sha256.New, e.Digests[:])
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
