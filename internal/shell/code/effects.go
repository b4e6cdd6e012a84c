package code

import "github.com/checkrein/checkrein/internal/shell"

// Effects of calls that have no equivalent shell command. The reader sets Words.
var (
	changesUnknownFile = shell.Effect{Label: shell.Unknown, Kind: "modify", Category: shell.FSModify, Impact: shell.ImpactUnknown,
		Reason: "changes a file whose name is unknown"}
	movesUnknownFiles = shell.Effect{Label: shell.Unknown, Kind: "modify", Category: shell.FSModify, Impact: shell.ImpactUnknown,
		Reason: "moves or copies files whose names are unknown"}
	writesUnknownFile = shell.Effect{Label: shell.Unknown, Kind: "write", Category: shell.FSWrite, Impact: shell.ImpactUnknown,
		Reason: "writes a file whose name is unknown"}
	opensInUnknownMode = shell.Effect{Label: shell.Unknown, Kind: "write", Category: shell.FSWrite, Impact: shell.ImpactUnknown,
		Reason: "opens a file in an unknown mode"}
	deletesUnknownFile = shell.Effect{Label: shell.Unknown, Kind: "delete", Category: shell.FSDelete, Impact: shell.ImpactUnknown,
		Reason: "deletes a file whose name is unknown"}
	deletesUnknownTree = shell.Effect{Label: shell.Destructive, Kind: "delete", Category: shell.FSDelete, Impact: shell.ImpactUnknown,
		Reason: "deletes a directory tree whose name is unknown"}

	dropsTables = shell.Effect{Label: shell.Destructive, Kind: "drop", Category: shell.SQLDrop, Impact: shell.ImpactHigh,
		Reason: "drops tables or databases"}
	deletesAllRows = shell.Effect{Label: shell.Destructive, Kind: "delete", Category: shell.SQLDelete, Impact: shell.ImpactHigh,
		Reason: "deletes every row or document"}
	deletesSomeRows = shell.Effect{Label: shell.Destructive, Kind: "delete", Category: shell.SQLDelete, Impact: shell.ImpactMedium,
		Reason: "deletes rows or documents"}
	deletesQueried = shell.Effect{Label: shell.Destructive, Kind: "delete", Category: shell.SQLDelete, Impact: shell.ImpactHigh,
		Reason: "deletes every row or object that a query returns"}
	deletesObjects = shell.Effect{Label: shell.Destructive, Kind: "delete", Category: shell.SQLDelete, Impact: shell.ImpactMedium,
		Reason: "deletes the application's rows or objects"}
	updatesAll = shell.Effect{Label: shell.Destructive, Kind: "update", Category: shell.SQLUpdate, Impact: shell.ImpactMedium,
		Reason: "updates every row of a table"}
	flushesStore = shell.Effect{Label: shell.Destructive, Kind: "flush", Category: shell.KVFlush, Impact: shell.ImpactHigh,
		Reason: "deletes everything in a key-value store"}
	deletesCloudResource = shell.Effect{Label: shell.Destructive, Kind: "delete", Category: shell.CloudDelete, Impact: shell.ImpactHigh,
		Reason: "deletes a cloud resource"}

	sendsInLookup = shell.Effect{Label: shell.Exfiltration, Kind: "upload", Category: shell.ExfilDNS, Impact: shell.ImpactHigh,
		Reason: "sends data off the machine, hidden in a DNS lookup"}
)
