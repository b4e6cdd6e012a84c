package program

import "github.com/checkrein/checkrein/internal/shell"

// A Set is a file of rules.
type Set struct {
	Tag string // by which the index knows it: as its file is called
	*shell.RuleSet
}

// Packs are the built-in sets of rules, in the order in which they are asked.
var Packs = [...]Set{
	{"look", &lookPack},
	{"look-more", &lookMorePack},
	{"git", &gitPack},
	{"containers", &containersPack},
	{"kubernetes", &kubernetesPack},
	{"cloud", &cloudPack},
	{"infra", &infraPack},
	{"database", &databasePack},
	{"packages", &packagesPack},
	{"services", &servicesPack},
	{"messaging", &messagingPack},
	{"backup", &backupPack},
	{"ci", &ciPack},
	{"secrets", &secretsPack},
	{"privilege", &privilegePack},
	{"reads", &readsPack},
	{"dev", &devPack},
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
