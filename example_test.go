package checkrein_test

import (
	"fmt"

	"github.com/checkrein/checkrein"
)

// Three hooks have an opinion. The strictest wins, and the reasons of all denials are kept.
func ExampleMerge() {
	v := checkrein.Merge([]checkrein.Verdict{
		{Decision: checkrein.Allow, Reason: "it only reads"},
		{Decision: checkrein.Deny, Reason: "outside the project"},
		{Decision: checkrein.Deny, Reason: "needs a ticket"},
	})
	fmt.Println(v.Decision)
	fmt.Println(v.Reason)
	// Output:
	// deny
	// outside the project
	// needs a ticket
}

// A host that cannot ask the user gets a denial instead. A clamp may tighten, and lists what it
// dropped.
func ExampleClamp() {
	row := checkrein.ContractOf(checkrein.PreToolUse)
	asked := checkrein.Verdict{Decision: checkrein.Ask, Reason: "rewrites history"}
	v, dropped := checkrein.Clamp(asked, row, checkrein.CanDeny)
	fmt.Println(v.Decision, v.Reason)
	fmt.Println(dropped[0].Effect+":", dropped[0].Why)
	// Output:
	// deny rewrites history
	// ask: the user cannot be asked on pre_tool_use: denied instead
}
