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

// Policy returns a digest of the policy in force. It covers the program's version, every hook that
// counts, in order, with its scope, whether it is on and what was approved, and the settings that
// affect decisions. It does not depend on the location and layout of files, so that machines can be
// compared.
//
// It does not cover temporary acts of people either. The grants of checkrein allow and pauses have
// their own records, and records of the decisions that they changed name them.
func (k *Kit) Policy() string { return k.policyOf(k.view()) }

// policyKey is the context key of the policy of the process that handed over a hook.
type policyKey struct{}

// PolicyIn returns the policy under which a hook with the context ctx runs: that of the process that
// handed it over, or else the kit's own.
func (k *Kit) PolicyIn(ctx context.Context) string {
	if given, ok := ctx.Value(policyKey{}).(string); ok {
		return given
	}
	return k.Policy()
}

// policyOf returns the digest of the policy of v. It also sets the digests of its hooks.
func (k *Kit) policyOf(v *view) string {
	v.policy.Do(func() {
		d := digester{sha256.New()}
		d.addText("checkrein policy 2")
		d.addText(build.Version)
		v.digests = make([]record.HookDigests, len(v.hooks))
		for i := range v.hooks {
			v.digests[i] = k.hashHook(&d, v, &v.hooks[i])
		}
		for _, s := range k.policySettings(v) {
			d.addText(s)
		}
		v.policyDigest = hex.EncodeToString(d.Sum(nil)[:16])
	})
	return v.policyDigest
}

// hashHook adds h and its current state to d, and returns the digests of h.
func (k *Kit) hashHook(d *digester, v *view, h *checkrein.Hook) record.HookDigests {
	state, sum := k.approvedDigest(v, h)
	sums := record.HookDigests{Definition: approval.DefinitionDigest(h)}
	what := [...]byte{byte(h.From.Scope), byteOf(h.From.Approval), byteOf(h.Off != ""), byteOf(h.Broken != ""), byteOf(IsEnforced(h) && !k.IsInShadow(h)), byte(state)}
	d.Write(what[:])
	d.Write(sums.Definition[:])
	if h.From.Scope == checkrein.ScopeUser && k.IsInShadow(h) {
		d.addText("shadow")
	}
	if h.Run == "http" { // an approval covers only part of what affects the answer
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

// hookDigests returns the digests of h, a hook of the engine of v.
func (k *Kit) hookDigests(v *view, h *checkrein.Hook) record.HookDigests {
	k.policyOf(v)
	if i := v.indexOf(h); i >= 0 {
		return v.digests[i]
	}
	// The engine ran a changed copy of the hook, such as one that may not rewrite.
	return k.hashHook(&digester{sha256.New()}, v, h)
}

// byteOf returns 1 if is is true, and 0 otherwise.
func byteOf(is bool) byte {
	if is {
		return 1
	}
	return 0
}

// approvedDigest returns the state of the approval of h, and the digest of what was approved,
// including the project's files.
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

// A digester hashes strings together with their lengths, so that no two lists of strings have the same
// digest.
type digester struct{ hash.Hash }

// addText adds s with its length.
func (d *digester) addText(s string) {
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
	d.Write(n[:])
	d.Write([]byte(s))
}

// policySettings returns the settings that change what is decided or recorded, as strings. The
// settings of packs are not among them, since they are in the hooks of the packs.
func (k *Kit) policySettings(v *view) []string {
	s := &k.config.Settings
	flag := strconv.FormatBool
	list := append([]string{flag(s.Off), flag(s.ProjectMayAllow), flag(s.SelfApprove), s.OnFull.String(), strconv.Itoa(int(s.NotReplaced)), flag(s.Snapshot), s.Shadow, flag(v.approvals.IsOff()),
		strconv.Itoa(s.Ledger.KeepDays), strconv.Itoa(s.Ledger.KeepMiB), s.Ledger.Witness, strings.Join(s.Issuers, " "), s.Approvals.Wait.String()}, s.Ledger.WitnessCommand...)
	w := &s.Walls
	list = append(list, w.Contain.String(), flag(w.Network), flag(w.Sockets), strings.Join(w.Hide, "\x00"), strings.Join(w.Write, "\x00"))
	return append(list, k.grantTexts()...)
}
