package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io/fs"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A Cache remembers how files were read, by the program's build and the files'
// bytes: reading YAML costs a short-lived program more than deciding. It holds
// hooks, never approvals. The zero Cache remembers nothing.
//
// What is in it decides what runs, so it counts only with the sum of the store's
// secret, under its own name: what was changed, cut, moved here from another name
// or made with another secret is as none.
type Cache struct {
	Dir   state.Dir
	Build string // anything that changes whenever the program does
	// Secret vouches for the files; nil, or one that returns nil, means no cache.
	Secret func() *state.Secret
	// Told hears of each source of which the reading was not as it was written. An
	// [state.ErrPlace] means that there is no cache, for something lies in its place.
	Told func(source string, err error)
}

// CacheFolder is the cache's place in the state directory.
const CacheFolder = "cache"

const (
	cacheMagic = "checkrein cache 11\n" // then the sum of the rest
	cacheWord  = "checkrein cache "     // what files of any version begin with
	maxCache   = 8 << 20
	cacheKeep  = 200 // files; a file that is edited leaves its old readings behind

	minHook, minInclude, minText, minPack, minGrant, minChannel, minJudge, minProblem = 15, 2, 1, 5, 8, 3, 7, 6 // bytes that one takes at least
)

// name is the cache file for a source. Everything that reading depends on is
// in it.
func (c Cache) name(d *checkrein.Dialect, src checkrein.Source) string {
	h := sha256.New()
	for _, s := range [...]string{c.Build, d.Name, src.File, src.Agent} {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	h.Write([]byte{flags(src.Guess)})
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(src.Data)))
	h.Write(n[:])
	h.Write(src.Data)
	if src.Beside != nil {
		h.Write([]byte{2})
		h.Write(src.Beside)
	}
	return CacheFolder + "/" + hex.EncodeToString(h.Sum(nil)[:16])
}

// secret is nil where there is to be no cache.
func (c Cache) secret() *state.Secret {
	if c.Build == "" || c.Secret == nil {
		return nil
	}
	return c.Secret()
}

// A reading is what a file says, and what is wrong with it.
type reading struct {
	checkrein.File
	err error
}

func (c Cache) get(d *checkrein.Dialect, src checkrein.Source) (reading, bool) {
	if c.Build == "" || c.Secret == nil {
		return reading{}, false
	}
	name := c.name(d, src)
	data, err := c.Dir.Read(name, maxCache)
	if errors.Is(err, fs.ErrNotExist) {
		return reading{}, false
	}
	secret := c.secret()
	if secret == nil {
		return reading{}, false
	}
	var r reading
	if err == nil {
		r, err = decodeFile(secret, name, data, src.File)
	}
	if err == nil {
		return r, true
	}
	_ = c.Dir.Remove(name) // or it is written over
	if !errors.Is(err, errOld) && c.Told != nil {
		c.Told(src.File, err)
	}
	return reading{}, false
}

// put remembers a reading. A cache that cannot be written costs time only.
func (c Cache) put(d *checkrein.Dialect, src checkrein.Source, r *reading) {
	secret := c.secret()
	if secret == nil {
		return
	}
	name := c.name(d, src)
	if c.Dir.Write(name, encodeFile(secret, name, c.origin(d, src), r)) == nil {
		_ = c.Dir.Prune(CacheFolder, cacheKeep)
	}
}

// An origin says what a reading was made of, so that it can be made again.
type origin struct {
	build, dialect, file, agent string
	guess                       bool
}

func (c Cache) origin(d *checkrein.Dialect, src checkrein.Source) origin {
	return origin{c.Build, d.Name, src.File, src.Agent, src.Guess}
}

func encodeFile(secret *state.Secret, name string, from origin, r *reading) []byte {
	b := append([]byte(cacheMagic), make([]byte, state.SumSize)...)
	for _, s := range [...]string{from.build, from.dialect, from.file, from.agent} {
		b = appendText(b, s)
	}
	b = appendFile(append(b, flags(from.guess)), r)
	sum := secret.Sum(name, b[len(cacheMagic)+state.SumSize:])
	copy(b[len(cacheMagic):], sum[:])
	return b
}

func appendFile(b []byte, f *reading) []byte {
	b = appendHooks(appendHooks(b, f.Hooks), f.Instead)
	b = appendProblems(appendProblems(appendProblems(b, f.err), f.Lost), errors.Join(f.Warnings...))
	b = binary.AppendUvarint(b, uint64(len(f.Includes)))
	for _, inc := range f.Includes {
		b = appendText(b, inc.File)
		b = binary.AppendUvarint(b, uint64(inc.Line))
	}
	s := &f.Settings
	b = append(b, flags(s.ProjectMayAllow, s.SelfApprove, s.Snapshot, s.Off), byte(s.OnFull), byte(s.NotReplaced))
	b = appendText(b, s.Shadow)
	b = appendLedger(b, &s.Ledger)
	b = appendPacks(b, s.Packs)
	b = binary.AppendUvarint(b, uint64(len(s.Issuers)))
	for _, text := range s.Issuers {
		b = appendText(b, text)
	}
	return appendJudges(appendChannels(appendGrants(b, s.Grants), s.Channels), s.Judges)
}

func appendLedger(b []byte, s *checkrein.LedgerSettings) []byte {
	b = binary.AppendUvarint(b, uint64(s.KeepDays))
	b = binary.AppendUvarint(b, uint64(s.KeepMiB))
	b = appendText(b, s.Witness)
	b = binary.AppendUvarint(b, uint64(len(s.WitnessCommand)))
	for _, arg := range s.WitnessCommand {
		b = appendText(b, arg)
	}
	return b
}

func appendPacks(b []byte, list []checkrein.PackSetting) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for i := range list {
		p := &list[i]
		b = append(appendText(b, p.Name), flags(p.Off))
		b = binary.AppendUvarint(b, uint64(p.From.Line))
		b = binary.AppendUvarint(b, uint64(len(p.By)))
		for _, by := range p.By {
			b = append(appendText(b, by.Key), byte(by.Is))
		}
		b = binary.AppendUvarint(b, uint64(len(p.Allow)))
		for _, glob := range p.Allow {
			b = appendText(b, glob)
		}
	}
	return b
}

func appendGrants(b []byte, list []checkrein.GrantSetting) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for i := range list {
		g := &list[i]
		for _, s := range [...]string{g.Call, g.Tool, string(g.Input), g.In, g.Until, g.Reason} {
			b = appendText(b, s)
		}
		b = binary.AppendUvarint(b, uint64(g.From.Line))
		b = binary.AppendUvarint(b, uint64(len(g.Rules)))
		for _, name := range g.Rules {
			b = appendText(b, name)
		}
	}
	return b
}

func appendChannels(b []byte, list []checkrein.ChannelSetting) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for i := range list {
		b = appendText(appendText(b, list[i].Name), list[i].URL)
		b = binary.AppendUvarint(b, uint64(list[i].From.Line))
	}
	return b
}

func appendJudges(b []byte, list []checkrein.JudgeSetting) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for i := range list {
		j := &list[i]
		b = appendText(appendText(b, j.Model), j.Prompt)
		for _, n := range [...]int{j.Calls, j.Money, int(j.Timeout), j.From.Line} {
			b = binary.AppendUvarint(b, uint64(n))
		}
		b = append(b, byte(j.OnSpent))
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func flags(bits ...bool) byte {
	var b byte
	for i, on := range bits {
		if on {
			b |= 1 << i
		}
	}
	return b
}

func appendHooks(b []byte, list []checkrein.Hook) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for i := range list {
		b = appendHook(b, &list[i])
	}
	return b
}

func appendHook(b []byte, h *checkrein.Hook) []byte {
	for _, s := range [...]string{h.ID, h.Name, h.Event, h.Match, string(h.If), h.Run, string(h.With), h.Dialect, h.Args, h.Search, h.Chain, h.Broken, h.From.Agent} {
		b = appendText(b, s)
	}
	b = binary.AppendUvarint(b, uint64(h.Timeout))
	b = binary.AppendUvarint(b, uint64(h.Priority))
	b = binary.AppendUvarint(b, uint64(h.From.Line))
	return append(b, byte(h.On), byte(h.OnFault), byte(h.MatchBy), flags(h.Async, h.Gate, h.Rewrites, h.Preempt, h.Strict, h.Implied, h.Shadow))
}

var (
	errDamaged = errors.New("the cached file was changed")
	errOld     = errors.New("the cached file is from another version")
)

// A decoder reads a cache file. Settings and conditions share its memory.
type decoder struct {
	rest []byte
	bad  bool
}

// decodeFile reads what encodeFile wrote of the configuration file at path.
func decodeFile(secret *state.Secret, name string, data []byte, path string) (reading, error) {
	body, err := opened(secret, name, data)
	if err != nil {
		return reading{}, err
	}
	d := decoder{rest: body}
	d.origin()
	return d.file(path)
}

// opened returns what the secret vouches for. A file of another version is no one's
// fault, and is not used either.
func opened(secret *state.Secret, name string, data []byte) ([]byte, error) {
	body, ok := bytes.CutPrefix(data, []byte(cacheMagic))
	switch {
	case !ok && bytes.HasPrefix(data, []byte(cacheWord)):
		return nil, errOld
	case !ok || len(body) < state.SumSize || !secret.Vouches(name, body[state.SumSize:], body[:state.SumSize]):
		return nil, errDamaged
	}
	return body[state.SumSize:], nil
}

func (d *decoder) origin() origin {
	return origin{d.text(), d.text(), d.text(), d.text(), d.byte()&1 != 0}
}

func (d *decoder) file(path string) (reading, error) {
	var f reading
	f.Hooks, f.Instead = d.hooks(path), d.hooks(path)
	f.err, f.Lost, f.Warnings = errors.Join(d.problems()...), errors.Join(d.problems()...), d.problems()
	for range d.count(minInclude) {
		f.Includes = append(f.Includes, checkrein.Include{File: d.text(), Line: d.int()})
	}
	on := d.byte()
	f.Settings = checkrein.Settings{ProjectMayAllow: on&1 != 0, SelfApprove: on&2 != 0, Snapshot: on&4 != 0, Off: on&8 != 0, OnFull: checkrein.FaultPolicy(d.byte()), NotReplaced: checkrein.NotReplaced(d.byte())}
	f.Settings.Shadow = d.text()
	d.ledger(&f.Settings.Ledger)
	f.Settings.Packs = d.packs(path)
	for range d.count(minText) {
		f.Settings.Issuers = append(f.Settings.Issuers, d.text())
	}
	f.Settings.Grants = d.grants(path)
	f.Settings.Channels = d.channels(path)
	f.Settings.Judges = d.judges(path)
	if d.bad || len(d.rest) != 0 || f.Settings.OnFull > checkrein.FaultBlock || f.Settings.NotReplaced > checkrein.NotReplacedDeny {
		return reading{}, errDamaged
	}
	return f, nil
}

func (d *decoder) hooks(path string) []checkrein.Hook {
	n := d.count(minHook)
	if n == 0 {
		return nil
	}
	out := make([]checkrein.Hook, n)
	for i := range out {
		d.hook(&out[i])
		out[i].From.File = path
	}
	return out
}

func (d *decoder) hook(h *checkrein.Hook) {
	h.ID, h.Name, h.Event, h.Match = d.text(), d.text(), d.text(), d.text()
	if b := d.bytes(); len(b) > 0 {
		h.If = b
	}
	h.Run = d.text()
	h.With = d.bytes()
	h.Dialect, h.Args, h.Search, h.Chain, h.Broken, h.From.Agent = d.text(), d.text(), d.text(), d.text(), d.text(), d.text()
	h.Timeout, h.Priority, h.From.Line = time.Duration(d.int()), d.int(), d.int()
	h.On, h.OnFault, h.MatchBy = checkrein.Kind(d.byte()), checkrein.FaultPolicy(d.byte()), checkrein.MatchRule(d.byte())
	on := d.byte()
	h.Async, h.Gate, h.Rewrites, h.Preempt, h.Strict = on&1 != 0, on&2 != 0, on&4 != 0, on&8 != 0, on&16 != 0
	h.Implied, h.Shadow = on&32 != 0, on&64 != 0
	if h.On >= checkrein.NumKinds || h.OnFault > checkrein.FaultBlock || h.MatchBy > checkrein.MatchWords {
		d.bad = true
	}
}

func (d *decoder) ledger(s *checkrein.LedgerSettings) {
	s.KeepDays, s.KeepMiB, s.Witness = d.int(), d.int(), d.text()
	for range d.count(minText) {
		s.WitnessCommand = append(s.WitnessCommand, d.text())
	}
}

func (d *decoder) packs(path string) []checkrein.PackSetting {
	var out []checkrein.PackSetting
	for range d.count(minPack) {
		p := checkrein.PackSetting{Name: d.text(), Off: d.byte()&1 != 0, From: checkrein.Origin{File: path, Line: d.int()}}
		for range d.count(2 * minText) {
			by := checkrein.PackDecision{Key: d.text(), Is: checkrein.Decision(d.byte())}
			if by.Is > checkrein.Deny {
				d.bad = true
			}
			p.By = append(p.By, by)
		}
		for range d.count(minText) {
			p.Allow = append(p.Allow, d.text())
		}
		out = append(out, p)
	}
	return out
}

func (d *decoder) grants(path string) []checkrein.GrantSetting {
	var out []checkrein.GrantSetting
	for range d.count(minGrant) {
		g := checkrein.GrantSetting{Call: d.text(), Tool: d.text()}
		if b := d.bytes(); len(b) > 0 {
			g.Input = b
		}
		g.In, g.Until, g.Reason, g.From = d.text(), d.text(), d.text(), checkrein.Origin{File: path, Line: d.int()}
		for range d.count(minText) {
			g.Rules = append(g.Rules, d.text())
		}
		out = append(out, g)
	}
	return out
}

func (d *decoder) channels(path string) []checkrein.ChannelSetting {
	var out []checkrein.ChannelSetting
	for range d.count(minChannel) {
		out = append(out, checkrein.ChannelSetting{Name: d.text(), URL: d.text(), From: checkrein.Origin{File: path, Line: d.int()}})
	}
	return out
}

func (d *decoder) judges(path string) []checkrein.JudgeSetting {
	var out []checkrein.JudgeSetting
	for range d.count(minJudge) {
		j := checkrein.JudgeSetting{Model: d.text(), Prompt: d.text(), Calls: d.int(), Money: d.int(), Timeout: time.Duration(d.int())}
		j.From = checkrein.Origin{File: path, Line: d.int()}
		j.OnSpent = checkrein.Decision(d.byte())
		d.bad = d.bad || j.OnSpent > checkrein.Deny
		out = append(out, j)
	}
	return out
}

// count reads a number of items, each of which takes so many bytes at least.
func (d *decoder) count(least int) int {
	n := d.int()
	if n > len(d.rest)/least {
		d.bad = true
		return 0
	}
	return n
}

func (d *decoder) int() int {
	var v uint64
	for shift := 0; ; shift += 7 {
		c := d.byte()
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			break
		}
		if shift > 56 {
			d.bad = true
			return 0
		}
	}
	if int(v) < 0 {
		d.bad = true
		return 0
	}
	return int(v)
}

func (d *decoder) byte() byte {
	if len(d.rest) == 0 {
		d.bad = true
		return 0
	}
	c := d.rest[0]
	d.rest = d.rest[1:]
	return c
}

func (d *decoder) text() string { return string(d.bytes()) }

func (d *decoder) bytes() []byte {
	n := d.int()
	if n > len(d.rest) {
		d.bad = true
		return nil
	}
	b := d.rest[:n:n]
	d.rest = d.rest[n:]
	return b
}
