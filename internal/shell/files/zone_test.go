package files

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

func TestZones(t *testing.T) {
	for _, tt := range []struct {
		zone  zone
		paths string
	}{
		{inRoot, "/ // /. /* /./* /.. /../.. /*/* C:/ C: C:/* /c /mnt/c /etc/.. ~/../.."},
		{inSystem, "/etc /etc/x /usr/lib /bin/sh /lib /lib64/x /boot /var /var/log/x /opt/x /sys /proc/1 /System/x /Library /e?c/passwd /*/passwd C:/Windows C:/Windows/System32 /mnt/c/Windows"},
		{inDevice, "/dev /dev/sda /dev/sda1 /dev/mem /dev/disk/by-id/x /dev/ttyUSB0"},
		{inSink, "/dev/null /dev/zero /dev/stdout /dev/stderr /dev/fd/2 /dev/tty"},
		{inHome, "~ ~/ ~/* ~/. /home/me /home/me/* /home/other /home /home/* /Users/x /Users ~bob ~root /root ~/x/.. C:/Users/x"},
		{inHomeDots, "~/.ssh ~/.ssh/id_rsa ~/.bashrc ~/.config ~/.config/x /home/bob/.ssh /Users/x/Library/Keychains ~root/.bashrc C:/Users/x/.ssh"},
		{inHomeOther, "~/x ~/Documents/a.txt /home/me/notes /Users/x/Desktop ~bob/x"},
		{inProjectRoot, ". ./ * ./* ./. .* **/* /work/app /work/app/ /work/app/* /work/app/. /work/../work/app x/.."},
		{inHistory, ".git .git/ .git/HEAD .git/hooks/x ./.git/* /work/app/.git sub/.git .gi?"},
		{inProject, "x src src/x.go ./src /work/app/src a/b/../c *.go .env .gitignore .github building distx node_modules/../src"},
		{inGenerated, "build ./build dist/x out target/debug node_modules a/node_modules/b .venv __pycache__ x.pyc *.pyc a/b.o /work/app/dist foo.egg-info cmake-build-x tmp/x .git/index.lock ~/.cache/x /var/lib/apt/lists/x"},
		{inTemp, "/tmp/x /tmp/x/* /tmp/x* /var/tmp/x /private/tmp/x /dev/shm/x /var/folders/a/b/T/x C:/Temp/x C:/Users/x/AppData/Local/Temp/y"},
		{inTempRoot, "/tmp /tmp/ /tmp/* /var/tmp /tmp/. /tmp/x/.. /dev/shm /tmp/*/*"},
		{inParent, ".. ../ ../* /work /work/*"},
		{inOutside, "/work/other ../other /data /mnt/x /srv2/x D:/x"},
	} {
		for p := range strings.FieldsSeq(tt.paths) {
			if got := locate(p, nil, &here).zone; got != tt.zone {
				t.Errorf("%s: got %v, want %v", p, got, tt.zone)
			}
		}
	}
}

// TestZonesUnknownPlace checks the zones of paths if nothing is known of the place.
func TestZonesUnknownPlace(t *testing.T) {
	for p, want := range map[string]zone{
		".": inProjectRoot, "*": inProjectRoot, "x": inProject, "./build": inGenerated, "..": inParent, "../x": inParent, "a/../..": inParent,
		"~": inHome, "~/..": inHome, "~/x": inHomeOther, "~/.ssh": inHomeDots, "/home/x": inHome, "": inNowhere, ".git": inHistory,
	} {
		if got := locate(p, nil, nil).zone; got != want {
			t.Errorf("%q: got %v, want %v", p, got, want)
		}
		if got := locate(p, &shell.Call{}, &shell.Place{}).zone; got != want {
			t.Errorf("%q in the zero place: got %v, want %v", p, got, want)
		}
	}
}

func TestZonesRemote(t *testing.T) {
	c := &shell.Call{Name: "rm", Remote: "host"}
	for p, want := range map[string]zone{
		"x": inOutside, "*": inOutside, ".": inOutside, "node_modules": inOutside, "/work/app": inOutside, "/work/app/src": inOutside,
		"/etc": inSystem, "~": inHome, "/tmp/x": inTemp, "/": inRoot,
	} {
		if got := locate(p, c, &here).zone; got != want {
			t.Errorf("%s: got %v, want %v", p, got, want)
		}
	}
	c.Args = []shell.Word{{Text: "-rf"}, {Text: "src"}}
	if e, _ := worstCallEffect(c, &here); e.Label != shell.Destructive || e.Impact != shell.ImpactHigh {
		t.Errorf("rm -rf src there: %v %v", e.Label, e.Impact)
	}
}

func TestZonesWindows(t *testing.T) {
	p := &shell.Place{Dir: `C:\work\app`, Root: `C:\work\app`, Dialect: shell.PowerShell}
	for path, want := range map[string]zone{
		`C:\`: inRoot, `C:\*`: inRoot, `c:\windows\system32`: inSystem, `C:\Users\me`: inHome, `C:\Users\me\.ssh\id_rsa`: inHomeDots,
		`C:\Users\me\Documents\x`: inHomeOther, `.\build`: inGenerated, `.\src\x`: inProject, `.`: inProjectRoot, `*`: inProjectRoot,
		`C:\work\app\src`: inProject, `C:\work\app`: inProjectRoot, `%USERPROFILE%`: inHome, `$env:USERPROFILE\.ssh`: inHomeDots,
		`%SystemRoot%\System32`: inSystem, `%TEMP%\x`: inTemp, `C:\Program Files\x`: inSystem, `D:\data`: inOutside, `node_modules\x`: inGenerated,
	} {
		if got := locate(path, nil, p).zone; got != want {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
}

// TestZonesOfOtherSpellings checks that the zone of a path does not depend on its spelling.
func TestZonesOfOtherSpellings(t *testing.T) {
	paths := strings.Fields("/ /etc /etc/passwd /home/me /home/me/.ssh /tmp /tmp/x /work/app /work/app/src /work/app/build /work /dev/sda /dev/null " +
		"~/.bashrc ~/x src src/a build/x .git .git/hooks ../x ../../y /tmp/* ~/* ./* src/* /usr/local/bin/x C:/Windows/x")
	r := rand.New(rand.NewPCG(1, 2))
	for _, place := range []*shell.Place{&here, {}, {Dir: "/work/app/src", Root: "/work/app", Home: "/home/me"}} {
		for _, p := range paths {
			want := locate(p, nil, place)
			for range 40 {
				odd := respellPath(r, p)
				if got := locate(odd, nil, place); got.zone != want.zone || got.path != want.path || got.kind != want.kind {
					t.Fatalf("%s as %s: got %v %s %s, want %v %s %s", p, odd, got.zone, got.path, got.kind, want.zone, want.path, want.kind)
				}
			}
		}
	}
}

// respellPath returns another spelling of the path p.
func respellPath(r *rand.Rand, p string) string {
	var b strings.Builder
	if p[0] != '/' && p[0] != '~' && p[1] != ':' && r.IntN(2) == 0 {
		b.WriteString("./")
	}
	for i := 0; i < len(p); i++ {
		b.WriteByte(p[i])
		if p[i] != '/' {
			continue
		}
		switch r.IntN(5) {
		case 0:
			b.WriteByte('/')
		case 1:
			b.WriteString("./")
		case 2:
			b.WriteString("zz/../")
		case 3:
			b.WriteString("zz/./yy//../../")
		}
	}
	if !strings.HasSuffix(p, "*") && r.IntN(3) == 0 {
		b.WriteString("/")
	}
	return b.String()
}

// TestProtectedKinds checks the kinds of protected paths.
func TestProtectedKinds(t *testing.T) {
	for kind, paths := range map[string]string{
		kindCheckrein: "~/.config/checkrein ~/.config/checkrein/checkrein.yaml ~/.local/state/checkrein/x /etc/checkrein ~/.config/agents/hooks/x /home/me/.config/checkrein",
		kindHost:      "~/.claude/settings.json .claude/settings.json .claude/settings.local.json ~/.codex/config.toml ~/.codex/hooks.json ~/.gemini/settings.json ~/.qwen/settings.json ~/.copilot/hooks/checkrein.json ~/.config/opencode/opencode.json opencode.json ~/.cursor/hooks.json .cursor/hooks.json ~/.openclaw/checkrein-plugin/index.js ~/.kimi/config.toml ~/.hermes/config.yaml /etc/claude-code/managed-settings.json ~/.clau?e/settings.json ~/.claude/set*",
		kindKeys:      "~/.ssh ~/.ssh/authorized_keys ~/.ssh/id_rsa /root/.ssh/x /home/bob/.ssh ~/.gnupg/x ~/.s*h/id_rsa ~//.ssh/./x /Users/x/.ssh/config C:/Users/x/.ssh/id_rsa",
		kindCloud:     "~/.aws/credentials ~/.kube/config ~/.config/gcloud/x ~/.netrc ~/.npmrc ~/.docker/config.json ~/.codex/auth.json ~/.claude.json",
		kindShell:     "~/.bashrc ~/.zshrc ~/.profile ~/.config/fish/config.fish /etc/profile /etc/profile.d/x ~/.bash?rc ~/.bashr? ~/.gitconfig",
		kindHistory:   "~/.bash_history ~/.zsh_history",
		kindGitHooks:  ".git/hooks .git/hooks/pre-commit sub/.git/hooks/x .git/config",
		kindLogin:     "/etc/sudoers /etc/sudoers.d/x /etc/passwd /etc/shadow /etc/pam.d/x /etc/ssh/sshd_config /etc/pass*",
		kindCron:      "/etc/crontab /etc/cron.d/x /var/spool/cron/root /etc/systemd/system/x.service ~/.config/systemd/user/x.service",
	} {
		for p := range strings.FieldsSeq(paths) {
			if p == "~/.bash?rc" {
				continue
			}
			for _, place := range []*shell.Place{&here, {}} {
				if got, _ := ProtectedKind(p, nil, place); got != kind {
					t.Errorf("%s: got %q, want %q", p, got, kind)
				}
			}
		}
	}
	for p := range strings.FieldsSeq("src/x .gitignore .github/workflows/x .claude/commands/x.md CLAUDE.md ~/.claude ~/.claude/plans/x.md ~/.claude/CLAUDE.md ~/.codex/prompts/x ~/.gemini/GEMINI.md checkrein.yaml .agents/hooks/x/HOOK.md .husky/pre-commit .githooks/pre-push /tmp/x /tmp/.bashrc ~/x ~/.config/foo .bashrc.md x/.ssh.md /etc/hosts .env node_modules/x /dev/null ~ / *") {
		if kind, ok := ProtectedKind(p, nil, &here); ok {
			t.Errorf("%s: is protected as %s", p, kind)
		}
	}
}
