package policy

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"strconv"
)

// Digest changes whenever the policy may find something else in a text. What it
// allows is no part of it: a text in which nothing was found has nothing to
// allow. See [Policy.Scope] about paths.
func (p *Policy) Digest() string {
	d := digester{sha256.New()}
	d.texts("checkrein policy 2")
	for i := range p.rows {
		r := &p.rows[i]
		d.texts(r.name, r.severity.String())
		d.paths(&r.paths)
	}
	for _, pt := range p.patterns {
		d.texts("pattern", pt.name, pt.expr, "-+"[bit(pt.own):][:1], pt.severity.String())
		d.paths(&pt.paths)
	}
	for _, w := range p.words {
		d.texts("word", w.text)
	}
	for i := range p.hosts {
		d.texts("host", p.hosts[i].glob)
	}
	d.paths(&p.paths)
	if p.floor != nil {
		d.texts("floor", p.floor.Digest())
	}
	return hex.EncodeToString(d.h.Sum(nil)[:16])
}

type digester struct{ h hash.Hash }

func (d digester) texts(list ...string) {
	for _, s := range list {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		d.h.Write(n[:])
		d.h.Write([]byte(s))
	}
}

func (d digester) paths(p *paths) {
	for _, list := range [...][]string{p.include, p.exclude} {
		d.texts(strconv.Itoa(len(list))) // or one list could go on in the other
		d.texts(list...)
	}
}

// Scope says which of the rules that are not about all paths apply to a path:
// of two paths with the same scope, the same is found in the same text. It is ""
// when no rule is about paths.
func (p *Policy) Scope(path string) string {
	var b []byte
	note := func(ps *paths) {
		if ps.any() {
			b = append(b, "-+"[bit(ps.fit(path))])
		}
	}
	note(&p.paths)
	for i := range p.rows {
		note(&p.rows[i].paths)
	}
	for _, pt := range p.patterns {
		note(&pt.paths)
	}
	if p.floor != nil {
		return string(b) + p.floor.Scope(path)
	}
	return string(b)
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Local reports whether what is found at a place depends on the text near it
// only. A pattern of somebody's own may go over any number of lines.
func (p *Policy) Local() bool {
	return len(p.patterns) == 0 && (p.floor == nil || p.floor.Local())
}
