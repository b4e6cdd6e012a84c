// Package program knows programs, as data: what the packs say of them, rule by
// rule. Package packs holds calls against the rules and tells how a rule is
// written.
package program

import "github.com/checkrein/checkrein/internal/shell"

// Packs are the built-in sets of rules, in the order in which they are asked.
var Packs = [...]*shell.RuleSet{
	&lookPack, &lookMorePack,
	&gitPack, &containersPack, &kubernetesPack, &cloudPack, &infraPack,
	&databasePack, &packagesPack, &servicesPack, &messagingPack, &backupPack,
	&ciPack, &secretsPack, &privilegePack, &readsPack, &devPack,
}

// Rules calls fn with every rule of the built-in packs. Callers must not change
// them.
func Rules(fn func(*shell.Rule)) {
	for _, set := range Packs {
		for i := range set.Rules {
			fn(&set.Rules[i])
		}
	}
}
