package ahp

import "github.com/checkrein/checkrein/internal/catalog/hosts"

// Row has the facts of the Agent Hooks Protocol that other districts need.
var Row = hosts.Row{
	Rank: 15, Name: "ahp",
}
