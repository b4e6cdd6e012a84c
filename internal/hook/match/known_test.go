package match

import (
	"strings"
	"testing"
)

func TestCheckTypo(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]string{
		"Bsh":               `matches no known tool, did you mean "Bash"?`,
		"BASH":              `matches no known tool, did you mean "Bash"?`,
		"Bash|Wriet":        `no known tool is named "Wriet", did you mean "Write"?`,
		"Bahs|Wriet":        "matches no known tool",
		"^Bsh$":             "matches no known tool",
		"\bshell\b":         "matches no known tool",
		"Bash(git push:*)":  "matches no known tool",
		"shell, write_file": "matches no known tool",
		"Bash":              "", "Bash|Write": "", "*": "", ".*": "", "(shell|x)": "", "edit_.*": "",
		"mcp__github__push": "", "mcp:github/push": "", "Bash|mcp__bsh__bsh": "",
		"deploy": "", "Bash|deploy_production": "", "query_orders|send_invoice": "", "deploy_.*": "", "(roll|take)_back": "",
		"create_ticket|run_tests|get_weather|db|sendMail|lint|build": "",
	} {
		m, err := CompileTool(expr, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.CheckTypo(expr, nil); (got == nil) != (want == "") || got != nil && !strings.HasSuffix(got.Error(), want) {
			t.Errorf("%s: %v, want %q", expr, got, want)
		}
	}
	m, err := CompileTool("Shel|Special", true)
	if got := m.CheckTypo("Shel|Special", []string{"Special"}); err != nil || got == nil || !strings.Contains(got.Error(), `"Shel"`) {
		t.Errorf("%v, %v", got, err)
	}
}
