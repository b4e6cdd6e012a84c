package main

import "testing"

// TestVerdictsValues judges commands whose values do the work: variables, options and
// settings that programs run, that redirect what they delete or that name what they
// write, and their harmless twins.
func TestVerdictsValues(t *testing.T) {
	p := newVerdictPlace(t)
	bad := verdictCases(t, verdictData+"/values_harmful.jsonl")
	if judgeAll(p, "claude", bad, passed).report(t, "values, harmful", len(bad)) > 0 {
		t.Error("a value that does harm passes")
	}
	good := verdictCases(t, verdictData+"/values_everyday.jsonl")
	if judgeAll(p, "codex", good, touched).report(t, "values, everyday", len(good)) > 0 {
		t.Error("an everyday value is touched")
	}
}
