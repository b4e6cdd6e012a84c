package files

import (
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// changedPaths returns the paths of the effects of command at p that do more than read.
func changedPaths(t *testing.T, command string, p *shell.Place) []string {
	t.Helper()
	effects, _ := Effects(parseCall(t, command), p)
	var out []string
	for _, e := range effects {
		if e.Kind != "read" {
			out = append(out, e.Paths...)
		}
	}
	return out
}

// TestIndirectChangesOfProtectedPaths has commands that change protected paths without naming them, or
// under another name, with the path that they change; - means that they change none.
func TestIndirectChangesOfProtectedPaths(t *testing.T) {
	t.Parallel()
	const state, conf = "/home/me/.local/state/checkrein", "/home/me/.config/checkrein"
	for command, want := range map[string]string{
		"checkrein hooks approve --all": state, "checkrein hooks off": state, "checkrein hooks -c x.yaml revoke y": state, "checkreind hooks on": state,
		"/opt/bin/checkrein allow x": state, "checkrein audit prune": state, "checkrein uninstall claude": conf, "checkrein install claude --program /bin/true": conf,
		"checkrein init --dry-run": "-", "checkrein init --user": conf + "/checkrein.yaml", "checkrein git install": "/work/app/.git/hooks", "checkrein git uninstall": "/home/me/.local/state/checkrein",
		"checkrein hooks approve --dry-run --all": "-", "checkrein hooks": "-", "checkrein hooks list": "-", "checkrein hooks help approve": "-", "checkrein audit verify": "-", "checkrein status": "-", "checkrein": "-", "checkrein git status": "-",
		"checkrein scrub --apply --rules r x": state, "checkrein scrub x": state, "checkrein convert --to claude --out d x": state, "checkrein convert --to claude x": "-", "checkrein audit export -o f": state, "checkrein audit export --endpoint http://x": state, "checkrein audit export": state, "checkrein audit query -n 3": "-",
		"checkrein run x": state, "checkrein snapshots undo": state, "checkrein snapshots list": "-", "checkrein eval": "-", "checkrein eval -c x.yaml": state, "checkrein eval --hook-pre-tool-use ./x": state, "checkrein hook claude": state, "checkrein scan .": "-", "checkrein validate x.yaml": "-", "checkrein new-thing": state, "checkrein --help": "-",

		"cp a/.bashrc ~": "/home/me/.bashrc", "mv -t ~ a/.bashrc": "/home/me/.bashrc", "cp x y/.ssh ~/": "/home/me/.ssh", "install .profile ~/": "/home/me/.profile", "cp hooks .git/": "/work/app/.git/hooks",
		"cp a/notes ~": "-", "cp checkrein.yaml copy": "-", "cp a/. ~": "-",

		"ln ~/.bashrc x": "/home/me/.bashrc", "ln -s ~/.local x": "/home/me/.local", "cp -l ~/.ssh/config x": "/home/me/.ssh/config", "ln -s ../../home/me/.ssh keys": "/home/me/.ssh", "ln -s a b": "-", "ln -s ../other x": "-",

		"apply_patch '*** Begin Patch\n*** Update File: ~/.bashrc\n*** End Patch'": "/home/me/.bashrc", "apply_patch '*** Delete File: .git/hooks/x'": "/work/app/.git/hooks/x",
		"ssh-keygen -f ~/.ssh/id_new": "/home/me/.ssh/id_new", "wget -P ~/.config/checkrein http://x/y": conf,
	} {
		got := slices.DeleteFunc(changedPaths(t, command, &here), func(p string) bool {
			_, ok := ProtectedKind(p, nil, &here)
			return !ok && p != "/home/me/.local"
		})
		if want == "-" && len(got) > 0 || want != "-" && !slices.Contains(got, want) {
			t.Errorf("%s: changes %q, want %s", command, got, want)
		}
	}
}

// TestOwnPathsAndContains checks [EachOwnPath] and [DirContains].
func TestOwnPathsAndContains(t *testing.T) {
	t.Parallel()
	var own []string
	EachOwnPath(&here, func(p string) bool { own = append(own, p); return false })
	for _, want := range []string{"/home/me/.local/state/checkrein", "/home/me/.config/checkrein", "/home/me/.config/agents/hooks", "/etc/checkrein"} {
		if !slices.Contains(own, want) {
			t.Errorf("%s is not among checkrein's own paths: %q", want, own)
		}
	}
	for path, want := range map[string]bool{"~": true, "/home": true, "/": true, "~/.local": true, "~/.l*": true, "src": false, "~/notes": false, "/tmp": false, "~/.local/state/checkrein": false} {
		if got := DirContains(path, "/home/me/.local/state/checkrein", &here); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

// TestDotDotAfterSymlink checks that symlinks are resolved in paths that contain .. after them.
func TestDotDotAfterSymlink(t *testing.T) {
	t.Parallel()
	p := here
	p.Real = func(path string) string { return strings.Replace(path, "/work/app/link/..", "/home/me", 1) }
	for command, want := range map[string]string{"rm link/../.bashrc": "/home/me/.bashrc", "rm /work/app/link/../.bashrc": "/home/me/.bashrc", "cd link && rm ../.bashrc": "/home/me/.bashrc", "rm src/x": "/work/app/src/x"} {
		if got := changedPaths(t, command, &p); !slices.Contains(got, want) {
			t.Errorf("%s: %q, want %s", command, got, want)
		}
	}
}

// TestAgentMayRun checks which command lines agents may run.
func TestAgentMayRun(t *testing.T) {
	t.Parallel()
	const hole = string(shell.Placeholder)
	for want, lines := range map[bool][]string{
		true: {
			"", "--help", "-h", "--version", "help", "help hooks approve", "version", "docs", "docs shell", "status", "status codex --json", "packs git", "packs -c x.yaml", "explain", "explain 4f2a --json", "validate -c x.yaml", "validate x.yaml",
			"classify rm", "classify --dir /x rm", "classify git push --force", "classify sh -c x", "classify --json git push --force", "classify " + hole, "scan", "scan . --json", "scan --format sarif src", "scan --policy=public-repo -", "scan -- " + hole, "scan -- --write-baseline",
			"eval", "eval --event pre_tool_use --json", "eval --plan", "eval --help", "eval --agent x", "audit", "audit query -n 5 --denied", "audit show 12", "audit verify --ledger copy", "audit tail -f", "hooks", "hooks list --json", "hooks --help", "hooks approve --help", "hooks approve x --help",
			"run --help", "audit export -h", "doctor --no-run", "hooks doctor --no-run --json", "hooks approve --all --dry-run", "install claude --dry-run", "init --user --dry-run", "git status", "allow --list --json", "pause", "suggest --json --since 7d", "undo --list", "undo --list --all --json", "undo list", "convert --to claude x", "completion bash", "pr-check --title x",
		},
		false: {
			"_sandbox", "_sandbox {} -- ls", "_sandbox --help", "_async", "_async --help", "step", "step --help", "upkeep", "unpack", "new-thing", "new-thing --help", "hook claude", "run a.yaml", "run a.yaml --hook-session-start x", "scrub x", "wrong x", "confirm",
			"classify --frob git", "classify -c x", "eval -c e.yaml", "eval -ce.yaml", "eval -c=e.yaml", "eval --c e.yaml", "eval --c=e.yaml", "eval --config e.yaml", "eval --hook-stop x", "eval -hook-stop x", "eval --event -c -c e.yaml", "eval x", "eval " + hole, "eval --json=false", "eval -json",
			"scan --write-baseline x", "scan --write-baseline=x", "scan -write-baseline x", "scan " + hole, "scan --policy " + hole, "scan x" + hole,
			"audit export", "audit export --endpoint https://x", "audit export --format otlp", "audit prune", "audit prune --dry-run", "audit checkpoint", "audit query --ledger x", "audit " + hole, hole, hole + " --help",
			"hooks approve --all", "hooks approve --all --help", "hooks approve --agent --help", "hooks approve -- --help", "hooks approve " + hole + " --help", "hooks approve x* --help", "hooks off --help=false", "hooks on", "hooks disable x", "hooks enable x", "hooks disable --all x", "hooks revoke x", "hooks frob", "hooks --json approve --all", "hooks -c x approve",
			"--json hooks off", "--foo", "--help hooks off", "--version hooks off", "-c x hooks off", "doctor", "doctor --no-run=false", "doctor --no-run --no-run=false", "doctor --no-run --payload x", "doctor -- --no-run", "hooks doctor", "install claude", "install -- --dry-run", "install claude --dry-run --dry-run=false",
			"install --scope --dry-run claude", "allow", "allow 4f2a", "allow --list 4f2a", "allow --list --once", "pause 30m", "pause off", "suggest", "suggest --json --json=false", "convert --to claude --out d x", "git pre-commit", "git pre-push a b", "git install", "snapshots undo", "snapshots --session x undo", "undo", "undo 4f2a", "undo --last --yes", "undo --list --forget", "undo --forget --all", "appro", "hooks appr --all",
		},
	} {
		for _, line := range lines {
			if got := AgentMayRun(strings.Fields(line)); got != want {
				t.Errorf("checkrein %q: %v, want %v", line, got, want)
			}
		}
	}
}
