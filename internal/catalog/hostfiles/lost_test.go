package hostfiles

import (
	"slices"
	"testing"
)

func TestDescribeLoss(t *testing.T) {
	t.Parallel()
	const hook = `{"type":"command","command":"/b/checkrein hook claude --within 590"}`
	tests := []struct{ host, path, text, want string }{
		{"claude", ".claude/settings.json", `{"hooks":{"PreToolUse":[{"hooks":[` + hook + `]}]}}`, ""},
		{"claude", ".claude/settings.json", `{}`, "checkrein's entries are missing"},
		{"claude", ".claude/settings.json", ``, "checkrein's entries are missing"},
		{"claude", ".claude/settings.json", `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"./mine.sh"}]}]}}`, "checkrein's entries are missing"},
		{"claude", ".claude/settings.json", `{"hooks":{"SessionStart":[{"hooks":[` + hook + `]}]}}`, "checkrein's entry for PreToolUse is missing"},
		{"claude", ".claude/settings.json", `{"disableAllHooks":true,"hooks":{"PreToolUse":[{"hooks":[` + hook + `]}]}}`, "disableAllHooks turns hooks off"},
		{"claude", ".claude/settings.json", `{"hooks":`, "the file cannot be read: "},
		{"opencode", ".config/opencode/opencode.json", `{"plugin":["./checkrein/plugin.js"]}`, ""},
		{"opencode", ".config/opencode/opencode.json", `{"plugin":["./other.js"]}`, "checkrein's entries are missing"},
	}
	for _, tt := range tests {
		got := findRow(t, tt.host, tt.path).DescribeLoss([]byte(tt.text), []string{"PreToolUse"})
		if tt.want == "the file cannot be read: " {
			got = got[:min(len(got), len(tt.want))]
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.text, got, tt.want)
		}
	}
	if got := findRow(t, "claude", ".claude/settings.json").DescribeLoss(nil, nil); got != "the file is missing" {
		t.Errorf("no file: %q", got)
	}
}

func TestForeignHooks(t *testing.T) {
	t.Parallel()
	const ours = `{"type":"command","command":"/b/checkrein hook claude --within 590"}`
	tests := []struct {
		host, path, text string
		want             []string
	}{
		{"claude", ".claude/settings.json", `{"hooks":{"PreToolUse":[{"hooks":[` + ours + `]}]}}`, nil},
		{"claude", ".claude/settings.json", `{"hooks":{"PreToolUse":[{"hooks":[` + ours + `,{"type":"command","command":"./x"}]}],"Stop":[]}}`, []string{"PreToolUse"}},
		{"claude", ".claude/settings.json", `{"hooks":{"Stop":[{"hooks":[{"type":"http","url":"http://x"}]}]}}`, []string{"Stop"}},
		{"claude", ".claude/settings.json", `{"permissions":{"allow":["Bash"]}}`, nil},
		{"copilot", ".github/hooks/*.json", `{"hooks":{"preToolUse":[{"bash":"./x"}]}}`, []string{"preToolUse"}},
		{"cursor", ".cursor/hooks.json", `{"version":1,"hooks":{"stop":[{"command":"./x"}]}}`, []string{"stop"}},
		{"opencode", "opencode.json", `{"plugin":["./x.js",["y",{}],"./.checkrein/opencode.js"]}`, []string{"the plugin ./x.js", "the plugin y"}},
	}
	for _, tt := range tests {
		if got := findRow(t, tt.host, tt.path).ForeignHooks([]byte(tt.text)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.text, got, tt.want)
		}
	}
}
