package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// spellings are secrets, each another, as somebody writes them who hides them.
func spellings() map[string]string {
	n := 0
	secret := func() string {
		const body = "Zq7Lw2Xn9Bv4Kc1Rt6My8Hs3Jd5Fg0PaQ2sWe4Tu"
		n += 3
		return "gh" + "p_" + (body + body)[n:n+18] + (body + body)[40-n:58-n]
	}
	each := func(format string) string {
		var out strings.Builder
		for _, c := range []byte(secret()) {
			fmt.Fprintf(&out, format, c)
		}
		return out.String()
	}
	join := func(sep string) string { s := secret(); return s[:7] + sep + s[7:15] + sep + s[15:] }
	return map[string]string{
		"hex":          hex.EncodeToString([]byte(secret())),
		"hex escapes":  each(`\x%02x`),
		"percents":     each("%%%02X"),
		"entities":     each("&#%d;"),
		"u escapes":    each(`\u%04x`),
		"base64":       base64.StdEncoding.EncodeToString([]byte(secret())),
		"empty quotes": join(`""`),
		"single":       join(`''`),
		"backslash":    join(`\`),
		"plus":         join(`" + "`),
		"zero width":   join("\u200b"),
		"NUL":          join("\x00"),
		"UTF-16":       each("%c\x00"),
	}
}

// TestLedgerMasksEncodedSecrets has a host send, in every place of an event that comes
// from a model, a secret that does not look like itself. Neither the ledger nor the
// log nor an export may keep it.
func TestLedgerMasksEncodedSecrets(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	project := filepath.Join(home, "project")
	config := filepath.Join(home, ".config", "checkrein")
	for _, dir := range []string{project, config} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	// A hook that says again what it hears: as its reason, its context and a complaint.
	script := `input=$(cat); printf '%s' "$input" >&2; exit 2`
	hooks := "version: 1\nhooks:\n  pre_tool_use:\n    - {name: echo, type: command, command: " + jsonOf(t, script) + "}\n"
	if err := os.WriteFile(filepath.Join(config, "checkrein.yaml"), []byte(hooks), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(in []byte, args ...string) []byte {
		cmd := exec.Command(filepath.Join(programs, "checkrein"), args...)
		cmd.Dir, cmd.Env = project, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
		cmd.Stdin = bytes.NewReader(in)
		out, _ := cmd.Output() // a denial has a code of its own
		return out
	}
	all := spellings()
	for name, spelling := range all {
		run([]byte(jsonOf(t, map[string]any{
			"session_id": "s-" + name, "hook_event_name": "PreToolUse", "cwd": project, "tool_name": "Bash",
			"tool_input": map[string]string{"command": "echo \"" + spelling + "\"", "description": "shows " + spelling, "file_path": "/srv/" + spelling + "/x"},
		})), "hook", "claude")
		run([]byte(jsonOf(t, map[string]any{"session_id": "s-" + name, "hook_event_name": "UserPromptSubmit", "cwd": project, "prompt": "use " + spelling})), "hook", "claude")
		run([]byte("not JSON: "+spelling), "hook", "claude")
	}
	kept := map[string]string{"export": string(run(nil, "audit", "export")), "csv": string(run(nil, "audit", "export", "--format", "csv"))}
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || path == filepath.Join(config, "checkrein.yaml") {
			return err
		}
		data, err := os.ReadFile(path)
		kept[strings.TrimPrefix(path, home)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(kept["export"], `"kind":"event"`); n < 3*len(all) {
		t.Fatalf("only %d events were recorded", n)
	}
	for name, spelling := range all {
		for file, text := range kept {
			if at := partOf(text, spelling); at >= 0 {
				t.Errorf("%s: %s has a part of it: …%s…", name, file, text[max(0, at-60):min(len(text), at+80)])
			} else if at := partOf(text, strings.Trim(jsonOf(t, spelling), `"`)); at >= 0 {
				t.Errorf("%s: %s has a part of it in JSON: …%s…", name, file, text[max(0, at-60):min(len(text), at+80)])
			}
		}
	}
}

// partOf returns where a text has half of another, or -1.
func partOf(text, other string) int {
	half := len(other) / 2
	for from := 0; from+half <= len(other); from++ {
		if at := strings.Index(text, other[from:from+half]); at >= 0 {
			return at
		}
	}
	return -1
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out.String())
}
