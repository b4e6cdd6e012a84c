package checkrein

// A Dropped is an effect of a verdict that will not happen.
type Dropped struct {
	Hook   string `json:"hook,omitempty"` // the hook that returned it; "" = the merged verdict
	Effect string `json:"effect"`
	Why    string `json:"why"`
}

// Clamp returns v without what the contract does not allow or the host does not honour, and a list of
// what it dropped.
//
//   - It may tighten: an ask becomes a denial if the ask does not reach a person and denying is possible. The reason stays.
//   - It never loosens. It never drops a denial because of what a host honours: the host's wire must find its strongest way to
//     refuse. It drops a denial only if nothing can be denied on the row.
//   - If it drops a rewrite of the call, it also drops an allow, because the hook gave that for the rewritten call. It drops a
//     rewrite without a decision if the host asks the person next and can only ask about the model's original call.
//   - It adds a notice for a loss that weakens a guard: a denial, an ask, a halt or a rewrite that will not happen.
//   - A denial on a row that can redo also becomes the text with which the agent goes on.
//   - It keeps notices and obligations.
func Clamp(v Verdict, row *Contract, honours Effect) (Verdict, []Dropped) {
	var dropped []Dropped
	drop := func(e Effect, why string) {
		dropped = append(dropped, Dropped{Effect: e.Words()[0], Why: why})
	}
	clampDecision(&v, row, honours, drop)
	lost := func(e Effect) bool {
		if row.Can(e) && honours&e != 0 || v.Effects()&e == 0 {
			return false
		}
		why := whyLost(e, row)
		drop(e, why)
		if want := guardAction(e); want != "" && v.Decision != Deny {
			v.addNotice("a hook wanted to " + want + ", but could not: " + why)
		}
		return true
	}
	if row.Asks && v.Decision == NoOpinion && honours&CanAsk == 0 {
		honours &^= CanRewriteInput
	}
	if lost(CanRewriteInput) {
		v.Input = nil
		if v.Decision == Allow {
			drop(CanAllow, "the approval was for the rewritten call")
			v.Decision, v.Reason = NoOpinion, ""
		}
	}
	if lost(CanRewriteOutput) {
		v.Output, v.Append = nil, ""
	}
	if lost(CanRewriteMessages) {
		v.Messages = nil
	}
	if lost(CanAddContext) {
		v.Context = nil
	}
	if lost(CanRedo) {
		v.Redo = ""
	}
	if lost(CanHalt) {
		v.Halt = false
	}
	if lost(CanSummarize) {
		v.Summary = ""
	}
	if lost(CanAnnotate) || !row.Can(CanAnnotate) || honours&CanAnnotate == 0 {
		v.Metadata = nil
	}
	return v, dropped
}

// clampDecision is the part of Clamp for the decision.
func clampDecision(v *Verdict, row *Contract, honours Effect, drop func(Effect, string)) {
	switch v.Decision {
	case NoOpinion:
		return
	case Allow:
		if row.Can(CanAllow) && honours&CanAllow != 0 {
			return
		}
		drop(CanAllow, whyLost(CanAllow, row))
		v.Decision, v.Reason = NoOpinion, ""
	case Ask:
		clampAsk(v, row, honours, drop)
	}
	if v.Decision != Deny {
		return
	}
	if !row.Can(CanDeny) {
		drop(CanDeny, row.Name+" does not support this")
		v.addNotice("a hook tried to block " + row.Name + ", which cannot be blocked: " + v.Reason)
		v.Decision, v.Reason = NoOpinion, ""
		return
	}
	if row.Can(CanRedo) && v.Redo == "" {
		v.Redo = v.Reason
	}
}

// clampAsk replaces an ask that cannot be asked: with a denial if something can be denied, and
// otherwise with no opinion.
func clampAsk(v *Verdict, row *Contract, honours Effect, drop func(Effect, string)) {
	switch {
	case row.Asks: // the host asks the person anyway, unless a verdict decides
		v.Decision, v.Reason = NoOpinion, ""
	case row.Can(CanAsk) && honours&CanAsk != 0:
	case row.Can(CanDeny):
		drop(CanAsk, "the user cannot be asked on "+row.Name+": denied instead")
		v.Decision = Deny
	default:
		drop(CanAsk, row.Name+" does not support this")
		v.addNotice("a hook wanted to ask the user on " + row.Name + ", but that event cannot ask: " + v.Reason)
		v.Decision, v.Reason = NoOpinion, ""
	}
}

// guardAction returns what an effect does, for effects whose loss weakens a guard; "" for others.
func guardAction(e Effect) string {
	switch e {
	case CanRewriteInput:
		return "rewrite the call"
	case CanRewriteOutput:
		return "rewrite the output"
	case CanRewriteMessages:
		return "rewrite the messages"
	case CanHalt:
		return "end the turn"
	}
	return ""
}

// whyLost returns the reason why an effect will not happen on row.
func whyLost(e Effect, row *Contract) string {
	if !row.Can(e) {
		return row.Name + " does not support this"
	}
	return "the agent does not honour this on " + row.Name
}

// addNotice adds a notice without writing into a slice that the caller may share.
func (v *Verdict) addNotice(s string) { v.Notice = append(v.Notice[:len(v.Notice):len(v.Notice)], s) }
