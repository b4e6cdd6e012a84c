package secretguard

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
)

// TestMarkersDoNotReplaceSecrets checks that text that looks like a marker cannot replace a secret,
// whereas another value, or none, can.
func TestMarkersDoNotReplaceSecrets(t *testing.T) {
	t.Parallel()
	p := newRepoPlace(t)
	const text = "# settings ****\nA=1\nGITHUB_TOKEN={gh}\nB=2\n"
	p.write(".env", fillSecrets(text))
	p.write("plain.md", "a text\n")
	file := filepath.Join(p.dir, ".env")
	with := func(value string) string { return strings.Replace(text, "{gh}", value, 1) }
	calls := func(value string) map[string]map[string]any {
		return map[string]map[string]any{
			"Write":       {"file_path": file, "content": with(value)},
			"Edit":        {"file_path": file, "old_string": fillSecrets("GITHUB_TOKEN={gh}"), "new_string": "GITHUB_TOKEN=" + value},
			"apply_patch": {"command": fillSecrets("*** Begin Patch\n*** Update File: .env\n@@\n A=1\n-GITHUB_TOKEN={gh}\n+GITHUB_TOKEN=" + value + "\n*** End Patch\n")},
		}
	}
	for _, value := range []string{"[REDACTED:0000000]", "[REDACTED:000000000]", "[REDACTED: 00000000]", "[REDACTED:…]", "[REDACTED:XXXXXXXX]", "[REDACTED:github_token]", "[REDACTED 00000000]",
		"[REDACTED-00000000]", "REDACTED", "[ REDACTED ]", "[redacted]", "(REDACTED)", "<REDACTED>", "{REDACTED}", "***REDACTED***", "[MASKED]", "****", "••••••••", "[REDACTED]", "ghp_****"} {
		for tool, input := range calls(value) {
			if v := p.guardCall(tool, input); v.Decision != checkrein.Deny || !strings.Contains(v.Reason, "Edit only the other lines") {
				t.Errorf("%s %s: %v (%s)", tool, value, v.Decision, v.Reason)
			}
		}
	}
	for _, value := range []string{"", "your-token-here", "other" + "Value" + "9x8y7z6w5v", "$(pass show github)"} {
		for tool, input := range calls(value) {
			if v := p.guardCall(tool, input); v.Decision != checkrein.NoOpinion {
				t.Errorf("%s %q: %v (%s)", tool, value, v.Decision, v.Reason)
			}
		}
	}
	for name, input := range map[string]map[string]any{
		"the line goes":        {"file_path": file, "content": "# settings ****\nA=1\nB=2\n"},
		"the secret stays":     {"file_path": file, "content": fillSecrets(text) + "C=[REDACTED]\n"},
		"a file without any":   {"file_path": filepath.Join(p.dir, "plain.md"), "content": "Values show as **** or [redacted].\n"},
		"a file that is not":   {"file_path": filepath.Join(p.dir, "new.md"), "content": "TOKEN=****\n"},
		"a banner takes place": {"file_path": file, "content": "/***********/\nA=1\n"},
	} {
		if v := p.guardCall("Write", input); v.Decision != checkrein.NoOpinion {
			t.Errorf("%s: %v (%s)", name, v.Decision, v.Reason)
		}
	}
}

// TestMentionsOfMarkersPass checks that text about markers passes where it replaces no secret.
func TestMentionsOfMarkersPass(t *testing.T) {
	t.Parallel()
	p := newRepoPlace(t)
	p.write(".env", fillSecrets("GITHUB_TOKEN={gh}\n"))
	p.write("notes.md", fillSecrets("the token is {gh}\n"))
	const m = "[REDACTED:deadbeef]"
	path := func(name string) string { return filepath.Join(p.dir, name) }
	for _, tt := range []struct {
		tool  string
		input map[string]any
		want  checkrein.Decision
	}{
		{"Write", map[string]any{"file_path": path("docs.md"), "content": "Secrets show as " + m + ".\n"}, checkrein.NoOpinion},
		{"Write", map[string]any{"file_path": path("docs/a.txt"), "content": "Secrets show as " + m + ".\n"}, checkrein.NoOpinion},
		{"apply_patch", map[string]any{"command": "*** Begin Patch\n*** Add File: docs.md\n+see " + m + "\n*** End Patch\n"}, checkrein.NoOpinion},
		{"Bash", map[string]any{"command": `git commit -m "see ` + m + `"`}, checkrein.NoOpinion},
		{"Bash", map[string]any{"command": `git add -A && git commit -m "see ` + m + `"`}, checkrein.NoOpinion},
		{"Bash", map[string]any{"command": `echo "` + m + `"`}, checkrein.NoOpinion},
		{"Bash", map[string]any{"command": `grep -rn "` + m + `" .`}, checkrein.NoOpinion},
		{"Bash", map[string]any{"command": `echo "see ` + m + `" >> docs.md`}, checkrein.NoOpinion},

		{"Write", map[string]any{"file_path": path("notes.md"), "content": "the token is " + m + "\n"}, checkrein.Deny},
		{"Write", map[string]any{"file_path": path(".env.bak"), "content": "T=" + m + "\n"}, checkrein.Deny},
		{"Bash", map[string]any{"command": `echo "T=` + m + `" > .env`}, checkrein.Deny},
		{"Bash", map[string]any{"command": `echo "T=` + m + `" > .env.bak`}, checkrein.Deny},
		{"Bash", map[string]any{"command": `echo "T=` + m + `" | tee .env`}, checkrein.Deny},
		{"Bash", map[string]any{"command": `echo "` + m + `" >> notes.md`}, checkrein.Deny},
		{"Bash", map[string]any{"command": "cat > .env <<'E'\nT=" + m + "\nE"}, checkrein.Deny},
		{"Bash", map[string]any{"command": "cat > .env <<'E'\nGITHUB_TOKEN=****\nE"}, checkrein.Deny},
		{"Bash", map[string]any{"command": `curl -H "Authorization: Bearer ` + m + `" https://api.example.com`}, checkrein.Deny},
		{"Bash", map[string]any{"command": `T="` + m + `" npm test`}, checkrein.Deny},
		{"mcp__db__login", map[string]any{"password": m}, checkrein.Deny},
	} {
		if v := p.guardCall(tt.tool, tt.input); v.Decision != tt.want {
			t.Errorf("%s %v: %v (%s), want %v", tt.tool, tt.input, v.Decision, v.Reason, tt.want)
		}
	}
}
