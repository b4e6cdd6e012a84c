package windows

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A tool is a program of Windows, or several that do the same, and what it does:
// the first row that fits counts.
type tool struct {
	names string // separated by spaces
	rows  []toolRow
}

// A toolRow says what a tool does with some arguments.
type toolRow struct {
	when     string // see fits
	label    shell.Label
	kind     string
	category shell.Category
	radius   shell.Radius
	reason   string
}

const reads = "only reads or prints"

// tools are the programs that their arguments tell all about.
var tools = [...]tool{
	{"format", []toolRow{
		{"()", shell.Unknown, "run", shell.Run, shell.RadiusUnknown, "formats an unknown volume"},
		{"", shell.Destructive, "delete", shell.BlockDevice, shell.RadiusHigh, "formats a volume"},
	}},
	{"diskpart", []toolRow{{"", shell.Destructive, "modify", shell.BlockDevice, shell.RadiusHigh, "changes disks and partitions"}}},
	{"cipher", []toolRow{
		{"~/w", shell.Destructive, "delete", shell.FSSecureDelete, shell.RadiusHigh, "makes deleted files unrecoverable"},
		{"", shell.Unknown, "run", shell.Run, shell.RadiusUnknown, "encrypts or decrypts files"},
	}},
	{"sdelete sdelete64", []toolRow{{"", shell.Destructive, "delete", shell.FSSecureDelete, shell.RadiusHigh, "wipes files beyond recovery"}}},
	{"vssadmin", []toolRow{
		{"delete resize", shell.Destructive, "delete", shell.BackupDelete, shell.RadiusHigh, "deletes shadow copies"},
		{"", shell.Safe, "read", shell.ProcRead, shell.RadiusLow, reads},
	}},
	{"diskshadow", []toolRow{
		{"delete resize", shell.Destructive, "delete", shell.BackupDelete, shell.RadiusHigh, "deletes shadow copies"},
		{"list", shell.Safe, "read", shell.ProcRead, shell.RadiusLow, reads},
		{"", shell.Destructive, "delete", shell.BackupDelete, shell.RadiusHigh, "deletes shadow copies"},
	}},
	{"wbadmin", []toolRow{
		{"delete stop disable", shell.Destructive, "delete", shell.BackupDelete, shell.RadiusHigh, "deletes backups"},
		{"^get", shell.Safe, "read", shell.ProcRead, shell.RadiusLow, reads},
		{"", shell.Unknown, "run", shell.Run, shell.RadiusUnknown, "creates, restores or configures backups"},
	}},
	{"bcdedit", []toolRow{
		{"() /enum /v /export", shell.Safe, "read", shell.ProcRead, shell.RadiusLow, reads},
		{"", shell.Destructive, "modify", shell.BlockDevice, shell.RadiusHigh, "changes the machine's boot settings"},
	}},
	{"bootrec bootsect bcdboot", []toolRow{{"", shell.Destructive, "modify", shell.BlockDevice, shell.RadiusHigh, "changes the machine's boot settings"}}},
	{"mountvol", []toolRow{
		{"/d /r /p", shell.Destructive, "modify", shell.BlockDevice, shell.RadiusMedium, "removes a volume"},
		{"", shell.Safe, "read", shell.ProcRead, shell.RadiusLow, reads},
	}},
	{"manage-bde", []toolRow{
		{"-status", shell.Safe, "read", shell.ProcRead, shell.RadiusLow, reads},
		{"", shell.Destructive, "modify", shell.BlockDevice, shell.RadiusHigh, "changes a disk's encryption"},
	}},
	{"fsutil", []toolRow{
		{"deletejournal setzerodata delete setshortname dirty", shell.Destructive, "delete", shell.FSOverwrite, shell.RadiusMedium, "deletes or overwrites file system data"},
		{"query queryfilenamebyid fsinfo info volumeinfo drives findbysid", shell.Safe, "read", shell.ProcRead, shell.RadiusLow, reads},
		{"", shell.Unknown, "run", shell.Run, shell.RadiusUnknown, "changes the file system"},
	}},
	{"chkdsk", []toolRow{
		{"/f /r /x /b /spotfix", shell.Unknown, "run", shell.Run, shell.RadiusUnknown, "repairs or changes a disk"},
		{"", shell.Safe, "read", shell.ProcRead, shell.RadiusLow, reads},
	}},
	{"defrag compact", []toolRow{{"", shell.Unknown, "run", shell.Run, shell.RadiusUnknown, "repairs or changes a disk"}}},
	{"reagentc systemreset recdisc", []toolRow{
		{"/info", shell.Safe, "read", shell.ProcRead, shell.RadiusLow, reads},
		{"", shell.Destructive, "delete", shell.SvcStop, shell.RadiusHigh, "changes the machine's recovery settings or resets it"},
	}},
	{"taskkill tskill pskill pskill64", []toolRow{{"", shell.Destructive, "kill", shell.ProcSignal, shell.RadiusMedium, "stops processes"}}},
	{"shutdown psshutdown logoff", []toolRow{
		{"/a -a", shell.Safe, "read", shell.IO, shell.RadiusLow, reads},
		{"", shell.Destructive, "stop", shell.SvcStop, shell.RadiusHigh, "shuts down or restarts the machine, or logs off"},
	}},
	{"sc", []toolRow{
		{"delete", shell.Destructive, "delete", shell.SvcStop, shell.RadiusHigh, "deletes a service"},
		{"stop pause config&disabled config&start=disabled", shell.Destructive, "stop", shell.SvcStop, shell.RadiusMedium, "stops a service"},
		{"query queryex qc qdescription getdisplayname enumdepend", shell.Safe, "read", shell.ProcRead, shell.RadiusLow, reads},
		{"", shell.Unknown, "run", shell.Run, shell.RadiusUnknown, "changes a service"},
	}},
	{"schtasks at", []toolRow{
		{"/delete", shell.Destructive, "delete", shell.SvcStop, shell.RadiusMedium, "deletes a scheduled task"},
		{"/end", shell.Destructive, "stop", shell.SvcStop, shell.RadiusMedium, "stops a scheduled task"},
		{"/query ()", shell.Safe, "read", shell.ProcRead, shell.RadiusLow, reads},
		{"", shell.Unknown, "run", shell.Run, shell.RadiusUnknown, "sets up a scheduled task"},
	}},
	{"wevtutil", []toolRow{
		{"cl clear-log um", shell.Destructive, "delete", shell.LogDelete, shell.RadiusMedium, "deletes event logs"},
		{"", shell.Safe, "read", shell.ProcRead, shell.RadiusLow, reads},
	}},
	{"reg regini regedit", []toolRow{
		{"delete", shell.Destructive, "delete", shell.RegDelete, shell.RadiusMedium, "deletes keys or values from the Windows registry"},
		{"query export compare save", shell.Safe, "read", shell.ProcRead, shell.RadiusLow, reads},
		{"", shell.Unknown, "modify", shell.RegModify, shell.RadiusMedium, "changes the Windows registry"},
	}},
	{"dism", []toolRow{
		{"~/disable-feature ~/remove-", shell.Destructive, "delete", shell.PkgRemove, shell.RadiusMedium, "removes a Windows component"},
		{"", shell.Unknown, "run", shell.Run, shell.RadiusUnknown, "changes Windows components"},
	}},
	{"msiexec", []toolRow{
		{"/x /uninstall ~/x{", shell.Destructive, "delete", shell.PkgRemove, shell.RadiusMedium, "removes a program"},
		{"", shell.Unknown, "run", shell.Run, shell.RadiusUnknown, "installs a program"},
	}},
	{"takeown", []toolRow{{"", shell.Destructive, "chown", shell.FSPermissions, shell.RadiusMedium, "takes ownership of files"}}},
	{"icacls cacls xcacls subinacl", []toolRow{
		{"~/grant ~/deny /reset /remove /setowner /inheritance:r /restore /g /d /p /e /r", shell.Destructive, "chmod", shell.FSPermissions, shell.RadiusMedium, "changes who may use files"},
		{"", shell.Safe, "read", shell.FSRead, shell.RadiusLow, reads},
	}},
	{"attrib", []toolRow{
		{"~+ ~-", shell.Safe, "modify", shell.FSModify, shell.RadiusLow, "changes file attributes"},
		{"", shell.Safe, "read", shell.FSRead, shell.RadiusLow, reads},
	}},
	{"netsh", []toolRow{
		{"~firewall&~_off ~firewall&~reset ~firewall&~disable ~firewall&~delete", shell.Destructive, "weaken", shell.Privilege, shell.RadiusHigh, "weakens the firewall"},
		{"~_show", shell.Safe, "read", shell.ProcRead, shell.RadiusLow, reads},
		{"~reset ~delete", shell.Destructive, "reset", shell.SvcStop, shell.RadiusMedium, "resets network settings"},
		{"", shell.Unknown, "run", shell.Run, shell.RadiusUnknown, "changes network settings"},
	}},
	{"net net1", []toolRow{
		{"/delete /del", shell.Destructive, "delete", shell.AccountDelete, shell.RadiusMedium, "deletes an account, a share or a connection"},
		{"^stop ^pause", shell.Destructive, "stop", shell.SvcStop, shell.RadiusMedium, "stops a service"},
		{"^user&/active:no", shell.Destructive, "disable", shell.AccountDelete, shell.RadiusMedium, "disables an account"},
		{"^localgroup&~admin&/add", shell.Destructive, "weaken", shell.Privilege, shell.RadiusHigh, "makes an account an administrator"},
		{"/add", shell.Unknown, "modify", shell.Privilege, shell.RadiusMedium, "adds an account or gives it more rights"},
		{"^user&...", shell.Destructive, "modify", shell.AccountDelete, shell.RadiusMedium, "changes an account or its password"},
		{"", shell.Safe, "read", shell.ProcRead, shell.RadiusLow, reads},
	}},
	{"wmic", []toolRow{
		{"~shadowcopy&~delete", shell.Destructive, "delete", shell.BackupDelete, shell.RadiusHigh, "deletes shadow copies"},
		{"~call_uninstall", shell.Destructive, "delete", shell.PkgRemove, shell.RadiusMedium, "removes a program"},
		{"~call_create", shell.Unknown, "run", shell.Opaque, shell.RadiusUnknown, "starts a program"},
		{"~terminate ~process&~delete", shell.Destructive, "kill", shell.ProcSignal, shell.RadiusMedium, "stops processes"},
		{"~_delete ~call_", shell.Destructive, "delete", shell.AppReset, shell.RadiusMedium, "deletes or changes part of the system"},
		{"", shell.Safe, "read", shell.ProcRead, shell.RadiusLow, reads},
	}},
	{"certutil", []toolRow{
		{"-hashfile /hashfile -dump /dump -store /store -encode /encode -verify /verify", shell.Safe, "read", shell.FSRead, shell.RadiusLow, reads},
		{"-delstore /delstore", shell.Destructive, "delete", shell.SecretDelete, shell.RadiusHigh, "deletes certificates"},
		{"", shell.Unknown, "run", shell.Run, shell.RadiusUnknown, "decodes files or changes certificates"},
	}},
	{"bitsadmin", []toolRow{
		{"/list /info", shell.Safe, "read", shell.ProcRead, shell.RadiusLow, reads},
		{"", shell.Unknown, "run", shell.Run, shell.RadiusUnknown, "transfers files over the network"},
	}},
	{"setx assoc ftype", []toolRow{{"", shell.Unknown, "modify", shell.RegModify, shell.RadiusLow, "changes a persistent setting"}}},
	{"ftp tftp", []toolRow{{"", shell.Unknown, "run", shell.Run, shell.RadiusUnknown, "transfers files over the network"}}},
	{"replace", []toolRow{{"", shell.Unknown, "run", shell.Run, shell.RadiusUnknown, "replaces files"}}},
	{"tasklist systeminfo ipconfig ping tracert pathping netstat arp getmac driverquery where findstr find fc comp tree more sort sfc winver ver hostname whoami timeout choice clip query " +
		"quser qwinsta gpresult msinfo32 verify chcp mode nltest klist help waitfor w32tm openfiles doskey", []toolRow{{"", shell.Safe, "read", shell.ProcRead, shell.RadiusLow, reads}}},
}

// tool judges a program of the table.
func (r *reader) tool(name string, low []string, words string) bool {
	for i := range tools {
		if !facts.InList(tools[i].names, name) {
			continue
		}
		for k := range tools[i].rows {
			if row := &tools[i].rows[k]; fits(row.when, low, words) {
				r.row(row, low, words)
				return true
			}
		}
	}
	return false
}

// row adds what a row describes.
func (r *reader) row(row *toolRow, low []string, words string) {
	r.add(shell.Effect{Label: row.label, Kind: row.kind, Category: row.category, Radius: row.reach(low), Words: facts.Short(words), Reason: row.reason})
}

// reach is the row's radius, or the one of what the arguments name.
func (row *toolRow) reach(low []string) shell.Radius {
	switch {
	case row.category == shell.FSPermissions && row.label == shell.Destructive:
		return wide(low)
	case row.category == shell.RegDelete && len(low) > 1:
		return hive(low[1])
	}
	return row.radius
}

// fits reports whether arguments, in lower case, are those of a row. One of the
// words, which spaces separate, must fit: an argument; ^ and the first one; ~ and
// a part of the text, with _ for a space; () for no arguments; ... for more than two; or several of these
// with & between them. Without words everything fits.
func fits(when string, low []string, text string) bool {
	fit := when == ""
	for when != "" && !fit {
		var one string
		one, when, _ = strings.Cut(when, " ")
		for fit = true; one != "" && fit; {
			var part string
			part, one, _ = strings.Cut(one, "&")
			switch {
			case part == "()":
				fit = len(low) == 0
			case part == "...":
				fit = len(low) > 2
			case part[0] == '^':
				fit = first(low) == part[1:]
			case part[0] == '~':
				fit = strings.Contains(lower(text), strings.ReplaceAll(part[1:], "_", " "))
			default:
				fit = slices.Contains(low, part)
			}
		}
	}
	return fit
}

// wide is the radius of a change of rights: it is high on a system's directory.
func wide(low []string) shell.Radius {
	for _, a := range low {
		if len(a) <= 3 && strings.HasSuffix(strings.TrimRight(a, `\`), ":") || strings.HasPrefix(a, `c:\windows`) || strings.HasPrefix(a, `c:\program`) || strings.HasPrefix(a, `c:\users`) {
			return shell.RadiusHigh
		}
	}
	return shell.RadiusMedium
}

// hive is the radius of what is lost in the registry: the machine's part is high.
func hive(low string) shell.Radius {
	if strings.HasPrefix(low, "hklm") || strings.Contains(low, "local_machine") {
		return shell.RadiusHigh
	}
	return shell.RadiusMedium
}
