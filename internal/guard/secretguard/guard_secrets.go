// Package secretguard keeps secrets from the model and from where they do not belong. It
// writes markers over them in what a model reads, judges where a secret in a call would
// go, and puts secrets back in place of markers.
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
	"github.com/checkrein/checkrein/internal/secret/placeholder"
	"github.com/checkrein/checkrein/internal/shell"
)

// GuardSecrets is the name of the builtin that keeps secrets by default.
const GuardSecrets = "guard_secrets"

// A Env is what the guard of secrets is given of checkrein.
type Env struct {
	// MarkKey is the key of the markers that stand for secrets; nil or false = one
	// that lasts as long as the process.
	MarkKey func() (placeholder.Key, bool)
	// Excused returns the ids of the markers whose values a person allowed where the event
	// happens; nil = the hook is one that no grant lifts.
	Excused func(ev *checkrein.Event) []string
	// Restores reports whether a rewrite of the event's arguments is seen by neither
	// the model nor its history, so that secrets may be put back there; nil = never.
	Restores func(ev *checkrein.Event) bool
	// Unreplaced is why what a tool returns to the event's host cannot be kept from the
	// model, as a clause; "" = it can. Nil knows of nothing.
	Unreplaced func(ev *checkrein.Event) string
	// Redacts returns the program that prints what a command prints without secrets, and
	// whether a call that would show the model secrets is to be rewritten so that it runs
	// through that, as the person wants it and the event's host does it; nil = never.
	Redacts func(ev *checkrein.Event) (program string, ok bool)
}

// A Call is one use of the guard, with what it is given of checkrein.
type Call struct {
	builtin.Call
	Env Env
}

// A secretKeeper keeps secrets from the model without a change to what runs or is
// stored: in what a tool returned and in what leaves as text it writes markers; a
// secret in what a tool is given is judged by where it would go.
type secretKeeper struct {
	env     Env
	known   cleared
	issuers []ownIssuer
}

// NewGuardSecrets reads the names of hosts of one's own: issuer=github:git.example.
func NewGuardSecrets(env Env, args []string) (builtin.Func, error) {
	k := &secretKeeper{env: env}
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

func (k *secretKeeper) handle(ctx context.Context, plain builtin.Call) (checkrein.Verdict, error) {
	call := Call{Call: plain, Env: k.env}
	switch ev := &call.Event; ev.Kind {
	case checkrein.PreToolUse, checkrein.PermissionRequest:
		if ev.Tool == nil {
			return checkrein.Verdict{}, nil
		}
		return k.input(ctx, &call), nil
	case checkrein.PostToolUse, checkrein.PostToolUseFailure:
		return tellOfMarkers(&call), nil
	default:
		return k.mark(&call), nil
	}
}

// mark writes markers over the secrets of an event's subject, except over values that a
// person allowed.
func (k *secretKeeper) mark(call *Call) checkrein.Verdict {
	ev := &call.Event
	m := marking{call: call, c: SecretsOf(ev)}
	v, n := m.run(&k.known)
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
		v, n = m.run(nil) // a value may be redacted again later, so nothing counts as cleared
	}
	v.Metadata = map[string]string{}
	if len(excused) > 0 {
		v.Metadata["excused"] = strings.Join(excused, " ")
	}
	if n == 0 {
		return v
	}
	if v.Output != nil {
		v.Output = withoutLines(v.Output, m.lines)
	}
	remedy := ""
	if text := m.found.metadata(); text != "" {
		v.Metadata["redacted"] = text
	}
	if list := m.found.list; call.Env.Excused != nil && list[0].id != "" {
		remedy = ". To stop redacting a value in this project, allow it by its ID: checkrein allow " + list[0].id
	}
	v.Notice = []string{redactionNotice(n, "secret", ev, m.found.summary(), remedy)}
	return v
}

// A marking is one pass over an event that writes markers over secrets.
type marking struct {
	call  *Call
	c     secret.Cleaner
	found redactions
	lines [][]byte // of the values that have several
}

func (m *marking) run(known *cleared) (checkrein.Verdict, int) {
	ev := &m.call.Event
	m.found, m.lines = redactions{ev: ev}, nil
	named := checkrein.ContractOf(ev.Kind).Subject != checkrein.SubjectText // which people read: there an id is of no use
	var key *placeholder.Key                                                // made when there is something to mark
	m.c.Mark = func(text string, f secret.Finding) string {
		if !named {
			m.found.add("", text, f)
			return placeholder.Bare
		}
		if key == nil {
			key = m.call.Env.markKey()
		}
		value := text[f.Start:f.End]
		m.lines = append(m.lines, linesOf(value)...)
		id := key.ID(value)
		m.found.add(id, text, f)
		return placeholder.Of(id)
	}
	return redactSubject(ev, &m.c, known)
}

// excusedIDs returns the ids of the values that a person allowed here.
func (c *Call) excusedIDs() []string {
	if c.Env.Excused == nil {
		return nil
	}
	return c.Env.Excused(&c.Event)
}

// dropExcused returns those of a call's secrets that no person allowed.
func (c *Call) dropExcused(has []shell.Typed) []shell.Typed {
	ids := c.excusedIDs()
	if len(ids) == 0 {
		return has
	}
	key := c.Env.markKey()
	return slices.DeleteFunc(slices.Clone(has), func(s shell.Typed) bool { return slices.Contains(ids, key.ID(s.Value)) })
}

// shortLine is what a line of a key has at least.
const shortLine = 24

// linesOf are the lines of a value of several, as JSON spells them.
func linesOf(value string) [][]byte {
	if !strings.Contains(value, "\n") {
		return nil
	}
	var out [][]byte
	for line := range strings.Lines(value) {
		if line = strings.TrimSpace(line); len(line) >= shortLine && !strings.HasPrefix(line, "-----") && !strings.ContainsAny(line, `"\`) {
			out = append(out, []byte(line))
		}
	}
	return out
}

// withoutLines takes out of an output the lines of a key that was found in it as a
// whole too: tools that edit return the file, and a list of its lines.
func withoutLines(out []byte, lines [][]byte) []byte {
	for _, line := range lines {
		out = bytes.ReplaceAll(out, line, []byte(placeholder.Bare))
	}
	return out
}

// markersTTL is how long it is remembered that a session was told of markers.
const markersTTL = 7 * 24 * time.Hour

const aboutMarkers = "[REDACTED:…] hides a secret that is in the file. " +
	"Leave lines with a marker alone when you edit, never write a marker anywhere else, and use cp to copy files that contain one."

// tellOfMarkers returns the model what the first marker of a session is.
func tellOfMarkers(call *Call) checkrein.Verdict {
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

// processKey is the key of markers where no machine has one.
var processKey struct {
	once sync.Once
	key  placeholder.Key
}

// markKey is the key of this machine's markers.
func (e *Env) markKey() *placeholder.Key {
	if e.MarkKey != nil {
		if key, ok := e.MarkKey(); ok {
			return &key
		}
	}
	processKey.once.Do(func() {
		for i := 0; i < len(processKey.key); i += 8 {
			binary.LittleEndian.PutUint64(processKey.key[i:], rand.Uint64()) // which the system seeds
		}
	})
	return &processKey.key
}
