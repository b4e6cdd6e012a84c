package ahp

import "github.com/checkrein/checkrein/internal/catalog/hosts"

// Row holds the facts about the Agent Hooks Protocol that other packages need.
var Row = hosts.Row{
	Rank: 18, Name: "ahp",
}
