package gitconfig

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// systemFiles lists the paths at which various builds of git expect the system-wide settings.
var systemFiles = [...]string{
	"/etc/gitconfig", "/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig",
	"/Library/Developer/CommandLineTools/usr/share/git-core/gitconfig", "/Applications/Xcode.app/Contents/Developer/usr/share/git-core/gitconfig",
	`C:\Program Files\Git\etc\gitconfig`, `C:\ProgramData\Git\config`,
}

// A gitEnv holds the variables in the environment that determine git's settings.
type gitEnv struct {
	xdg      string          // XDG_CONFIG_HOME, or ""
	system   string          // the file with the system-wide settings; "" for the default ones
	global   string          // the file with the user's settings; "" for the default ones
	noSystem bool            // system-wide settings are ignored
	settings []shell.Setting // they take precedence over those in files
}

// parseGitEnviron parses the variables of git in environ. Ok is false if one of them may select
// another repository or is not supported.
func parseGitEnviron(environ []string) (s gitEnv, ok bool) {
	count := 0
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		switch name {
		case "XDG_CONFIG_HOME":
			s.xdg = value
		case "GIT_CONFIG_SYSTEM":
			s.system = value
		case "GIT_CONFIG_GLOBAL":
			s.global = value
		case "GIT_CONFIG_NOSYSTEM":
			s.noSystem = value == "1" || value == "true"
		case "GIT_CONFIG_COUNT":
			n, err := strconv.Atoi(value)
			if err != nil || n < 0 || n > 100 {
				return s, false
			}
			count = n
		default:
			if strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "GIT_CONFIG_KEY_") && !strings.HasPrefix(name, "GIT_CONFIG_VALUE_") && !shell.IsHarmlessGitVar(name) {
				return s, false
			}
		}
	}
	for i := range count {
		one, is := shell.ParseSetting(environValue(environ, "GIT_CONFIG_KEY_"+strconv.Itoa(i)), environValue(environ, "GIT_CONFIG_VALUE_"+strconv.Itoa(i)))
		if !is || one.IsInclude() { // includes in variables are not followed
			return s, false
		}
		s.settings = append(s.settings, one)
	}
	return s, true
}

// environValue returns the value of the variable name in environ, or "". The last one counts.
func environValue(environ []string, name string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		if n, v, _ := strings.Cut(environ[i], "="); n == name {
			return v
		}
	}
	return ""
}

// settingsFiles returns the files from which git reads its settings, in the order in which it reads
// them. Home is the user's home directory, and common the git directory that all working trees share.
func (s *gitEnv) settingsFiles(home, common string) []string {
	var out []string
	switch {
	case s.noSystem:
	case s.system != "":
		out = append(out, s.system)
	default:
		out = append(out, systemFiles[:]...)
	}
	switch {
	case s.global != "":
		out = append(out, s.global)
	case home != "":
		xdg := s.xdg
		if xdg == "" {
			xdg = filepath.Join(home, ".config")
		}
		out = append(out, filepath.Join(xdg, "git", "config"), filepath.Join(home, ".gitconfig"))
	}
	return append(out, filepath.Join(common, "config"))
}
