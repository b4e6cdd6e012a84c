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

// Policy is the digest of what is in force, whatever it was read from: the program;
// every hook that counts, in order, with whose it is, whether it is on and what a
// person approved of it; and the settings that decide. Where files lie and how they
// are laid out is no part of it, so that machines can be compared.
//
// What a person did for a time is none of it either: grants of `checkrein allow` and
// pauses are records of their own, and a record that one had a say in names it.
func (k *Kit) Policy() string { return k.policyOf(k.view()) }

// policyGiven is the key under which a context has the policy of who handed a hook
// over.
type policyGiven struct{}

// PolicyIn is the policy by which the hook of a context runs: the kit's own, or that
// of who handed the hook over.
func (k *Kit) PolicyIn(ctx context.Context) string {
	if given, ok := ctx.Value(policyGiven{}).(string); ok {
		return given
	}
	return k.Policy()
}

func (k *Kit) policyOf(v *view) string {
	v.policy.Do(func() {
		d := digester{sha256.New()}
		d.text("checkrein policy 2")
		d.text(build.Version)
		v.sums = make([]record.Sums, len(v.hooks))
		for i := range v.hooks {
			v.sums[i] = k.addHook(&d, v, &v.hooks[i])
		}
		for _, s := range k.switches(v) {
			d.text(s)
		}
		v.policySum = hex.EncodeToString(d.Sum(nil)[:16])
	})
	return v.policySum
}

// addHook adds a hook as it counts.
func (k *Kit) addHook(d *digester, v *view, h *checkrein.Hook) record.Sums {
	state, sum := k.approvedSum(v, h)
	sums := record.Sums{Definition: approval.DefinitionSum(h)}
	what := [...]byte{byte(h.From.Scope), flag(h.From.Approval), flag(h.Off != ""), flag(h.Broken != ""), flag(Enforced(h) && !IsTried(h)), byte(state)}
	d.Write(what[:])
	d.Write(sums.Definition[:])
	if h.Run == "http" { // of which a person approves less than what counts
		whole := *h
		whole.Run = "http, all of it"
		all := approval.DefinitionSum(&whole)
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

// sumsOf are the digests of a hook of a view's engine.
func (k *Kit) sumsOf(v *view, h *checkrein.Hook) record.Sums {
	k.policyOf(v)
	if i := v.index(h); i >= 0 {
		return v.sums[i]
	}
	// The engine had it under another condition: not to rewrite any more.
	return k.addHook(&digester{sha256.New()}, v, h)
}

func flag(is bool) byte {
	if is {
		return 1
	}
	return 0
}

// approvedSum is what a person approved of a hook, the files of its project included.
func (k *Kit) approvedSum(v *view, h *checkrein.Hook) (approval.State, [sha256.Size]byte) {
	switch {
	case h.From.Approval:
		return v.trust.Given(h)
	case k.mayRunProjectFiles(h):
		here := k.forProject(h)
		return v.trust.Given(&here)
	}
	return approval.Unapproved, [sha256.Size]byte{}
}

// A digester takes texts of any length in.
type digester struct{ hash.Hash }

func (d *digester) text(s string) {
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
	d.Write(n[:])
	d.Write([]byte(s))
}

// switches are the settings that change what is decided or recorded. What packs are on
// is told by the hooks that are made of them.
func (k *Kit) switches(v *view) []string {
	s := &k.config.Settings
	flag := strconv.FormatBool
	list := append([]string{flag(s.Off), flag(s.ProjectMayAllow), flag(s.SelfApprove), s.OnFull.String(), strconv.Itoa(int(s.NotReplaced)), flag(s.Snapshot), s.Shadow, flag(v.trust.Off()),
		strconv.Itoa(s.Ledger.KeepDays), strconv.Itoa(s.Ledger.KeepMiB), s.Ledger.Witness, strings.Join(s.Issuers, " ")}, s.Ledger.WitnessCommand...)
	return append(list, k.grantSums()...)
}
