package shell

import "strings"

// GitSettingCommand returns the command in value, the value of the git setting key, or "" if it is not
// a command. A submodule update is a command only if it begins with an exclamation mark, a credential
// helper only if it begins with one or is an absolute path, and an address only if it begins with
// ext::.
func GitSettingCommand(key, value string) string {
	key = strings.ToLower(key)
	section, _, _ := strings.Cut(key, ".")
	last := key[strings.LastIndexByte(key, '.')+1:]
	switch section {
	case "credential", "submodule":
		if last == "helper" || last == "update" {
			if text, ok := strings.CutPrefix(value, "!"); ok {
				return text
			}
			if last == "helper" && strings.HasPrefix(value, "/") {
				return value
			}
		}
		return ""
	case "remote":
		if last == "url" || last == "pushurl" {
			return GitExtCommand(value)
		}
	case "url":
		// The key is the address: url.ext::sh -c x.insteadOf.
		return GitExtCommand(strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(key, "url."), ".insteadof"), ".pushinsteadof"))
	case "pager":
		if value == "true" || value == "false" {
			return ""
		}
		return value
	case "core":
		if last == "fsmonitor" && (value == "true" || value == "false") {
			return ""
		}
	}
	for i := range gitCommandSettings {
		if r := &gitCommandSettings[i]; r.section == section && strings.Contains(r.keys, " "+last+" ") {
			return strings.TrimPrefix(value, "!")
		}
	}
	return ""
}

// GitSettingLoads reports whether the git setting key names files or directories from which git runs
// commands: hooks, or files with further settings.
func GitSettingLoads(key string) bool {
	switch key = strings.ToLower(key); key {
	case "core.hookspath", "init.templatedir", "include.path":
		return true
	}
	return strings.HasPrefix(key, "includeif.") && strings.HasSuffix(key, ".path")
}

// gitCommandSettings lists the git settings whose values are commands.
var gitCommandSettings = [...]struct{ section, keys string }{
	{"browser", " cmd path "},
	{"core", " pager editor sshcommand askpass gitproxy alternaterefscommand fsmonitor "},
	{"diff", " external textconv command "},
	{"difftool", " cmd path "},
	{"filter", " clean smudge process "},
	{"gc", " recentobjectshook "},
	{"gpg", " program defaultkeycommand "},
	{"guitool", " cmd "},
	{"imap", " tunnel "},
	{"instaweb", " httpd browser "},
	{"interactive", " difffilter "},
	{"man", " cmd path "},
	{"merge", " driver "},
	{"mergetool", " cmd path "},
	{"remote", " uploadpack receivepack vcs "},
	{"sendemail", " tocmd cccmd headercmd sendmailcmd "},
	{"sequence", " editor "},
	{"tar", " command "},
	{"trailer", " command cmd "},
	{"uploadpack", " packobjectshook "},
}

// GitExtCommand returns the command in address, an ext:: address of git, or "" if address is of
// another kind. "% " in the address is a space inside a word.
func GitExtCommand(address string) string {
	text, ok := strings.CutPrefix(address, "ext::")
	if !ok {
		return ""
	}
	if !strings.Contains(text, "% ") {
		return text
	}
	var b strings.Builder
	for word := range strings.FieldsSeq(strings.ReplaceAll(text, "% ", "\x00")) {
		word = strings.Trim(strings.ReplaceAll(word, "\x00", " "), `"`)
		b.WriteString("'" + strings.ReplaceAll(word, "'", `'\''`) + "' ")
	}
	return b.String()
}
