package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// testUpgradeLines runs every installed line and plugin as its host does: the reply has
// the host's form, and the decision that the build made.
func testUpgradeLines(h *upgradeHome, dir string) {
	calls := readUpgradeCalls(h.t, dir)
	if _, err := exec.LookPath("node"); err != nil {
		h.t.Log("SKIPPED: there is no node, so the plugins were not run")
		calls = slices.DeleteFunc(calls, func(c upgradeCall) bool { return c.Run[0] == "node" })
	}
	gate := regexp.MustCompile(`(?i)pre_?tool|before`)
	for _, c := range calls { // gates once more, where hooks run and others wait for approval
		if c.Scope == "user" && gate.MatchString(c.Event) && strings.Contains(c.Input, `"ls"`) {
			c.Dir, c.Input = h.project, strings.ReplaceAll(c.Input, "/home/wired", "/home/shop")
			calls = append(calls, c)
		}
	}
	records := h.records()
	for i, got := range h.answer(calls) {
		if want := calls[i]; got.Exit != want.Exit || replyForm(got.Reply) != replyForm(want.Reply) {
			h.t.Errorf("%s: exit code %d, %s\nwant %d, %s", got.name(), got.Exit, got.Reply, want.Exit, want.Reply)
		}
	}
	if n := h.records(); n < records+len(calls) {
		h.t.Errorf("%d records, and %d after %d calls", records, n, len(calls))
	}
}

// readUpgradeCalls reads the calls of a sample. Those of the first are not compressed.
func readUpgradeCalls(t *testing.T, dir string) (calls []upgradeCall) {
	t.Helper()
	var r io.Reader
	f, err := os.Open(filepath.Join(dir, "calls.jsonl"))
	if r = f; errors.Is(err, fs.ErrNotExist) {
		if f, err = os.Open(filepath.Join(dir, "calls.jsonl.gz")); err == nil {
			r, err = gzip.NewReader(f)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for dec := json.NewDecoder(r); dec.More(); {
		var c upgradeCall
		if err := dec.Decode(&c); err != nil {
			t.Fatal(err)
		}
		calls = append(calls, c)
	}
	return calls
}

// records returns how many records the ledger has.
func (h *upgradeHome) records() int {
	h.t.Helper()
	_, out := h.run("audit", "query", "--json", "--limit", "100000")
	return strings.Count(out, "\n")
}

// replyForm returns a reply without its texts, and without what only people see.
func replyForm(reply string) string {
	var v any
	if json.Unmarshal([]byte(reply), &v) != nil {
		return map[bool]string{true: "", false: "text"}[reply == ""]
	}
	var strip func(key string, v any) any
	strip = func(key string, v any) any {
		switch v := v.(type) {
		case map[string]any:
			for _, seen := range []string{"systemMessage", "system_message", "told"} {
				delete(v, seen)
			}
			for k := range v {
				v[k] = strip(k, v[k])
			}
		case []any:
			for i := range v {
				v[i] = strip(key, v[i])
			}
		case string:
			isDecision := slices.Contains([]string{"deny", "block", "ask", "allow"}, v)
			isFixed := slices.Contains([]string{"hookEventName", "command", "id", "jsonrpc", "protocolVersion"}, key)
			if !isDecision && !isFixed {
				return ""
			}
		}
		return v
	}
	form, _ := json.Marshal(strip("", v))
	if string(form) == "{}" { // as some hosts want it where others want nothing
		return ""
	}
	return string(form)
}
