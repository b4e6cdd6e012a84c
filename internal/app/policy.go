package app

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/sys/build"
)

// Policy returns a digest of the policy in force, wherever it was read from: the program; every hook
// that counts, in order, with its scope, whether it is on and what a person approved; and the settings
// that affect decisions. The location and layout of files are not part of it, so that machines can be
// compared.
//
// Neither are temporary acts of a person: grants of `checkrein allow` and pauses have records of their
// own, and records of the decisions that they changed name them.
func (k *Kit) Policy() string { return k.policyOf(k.view()) }

// policyKey is the context key of the policy of the process that handed a hook over.
type policyKey struct{}

// PolicyIn returns the policy under which the hook of a context runs: that of the process that handed
// it over, or else the kit's own.
func (k *Kit) PolicyIn(ctx context.Context) string {
	if given, ok := ctx.Value(policyKey{}).(string); ok {
		return given
	}
	return k.Policy()
}

// policyOf returns the digest of the policy of a view, and sets the digests of its hooks.
func (k *Kit) policyOf(v *view) string {
	v.policy.Do(func() {
		d := digester{sha256.New()}
		d.text("checkrein policy 2")
		d.text(build.Version)
		v.digests = make([]record.HookDigests, len(v.hooks))
		for i := range v.hooks {
			v.digests[i] = k.addHook(&d, v, &v.hooks[i])
		}
		for _, s := range k.policySettings(v) {
			d.text(s)
		}
		v.policyDigest = hex.EncodeToString(d.Sum(nil)[:16])
	})
	return v.policyDigest
}

// addHook adds a hook, in its current state, to a digest and returns the hook's own digests.
func (k *Kit) addHook(d *digester, v *view, h *checkrein.Hook) record.HookDigests {
	state, sum := k.approvedDigest(v, h)
	sums := record.HookDigests{Definition: approval.DefinitionDigest(h)}
	what := [...]byte{byte(h.From.Scope), byteOf(h.From.Approval), byteOf(h.Off != ""), byteOf(h.Broken != ""), byteOf(IsEnforced(h) && !IsTried(h)), byte(state)}
	d.Write(what[:])
	d.Write(sums.Definition[:])
	if h.Run == "http" { // a person approves only a part of what affects its answer
		whole := *h
		whole.Run = "http, all of it"
		all := approval.DefinitionDigest(&whole)
		d.Write(all[:])
	}
	if state != approval.Unapproved {
		d.Write(sum[:])
	}
	if state == approval.Approved {
		sums.Approval = sum
	}
	return sums
}

// hookDigests returns the digests of a hook of a view's engine.
func (k *Kit) hookDigests(v *view, h *checkrein.Hook) record.HookDigests {
	k.policyOf(v)
	if i := v.index(h); i >= 0 {
		return v.digests[i]
	}
	// The engine ran a changed copy of it, which may no longer rewrite.
	return k.addHook(&digester{sha256.New()}, v, h)
}

// byteOf returns 1 if is holds, and 0 otherwise.
func byteOf(is bool) byte {
	if is {
		return 1
	}
	return 0
}

// approvedDigest returns the state of a hook's approval, and the digest of what a person approved,
// including files of the project.
func (k *Kit) approvedDigest(v *view, h *checkrein.Hook) (approval.State, [sha256.Size]byte) {
	switch {
	case h.From.Approval:
		return v.approvals.StateAndDigest(h)
	case k.mayRunProjectFiles(h):
		here := k.forProject(h)
		return v.approvals.StateAndDigest(&here)
	}
	return approval.Unapproved, [sha256.Size]byte{}
}

// A digester hashes texts with their lengths, so that their borders count.
type digester struct{ hash.Hash }

// text adds a text.
func (d *digester) text(s string) {
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
	d.Write(n[:])
	d.Write([]byte(s))
}

// policySettings returns the settings that change what is decided or recorded. Packs are covered by
// the hooks that they add.
func (k *Kit) policySettings(v *view) []string {
	s := &k.config.Settings
	flag := strconv.FormatBool
	list := append([]string{flag(s.Off), flag(s.ProjectMayAllow), flag(s.SelfApprove), s.OnFull.String(), strconv.Itoa(int(s.NotReplaced)), flag(s.Snapshot), s.Shadow, flag(v.approvals.IsOff()),
		strconv.Itoa(s.Ledger.KeepDays), strconv.Itoa(s.Ledger.KeepMiB), s.Ledger.Witness, strings.Join(s.Issuers, " ")}, s.Ledger.WitnessCommand...)
	return append(list, k.grantTexts()...)
}
