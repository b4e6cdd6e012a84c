package secret

import (
	"fmt"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/secret/rules"
)

// TestLinesWithMargins checks that findings are the same in lines that a program prints with a margin:
// in diffs, listings and search results.
func TestLinesWithMargins(t *testing.T) {
	t.Parallel()
	const value = "Tulip47-Harbor"
	texts := map[string]string{
		"above its value":  "env:\n- name: DB_PASSWORD\n  value: " + value + "\n- name: MODE\n  value: fast",
		"in tags":          "<key>DBPassword</key>\n<string>" + value + "</string>",
		"in a column":      "user,password\njoe," + value,
		"in a table":       "| user | password |\n|---|---|\n| joe | " + value + " |",
		"a default":        "variable \"admin_password\" {\n  default = \"" + value + "\"\n}",
		"a file of logins": "db:5432:app:joe:" + value,
		"a command":        "sshpass -p '" + value + "' ssh root@h",
		"the last word":    "docker login -u me -p " + value + " registry.example.com",
	}
	margins := map[string]func(i int) string{
		"added":        func(int) string { return "+" },
		"removed":      func(int) string { return "-" },
		"cat -n":       func(i int) string { return fmt.Sprintf("%6d\t", i+8) },
		"an arrow":     func(i int) string { return fmt.Sprintf("%6d→", i+8) },
		"grep -n":      func(i int) string { return fmt.Sprintf("%d:", i+8) },
		"grep -nH":     func(i int) string { return fmt.Sprintf("conf/app-1.conf:%d:", i+8) },
		"beside a hit": func(i int) string { return fmt.Sprintf("conf/app-1.conf-%d-", i+8) },
		"a bar":        func(i int) string { return fmt.Sprintf("%4d | ", i+8) },
	}
	for what, text := range texts {
		for how, margin := range margins {
			lines := strings.Split("mode: fast\n"+text+"\nlevel: info", "\n")
			for i := range lines {
				lines[i] = margin(i) + lines[i]
			}
			shown := strings.Join(lines, "\n")
			got, n := Redact(shown, rules.Secrets, nil)
			if want := strings.Replace(shown, value, Marker, 1); got != want || n != 1 {
				t.Errorf("%s, %s: got\n%s\nwant\n%s", what, how, got, want)
			}
		}
	}
}

// TestLinesThatAreNoListing checks that lines whose margins do not continue each other are read one by
// one.
func TestLinesThatAreNoListing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"12\tuser,password\n40\tjoe,Tulip47-Harbor",
		"+user,password\n-joe,Tulip47-Harbor",
		"a.csv:1:user,password\nb.csv:9:joe,Tulip47-Harbor",
		"--- a/password\n+++ b/password\n",
		"2026-11-16 password\n2026-11-17 Tulip47-Harbor-of-the-day",
	} {
		if got := Find(nil, text, rules.Secrets); len(got) > 0 {
			t.Errorf("%q: %v", text, got)
		}
	}
}
