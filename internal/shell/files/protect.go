package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// The kinds of protected paths.
const (
	KindCheckrein = "checkrein"   // checkrein's own configuration and state
	KindHost      = "agent-host"  // configuration and state of agent hosts
	KindKeys      = "keys"        // ~/.ssh, ~/.gnupg and the like
	KindCloud     = "credentials" // files with cloud or registry credentials
	KindShell     = "shell-rc"    // what a shell runs when it starts
	KindHistory   = "shell-history"
	KindGitHooks  = "git-hooks"
	KindLogin     = "login" // who may log in, and as whom
	KindCron      = "cron"  // what runs by itself
)

// Protected reports whether a path is one that an agent must not change, and of
// which kind it is: configuration of checkrein and of agent hosts, keys,
// credentials, files that shells and the system run by themselves.
func Protected(path string, c *shell.Call, p *shell.Place) (kind string, ok bool) {
	s := locate(path, c, p)
	return s.kind, s.kind != ""
}

// Sensitive is [Protected] where nothing is known of the place.
func Sensitive(path string) (kind string, ok bool) { return Protected(path, nil, nil) }

// A guard is a path that is protected with everything below it. A last part with
// a * stands for names.
type guard struct{ path, kind string }

// homeGuards are relative to a home directory.
var homeGuards = [...]guard{
	{".config/checkrein", KindCheckrein}, {".local/state/checkrein", KindCheckrein}, {".local/share/checkrein", KindCheckrein},
	{".cache/checkrein", KindCheckrein}, {".checkrein", KindCheckrein}, {"Library/Application Support/checkrein", KindCheckrein},
	{"AppData/Roaming/checkrein", KindCheckrein}, {"AppData/Local/checkrein", KindCheckrein}, {".config/agents", KindCheckrein},

	{".claude", KindHost}, {".claude.json", KindHost}, {".config/claude", KindHost}, {".codex", KindHost}, {".gemini", KindHost},
	{".qwen", KindHost}, {".copilot", KindHost}, {".config/github-copilot", KindHost}, {".config/opencode", KindHost}, {".opencode", KindHost},
	{".local/share/opencode", KindHost}, {".cursor", KindHost}, {".openclaw", KindHost}, {".clawdbot", KindHost}, {".kimi", KindHost},
	{".hermes", KindHost}, {".config/goose", KindHost}, {".config/crush", KindHost}, {".config/amp", KindHost}, {".continue", KindHost},
	{".aider.conf.yml", KindHost}, {".codeium", KindHost}, {".windsurf", KindHost}, {".cline", KindHost}, {".roo", KindHost}, {".factory", KindHost},
	{".config/cagent", KindHost}, {".cagent", KindHost}, {".docker/agent", KindHost}, {".starchild", KindHost}, {".augment", KindHost}, {".kiro", KindHost},
	{"Library/Application Support/Claude", KindHost}, {"AppData/Roaming/Claude", KindHost},

	{".ssh", KindKeys}, {".gnupg", KindKeys}, {".password-store", KindKeys}, {".local/share/keyrings", KindKeys}, {"Library/Keychains", KindKeys},
	{".config/sops", KindKeys}, {".config/age", KindKeys}, {".pki", KindKeys}, {".minisign", KindKeys}, {".signify", KindKeys}, {".putty", KindKeys},

	{".aws", KindCloud}, {".azure", KindCloud}, {".config/gcloud", KindCloud}, {".kube", KindCloud}, {".docker/config.json", KindCloud},
	{".netrc", KindCloud}, {"_netrc", KindCloud}, {".npmrc", KindCloud}, {".pypirc", KindCloud}, {".git-credentials", KindCloud}, {".config/git/credentials", KindCloud},
	{".config/gh", KindCloud}, {".config/hub", KindCloud}, {".config/glab-cli", KindCloud}, {".cargo/credentials", KindCloud}, {".cargo/credentials.toml", KindCloud},
	{".gem/credentials", KindCloud}, {".pgpass", KindCloud}, {".my.cnf", KindCloud}, {".s3cfg", KindCloud}, {".boto", KindCloud}, {".config/rclone", KindCloud},
	{".oci", KindCloud}, {".config/doctl", KindCloud}, {".fly", KindCloud}, {".vault-token", KindCloud}, {".terraform.d/credentials.tfrc.json", KindCloud},
	{".terraformrc", KindCloud}, {".config/op", KindCloud}, {".m2/settings.xml", KindCloud}, {".gradle/gradle.properties", KindCloud}, {".config/containers/auth.json", KindCloud},
	{".bitcoin", KindCloud}, {".ethereum", KindCloud}, {".config/solana", KindCloud}, {".config/heroku", KindCloud}, {".databrickscfg", KindCloud}, {".snowsql", KindCloud},

	{".bashrc", KindShell}, {".bash_profile", KindShell}, {".bash_login", KindShell}, {".bash_logout", KindShell}, {".bash_aliases", KindShell},
	{".bashrc.d", KindShell}, {".profile", KindShell}, {".zshrc", KindShell}, {".zshenv", KindShell}, {".zprofile", KindShell}, {".zlogin", KindShell}, {".zlogout", KindShell},
	{".kshrc", KindShell}, {".mkshrc", KindShell}, {".cshrc", KindShell}, {".tcshrc", KindShell}, {".login", KindShell}, {".config/fish", KindShell}, {".inputrc", KindShell},
	{".xinitrc", KindShell}, {".xprofile", KindShell}, {".xsession", KindShell}, {".pam_environment", KindShell}, {".config/nushell", KindShell}, {".config/powershell", KindShell},
	{".gitconfig", KindShell}, {".config/git/config", KindShell}, {".vimrc", KindShell}, {".oh-my-zsh", KindShell}, {".zsh", KindShell}, {".config/zsh", KindShell}, {".bash_it", KindShell},
	{"Documents/WindowsPowerShell", KindShell}, {"Documents/PowerShell", KindShell}, {".config/environment.d", KindShell}, {".envrc", KindShell}, {".tmux.conf", KindShell},

	{".bash_history", KindHistory}, {".zsh_history", KindHistory}, {".zhistory", KindHistory}, {".history", KindHistory}, {".sh_history", KindHistory},
	{".python_history", KindHistory}, {".psql_history", KindHistory}, {".mysql_history", KindHistory}, {".node_repl_history", KindHistory}, {".local/share/fish/fish_history", KindHistory},

	{".config/systemd/user", KindCron}, {".config/autostart", KindCron}, {"Library/LaunchAgents", KindCron},
	{"AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup", KindCron}, {".rhosts", KindLogin}, {".shosts", KindLogin}, {".k5login", KindLogin},
}

// rootGuards are absolute.
var rootGuards = [...]guard{
	{"/etc/checkrein", KindCheckrein}, {"/Library/Application Support/checkrein", KindCheckrein}, {"C:/ProgramData/checkrein", KindCheckrein},
	{"/etc/claude-code", KindHost}, {"/Library/Application Support/ClaudeCode", KindHost}, {"C:/ProgramData/ClaudeCode", KindHost}, {"C:/Program Files/ClaudeCode", KindHost},
	{"/etc/codex", KindHost}, {"/etc/gemini-cli", KindHost}, {"/etc/opencode", KindHost},
	{"/etc/sudoers", KindLogin}, {"/etc/sudoers.d", KindLogin}, {"/etc/doas.conf", KindLogin}, {"/etc/passwd", KindLogin}, {"/etc/passwd-", KindLogin},
	{"/etc/shadow", KindLogin}, {"/etc/shadow-", KindLogin}, {"/etc/gshadow", KindLogin}, {"/etc/group", KindLogin}, {"/etc/master.passwd", KindLogin},
	{"/etc/pam.d", KindLogin}, {"/etc/pam.conf", KindLogin}, {"/etc/ssh", KindLogin}, {"/etc/security", KindLogin}, {"/etc/polkit-1", KindLogin},
	{"/etc/nsswitch.conf", KindLogin}, {"/etc/login.defs", KindLogin}, {"/etc/securetty", KindLogin}, {"/etc/hosts.equiv", KindLogin}, {"/etc/krb5.keytab", KindLogin},
	{"/etc/crontab", KindCron}, {"/etc/cron.d", KindCron}, {"/etc/cron.daily", KindCron}, {"/etc/cron.hourly", KindCron}, {"/etc/cron.weekly", KindCron},
	{"/etc/cron.monthly", KindCron}, {"/etc/cron.allow", KindCron}, {"/etc/cron.deny", KindCron}, {"/etc/anacrontab", KindCron}, {"/var/spool/cron", KindCron}, {"/var/spool/at", KindCron},
	{"/etc/systemd", KindCron}, {"/lib/systemd", KindCron}, {"/usr/lib/systemd", KindCron}, {"/run/systemd", KindCron}, {"/etc/init.d", KindCron}, {"/etc/rc.local", KindCron}, {"/etc/inittab", KindCron},
	{"/Library/LaunchDaemons", KindCron}, {"/Library/LaunchAgents", KindCron}, {"/System/Library/LaunchDaemons", KindCron}, {"/usr/lib/cron", KindCron}, {"/private/etc/crontab", KindCron},
	{"/etc/profile", KindShell}, {"/etc/profile.d", KindShell}, {"/etc/bash.bashrc", KindShell}, {"/etc/bashrc", KindShell}, {"/etc/environment", KindShell}, {"/etc/zsh", KindShell},
	{"/etc/zshrc", KindShell}, {"/etc/zshenv", KindShell}, {"/etc/zprofile", KindShell}, {"/etc/fish", KindShell}, {"/etc/ld.so.preload", KindShell}, {"/etc/ld.so.conf", KindShell}, {"/etc/ld.so.conf.d", KindShell},
	{"/etc/skel", KindShell}, {"/etc/gitconfig", KindShell}, {"/private/etc/sudoers", KindLogin}, {"/private/etc/passwd", KindLogin},
}

// projectGuards are relative to the project; they hold in any directory below.
var projectGuards = [...]guard{
	{".claude/settings.json", KindHost}, {".claude/settings.local.json", KindHost}, {".claude/hooks", KindHost}, {".cursor/hooks.json", KindHost}, {".cursor/hooks", KindHost},
	{".cursor/cli.json", KindHost}, {".codex/config.toml", KindHost}, {".codex/hooks.json", KindHost}, {".codex/hooks", KindHost}, {".gemini/settings.json", KindHost}, {".gemini/hooks", KindHost},
	{".qwen/settings.json", KindHost}, {".github/hooks", KindHost}, {".copilot/config.json", KindHost}, {".opencode/plugin", KindHost}, {".opencode/plugins", KindHost}, {".opencode/opencode.json", KindHost},
	{"opencode.json", KindHost}, {"opencode.jsonc", KindHost}, {".openclaw", KindHost}, {".kimi/config.toml", KindHost}, {".hermes", KindHost}, {".clinerules/hooks", KindHost},
	{"checkrein.yaml", KindCheckrein}, {"checkrein.yml", KindCheckrein}, {".checkrein", KindCheckrein}, {".agents/hooks", KindCheckrein}, {"config/shell_hooks.yaml", KindCheckrein},
	{".git/hooks", KindGitHooks}, {".git/config", KindGitHooks}, {".husky", KindGitHooks}, {".githooks", KindGitHooks},
	{"authorized_keys", KindKeys},
}

// protected is the kind of a cleaned path without the patterns at its end.
func (b *base) protected(where string, s *spot) string {
	switch s.zone {
	case Root, Temp, TempRoot, ProjectRoot, Sink, Nowhere, Home:
		return ""
	case Project, History, Generated:
		if b.root != "" && within(where, b.root) {
			return projectKind(where[len(b.root)+1:])
		}
		if s.zone != Generated {
			return projectKind(where)
		}
	}
	if driveRoot(where) {
		return driveKind(where)
	}
	if rest, ok := homeRest(where, b.home); ok && rest != "" {
		if k := guardKind(homeGuards[:], rest); k != "" {
			return k
		}
		return projectKind(rest)
	}
	if where[0] == '/' {
		if k := guardKind(rootGuards[:], where); k != "" {
			return k
		}
		where = where[1:]
	}
	return projectKind(where)
}

// guardKind is the kind of the guard that a path lies at or below.
func guardKind(list []guard, p string) string {
	pattern := globbed(p)
	for i := range list {
		g := &list[i]
		if len(p) >= len(g.path) && p[:len(g.path)] == g.path && (len(p) == len(g.path) || p[len(g.path)] == '/') {
			return g.kind
		}
		if pattern && guardFits(p, g.path) {
			return g.kind
		}
	}
	return ""
}

// guardFits holds the parts of a pattern against those of a guard.
func guardFits(p, g string) bool {
	for {
		part, want := first(p), first(g)
		if part != want && !patternFor(part, want) {
			return false
		}
		if len(want) == len(g) {
			return true
		}
		if len(part) == len(p) {
			return false
		}
		p, g = p[len(part)+1:], g[len(want)+1:]
	}
}

// patternFor reports whether a pattern is written for a name: a shell's * does
// not fit a dot at the beginning, and *.yaml is written for any yaml.
func patternFor(part, name string) bool {
	return part != "" && name != "" && part[0] == name[0] && could(part, name)
}

// projectKind finds a project's guard at any depth.
func projectKind(p string) string {
	for p != "" {
		if c := p[0]; c == '.' || c == 'c' || c == 'o' || c == 'a' {
			if k := guardKind(projectGuards[:], p); k != "" {
				return k
			}
		}
		i := strings.IndexByte(p, '/')
		if i < 0 {
			break
		}
		p = p[i+1:]
	}
	return ""
}

// driveKind is the kind of a path with a drive.
func driveKind(p string) string {
	if k := guardKind(rootGuards[:], p); k != "" {
		return k
	}
	rest, ok := strings.CutPrefix(p[3:], "Users/")
	if !ok {
		return ""
	}
	if _, in, ok := strings.Cut(rest, "/"); ok && in != "" {
		return guardKind(homeGuards[:], in)
	}
	return ""
}
