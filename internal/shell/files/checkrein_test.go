package files

import (
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// changed are the paths that a command does something to.
func changed(t *testing.T, command string, p *shell.Place) []string {
	t.Helper()
	effects, _ := Effects(call(t, command), p)
	var out []string
	for _, e := range effects {
		if e.Kind != "read" {
			out = append(out, e.Paths...)
		}
	}
	return out
}

// TestOtherWays holds the commands that change what is protected without naming it, or by
// another name, against what they change; - = nothing of that.
func TestOtherWays(t *testing.T) {
	t.Parallel()
	const state, conf = "/home/me/.local/state/checkrein", "/home/me/.config/checkrein"
	for command, want := range map[string]string{
		"checkrein hooks approve --all": state, "checkrein hooks off": state, "checkrein hooks -c x.yaml revoke y": state, "checkreind hooks on": state,
		"/opt/bin/checkrein allow x": state, "checkrein audit prune": state, "checkrein uninstall claude": conf, "checkrein install claude --program /bin/true": conf,
		"checkrein init": "-", "checkrein init --user": conf + "/checkrein.yaml", "checkrein git install": "/work/app/.git/hooks", "checkrein git uninstall": "/home/me/.local/state/checkrein",
		"checkrein hooks approve --dry-run --all": "-", "checkrein hooks": "-", "checkrein hooks list": "-", "checkrein hooks help approve": "-", "checkrein audit verify": "-", "checkrein status": "-", "checkrein": "-", "checkrein git status": "-",
		"checkrein scrub --apply --rules r x": state, "checkrein scrub x": "-", "checkrein convert --to claude --out d x": state, "checkrein convert --to claude x": "-", "checkrein audit export -o f": state, "checkrein audit export --endpoint http://x": state, "checkrein audit export": "-", "checkrein audit query -n 3": "-",
		"checkrein run x": state, "checkrein snapshots undo": state, "checkrein snapshots list": "-", "checkrein eval": "-", "checkrein eval -c x.yaml": state, "checkrein eval --hook-pre-tool-use ./x": state, "checkrein hook claude": state, "checkrein scan .": "-", "checkrein validate x.yaml": "-", "checkrein new-thing": state, "checkrein --help": "-",

		"cp a/.bashrc ~": "/home/me/.bashrc", "mv -t ~ a/.bashrc": "/home/me/.bashrc", "cp x y/.ssh ~/": "/home/me/.ssh", "install .profile ~/": "/home/me/.profile", "cp hooks .git/": "/work/app/.git/hooks",
		"cp a/notes ~": "-", "cp checkrein.yaml copy": "-", "cp a/. ~": "-",

		"ln ~/.bashrc x": "/home/me/.bashrc", "ln -s ~/.local x": "/home/me/.local", "cp -l ~/.ssh/config x": "/home/me/.ssh/config", "ln -s ../../home/me/.ssh keys": "/home/me/.ssh", "ln -s a b": "-", "ln -s ../other x": "-",

		"apply_patch '*** Begin Patch\n*** Update File: ~/.bashrc\n*** End Patch'": "/home/me/.bashrc", "apply_patch '*** Delete File: .git/hooks/x'": "/work/app/.git/hooks/x",
		"ssh-keygen -f ~/.ssh/id_new": "/home/me/.ssh/id_new", "wget -P ~/.config/checkrein http://x/y": conf,
	} {
		got := slices.DeleteFunc(changed(t, command, &here), func(p string) bool {
			_, ok := Protected(p, nil, &here)
			return !ok && p != "/home/me/.local"
		})
		if want == "-" && len(got) > 0 || want != "-" && !slices.Contains(got, want) {
			t.Errorf("%s: changes %q, want %s", command, got, want)
		}
	}
}

func TestOwnAndHolds(t *testing.T) {
	t.Parallel()
	var own []string
	Own(&here, func(p string) bool { own = append(own, p); return false })
	for _, want := range []string{"/home/me/.local/state/checkrein", "/home/me/.config/checkrein", "/home/me/.config/agents/hooks", "/etc/checkrein"} {
		if !slices.Contains(own, want) {
			t.Errorf("%s is not among our own: %q", want, own)
		}
	}
	for path, want := range map[string]bool{"~": true, "/home": true, "/": true, "~/.local": true, "~/.l*": true, "src": false, "~/notes": false, "/tmp": false, "~/.local/state/checkrein": false} {
		if got := Holds(path, "/home/me/.local/state/checkrein", &here); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

// A place that follows links is asked about paths that go up again.
func TestReal(t *testing.T) {
	t.Parallel()
	p := here
	p.Real = func(path string) string { return strings.Replace(path, "/work/app/link/..", "/home/me", 1) }
	for command, want := range map[string]string{"rm link/../.bashrc": "/home/me/.bashrc", "rm /work/app/link/../.bashrc": "/home/me/.bashrc", "cd link && rm ../.bashrc": "/home/me/.bashrc", "rm src/x": "/work/app/src/x"} {
		if got := changed(t, command, &p); !slices.Contains(got, want) {
			t.Errorf("%s: %q, want %s", command, got, want)
		}
	}
}
