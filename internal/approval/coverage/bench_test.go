package coverage

import (
	"path/filepath"
	"strings"
	"testing"
)

// threeScripts returns a project with a hook that runs three small scripts.
func threeScripts(t testing.TB) (command, root, home string) {
	root, home = fixture(t)
	body := strings.Repeat("# a comment of a script that checks something\nif [ -n \"$1\" ]; then echo \"$1\"; fi\n", 20)
	writeFile(t, filepath.Join(root, "scripts/guard.sh"), "#!/bin/sh\n. \"$(dirname \"$0\")/lib.sh\"\n"+body, 0o755)
	writeFile(t, filepath.Join(root, "scripts/lib.sh"), body, 0o644)
	writeFile(t, filepath.Join(root, "scripts/check.py"), body, 0o644)
	return `"$CLAUDE_PROJECT_DIR"/scripts/guard.sh --strict && python3 scripts/check.py`, root, home
}

func BenchmarkPlan(b *testing.B) {
	command, root, home := threeScripts(b)
	h, p := commandHook(command), placeOf(root, home)
	for b.Loop() {
		var look DiskView
		if len(PlanFor(h, p, &look).Parts) != 3 {
			b.Fatal("not three parts")
		}
	}
}

func BenchmarkStillHold(b *testing.B) {
	command, root, home := threeScripts(b)
	var look DiskView
	PlanFor(commandHook(command), placeOf(root, home), &look)
	seen := look.Observations()
	b.Logf("%v", seen)
	for b.Loop() {
		if !StillHold(seen) {
			b.Fatal("does not hold")
		}
	}
}

func BenchmarkInputs(b *testing.B) {
	p := Place{Root: "/r", Top: "/r", Home: "/h", Environ: []string{"PATH=/h/.local/bin:/h/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/h", "SHELL=/bin/bash", "USER=ada", "LOGNAME=ada", "LANG=en_US.UTF-8",
		"TERM=xterm-256color", "COLORTERM=truecolor", "EDITOR=vim", "PAGER=less -R", "LESS=-R", "LESSOPEN=| /usr/bin/lesspipe %s", "LS_COLORS=di=01;34:ln=01;36", "XDG_SESSION_TYPE=wayland", "XDG_RUNTIME_DIR=/run/user/1000", "XDG_DATA_DIRS=/usr/share",
		"DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus", "SSH_AUTH_SOCK=/run/user/1000/ssh", "DISPLAY=:0", "WAYLAND_DISPLAY=wayland-0", "PWD=/r", "OLDPWD=/h", "SHLVL=2", "NVM_DIR=/h/.nvm", "TERM_PROGRAM=vscode", "GIT_ASKPASS=/usr/share/code/askpass.sh",
		"VSCODE_GIT_IPC_HANDLE=/run/user/1000/v.sock", "CLAUDECODE=1", "CLAUDE_PROJECT_DIR=/r", "NODE_VERSION=22", "DESKTOP_SESSION=gnome", "GDMSESSION=gnome", "XAUTHORITY=/h/.Xauthority", "_=/usr/bin/env"}}
	for b.Loop() {
		InputsDigest(p, nil)
	}
}

func BenchmarkPlanWithoutFiles(b *testing.B) {
	root, home := fixture(b)
	h, p := commandHook(`jq -r .tool_input.file_path | xargs -r gofmt -l`), placeOf(root, home)
	for b.Loop() {
		var look DiskView
		if len(PlanFor(h, p, &look).Parts) != 0 {
			b.Fatal("parts")
		}
	}
}
