package checkrein

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// verdictWithAllEffects returns a verdict with every effect but a decision.
func verdictWithAllEffects() Verdict {
	return Verdict{
		Reason: "because", Context: []string{"c"}, Notice: []string{"n"},
		Input: json.RawMessage(`{"a":1}`), Output: json.RawMessage(`"o"`), Append: "more", Messages: json.RawMessage(`[1]`),
		Redo: "again", Halt: true, Summary: "s", Metadata: map[string]string{"k": "v"},
	}
}

// eachClamp calls check for every row, every set of honoured effects and every decision, without other
// effects and with all of them. The effects that the row does not have are honoured all or not at all,
// because it cannot matter which of them are; TestClampOfAnyVerdict draws from all sets.
func eachClamp(t *testing.T, check func(t *testing.T, row *Contract, honours Effect, v Verdict)) {
	for i := range Contracts() {
		row := &Contracts()[i]
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			for honours := Effect(0); honours <= AllEffects && !t.Failed(); honours++ {
				if foreign := honours &^ row.Effects; foreign != 0 && foreign != AllEffects&^row.Effects {
					continue
				}
				for d := NoOpinion; d <= Deny; d++ {
					check(t, row, honours, Verdict{Decision: d, Reason: "because"})
					v := verdictWithAllEffects()
					v.Decision = d
					check(t, row, honours, v)
				}
			}
		})
	}
}

// describeLoosening describes how got permits more than asked, and returns "" if it does not. A
// verdict permits more if its decision is lower than an ask or denial although the row could have
// denied, or if it allows something that no verdict allowed.
func describeLoosening(row *Contract, honours Effect, asked, got Verdict) string {
	switch {
	case got.Decision == Allow && asked.Decision != Allow:
		return "allows what was not allowed"
	case got.Decision == Allow && asked.Input != nil && got.Input == nil:
		return "allows the call although only the rewritten one was allowed"
	case got.Decision == Allow && (!row.Can(CanAllow) || honours&CanAllow == 0):
		return "allows where that is not possible"
	case asked.Decision == Deny && row.Can(CanDeny) && got.Decision != Deny:
		return "drops a denial"
	case asked.Decision == Ask && row.Asks: // no opinion asks there
		return ""
	case asked.Decision == Ask && row.Can(CanDeny) && got.Decision < Ask:
		return "drops an ask that could have been a denial"
	}
	return ""
}

func TestClampNeverLoosens(t *testing.T) {
	t.Parallel()
	eachClamp(t, func(t *testing.T, row *Contract, honours Effect, v Verdict) {
		got, _ := Clamp(v, row, honours)
		if how := describeLoosening(row, honours, v, got); how != "" {
			t.Errorf("%v under %v %s: got %v", v.Effects().Words(), honours.Words(), how, got.Decision)
		}
	})
}

func TestClampKeepsOnlySupportedEffects(t *testing.T) {
	t.Parallel()
	eachClamp(t, func(t *testing.T, row *Contract, honours Effect, v Verdict) {
		got, _ := Clamp(v, row, honours)
		// A host need not know how to deny: its wire finds a way.
		if extra := got.Effects() &^ (row.Effects & (honours | CanDeny)); extra != 0 {
			t.Errorf("%v is left under %v", extra.Words(), honours.Words())
		}
		fromNowhere := got.Effects() &^ v.Effects()
		if v.Decision == Ask {
			fromNowhere &^= CanDeny
		}
		if v.Decision >= Ask {
			fromNowhere &^= CanRedo
		}
		if fromNowhere != 0 {
			t.Errorf("%v came from nowhere", fromNowhere.Words())
		}
	})
}

func TestClampListsWhatItDrops(t *testing.T) {
	t.Parallel()
	eachClamp(t, func(t *testing.T, row *Contract, honours Effect, v Verdict) {
		got, dropped := Clamp(v, row, honours)
		lost := v.Effects() &^ got.Effects()
		if row.Asks {
			lost &^= CanAsk // asking happens there by itself
		}
		for _, word := range lost.Words() {
			if !slices.ContainsFunc(dropped, func(d Dropped) bool { return d.Effect == word && d.Why != "" }) {
				t.Errorf("%s was lost under %v, dropped lists %v", word, honours.Words(), dropped)
			}
		}
		for _, d := range dropped {
			if slices.Contains(got.Effects().Words(), d.Effect) {
				t.Errorf("%s is listed as dropped under %v and was kept", d.Effect, honours.Words())
			}
		}
	})
}

// TestClampAddsNoticesAboutWeakenedGuards checks that the person gets a notice about a denial or an
// ask that will not be honoured, and about a rewrite that will not happen.
func TestClampAddsNoticesAboutWeakenedGuards(t *testing.T) {
	t.Parallel()
	eachClamp(t, func(t *testing.T, row *Contract, honours Effect, v Verdict) {
		got, _ := Clamp(v, row, honours)
		guards := CanRewriteInput | CanRewriteOutput | CanRewriteMessages | CanHalt
		lost := v.Effects() & guards &^ got.Effects()
		if !row.Can(CanDeny) {
			lost |= v.Effects() & (CanDeny | CanAsk)
		}
		if got.Decision == Deny {
			lost = 0 // nothing happens, so nothing happens unguarded
		}
		if told := len(got.Notice) - len(v.Notice); (told > 0) != (lost != 0) {
			t.Errorf("lost %v of %v under %v: notices %q", lost.Words(), v.Effects().Words(), honours.Words(), got.Notice)
		}
	})
}

func TestClampIsIdempotent(t *testing.T) {
	t.Parallel()
	eachClamp(t, func(t *testing.T, row *Contract, honours Effect, v Verdict) {
		once, _ := Clamp(v, row, honours)
		twice, _ := Clamp(once, row, honours)
		if once.Decision != twice.Decision || once.Reason != twice.Reason || once.Effects() != twice.Effects() || len(once.Notice) != len(twice.Notice) {
			t.Errorf("under %v twice gives %+v, once %+v", honours.Words(), twice, once)
		}
	})
}

func TestClampOfAnyVerdict(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := drawVerdict(t)
		row := ContractOf(Kind(rapid.IntRange(0, int(NumKinds)-1).Draw(t, "row")))
		honours := Effect(rapid.IntRange(0, int(AllEffects)).Draw(t, "honours"))
		before, _ := json.Marshal(v)
		got, _ := Clamp(v, row, honours)
		_ = append(got.Notice, "scribble")
		if after, _ := json.Marshal(v); string(after) != string(before) {
			t.Fatalf("the verdict given became %s, was %s", after, before)
		}
		if how := describeLoosening(row, honours, v, got); how != "" {
			t.Fatalf("%s: %+v from %+v", how, got, v)
		}
		again, _ := Clamp(got, row, honours)
		if diff := cmp.Diff(got, again, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("not idempotent (-once +twice):\n%s", diff)
		}
	})
}

func TestClampDecisions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		kind    Kind
		honours Effect
		give    Verdict
		want    Verdict
		dropped string
	}{
		{"a denial needs no capability", PreToolUse, 0, Verdict{Decision: Deny, Reason: "r"}, Verdict{Decision: Deny, Reason: "r"}, ""},
		{"ask becomes deny where the host cannot ask", PreToolUse, CanDeny, Verdict{Decision: Ask, Reason: "r"}, Verdict{Decision: Deny, Reason: "r"}, "ask"},
		{"ask becomes deny where the row cannot ask", UserPromptSubmit, AllEffects, Verdict{Decision: Ask, Reason: "r"}, Verdict{Decision: Deny, Reason: "r"}, "ask"},
		{"ask is what happens next anyway", PermissionRequest, AllEffects, Verdict{Decision: Ask, Reason: "r"}, Verdict{}, ""},
		{"ask on stop keeps the agent going", Stop, AllEffects, Verdict{Decision: Ask, Reason: "r"}, Verdict{Decision: Deny, Reason: "r", Redo: "r"}, "ask"},
		{"a denial of stop is a redo", Stop, AllEffects, Verdict{Decision: Deny, Reason: "r"}, Verdict{Decision: Deny, Reason: "r", Redo: "r"}, ""},
		{"an own redo text stays", Stop, AllEffects, Verdict{Decision: Deny, Reason: "r", Redo: "x"}, Verdict{Decision: Deny, Reason: "r", Redo: "x"}, ""},
		{"allow where only denying is possible", UserPromptSubmit, AllEffects, Verdict{Decision: Allow, Reason: "r"}, Verdict{}, "allow"},
		{"allow that the host does not honour", PreToolUse, CanDeny, Verdict{Decision: Allow, Reason: "r"}, Verdict{}, "allow"},
		{"allow of a rewrite that the host does not honour", PreToolUse, CanAllow,
			Verdict{Decision: Allow, Reason: "r", Input: json.RawMessage(`{"a":1}`)}, Verdict{}, "rewrite_input allow"},
		{"allow of a rewrite", PermissionRequest, AllEffects,
			Verdict{Decision: Allow, Input: json.RawMessage(`{"a":1}`)}, Verdict{Decision: Allow, Input: json.RawMessage(`{"a":1}`)}, ""},
		{"a rewrite that the host asks about", PermissionRequest, AllEffects,
			Verdict{Input: json.RawMessage(`{"a":1}`)}, Verdict{Input: json.RawMessage(`{"a":1}`)}, ""},
		{"a rewrite that the host does not ask about", PermissionRequest, CanAllow | CanDeny | CanRewriteInput,
			Verdict{Input: json.RawMessage(`{"a":1}`)}, Verdict{}, "rewrite_input"},
		{"allow of a rewrite of a permission request that the host does not honour", PermissionRequest, CanAllow | CanDeny,
			Verdict{Decision: Allow, Input: json.RawMessage(`{"a":1}`)}, Verdict{}, "rewrite_input allow"},
		{"a denial that nothing can act on", SessionEnd, AllEffects, Verdict{Decision: Deny, Reason: "r"}, Verdict{}, "deny"},
		{"an ask that nothing can act on", SessionEnd, AllEffects, Verdict{Decision: Ask, Reason: "r"}, Verdict{}, "ask"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, dropped := Clamp(tt.give, ContractOf(tt.kind), tt.honours)
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(Verdict{}, "Notice")); diff != "" {
				t.Errorf("clamped (-want +got):\n%s", diff)
			}
			var words []string
			for _, d := range dropped {
				words = append(words, d.Effect)
			}
			if got := strings.Join(words, " "); got != tt.dropped {
				t.Errorf("dropped %q, want %q", got, tt.dropped)
			}
		})
	}
}

func TestClampNoticeNamesTheEffect(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		kind Kind
		give Verdict
		want string
	}{
		{"denial", SessionEnd, Verdict{Decision: Deny, Reason: "not yet"}, "not yet"},
		{"ask", SessionEnd, Verdict{Decision: Ask, Reason: "sure?"}, "sure?"},
		{"rewrite too late", PostToolUse, Verdict{Output: json.RawMessage(`"[REDACTED]"`)}, "post_tool_use"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, _ := Clamp(tt.give, ContractOf(tt.kind), AllEffects)
			if said := fmt.Sprint(got.Notice); !strings.Contains(said, tt.want) {
				t.Errorf("notices %s, want one with %q", said, tt.want)
			}
		})
	}
}
