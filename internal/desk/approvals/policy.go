package approvals

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A PolicyChange names a change of a policy file, so that a proof over it serves nothing else.
type PolicyChange struct {
	Handle    string `json:"handle"` // of everything else but the challenge
	File      string `json:"file"`
	Old       string `json:"old"` // the SHA-256 of the file; "" = there is none
	New       string `json:"new"` // the SHA-256 of the new text
	Challenge string `json:"challenge,omitempty"`
}

// MaxPolicy is the maximum size of a policy that can be changed, in bytes.
const MaxPolicy = 128 << 10

// policyHandle begins the handles of changes. Those of blocks are hexadecimal.
const policyHandle = "policy-"

// IsPolicyHandle reports whether handle is that of a change of a policy.
func IsPolicyHandle(handle string) bool { return strings.HasPrefix(handle, policyHandle) }

// newPolicyChange returns the change of file from old, which is nil if there is none, to text.
func newPolicyChange(file string, old, text []byte) *PolicyChange {
	digest := func(b []byte) string { sum := sha256.Sum256(b); return hex.EncodeToString(sum[:]) }
	c := &PolicyChange{File: file, New: digest(text)}
	if old != nil {
		c.Old = digest(old)
	}
	c.Handle = policyHandle + digest([]byte(c.File + "\x00" + c.Old + "\x00" + c.New))[:20]
	return c
}

// PolicyFiles returns the paths of the policies that a person can change: the person's own, and that of
// the project at dir if there is one.
func (d *Desk) PolicyFiles(dir string) ([]string, error) {
	k, err := d.opts.Open(dir)
	if err != nil {
		return nil, err
	}
	return d.policyFiles(k), nil
}

func (d *Desk) policyFiles(k *app.Kit) []string {
	out := []string{d.opts.Config}
	for _, f := range k.Files() {
		if f.Scope == checkrein.ScopeProject && f.Path == filepath.Join(k.Root(), "checkrein.yaml") {
			out = append(out, f.Path)
		}
	}
	return out
}

// ReadPolicy returns the text of a policy of PolicyFiles, or nil if there is none.
func (d *Desk) ReadPolicy(dir, file string) ([]byte, error) {
	k, err := d.opts.Open(dir)
	if err != nil {
		return nil, err
	}
	return d.readPolicy(k, file)
}

func (d *Desk) readPolicy(k *app.Kit, file string) ([]byte, error) {
	refusal := func(why string) error {
		return &Error{Status: http.StatusUnprocessableEntity, Why: why, Remedy: "change it with your editor"}
	}
	if !slices.Contains(d.policyFiles(k), file) {
		return nil, refusal("this is not a policy of yours or of the project")
	}
	is, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !is.Mode().IsRegular():
		return nil, refusal("the policy is a symlink, or not a file")
	}
	text, err := state.ReadRegular(file, MaxPolicy)
	if err != nil {
		return nil, refusal(err.Error())
	}
	return append([]byte{}, text...), nil // an empty one exists
}

// checkSize returns an error if text is larger than a policy may be.
func checkSize(text []byte) error {
	if len(text) > MaxPolicy {
		return &Error{Status: http.StatusRequestEntityTooLarge, Why: fmt.Sprintf("the policy is larger than %d bytes", MaxPolicy), Remedy: "change it with your editor"}
	}
	return nil
}

// ProposePolicy returns the change of file to text, with the text that it replaces.
func (d *Desk) ProposePolicy(dir, file string, text []byte) (c *PolicyChange, old []byte, err error) {
	if err := checkSize(text); err != nil {
		return nil, nil, err
	}
	if old, err = d.ReadPolicy(dir, file); err != nil {
		return nil, nil, err
	}
	return newPolicyChange(file, old, text), old, nil
}

// A SavedPolicy is what became of a change.
type SavedPolicy struct {
	By string `json:"by"`
	// Held lists what loosens the guard and does not count until the person confirms it in a terminal,
	// because it was changed while an agent ran.
	Held []string `json:"held,omitempty"`
}

// SavePolicy saves text as the new policy if the proof covers change, a [PolicyChange], exactly. The
// caller must have checked that text is a valid policy.
func (d *Desk) SavePolicy(dir string, change, text []byte, p *Proof) (*SavedPolicy, error) {
	by, err := d.replacePolicy(dir, change, text, p)
	if err != nil {
		return nil, err
	}
	saved := &SavedPolicy{By: by}
	if k, err := d.opts.Open(dir); err == nil { // otherwise the text is saved all the same
		saved.Held = k.Guards().Held
	}
	return saved, nil
}

// replacePolicy is SavePolicy, and returns who proved the change.
func (d *Desk) replacePolicy(dir string, change, text []byte, p *Proof) (by string, err error) {
	var c PolicyChange
	dec := json.NewDecoder(bytes.NewReader(change))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		return "", unreadable(err)
	}
	if err := checkSize(text); err != nil {
		return "", err
	}
	k, err := d.opts.Open(dir)
	if err != nil {
		return "", err
	}
	d.answering.Lock()
	defer d.answering.Unlock()
	unlock, err := k.Grants().Dir.Lock("policy")
	if err != nil {
		return "", err
	}
	defer unlock()
	old, err := d.readPolicy(k, c.File)
	if err != nil {
		return "", err
	}
	if now := newPolicyChange(c.File, old, text); now.Old != c.Old || now.New != c.New || now.Handle != c.Handle {
		return "", &Error{Status: http.StatusConflict, Why: "the policy or the new text differs from what was shown", Remedy: "try the policy again, and then save it"}
	}
	if by, err = d.check(k, c.Handle, c.Challenge, slices.Concat([]byte(policyPrefix), change), p); err != nil {
		return "", err
	}
	if _, err := k.RecordAct(app.Act{Act: "policy save", Handle: c.Handle, Call: c.File, Rules: []string{c.New, c.Old}, By: by, Caller: "http"}); err != nil {
		return "", err
	}
	mode := fs.FileMode(0o600)
	if is, err := os.Lstat(c.File); err == nil {
		mode = is.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(c.File), 0o700); err != nil {
		return "", err
	}
	return by, state.ReplaceFile(c.File, text, mode)
}
