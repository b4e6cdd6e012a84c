package coverage

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
)

// Everything that a plan lists was observed, is listed once, and is readable. The same words always
// give the same plan.
func FuzzPlanFor(f *testing.F) {
	for _, seed := range []string{
		"./x.sh", "a \"b $(c `d`)\" 'e' $'f\\'' ${g:-h}", "cat <<-'E' <<F\n\tE\nF\n", "case a in b|(c) d;; *) e;& esac",
		"bash -c 'sh -c \"./x\"' <<<a <(b) 2>&1 &>c", "((1<<2)); a=(b); [[ c ]]; $((d)) $[e]", "\\", "$", "\"", "${", "$(", "`\\", "a=~/b ~c",
		"cd a && cd $b; env A=1 timeout 5 ./c", "\x00\xff\xfe\n\r", "PATH=.:$PATH x.sh", "python3 -m a.b", "for i in */*; do . $i; done", "sh < ./../../x",
		"x.sh\x00y.sh", "find . -exec {} \\;", "git -c core.hooksPath=. commit", "BASH_ENV=./[a-z]* bash", "./[", "sh ./[!a]*", "node -r", "python3 -m", ". ", "~", "awk -f",
	} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	root, home := fixture(f)
	f.Fuzz(func(t *testing.T, text string, argv bool) {
		with, err := json.Marshal(map[string]any{"command": text})
		if argv {
			with, err = json.Marshal(map[string]any{"argv": strings.Split(text, "\x00")})
		}
		if err != nil {
			t.Skip()
		}
		h := &checkrein.Hook{Run: "command", With: with}
		var look, again DiskView
		plan := PlanFor(h, placeOf(root, home), &look)
		seen := look.Observations()
		for i, part := range plan.Parts {
			if !filepath.IsAbs(part.Path) || filepath.Clean(part.Path) != part.Path || strings.IndexByte(part.Path, 0) >= 0 {
				t.Errorf("path is %q", part.Path)
			}
			if !slices.ContainsFunc(seen, func(s Observation) bool { return s.Path == part.Path }) {
				t.Errorf("%s was never looked at", part.Path)
			}
			if slices.ContainsFunc(plan.Parts[:i], func(p Part) bool { return p.Path == part.Path && p.Name == part.Name }) {
				t.Errorf("%s is there twice", part.Path)
			}
		}
		if len(plan.Parts) > maxParts || len(plan.Unsure) > maxUnsure {
			t.Errorf("%d parts, %d doubts", len(plan.Parts), len(plan.Unsure))
		}
		other := PlanFor(h, placeOf(root, home), &again)
		if coveredFiles(plan, root, home) != coveredFiles(other, root, home) || !slices.Equal(plan.Unsure, other.Unsure) {
			t.Errorf("%v, then %v", plan, other)
		}
		if !look.IsFull() && !StillHold(seen) {
			t.Error("what was seen does not hold")
		}
	})
}

// The files of ordinary hooks can be determined.
func TestEverydayHooks(t *testing.T) {
	t.Parallel()
	needsShell(t)
	root, home := fixture(t)
	for _, command := range []string{
		"INPUT=$(cat)\nCMD=$(echo \"$INPUT\" | jq -r '.tool_input.cmd // \"\"')\nif echo \"$CMD\" | grep -qE '^ls'; then cat <<EOF\n{\"cmd\":\"$CMD\"}\nEOF\nfi",
		`jq -r --arg now "$(date)" '"\($now) \(.session_id // "?")"' >>"${AGENT_LOGS:-/tmp}/agent.log"`,
		"cmd=$(jq -r '.tool_input.cmd // \"\"')\ncase $cmd in *[\\;\\&\\|]*) exit 0 ;; esac\nprintf '%s\\n' \"$cmd\" | grep -qE '^(ls|pwd)( |$)'",
		`from=$(jq -r '.worktree_source_dir // ""'); if [ -n "$from" ] && [ ! -e .env ]; then cp "$from/.env" .env; fi`,
		"notify-send agent 'It waits' 2>/dev/null || osascript -e 'display notification \"It waits\" with title \"agent\"' 2>/dev/null || true",
		"if [ -n \"$(git ls-files --others --exclude-standard)\" ]; then echo 'Run: git add .' >&2; exit 2; fi",
		`python3 -c "import json,sys; d=json.load(sys.stdin); sys.exit(2 if 'rm' in d['tool_input']['command'] else 0)"`,
		`jq -r '.tool_input.file_path' | { read -r f; case "$f" in *.go) gofmt -w "$f";; *.py) ruff format "$f";; esac; }`,
		`file=$(jq -r .tool_input.file_path); [ "${file##*.}" = ts ] && prettier --write "$file"`,
		`jq -r '.tool_input.file_path // empty' | xargs -r gofmt -l`,
		"git diff --name-only --cached | grep -q '^vendor/' && exit 2 || exit 0",
		"command -v shellcheck >/dev/null && shellcheck hooks/*.sh",
		"curl -s -X POST -d @- https://example.com/hook",
		"go vet ./... && golangci-lint run && govulncheck ./...",
		"checkrein scan --staged",
		"echo \"branch: $(git rev-parse --abbrev-ref HEAD)\"; date; uname -a",
		"tee -a \"$HOME/.claude/log.jsonl\" >/dev/null",
		"mkdir -p \"$CLAUDE_PROJECT_DIR/.cache\" && cat > \"$CLAUDE_PROJECT_DIR/.cache/last.json\"",
		"[ -f .nvmrc ] && cat .nvmrc; node --version; python3 -V",
		"sed -i 's/a/b/' README.md; awk '{print $1}' CHANGELOG.md; sort -u words.txt",
		"exit 2",
	} {
		var look DiskView
		plan := PlanFor(commandHook(command), placeOf(root, home), &look)
		checkPlan(t, command, plan, root, home, "", "")
	}
}
