package foreign

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// diskTool judges tools for disks, backups and booting.
func (r *reader) diskTool(name string, low []string, words string) bool {
	high := func(category shell.Category, reason string) {
		r.loses(category, "delete", shell.RadiusHigh, words, reason)
	}
	switch name {
	case "format":
		if len(low) > 0 {
			high(shell.BlockDevice, "formats a volume")
		} else {
			r.unknown("unknown what it formats", words)
		}
	case "diskpart":
		r.loses(shell.BlockDevice, "modify", shell.RadiusHigh, words, "changes disks and partitions")
	case "cipher":
		if strings.Contains(lower(words), "/w") {
			high(shell.FSSecureDelete, "wipes what was deleted beyond recovery")
		} else {
			r.unknown("it encrypts or decrypts files", words)
		}
	case "sdelete", "sdelete64":
		high(shell.FSSecureDelete, "wipes files beyond recovery")
	case "vssadmin", "diskshadow":
		if contains(low, "delete resize") || name == "diskshadow" && !contains(low, "list") {
			high(shell.BackupDelete, "deletes shadow copies")
		} else {
			r.safe(shell.ProcRead, words)
		}
	case "wbadmin":
		if contains(low, "delete stop disable") {
			high(shell.BackupDelete, "deletes backups")
		} else if first(low) == "get" {
			r.safe(shell.ProcRead, words)
		} else {
			r.unknown("it works on backups", words)
		}
	case "bcdedit", "bootrec", "bootsect", "bcdboot":
		if name == "bcdedit" && (len(low) == 0 || contains(low, "/enum /v /export")) {
			r.safe(shell.ProcRead, words)
		} else {
			r.loses(shell.BlockDevice, "modify", shell.RadiusHigh, words, "changes how the machine starts")
		}
	case "mountvol":
		if contains(low, "/d /r /p") {
			r.loses(shell.BlockDevice, "modify", shell.RadiusMedium, words, "takes a volume away")
		} else {
			r.safe(shell.ProcRead, words)
		}
	case "manage-bde":
		if contains(low, "-status") {
			r.safe(shell.ProcRead, words)
		} else {
			r.loses(shell.BlockDevice, "modify", shell.RadiusHigh, words, "changes the encryption of a disk")
		}
	case "fsutil":
		if contains(low, "deletejournal setzerodata delete") || contains(low, "setshortname dirty") {
			r.loses(shell.FSOverwrite, "delete", shell.RadiusMedium, words, "deletes data of the file system")
		} else if contains(low, "query queryfilenamebyid fsinfo info volumeinfo drives findbysid") {
			r.safe(shell.ProcRead, words)
		} else {
			r.unknown("it changes the file system", words)
		}
	case "chkdsk", "defrag", "compact":
		if name == "chkdsk" && !contains(low, "/f /r /x /b /spotfix") {
			r.safe(shell.ProcRead, words)
		} else {
			r.unknown("it repairs or changes a disk", words)
		}
	case "reagentc", "systemreset", "recdisc":
		if contains(low, "/info") {
			r.safe(shell.ProcRead, words)
		} else {
			high(shell.SvcStop, "changes how the machine is recovered")
		}
	default:
		return false
	}
	return true
}

// serviceTool judges tools for processes, services, tasks, logs and the registry.
func (r *reader) serviceTool(name string, low []string, words string) bool {
	switch name {
	case "taskkill", "tskill", "pskill", "pskill64":
		r.loses(shell.ProcSignal, "kill", shell.RadiusMedium, words, "stops processes")
	case "shutdown", "psshutdown", "logoff":
		if contains(low, "/a -a") {
			r.safe(shell.IO, words)
		} else {
			r.loses(shell.SvcStop, "stop", shell.RadiusHigh, words, "switches the machine off or ends the session")
		}
	case "sc":
		switch {
		case contains(low, "delete"):
			r.loses(shell.SvcStop, "delete", shell.RadiusHigh, words, "deletes a service")
		case contains(low, "stop pause"), contains(low, "config") && contains(low, "disabled start=disabled"):
			r.loses(shell.SvcStop, "stop", shell.RadiusMedium, words, "stops a service")
		case contains(low, "query queryex qc qdescription getdisplayname enumdepend"):
			r.safe(shell.ProcRead, words)
		default:
			r.unknown("it changes a service", words)
		}
	case "net", "net1":
		r.netCommand(low, words)
	case "schtasks", "at":
		if contains(low, "/delete") {
			r.loses(shell.SvcStop, "delete", shell.RadiusMedium, words, "deletes a scheduled task")
		} else if contains(low, "/end") {
			r.loses(shell.SvcStop, "stop", shell.RadiusMedium, words, "stops a task")
		} else if contains(low, "/query") || len(low) == 0 {
			r.safe(shell.ProcRead, words)
		} else {
			r.unknown("it sets up a task", words)
		}
	case "wevtutil":
		if contains(low, "cl clear-log um") {
			r.loses(shell.LogDelete, "delete", shell.RadiusMedium, words, "deletes event logs")
		} else {
			r.safe(shell.ProcRead, words)
		}
	case "reg", "regini", "regedit":
		switch {
		case contains(low, "delete"):
			radius := shell.RadiusMedium
			if len(low) > 1 && (strings.HasPrefix(low[1], "hklm") || strings.Contains(low[1], "local_machine")) {
				radius = shell.RadiusHigh
			}
			r.loses(shell.RegDelete, "delete", radius, words, "deletes from the registry")
		case contains(low, "query export compare save"):
			r.safe(shell.ProcRead, words)
		default:
			r.add(shell.Effect{Label: shell.Unknown, Kind: "modify", Category: shell.RegModify, Radius: shell.RadiusMedium, Words: short(words), Reason: "changes the registry"})
		}
	case "wmic":
		r.wmic(low, words)
	case "dism":
		if strings.Contains(lower(words), "/disable-feature") || strings.Contains(lower(words), "/remove-") {
			r.loses(shell.PkgRemove, "delete", shell.RadiusMedium, words, "removes a part of Windows")
		} else {
			r.unknown("it changes Windows", words)
		}
	case "msiexec":
		if contains(low, "/x /uninstall") || strings.Contains(lower(words), "/x{") {
			r.loses(shell.PkgRemove, "delete", shell.RadiusMedium, words, "removes a program")
		} else {
			r.unknown("it installs a program", words)
		}
	default:
		return false
	}
	return true
}

// netCommand judges net user, net stop and their kin.
func (r *reader) netCommand(low []string, words string) {
	switch {
	case contains(low, "/delete /del"):
		r.loses(shell.AccountDelete, "delete", shell.RadiusMedium, words, "deletes an account, a share or a connection")
	case first(low) == "stop" || first(low) == "pause":
		r.loses(shell.SvcStop, "stop", shell.RadiusMedium, words, "stops a service")
	case first(low) == "user" && (contains(low, "/active:no") || len(low) > 2 && !contains(low, "/domain")):
		if contains(low, "/active:no") {
			r.loses(shell.AccountDelete, "disable", shell.RadiusMedium, words, "locks an account")
			return
		}
		if len(low) == 3 && !strings.HasPrefix(low[2], "/") {
			r.loses(shell.AccountDelete, "modify", shell.RadiusMedium, words, "changes the password of an account")
			return
		}
		r.add(shell.Effect{Label: shell.Unknown, Kind: "modify", Category: shell.Privilege, Radius: shell.RadiusMedium, Words: short(words), Reason: "adds or changes an account"})
	case first(low) == "localgroup" && contains(low, "/add") && len(low) > 1 && strings.HasPrefix(low[1], "admin"):
		r.weakens(words, "makes an account an administrator", shell.RadiusHigh)
	case contains(low, "/add"):
		r.add(shell.Effect{Label: shell.Unknown, Kind: "modify", Category: shell.Privilege, Radius: shell.RadiusMedium, Words: short(words), Reason: "gives an account more rights"})
	default:
		r.safe(shell.ProcRead, words)
	}
}

// wmic judges wmic.
func (r *reader) wmic(low []string, words string) {
	text := strings.Join(low, " ")
	switch {
	case strings.Contains(text, "shadowcopy") && strings.Contains(text, "delete"):
		r.loses(shell.BackupDelete, "delete", shell.RadiusHigh, words, "deletes shadow copies")
	case strings.Contains(text, "call uninstall"):
		r.loses(shell.PkgRemove, "delete", shell.RadiusMedium, words, "removes a program")
	case strings.Contains(text, "call create"):
		_, cmd, _ := strings.Cut(words, "create")
		if cmd == "" {
			_, cmd, _ = strings.Cut(words, "CREATE")
		}
		r.nestedCmd(strings.Trim(cmd, ` "'`))
		r.unknown("it starts a program", words)
	case strings.Contains(text, "terminate"), strings.Contains(text, "process") && strings.Contains(text, "delete"):
		r.loses(shell.ProcSignal, "kill", shell.RadiusMedium, words, "stops processes")
	case strings.Contains(text, " delete"), strings.Contains(text, "call "):
		r.loses(shell.AppReset, "delete", shell.RadiusMedium, words, "deletes or changes a part of the system")
	default:
		r.safe(shell.ProcRead, words)
	}
}
