package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/shell"
)

// The kinds of protected paths.
const (
	kindCheckrein = "checkrein"   // checkrein's own configuration and state
	kindHost      = "agent-host"  // files that make agents call checkrein
	kindKeys      = "keys"        // ~/.ssh, ~/.gnupg and the like
	kindCloud     = "credentials" // files with cloud or registry credentials
	kindShell     = "shell-rc"    // files that a shell runs when it starts
	kindHistory   = "shell-history"
	kindGitHooks  = "git-hooks"
	kindLogin     = "login" // who may log in, and as which user
	kindCron      = "cron"  // jobs that run automatically
)

// ProtectedKind returns the kind of protected path that path is, in a call c at p. ok reports whether
// it is one. Agents must not change protected paths: the configuration of checkrein, the files that
// make agents call it, keys, credentials, and files that shells and the system run automatically.
func ProtectedKind(path string, c *shell.Call, p *shell.Place) (kind string, ok bool) {
	s := locate(path, c, p)
	return s.kind, s.kind != ""
}

// A protectedPath is a path that is protected with everything below it.
type protectedPath struct{ path, kind string }

// homeProtected lists the protected paths relative to a home directory. Those of agents are in
// [hosts.Secrets].
var homeProtected = [...]protectedPath{
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

	{".sqliterc", kindShell}, {".mavenrc", kindShell}, {".psqlrc", kindShell}, {".mongorc.js", kindShell}, {".mongoshrc.js", kindShell}, {".redisclirc", kindShell}, {".irbrc", kindShell},
	{".pryrc", kindShell}, {".Rprofile", kindShell}, {".Renviron", kindShell}, {".pdbrc", kindShell}, {".ipython", kindShell}, {".jupyter", kindShell}, {".julia/config", kindShell},
	{".perldb", kindShell}, {".ghci", kindShell}, {".ocamlinit", kindShell}, {".octaverc", kindShell}, {".gnuplot", kindShell}, {".lessfilter", kindShell}, {".xonshrc", kindShell},
	{".config/xonsh", kindShell}, {".config/elvish", kindShell}, {".emacs", kindShell}, {".emacs.d", kindShell}, {".config/emacs", kindShell}, {".doom.d", kindShell}, {".spacemacs", kindShell},
	{".local/share/nvim/site", kindShell}, {".config/vim", kindShell}, {".config/Code/User", kindShell}, {".config/VSCodium/User", kindShell},
	{"Library/Application Support/Code/User", kindShell}, {".vscode/extensions", kindShell}, {".config/sublime-text/Packages", kindShell}, {".local/share/fish/vendor_functions.d", kindShell},
	{".config/direnv", kindShell}, {".config/mise", kindShell}, {".config/starship.toml", kindShell}, {".config/alacritty", kindShell}, {".config/ghostty", kindShell}, {".config/ranger", kindShell},
	{".config/git/hooks", kindShell}, {".config/git/template", kindShell}, {".git-templates", kindShell}, {".git_template", kindShell}, {".cargo/config", kindShell}, {".cargo/config.toml", kindShell},
	{".gradle/init.gradle", kindShell}, {".gradle/init.gradle.kts", kindShell}, {".gradle/init.d", kindShell}, {".sbt", kindShell}, {".bazelrc", kindShell}, {".config/go/env", kindShell},
	{".lein/profiles.clj", kindShell}, {".ansible.cfg", kindShell}, {".hammerspoon", kindShell}, {".config/i3", kindShell}, {".config/sway", kindShell}, {".config/hypr", kindShell},
	{".config/awesome", kindShell}, {".config/openbox", kindShell}, {".config/bspwm", kindShell}, {".config/plasma-workspace", kindShell}, {".xsessionrc", kindShell}, {".xmonad", kindShell},

	{".bash_history", kindHistory}, {".zsh_history", kindHistory}, {".zhistory", kindHistory}, {".history", kindHistory}, {".sh_history", kindHistory},
	{".python_history", kindHistory}, {".psql_history", kindHistory}, {".mysql_history", kindHistory}, {".node_repl_history", kindHistory}, {".local/share/fish/fish_history", kindHistory},

	{".config/systemd/user", kindCron}, {".config/autostart", kindCron}, {"Library/LaunchAgents", kindCron}, {".local/share/systemd/user", kindCron},
	{".config/autostart-scripts", kindCron}, {".local/share/dbus-1/services", kindCron}, {".local/share/applications", kindCron},
	{"AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup", kindCron}, {".rhosts", kindLogin}, {".shosts", kindLogin}, {".k5login", kindLogin},
}

// rootProtected lists the absolute protected paths.
var rootProtected = [...]protectedPath{
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

// projectProtected lists the protected paths that apply in any directory of a project. Hooks that a
// project declares are not among them, since none runs before a person approved it.
var projectProtected = [...]protectedPath{
	{".git/hooks", kindGitHooks}, {".git/config", kindGitHooks},
	{"authorized_keys", kindKeys},
}

// EachOwnPath calls fn with the paths of checkrein's own files, whether or not they exist, until fn
// returns true. It reports whether fn returned true.
func EachOwnPath(p *shell.Place, fn func(string) bool) bool {
	b := newBase(nil, p)
	try := func(list []protectedPath, dir string) bool {
		for i := range list {
			if list[i].kind == kindCheckrein && fn(dir+list[i].path) {
				return true
			}
		}
		return false
	}
	return try(homeProtected[:], b.home+"/") || try(rootProtected[:], "")
}

// DirContains reports whether dir, which may be a pattern, contains path. dir is not inside itself.
func DirContains(dir, path string, p *shell.Place) bool {
	b := newBase(nil, p)
	return containsPath(b.absolutePath(dir), path)
}

// containsPath reports whether dir, a clean path that may be a pattern, contains p.
func containsPath(dir, p string) bool {
	if dir == "/" {
		return true
	}
	for {
		part, want := firstElement(dir), firstElement(p)
		if part != want && !(isGlob(part) && mayMatch(part, want)) {
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

// protectedKind returns the kind of protected path that where is, or "" if it is none. where is the
// path of s without patterns at its end.
func (b *base) protectedKind(where string, s *location) string {
	switch s.zone {
	case inRoot, inTemp, inTempRoot, inProjectRoot, inSink, inNowhere, inHome:
		return ""
	case inProject, inHistory, inGenerated:
		if b.root != "" && isBelow(where, b.root) {
			return b.protectedKindInProject(where[len(b.root)+1:])
		}
		if s.zone != inGenerated {
			return protectedProjectKind(where)
		}
	}
	if hasDrive(where) {
		return protectedDriveKind(where)
	}
	if rest, ok := homeRest(where, b.home); ok && rest != "" {
		if k := protectedHomeKind(rest); k != "" {
			return k
		}
		if isHostFile(rest, hosts.Home) {
			return kindHost
		}
		return protectedProjectKind(rest)
	}
	if where[0] == '/' {
		if k := protectedKindIn(rootProtected[:], where); k != "" {
			return k
		}
		if isHostFile(where, hosts.System) {
			return kindHost
		}
		where = where[1:]
	}
	return protectedProjectKind(where)
}

// protectedKindInProject returns the kind of protected path that rel, a path relative to the project,
// is, or "" if it is none. Agents read their files only at the project's root or in the working
// directory, and no program reads those among samples.
func (b *base) protectedKindInProject(rel string) string {
	kind := protectedProjectKind(rel)
	if kind == kindHost && !isHostFile(rel, hosts.Project) && !(isBelow(b.dir, b.root) && isBelow(b.root+"/"+rel, b.dir) && isHostFile((b.root + "/" + rel)[len(b.dir)+1:], hosts.Project)) {
		return ""
	}
	if kind != "" && isSample(rel) {
		return ""
	}
	return kind
}

// isSample reports whether rel is in a directory of examples or test data.
func isSample(rel string) bool {
	for strings.Contains(rel, "/") {
		switch part := firstElement(rel); part {
		case "fixtures", "fixture", "__fixtures__", "testdata", "templates", "template", "examples", "samples":
			return true
		default:
			rel = rel[len(part)+1:]
		}
	}
	return false
}

// isHostFile reports whether p, which may be a pattern, is a file that makes an agent call checkrein.
// where is the kind of directory that p is relative to.
func isHostFile(p string, where hosts.Where) bool {
	pattern := isGlob(p)
	for i := range hosts.Files {
		f := &hosts.Files[i]
		if f.Where&where == 0 {
			continue
		}
		dir, last, any := strings.Cut(f.Path, "*")
		switch {
		case !any && (p == f.Path || pattern && matchesElements(p, f.Path)):
			return true
		case any && len(p) > len(dir) && p[:len(dir)] == dir && (strings.HasSuffix(p, last) || pattern):
			return true
		}
	}
	return false
}

// protectedHomeKind returns the kind of the protected path in a home directory that p is at or below,
// or "" if there is none.
func protectedHomeKind(p string) string {
	if k := protectedKindIn(homeProtected[:], p); k != "" {
		return k
	}
	pattern := isGlob(p)
	for _, s := range hosts.Secrets {
		if (s.At == hosts.InHome || s.At == hosts.Named) && isAtOrBelow(strings.TrimSuffix(s.Path, "/"), p, pattern) {
			return kindCloud
		}
	}
	return ""
}

// protectedKindIn returns the kind of the protected path in list that p is at or below, or "" if there
// is none.
func protectedKindIn(list []protectedPath, p string) string {
	pattern := isGlob(p)
	for i := range list {
		if isAtOrBelow(list[i].path, p, pattern) {
			return list[i].kind
		}
	}
	return ""
}

// isAtOrBelow reports whether p is at or below the protected path guard. pattern means that p is a
// pattern.
func isAtOrBelow(guard, p string, pattern bool) bool {
	if len(p) >= len(guard) && p[:len(guard)] == guard && (len(p) == len(guard) || p[len(guard)] == '/') {
		return true
	}
	return pattern && matchesElements(p, guard)
}

// matchesElements reports whether the first elements of the pattern p match all elements of the
// protected path g.
func matchesElements(p, g string) bool {
	for {
		part, want := firstElement(p), firstElement(g)
		if part != want && !isPatternFor(part, want) {
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

// isPatternFor reports whether the pattern part is meant for name. Both must begin with the same
// character: a shell's * does not match a leading dot, and *.yaml is meant for any YAML file.
func isPatternFor(part, name string) bool {
	return part != "" && name != "" && part[0] == name[0] && mayMatch(part, name)
}

// autoloaded lists names of files that a program runs whenever it starts, in any directory; a name that begins with a
// dot is the ending of such names in directories below.
var autoloaded = [...]struct{ name, below string }{
	{"sitecustomize.py", ""}, {"usercustomize.py", ""}, {".pth", "-packages/"},
}

// isAutoloaded reports whether p is a file that a program runs whenever it starts.
func isAutoloaded(p string) bool {
	base := p[strings.LastIndexByte(p, '/')+1:]
	for i := range autoloaded {
		row := &autoloaded[i]
		if (base == row.name || row.name[0] == '.' && strings.HasSuffix(base, row.name)) && strings.Contains(p, row.below) {
			return true
		}
	}
	return false
}

// protectedProjectKind returns the kind of the project's protected path that p is at or below,
// possibly without the first elements of p. It returns "" if there is none.
func protectedProjectKind(p string) string {
	if isAutoloaded(p) {
		return kindShell
	}
	for p != "" {
		if c := p[0]; c == '.' || c == 'o' || c == 'a' {
			if k := protectedKindIn(projectProtected[:], p); k != "" {
				return k
			}
			if isHostFile(p, hosts.Project) {
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

// protectedDriveKind returns the kind of protected path that p, a path with a drive letter, is, or ""
// if it is none.
func protectedDriveKind(p string) string {
	if k := protectedKindIn(rootProtected[:], p); k != "" {
		return k
	}
	rest, ok := strings.CutPrefix(p[3:], "Users/")
	if !ok {
		return ""
	}
	if _, in, ok := strings.Cut(rest, "/"); ok && in != "" {
		return protectedHomeKind(in)
	}
	return ""
}
