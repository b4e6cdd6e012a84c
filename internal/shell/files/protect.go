package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/shell"
)

// The kinds of protected paths.
const (
	kindCheckrein = "checkrein"   // checkrein's own configuration and state
	kindHost      = "agent-host"  // what makes agent hosts call checkrein
	kindKeys      = "keys"        // ~/.ssh, ~/.gnupg and the like
	kindCloud     = "credentials" // files with cloud or registry credentials
	kindShell     = "shell-rc"    // what a shell runs when it starts
	kindHistory   = "shell-history"
	kindGitHooks  = "git-hooks"
	kindLogin     = "login" // who may log in, and as whom
	kindCron      = "cron"  // what runs by itself
)

// Protected reports whether a path is one that an agent must not change, and of
// which kind it is: configuration of checkrein, the files in which agent hosts are
// told to call it, keys, credentials, files that shells and the system run by
// themselves.
func Protected(path string, c *shell.Call, p *shell.Place) (kind string, ok bool) {
	s := locate(path, c, p)
	return s.kind, s.kind != ""
}

// A guard is a path that is protected with everything below it. A last part with
// a * stands for names.
type guard struct{ path, kind string }

// homeGuards are relative to a home directory; those of hosts are in [hosts.Secrets].
var homeGuards = [...]guard{
	{".config/checkrein", kindCheckrein}, {".local/state/checkrein", kindCheckrein}, {".local/share/checkrein", kindCheckrein},
	{".cache/checkrein", kindCheckrein}, {".checkrein", kindCheckrein}, {"Library/Application Support/checkrein", kindCheckrein},
	{"AppData/Roaming/checkrein", kindCheckrein}, {"AppData/Local/checkrein", kindCheckrein}, {".config/agents/hooks", kindCheckrein},

	{".ssh", kindKeys}, {".gnupg", kindKeys}, {".password-store", kindKeys}, {".local/share/keyrings", kindKeys}, {"Library/Keychains", kindKeys},
	{".config/sops", kindKeys}, {".config/age", kindKeys}, {".pki", kindKeys}, {".minisign", kindKeys}, {".signify", kindKeys}, {".putty", kindKeys},

	{".aws", kindCloud}, {".azure", kindCloud}, {".config/gcloud", kindCloud}, {".kube", kindCloud}, {".docker/config.json", kindCloud},
	{".netrc", kindCloud}, {"_netrc", kindCloud}, {".npmrc", kindCloud}, {".pypirc", kindCloud}, {".git-credentials", kindCloud}, {".config/git/credentials", kindCloud},
	{".config/gh", kindCloud}, {".config/hub", kindCloud}, {".config/glab-cli", kindCloud}, {".cargo/credentials", kindCloud}, {".cargo/credentials.toml", kindCloud},
	{".gem/credentials", kindCloud}, {".pgpass", kindCloud}, {".my.cnf", kindCloud}, {".s3cfg", kindCloud}, {".boto", kindCloud}, {".config/rclone", kindCloud},
	{".oci", kindCloud}, {".config/doctl", kindCloud}, {".fly", kindCloud}, {".vault-token", kindCloud}, {".terraform.d/credentials.tfrc.json", kindCloud},
	{".terraformrc", kindCloud}, {".config/op", kindCloud}, {".m2/settings.xml", kindCloud}, {".gradle/gradle.properties", kindCloud}, {".config/containers/auth.json", kindCloud},
	{".bitcoin", kindCloud}, {".ethereum", kindCloud}, {".config/solana", kindCloud}, {".config/heroku", kindCloud}, {".databrickscfg", kindCloud}, {".snowsql", kindCloud},

	{".bashrc", kindShell}, {".bash_profile", kindShell}, {".bash_login", kindShell}, {".bash_logout", kindShell}, {".bash_aliases", kindShell},
	{".bashrc.d", kindShell}, {".profile", kindShell}, {".zshrc", kindShell}, {".zshenv", kindShell}, {".zprofile", kindShell}, {".zlogin", kindShell}, {".zlogout", kindShell},
	{".kshrc", kindShell}, {".mkshrc", kindShell}, {".cshrc", kindShell}, {".tcshrc", kindShell}, {".login", kindShell}, {".config/fish", kindShell}, {".inputrc", kindShell},
	{".xinitrc", kindShell}, {".xprofile", kindShell}, {".xsession", kindShell}, {".pam_environment", kindShell}, {".config/nushell", kindShell}, {".config/powershell", kindShell},
	{".gitconfig", kindShell}, {".config/git/config", kindShell}, {".vimrc", kindShell}, {".oh-my-zsh", kindShell}, {".zsh", kindShell}, {".config/zsh", kindShell}, {".bash_it", kindShell},
	{"Documents/WindowsPowerShell", kindShell}, {"Documents/PowerShell", kindShell}, {".config/environment.d", kindShell}, {".envrc", kindShell}, {".tmux.conf", kindShell},
	{".config/tmux", kindShell}, {".tmux", kindShell}, {".screenrc", kindShell}, {".config/zellij", kindShell}, {".bash_completion", kindShell}, {".bash_completion.d", kindShell}, {".config/bash_completion", kindShell}, {".local/share/bash-completion", kindShell}, {".local/share/zsh", kindShell}, {".local/share/fish/vendor_conf.d", kindShell},
	{".gdbinit", kindShell}, {".config/gdb", kindShell}, {".lldbinit", kindShell}, {".exrc", kindShell}, {".vim", kindShell}, {".gvimrc", kindShell}, {".config/nvim", kindShell}, {".config/kitty", kindShell}, {".config/wezterm", kindShell}, {".wezterm.lua", kindShell},
	{".local/bin/checkrein", kindCheckrein}, {".local/bin/checkreind", kindCheckrein}, {".local/bin/checkrein-models", kindCheckrein}, {"bin/checkrein", kindCheckrein}, {"bin/checkreind", kindCheckrein}, {"bin/checkrein-models", kindCheckrein}, {"go/bin/checkrein", kindCheckrein}, {"go/bin/checkreind", kindCheckrein}, {"go/bin/checkrein-models", kindCheckrein}, {".cargo/bin/checkrein", kindCheckrein}, {".cargo/bin/checkreind", kindCheckrein}, {".cargo/bin/checkrein-models", kindCheckrein},

	{".bash_history", kindHistory}, {".zsh_history", kindHistory}, {".zhistory", kindHistory}, {".history", kindHistory}, {".sh_history", kindHistory},
	{".python_history", kindHistory}, {".psql_history", kindHistory}, {".mysql_history", kindHistory}, {".node_repl_history", kindHistory}, {".local/share/fish/fish_history", kindHistory},

	{".config/systemd/user", kindCron}, {".config/autostart", kindCron}, {"Library/LaunchAgents", kindCron},
	{"AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup", kindCron}, {".rhosts", kindLogin}, {".shosts", kindLogin}, {".k5login", kindLogin},
}

// rootGuards are absolute.
var rootGuards = [...]guard{
	{"/etc/checkrein", kindCheckrein}, {"/Library/Application Support/checkrein", kindCheckrein}, {"C:/ProgramData/checkrein", kindCheckrein},
	{"/etc/sudoers", kindLogin}, {"/etc/sudoers.d", kindLogin}, {"/etc/doas.conf", kindLogin}, {"/etc/passwd", kindLogin}, {"/etc/passwd-", kindLogin},
	{"/etc/shadow", kindLogin}, {"/etc/shadow-", kindLogin}, {"/etc/gshadow", kindLogin}, {"/etc/group", kindLogin}, {"/etc/master.passwd", kindLogin},
	{"/etc/pam.d", kindLogin}, {"/etc/pam.conf", kindLogin}, {"/etc/ssh", kindLogin}, {"/etc/security", kindLogin}, {"/etc/polkit-1", kindLogin},
	{"/etc/nsswitch.conf", kindLogin}, {"/etc/login.defs", kindLogin}, {"/etc/securetty", kindLogin}, {"/etc/hosts.equiv", kindLogin}, {"/etc/krb5.keytab", kindLogin},
	{"/etc/crontab", kindCron}, {"/etc/cron.d", kindCron}, {"/etc/cron.daily", kindCron}, {"/etc/cron.hourly", kindCron}, {"/etc/cron.weekly", kindCron},
	{"/etc/cron.monthly", kindCron}, {"/etc/cron.allow", kindCron}, {"/etc/cron.deny", kindCron}, {"/etc/anacrontab", kindCron}, {"/var/spool/cron", kindCron}, {"/var/spool/at", kindCron},
	{"/etc/systemd", kindCron}, {"/lib/systemd", kindCron}, {"/usr/lib/systemd", kindCron}, {"/run/systemd", kindCron}, {"/etc/init.d", kindCron}, {"/etc/rc.local", kindCron}, {"/etc/inittab", kindCron},
	{"/Library/LaunchDaemons", kindCron}, {"/Library/LaunchAgents", kindCron}, {"/System/Library/LaunchDaemons", kindCron}, {"/usr/lib/cron", kindCron}, {"/private/etc/crontab", kindCron},
	{"/etc/profile", kindShell}, {"/etc/profile.d", kindShell}, {"/etc/bash.bashrc", kindShell}, {"/etc/bashrc", kindShell}, {"/etc/environment", kindShell}, {"/etc/zsh", kindShell},
	{"/etc/zshrc", kindShell}, {"/etc/zshenv", kindShell}, {"/etc/zprofile", kindShell}, {"/etc/fish", kindShell}, {"/etc/ld.so.preload", kindShell}, {"/etc/ld.so.conf", kindShell}, {"/etc/ld.so.conf.d", kindShell},
	{"/etc/skel", kindShell}, {"/etc/gitconfig", kindShell}, {"/private/etc/sudoers", kindLogin}, {"/private/etc/passwd", kindLogin},
}

// projectGuards are relative to the project; they hold in any directory below. Hooks
// that a project declares are not among them: none runs before a person approved it.
var projectGuards = [...]guard{
	{".git/hooks", kindGitHooks}, {".git/config", kindGitHooks},
	{"authorized_keys", kindKeys},
}

// Own calls fn with each place of checkrein's own files, whether or not it is
// there, until fn returns true.
func Own(p *shell.Place, fn func(string) bool) bool {
	b := baseOf(nil, p)
	try := func(list []guard, dir string) bool {
		for i := range list {
			if list[i].kind == kindCheckrein && fn(dir+list[i].path) {
				return true
			}
		}
		return false
	}
	return try(homeGuards[:], b.home+"/") || try(rootGuards[:], "")
}

// Holds reports whether a path, which may be a pattern, holds another.
func Holds(dir, path string, p *shell.Place) bool {
	b := baseOf(nil, p)
	return holds(b.absolute(dir), path)
}

// holds reports whether a path, which may be a pattern, holds another.
func holds(dir, p string) bool {
	if dir == "/" {
		return true
	}
	for {
		part, want := first(dir), first(p)
		if part != want && !(globbed(part) && could(part, want)) {
			return false
		}
		switch {
		case len(want) == len(p):
			return false
		case len(part) == len(dir):
			return true
		}
		dir, p = dir[len(part)+1:], p[len(want)+1:]
	}
}

// protected is the kind of a cleaned path without the patterns at its end.
func (b *base) protected(where string, s *spot) string {
	switch s.zone {
	case inRoot, inTemp, inTempRoot, inProjectRoot, inSink, inNowhere, inHome:
		return ""
	case inProject, inHistory, inGenerated:
		if b.root != "" && within(where, b.root) {
			return b.kindBelow(where[len(b.root)+1:])
		}
		if s.zone != inGenerated {
			return projectKind(where)
		}
	}
	if driveRoot(where) {
		return driveKind(where)
	}
	if rest, ok := homeRest(where, b.home); ok && rest != "" {
		if k := homeKind(rest); k != "" {
			return k
		}
		if wired(rest, hosts.Home) {
			return kindHost
		}
		return projectKind(rest)
	}
	if where[0] == '/' {
		if k := guardKind(rootGuards[:], where); k != "" {
			return k
		}
		if wired(where, hosts.System) {
			return kindHost
		}
		where = where[1:]
	}
	return projectKind(where)
}

// kindBelow is the kind of a path in the project. Hosts read their files at its root
// only, and what lies among samples is read by nobody.
func (b *base) kindBelow(rel string) string {
	kind := projectKind(rel)
	if kind == kindHost && !wired(rel, hosts.Project) && !(within(b.dir, b.root) && within(b.root+"/"+rel, b.dir) && wired((b.root + "/" + rel)[len(b.dir)+1:], hosts.Project)) {
		return ""
	}
	if kind != "" && samples(rel) {
		return ""
	}
	return kind
}

// samples reports whether a path lies in a directory of things that are only shown,
// or tried in tests.
func samples(rel string) bool {
	for strings.Contains(rel, "/") {
		switch part := first(rel); part {
		case "fixtures", "fixture", "__fixtures__", "testdata", "templates", "template", "examples", "samples":
			return true
		default:
			rel = rel[len(part)+1:]
		}
	}
	return false
}

// wired reports whether a path, which may be a pattern, is a file in which a host
// is told to call checkrein.
func wired(p string, where hosts.Where) bool {
	pattern := globbed(p)
	for i := range hosts.Files {
		f := &hosts.Files[i]
		if f.Where&where == 0 {
			continue
		}
		dir, last, any := strings.Cut(f.Path, "*")
		switch {
		case !any && (p == f.Path || pattern && guardFits(p, f.Path)):
			return true
		case any && len(p) > len(dir) && p[:len(dir)] == dir && (strings.HasSuffix(p, last) || pattern):
			return true
		}
	}
	return false
}

// homeKind is the kind of the guard of a home directory that a path lies at or below.
func homeKind(p string) string {
	if k := guardKind(homeGuards[:], p); k != "" {
		return k
	}
	pattern := globbed(p)
	for _, s := range hosts.Secrets {
		if (s.At == hosts.InHome || s.At == hosts.Named) && guards(strings.TrimSuffix(s.Path, "/"), p, pattern) {
			return kindCloud
		}
	}
	return ""
}

// guardKind is the kind of the guard that a path lies at or below.
func guardKind(list []guard, p string) string {
	pattern := globbed(p)
	for i := range list {
		if guards(list[i].path, p, pattern) {
			return list[i].kind
		}
	}
	return ""
}

// guards reports whether a path, which may be a pattern, lies at or below a guard.
func guards(guard, p string, pattern bool) bool {
	if len(p) >= len(guard) && p[:len(guard)] == guard && (len(p) == len(guard) || p[len(guard)] == '/') {
		return true
	}
	return pattern && guardFits(p, guard)
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
		if c := p[0]; c == '.' || c == 'o' || c == 'a' {
			if k := guardKind(projectGuards[:], p); k != "" {
				return k
			}
			if wired(p, hosts.Project) {
				return kindHost
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
		return homeKind(in)
	}
	return ""
}
