package facts

import "strings"

// Descriptions of variables that affect the guards of an agent.
const (
	steersPlaces = "checkrein and agents then look for settings elsewhere"
	steersGo     = "checkrein then runs differently, or too slowly to answer"
	steersCode   = "agents or their shells then run other code"
)

// DescribeHijack describes how an environment variable with this value affects checkrein, the hosts
// that call it, or the shell between them. It returns "" if it does not. Hosts have further variables
// of their own.
func DescribeHijack(name, value string) string {
	switch name {
	case "HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA":
		return steersPlaces
	case "GOMAXPROCS", "GODEBUG", "GOGC", "GOMEMLIMIT", "GOTRACEBACK":
		return steersGo
	case "PATH":
		if IsSuspiciousPath(value) {
			return steersCode
		}
		return ""
	case "SHELL":
		if dir := value[:strings.LastIndexByte(value, '/')+1]; dir == "/bin/" || dir == "/usr/bin/" || dir == "/usr/local/bin/" || dir == "/opt/homebrew/bin/" {
			return ""
		}
		return steersCode
	case "NODE_OPTIONS":
		if loadsCode(value) {
			return steersCode
		}
		return ""
	}
	switch begins := func(p string) bool { return strings.HasPrefix(name, p) }; {
	case begins("XDG_") && (strings.HasSuffix(name, "_HOME") || strings.HasSuffix(name, "_DIRS")), begins("CHECKREIN_"):
		return steersPlaces
	case begins("LD_"), begins("BASH_FUNC_"), name == "SHELLOPTS", name == "BASHOPTS", name == "PS4", HijacksEveryProgram(name):
		return steersCode
	}
	return ""
}

// OverridesGitSettings reports whether the environment variable name gives git other settings, and so
// other hooks or none.
func OverridesGitSettings(name string) bool {
	return strings.HasPrefix(name, "GIT_CONFIG") && name != "GIT_CONFIG_NOSYSTEM" || name == "GIT_EXEC_PATH"
}

// OverridesGitDir reports whether the environment variable name makes git use another repository or
// work tree.
func OverridesGitDir(name string) bool {
	switch name {
	case "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR":
		return true
	}
	return false
}

// loadsCode reports whether options, which are options of node, make it load files.
func loadsCode(options string) bool {
	for word := range strings.FieldsSeq(options) {
		flag, _, _ := strings.Cut(strings.Trim(word, `"'`), "=")
		switch flag {
		case "-r", "--require", "--import", "--loader", "--experimental-loader", "--env-file":
			return true
		}
	}
	return strings.ContainsRune(options, Placeholder)
}

// IsSuspiciousPath reports whether value, a value of PATH, begins with a directory in which programs
// are not usually installed.
func IsSuspiciousPath(value string) bool {
	first, _, _ := strings.Cut(value, ":")
	return first != "" && (first[0] != '/' || IsOpenToAll(first)) && !strings.ContainsRune(first, Placeholder) && first[0] != '~' && first[0] != '$' &&
		!strings.Contains(first, "node_modules/.bin") && !strings.Contains(first, "venv")
}
