// Package secretguard keeps secrets from the model and from places where they do not belong. It
// replaces secrets with markers in texts that a model reads, judges where a secret in a call would be
// sent or stored, and restores secrets in place of their markers.
package secretguard

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/secret/known"
	"github.com/checkrein/checkrein/internal/secret/placeholder"
	"github.com/checkrein/checkrein/internal/shell"
)

// GuardSecrets is the name of the builtin that guards secrets by default.
const GuardSecrets = "guard_secrets"

// An Env holds what the guard needs to know about the installation and the hosts.
type Env struct {
	// MarkKey returns the key with which markers are derived from secrets. If it is nil or returns
	// false, a random key is used for the lifetime of the process.
	MarkKey func() (placeholder.Key, bool)
	// Excused returns the ids of secrets that the user's grants allow for ev. It is nil if no grant
	// can lift the hook's decisions.
	Excused func(ev *checkrein.Event) []string
	// Restores reports whether neither the model nor its history sees a rewrite of the
	// event's arguments, so that secrets may be restored there; nil means never.
	Restores func(ev *checkrein.Event) bool
	// Unreplaced returns, as a clause, why a tool's output cannot be kept from the model of
	// the event's host; "" if it can. Nil means that it always can.
	Unreplaced func(ev *checkrein.Event) string
	// Redacts returns the program that runs a command and prints its output without secrets,
	// and whether calls that would show secrets to the model are rewritten to run through it:
	// the user must want that, and the event's host must support it. Nil means never.
	Redacts func(ev *checkrein.Event) (program string, ok bool)
}

// A Call is one use of the guard, with its environment.
type Call struct {
	builtin.Call
	Env Env
}

// A defaultGuard keeps secrets from the model without changing what runs or what is stored. It
// replaces secrets with markers in tools' results and in outgoing text, and judges a secret in a
// tool's arguments by where it would go.
type defaultGuard struct {
	env     Env
	known   cleanCache
	issuers []ownIssuer
}

// NewGuardSecrets returns the builtin that guards secrets by default. Each argument names a server of
// the user that issues tokens, such as issuer=github:git.example.
func NewGuardSecrets(env Env, args []string) (builtin.Func, error) {
	k := &defaultGuard{env: env}
	for _, arg := range args {
		rest, ok := strings.CutPrefix(arg, "issuer=")
		name, domain, both := strings.Cut(rest, ":")
		if !ok || !both || domain == "" {
			return nil, fmt.Errorf("argument %q: must be issuer=NAME:HOST", arg)
		}
		own, err := newOwnIssuer(name, domain)
		if err != nil {
			return nil, err
		}
		k.issuers = append(k.issuers, own)
	}
	return k.handle, nil
}

// handle returns the guard's verdict for an event.
func (k *defaultGuard) handle(ctx context.Context, plain builtin.Call) (checkrein.Verdict, error) {
	call := Call{Call: plain, Env: k.env}
	switch ev := &call.Event; ev.Kind {
	case checkrein.PreToolUse, checkrein.PermissionRequest:
		if ev.Tool == nil {
			return checkrein.Verdict{}, nil
		}
		return k.judgeInput(ctx, &call), nil
	case checkrein.PostToolUse, checkrein.PostToolUseFailure:
		return explainMarkers(&call), nil
	default:
		return k.markSecrets(&call), nil
	}
}

// markSecrets returns a verdict that replaces the secrets in the event's subject with markers, except
// for secrets that the user's grants allow.
func (k *defaultGuard) markSecrets(call *Call) checkrein.Verdict {
	ev := &call.Event
	m := marking{call: call, c: NewCleaner(ev)}
	if row := checkrein.ContractOf(ev.Kind); row.Can(checkrein.CanRewriteOutput) && ev.Tool != nil && len(ev.Tool.Output) > 0 {
		if values := k.knownValues(call); len(values) > 0 {
			m.shown = &comparison{matcher: known.NewMatcher(values)}
			m.c.Also = m.shown.find
		}
	}
	v, n := m.redactEvent(&k.known)
	if n == 0 {
		return checkrein.Verdict{}
	}
	var excused []string
	if ids := call.excusedIDs(); len(ids) > 0 {
		m.c.Keep = func(_, value string) bool {
			id := call.Env.markKey().ID(value)
			if !slices.Contains(ids, id) {
				return false
			}
			if !slices.Contains(excused, id) {
				excused = append(excused, id)
			}
			return true
		}
		if m.shown != nil {
			m.shown.skip = func(value string) bool { return m.c.Keep("", value) }
		}
		v, n = m.redactEvent(nil) // without the cache, because grants for kept values may end
	}
	v.Metadata = map[string]string{}
	if len(excused) > 0 {
		v.Metadata["excused"] = strings.Join(excused, " ")
	}
	if n == 0 {
		return v
	}
	if v.Output != nil {
		v.Output = redactLines(v.Output, m.lines)
	}
	remedy := ""
	if text := m.found.metadataLines(); text != "" {
		v.Metadata["redacted"] = text
	}
	if list := m.found.list; call.Env.Excused != nil && list[0].id != "" {
		remedy = ". To stop redacting a value in this project, allow it by its ID: checkrein allow " + list[0].id
	}
	v.Notice = []string{redactionNotice(n, "secret", ev, m.found.summary(), remedy)}
	return v
}

// A marking is one pass over an event that replaces secrets with markers.
type marking struct {
	call  *Call
	c     secret.Cleaner
	found redactions
	lines [][]byte    // the lines of secrets that have several lines
	shown *comparison // nil if no values are known
}

// redactEvent returns the verdict that redacts the event, and the number of redacted values. The cache
// known may be nil.
func (m *marking) redactEvent(known *cleanCache) (checkrein.Verdict, int) {
	ev := &m.call.Event
	m.found, m.lines = redactions{ev: ev}, nil
	named := checkrein.ContractOf(ev.Kind).Subject != checkrein.SubjectText // texts are for people, who have no use for ids
	var key *placeholder.Key                                                // nil until a value is marked
	m.c.Mark = func(text string, f secret.Finding) string {
		if !named {
			m.found.add("", "", text, f)
			return placeholder.Bare
		}
		if key == nil {
			key = m.call.Env.markKey()
		}
		if v := m.shown.valueAt(text, f); v != nil {
			id := key.ID(v.Text)
			f.Rule = v.Rule
			m.found.add(id, v.File, text, f)
			return placeholder.MarkerWithID(id)
		}
		value := text[f.Start:f.End]
		m.lines = append(m.lines, keyLines(value)...)
		id := key.ID(value)
		m.found.add(id, "", text, f)
		return placeholder.MarkerWithID(id)
	}
	return redactSubject(ev, &m.c, known)
}

// excusedIDs returns the ids of the secrets that the user's grants allow for this call.
func (c *Call) excusedIDs() []string {
	if c.Env.Excused == nil {
		return nil
	}
	return c.Env.Excused(&c.Event)
}

// dropExcused returns has without the secrets that the user's grants allow.
func (c *Call) dropExcused(has []shell.TypedSecret) []shell.TypedSecret {
	ids := c.excusedIDs()
	if len(ids) == 0 {
		return has
	}
	key := c.Env.markKey()
	return slices.DeleteFunc(slices.Clone(has), func(s shell.TypedSecret) bool { return slices.Contains(ids, key.ID(s.Value)) })
}

// minKeyLine is the minimum length of a line that keyLines returns.
const minKeyLine = 24

// keyLines returns those lines of a secret with several lines that JSON encodes without escapes. It
// returns nil if value is a single line.
func keyLines(value string) [][]byte {
	if !strings.Contains(value, "\n") {
		return nil
	}
	var out [][]byte
	for line := range strings.Lines(value) {
		if line = strings.TrimSpace(line); len(line) >= minKeyLine && !strings.HasPrefix(line, "-----") && !strings.ContainsAny(line, `"\`) {
			out = append(out, []byte(line))
		}
	}
	return out
}

// redactLines replaces each of lines in out with a marker. Edit tools return a file both as a whole
// and as a list of lines, so that a secret with several lines also occurs line by line.
func redactLines(out []byte, lines [][]byte) []byte {
	for _, line := range lines {
		out = bytes.ReplaceAll(out, line, []byte(placeholder.Bare))
	}
	return out
}

// markersTTL is how long checkrein remembers that it has explained markers in a session.
const markersTTL = 7 * 24 * time.Hour

// aboutMarkers explains markers to the model.
const aboutMarkers = "[REDACTED:…] hides a secret that is in the file. " +
	"Leave lines with a marker alone when you edit, never write a marker anywhere else, and use cp to copy files that contain one."

// explainMarkers returns a verdict that explains markers to the model the first time that one appears
// in a tool's output in the session.
func explainMarkers(call *Call) checkrein.Verdict {
	t := call.Event.Tool
	if t == nil || !bytes.Contains(t.Output, []byte("[REDACTED:")) {
		return checkrein.Verdict{}
	}
	var told struct {
		Told bool `json:"told"`
	}
	news := false
	err := call.Keep(GuardSecrets, markersTTL, &told, func() error {
		news, told.Told = !told.Told, true
		return nil
	})
	if err != nil || !news {
		return checkrein.Verdict{}
	}
	return checkrein.Verdict{Context: []string{aboutMarkers}}
}

// processKey is a random key for markers, for machines without a key.
var processKey struct {
	once sync.Once
	key  placeholder.Key
}

// markKey returns the machine's key for markers, or processKey if it has none.
func (e *Env) markKey() *placeholder.Key {
	if e.MarkKey != nil {
		if key, ok := e.MarkKey(); ok {
			return &key
		}
	}
	processKey.once.Do(func() {
		for i := 0; i < len(processKey.key); i += 8 {
			binary.LittleEndian.PutUint64(processKey.key[i:], rand.Uint64()) // the generator is seeded by the system
		}
	})
	return &processKey.key
}
