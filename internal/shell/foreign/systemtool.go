package foreign

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// diskTool judges tools for disks, backups and booting.
func (r *reader) diskTool(name string, low []string, words string) bool {
	high := func(category, reason string) { r.loses(category, "delete", shell.RadiusHigh, words, reason) }
	switch name {
	case "format":
		if len(low) > 0 {
			high("block-device", "formats a volume")
		} else {
			r.unknown("nobody knows what it formats", words)
		}
	case "diskpart":
		r.loses("block-device", "modify", shell.RadiusHigh, words, "changes disks and partitions")
	case "cipher":
		if strings.Contains(lower(words), "/w") {
			high("fs-secure-delete", "wipes what was deleted beyond recovery")
		} else {
			r.unknown("it encrypts or decrypts files", words)
		}
	case "sdelete", "sdelete64":
		high("fs-secure-delete", "wipes files beyond recovery")
	case "vssadmin", "diskshadow":
		if contains(low, "delete resize") || name == "diskshadow" && !contains(low, "list") {
			high("backup-delete", "deletes shadow copies")
		} else {
			r.safe("proc-read", words)
		}
	case "wbadmin":
		if contains(low, "delete stop disable") {
			high("backup-delete", "deletes backups")
		} else if first(low) == "get" {
			r.safe("proc-read", words)
		} else {
			r.unknown("it works on backups", words)
		}
	case "bcdedit", "bootrec", "bootsect", "bcdboot":
		if name == "bcdedit" && (len(low) == 0 || contains(low, "/enum /v /export")) {
			r.safe("proc-read", words)
		} else {
			r.loses("block-device", "modify", shell.RadiusHigh, words, "changes how the machine starts")
		}
	case "mountvol":
		if contains(low, "/d /r /p") {
			r.loses("block-device", "modify", shell.RadiusMedium, words, "takes a volume away")
		} else {
			r.safe("proc-read", words)
		}
	case "manage-bde":
		if contains(low, "-status") {
			r.safe("proc-read", words)
		} else {
			r.loses("block-device", "modify", shell.RadiusHigh, words, "changes the encryption of a disk")
		}
	case "fsutil":
		if contains(low, "deletejournal setzerodata delete") || contains(low, "setshortname dirty") {
			r.loses("fs-overwrite", "delete", shell.RadiusMedium, words, "deletes data of the file system")
		} else if contains(low, "query queryfilenamebyid fsinfo info volumeinfo drives findbysid") {
			r.safe("proc-read", words)
		} else {
			r.unknown("it changes the file system", words)
		}
	case "chkdsk", "defrag", "compact":
		if name == "chkdsk" && !contains(low, "/f /r /x /b /spotfix") {
			r.safe("proc-read", words)
		} else {
			r.unknown("it repairs or changes a disk", words)
		}
	case "reagentc", "systemreset", "recdisc":
		if contains(low, "/info") {
			r.safe("proc-read", words)
		} else {
			high("svc-stop", "changes how the machine is recovered")
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
		r.loses("proc-signal", "kill", shell.RadiusMedium, words, "stops processes")
	case "shutdown", "psshutdown", "logoff":
		if contains(low, "/a -a") {
			r.safe("io", words)
		} else {
			r.loses("svc-stop", "stop", shell.RadiusHigh, words, "switches the machine off or ends the session")
		}
	case "sc":
		switch {
		case contains(low, "delete"):
			r.loses("svc-stop", "delete", shell.RadiusHigh, words, "deletes a service")
		case contains(low, "stop pause"), contains(low, "config") && contains(low, "disabled start=disabled"):
			r.loses("svc-stop", "stop", shell.RadiusMedium, words, "stops a service")
		case contains(low, "query queryex qc qdescription getdisplayname enumdepend"):
			r.safe("proc-read", words)
		default:
			r.unknown("it changes a service", words)
		}
	case "net", "net1":
		r.netCommand(low, words)
	case "schtasks", "at":
		if contains(low, "/delete") {
			r.loses("svc-stop", "delete", shell.RadiusMedium, words, "deletes a scheduled task")
		} else if contains(low, "/end") {
			r.loses("svc-stop", "stop", shell.RadiusMedium, words, "stops a task")
		} else if contains(low, "/query") || len(low) == 0 {
			r.safe("proc-read", words)
		} else {
			r.unknown("it sets up a task", words)
		}
	case "wevtutil":
		if contains(low, "cl clear-log um") {
			r.loses("log-delete", "delete", shell.RadiusMedium, words, "deletes event logs")
		} else {
			r.safe("proc-read", words)
		}
	case "reg", "regini", "regedit":
		switch {
		case contains(low, "delete"):
			radius := shell.RadiusMedium
			if len(low) > 1 && (strings.HasPrefix(low[1], "hklm") || strings.Contains(low[1], "local_machine")) {
				radius = shell.RadiusHigh
			}
			r.loses("reg-delete", "delete", radius, words, "deletes from the registry")
		case contains(low, "query export compare save"):
			r.safe("proc-read", words)
		default:
			r.add(shell.Effect{Label: shell.Unknown, Kind: "modify", Category: "reg-modify", Radius: shell.RadiusMedium, Words: short(words), Reason: "changes the registry"})
		}
	case "wmic":
		r.wmic(low, words)
	case "dism":
		if strings.Contains(lower(words), "/disable-feature") || strings.Contains(lower(words), "/remove-") {
			r.loses("pkg-remove", "delete", shell.RadiusMedium, words, "removes a part of Windows")
		} else {
			r.unknown("it changes Windows", words)
		}
	case "msiexec":
		if contains(low, "/x /uninstall") || strings.Contains(lower(words), "/x{") {
			r.loses("pkg-remove", "delete", shell.RadiusMedium, words, "removes a program")
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
		r.loses("account-delete", "delete", shell.RadiusMedium, words, "deletes an account, a share or a connection")
	case first(low) == "stop" || first(low) == "pause":
		r.loses("svc-stop", "stop", shell.RadiusMedium, words, "stops a service")
	case first(low) == "user" && (contains(low, "/active:no") || len(low) > 2 && !contains(low, "/domain")):
		if contains(low, "/active:no") {
			r.loses("account-delete", "disable", shell.RadiusMedium, words, "locks an account")
			return
		}
		if len(low) == 3 && !strings.HasPrefix(low[2], "/") {
			r.loses("account-delete", "modify", shell.RadiusMedium, words, "changes the password of an account")
			return
		}
		r.add(shell.Effect{Label: shell.Unknown, Kind: "modify", Category: "privilege", Radius: shell.RadiusMedium, Words: short(words), Reason: "adds or changes an account"})
	case first(low) == "localgroup" && contains(low, "/add") && len(low) > 1 && strings.HasPrefix(low[1], "admin"):
		r.weakens(words, "makes an account an administrator", shell.RadiusHigh)
	case contains(low, "/add"):
		r.add(shell.Effect{Label: shell.Unknown, Kind: "modify", Category: "privilege", Radius: shell.RadiusMedium, Words: short(words), Reason: "gives an account more rights"})
	default:
		r.safe("proc-read", words)
	}
}

// wmic judges wmic.
func (r *reader) wmic(low []string, words string) {
	text := strings.Join(low, " ")
	switch {
	case strings.Contains(text, "shadowcopy") && strings.Contains(text, "delete"):
		r.loses("backup-delete", "delete", shell.RadiusHigh, words, "deletes shadow copies")
	case strings.Contains(text, "call uninstall"):
		r.loses("pkg-remove", "delete", shell.RadiusMedium, words, "removes a program")
	case strings.Contains(text, "call create"):
		_, cmd, _ := strings.Cut(words, "create")
		if cmd == "" {
			_, cmd, _ = strings.Cut(words, "CREATE")
		}
		r.nestedCmd(strings.Trim(cmd, ` "'`))
		r.unknown("it starts a program", words)
	case strings.Contains(text, "terminate"), strings.Contains(text, "process") && strings.Contains(text, "delete"):
		r.loses("proc-signal", "kill", shell.RadiusMedium, words, "stops processes")
	case strings.Contains(text, " delete"), strings.Contains(text, "call "):
		r.loses("app-reset", "delete", shell.RadiusMedium, words, "deletes or changes a part of the system")
	default:
		r.safe("proc-read", words)
	}
}
