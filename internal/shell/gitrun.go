package shell

import "strings"

// GitRuns is the command in a setting of git, by its key and value; "" = it has
// none. A credential helper and the update of a submodule are commands behind an
// exclamation mark only, an address behind ext::.
func GitRuns(key, value string) string {
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
			return GitAddressRuns(value)
		}
	case "url":
		// The key is the address: url.ext::sh -c x.insteadOf.
		return GitAddressRuns(strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(key, "url."), ".insteadof"), ".pushinsteadof"))
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
	for i := range gitRuns {
		if r := &gitRuns[i]; r.section == section && strings.Contains(r.keys, " "+last+" ") {
			return strings.TrimPrefix(value, "!")
		}
	}
	return ""
}

// GitLoads reports whether a setting of git names files or directories from which it
// runs commands: hooks, and further settings.
func GitLoads(key string) bool {
	switch key = strings.ToLower(key); key {
	case "core.hookspath", "init.templatedir", "include.path":
		return true
	}
	return strings.HasPrefix(key, "includeif.") && strings.HasSuffix(key, ".path")
}

// gitRuns are the settings of git whose values are commands.
var gitRuns = [...]struct{ section, keys string }{
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

// GitAddressRuns is the command of an ext:: address, in which "% " is a space within
// a word; "" = it has none.
func GitAddressRuns(address string) string {
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
