package coverage

import (
	"path/filepath"
	"testing"
)

// Of git's settings, those count that run something for the command.
func TestGitSettings(t *testing.T) {
	t.Parallel()
	needsShell(t)
	root, home := fixture(t)
	config := filepath.Join(root, ".git/config")
	writeFile(t, filepath.Join(root, ".git/hooks/pre-commit"), "./x.sh\n", 0o755)
	writeFile(t, filepath.Join(root, "githooks/pre-push"), "./tool\n", 0o755)
	harmless := "[core]\n\trepositoryformatversion = 0\n\tbare = false\n[user]\n\tname = a\n[remote \"origin\"]\n\turl = https://example.com/x\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n[color]\n\tui = auto\n"
	for _, test := range []struct{ settings, command, files, unsure string }{
		{"", "git status; git diff --name-only; git log; git fetch; git add .", "", ""},
		{"", "git commit -m x", ".git/hooks/pre-commit x.sh", ""},
		{"[alias]\nx = !./x.sh\ny = x --all\nst = status\n", "git x; git st; git status", ".git/config[setting+alias.x] x.sh .git/config[setting+alias.st]", ""},
		{"[alias]\nx = !./x.sh\ny = x --all\n", "git y", ".git/config[setting+alias.y] .git/config[setting+alias.x] x.sh", ""},
		{"[alias]\nx = !./x.sh\n", "git status", "", ""},
		{"[alias]\nx = x\n", "git x", ".git/config[setting+alias.x]", ""},
		{"[core]\nfsmonitor = ./x.sh\n", "git status", ".git/config[setting+core.fsmonitor] x.sh", ""},
		{"[core]\nfsmonitor = true\npager = ./x.sh\neditor = ./x.sh\nsshCommand = ./x.sh\n", "git status; git rev-parse HEAD", "", ""},
		{"[core]\nfsmonitor = ./x.sh\n", "git rev-parse HEAD", "", ""},
		{"[core]\nsshCommand = ./x.sh\n", "git fetch", ".git/config[setting+core.sshcommand] x.sh", ""},
		{"[credential]\nhelper = !./x.sh\n", "git push", ".git/config[setting+credential.helper] x.sh .git/hooks/pre-commit", ""},
		{"[filter \"l\"]\nclean = ./x.sh %f\n", "git status", ".git/config[setting+filter.l.clean] x.sh", ""},
		{"[filter \"lfs\"]\nclean = git-lfs clean -- %f\n", "git diff", ".git/config[setting+filter.lfs.clean]", ""},
		{"[diff \"d\"]\ntextconv = ./x.sh\n", "git diff", ".git/config[setting+diff.d.textconv] x.sh", ""},
		{"[core]\nhooksPath = githooks\n", "git push", "githooks/pre-push tool", ""},
		{"[include]\npath = ../plain.cfg\n", "git z", ".git/config[setting+alias.z] y.sh", ""},
		{"[includeIf \"gitdir:/x/\"]\npath = ../plain.cfg\n", "git z", ".git/config[setting+alias.z] y.sh", ""},
		{"broken\n", "git status", "", "settings, which cannot be read"},
	} {
		writeFile(t, config, harmless+test.settings, 0o644)
		writeFile(t, filepath.Join(root, "plain.cfg"), "[alias]\nz = !./y.sh\n", 0o644)
		if test.settings == "broken\n" {
			writeFile(t, config, "broken\n", 0o644)
		}
		var look DiskView
		checkPlan(t, test.settings+test.command, PlanFor(commandHook(test.command), placeOf(root, home), &look), root, home, test.files, test.unsure)
		if !StillHold(look.Observations()) {
			t.Errorf("%s: what was seen does not hold", test.command)
		}
		writeFile(t, config, "[alias]\nx = !./tool\n", 0o644)
		if StillHold(look.Observations()) {
			t.Errorf("%s: other settings change nothing", test.command)
		}
	}
}
