package builtin

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/marker"
)

// GuardSecrets is the name of the builtin that keeps secrets by default.
const GuardSecrets = "guard_secrets"

// A secretKeeper keeps secrets from the model without a change to what runs or is
// stored: in what a tool returned and in what leaves as text it writes markers; a
// secret in what a tool is given is judged by where it would go.
type secretKeeper struct {
	known   cleared
	issuers []ownIssuer
}

// newGuardSecrets reads the names of hosts of one's own: issuer=github:git.example.
func newGuardSecrets(args []string) (Func, error) {
	k := new(secretKeeper)
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

func (k *secretKeeper) handle(ctx context.Context, call Call) (checkrein.Verdict, error) {
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

// mark writes markers over the secrets of an event's subject.
func (k *secretKeeper) mark(call *Call) checkrein.Verdict {
	ev := &call.Event
	var lines [][]byte
	var key *marker.Key // made when there is something to mark
	c := secretsOf(ev)
	if checkrein.ContractOf(ev.Kind).Subject != checkrein.SubjectText { // which people read: there an id is of no use
		c.Mark = func(_, value string) string {
			if key == nil {
				key = call.Env.markKey()
			}
			lines = append(lines, linesOf(value)...)
			return key.Of(value)
		}
	}
	v, n := redactSubject(ev, &c, &k.known)
	if n == 0 {
		return checkrein.Verdict{}
	}
	if v.Output != nil {
		v.Output = withoutLines(v.Output, lines)
	}
	v.Notice = []string{removed(n, "secret", ev)}
	return v
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
		out = bytes.ReplaceAll(out, line, []byte(marker.Bare))
	}
	return out
}

// markersTTL is how long it is remembered that a session was told of markers.
const markersTTL = 7 * 24 * time.Hour

const aboutMarkers = "[REDACTED:…] hides a secret that is in the file. " +
	"Leave lines with a marker alone when you edit, never write a marker anywhere else, and use cp to copy files that contain one."

// tellOfMarkers tells the model what the first marker of a session is.
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
	key  marker.Key
}

// markKey is the key of this machine's markers.
func (e *Env) markKey() *marker.Key {
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
