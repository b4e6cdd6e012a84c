package record

import (
	"crypto/hmac"
	"crypto/sha256"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/seen"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// What a record keeps of the facts that decided, of each kind. What is more is counted.
const (
	maxCauses = 16
	maxPlaces = 8 // paths of an effect, and hosts
	maxRepos  = 8
	maxRead   = 16        // files
	maxSummed = 256 << 10 // bytes of them that are digested; of the rest only the size is told
)

// fewer is a bound of facts in the present try: a record that would be too long keeps
// few.
func (e *Entry) fewer(most int) int {
	return e.most(most, func(i int) int { return [len(shorter)]int{2, 1}[i] })
}

// facts writes what decided beside the event itself, so that the same could be decided
// again: the effects that counted, what conditions were told of the call, the branch
// and the files that were looked at, the grants that lifted.
func (e *Entry) facts(b *rawjson.Object) {
	causes, grants := e.causes()
	repos, files := seen.Of(&e.Outcome.Event).Notes()
	acts := e.Outcome.Acts
	if acts != nil && acts.Label == "" {
		acts = nil
	}
	if len(causes)+len(grants)+len(repos)+len(files) == 0 && acts == nil {
		return
	}
	b.Open("facts")
	n := min(len(causes), e.fewer(maxCauses))
	b.List("effects", n, func(b *rawjson.Object, i int) { e.cause(b, &causes[i]) })
	if acts != nil {
		b.Open("call")
		b.Text("label", acts.Label)
		b.Text("radius", acts.Radius)
		b.Texts("effects", e.names(acts.Effects))
		e.places(b, "paths", acts.Paths)
		b.Close()
	}
	b.List("git", min(len(repos), e.fewer(maxRepos)), func(b *rawjson.Object, i int) { e.repo(b, &repos[i]) })
	room := maxSummed
	b.List("files", min(len(files), e.fewer(maxRead)), func(b *rawjson.Object, i int) { room = e.file(b, &files[i], room) })
	b.Texts("grants", e.names(grants))
	if more := len(causes) - n + max(0, len(repos)-e.fewer(maxRepos)) + max(0, len(files)-e.fewer(maxRead)); more > 0 {
		b.Int("more", more)
	}
	b.Close()
}

// A caused effect is one by which a hook decided.
type caused struct {
	*checkrein.Cause
	hook string
}

// causes are the effects by which checkrein's own hooks denied or asked, and the grants
// that lifted that. A program's own word for it does not count.
func (e *Entry) causes() (out []caused, grants []string) {
	for i := range e.Outcome.Steps {
		s := &e.Outcome.Steps[i]
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
			out = append(out, caused{&list[k], s.Hook.Label()})
		}
	}
	return out, unique(grants)
}

func unique(list []string) []string {
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

func (e *Entry) cause(b *rawjson.Object, c *caused) {
	*b = append(*b, '{')
	b.Text("hook", e.name(c.hook))
	b.Text("rule", e.name(c.Rule))
	b.Text("category", e.name(c.Category))
	b.Text("label", c.Label)
	b.Text("kind", e.name(c.Kind))
	b.Text("radius", c.Radius)
	b.Text("on", e.prose(c.On))
	b.Flag("maybe", c.Maybe)
	e.places(b, "paths", c.Paths)
	e.places(b, "hosts", c.Hosts)
	b.Close()
}

// places writes the first paths or hosts of a list, and how many there are if that is
// not all.
func (e *Entry) places(b *rawjson.Object, name string, list []string) {
	n := min(len(list), e.fewer(maxPlaces))
	out := make([]string, n)
	for i := range out {
		out[i] = e.within(list[i], maxName, e.Redact.Text) // a command may spell a secret as a path
	}
	b.Texts(name, out)
	if n < len(list) {
		b.Int(name+"_all", len(list))
	}
}

func (e *Entry) repo(b *rawjson.Object, r *seen.Repo) {
	*b = append(*b, '{')
	b.Text("dir", e.name(r.Dir))
	b.Flag("none", r.None)
	b.Text("head", e.name(r.Head))
	b.List("defaults", min(len(r.Defaults), e.fewer(maxPlaces)), func(b *rawjson.Object, i int) {
		*b = append(*b, '{')
		b.Text("remote", e.name(r.Defaults[i].Remote))
		b.Text("ref", e.name(r.Defaults[i].Ref))
		b.Close()
	})
	if r.Settings != nil {
		b.Hex("settings", e.sum(r.Settings())[:16])
	}
	b.Close()
}

// file writes which text a file held, by its keyed digest, and returns how much more
// there is room to digest.
func (e *Entry) file(b *rawjson.Object, f *seen.File, room int) int {
	*b = append(*b, '{')
	b.Text("path", e.name(f.Path))
	b.Int("bytes", len(f.Text))
	if room -= len(f.Text); room >= 0 {
		b.Hex("digest", e.sum(f.Text))
	}
	b.Close()
	return room
}

// sum is the keyed digest of a text.
func (e *Entry) sum(text string) []byte {
	mac := hmac.New(sha256.New, e.Digests[:])
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
