package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/approval/coverage"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A job is something that several builtins and well-known scripts do, each with its own rules.
type job struct {
	what string
	by   []string
}

// jobs is the table of jobs.
var jobs = []job{
	{"withholds secrets", []string{"redact_secrets", "secret_guard", "security_guard", "block_secrets"}},
	{"judges shell commands", []string{"packs", "safer_shell", "secret_guard", "security_guard", "dangerous_bash_guard", "llm_judge"}},
	{"checks claims", []string{"verify_claims", "verify_publish_claims", "check_publish"}},
	{"writes a footer", []string{"runtime_footer", "turn_footer"}},
	{"cleans personal data", []string{"pii_redactor"}},
}

// hookNames returns the names by which h can be found in jobs: the name of its builtin, or the names
// of its scripts without extension.
func hookNames(place coverage.Place, h *checkrein.Hook) []string {
	if h.Run == "builtin" {
		return []string{rawjson.GetText(h.With, "name")}
	}
	var out []string
	for _, f := range coverage.ExistingFiles(h, place) {
		base := filepath.Base(f)
		out = append(out, strings.ReplaceAll(strings.TrimSuffix(base, filepath.Ext(base)), "-", "_"))
	}
	return out
}

// checkDuplicates adds findings about hooks on the same event that do the same.
func (d *doctor) checkDuplicates() {
	for i, h := range d.hooks {
		for _, other := range d.hooks[:i] {
			if other.On == h.On && other.Event == h.Event && h.Broken == "" && other.Broken == "" {
				d.comparePair(other, h)
			}
		}
	}
}

// comparePair adds a finding about h if it does the same as first.
func (d *doctor) comparePair(first, h *checkrein.Hook) {
	where := fmt.Sprintf("%s (%s)", first.Label(), first.From)
	if approval.DefinitionHex(first) == approval.DefinitionHex(h) {
		d.addFinding("same-hook", h, Finding{Message: message.New("it is the same as " + where + ", so it runs only once")})
		return
	}
	if approval.RunText(first) == approval.RunText(h) && h.Match == first.Match && h.Args == first.Args && h.Search == first.Search && string(h.If) == string(first.If) {
		d.addFinding("two-guards", h, Finding{Message: message.New("it runs the same command as " + where + " on the same events, so the command runs twice")})
		return
	}
	a, b := hookNames(d.coveragePlace(d.Kit.Root()), first), hookNames(d.coveragePlace(d.Kit.Root()), h)
	for _, j := range jobs {
		does := func(s string) bool { return slices.Contains(j.by, s) }
		if slices.ContainsFunc(a, does) && slices.ContainsFunc(b, does) && approval.RunText(first) != approval.RunText(h) {
			d.addFinding("two-guards", h, Finding{Message: message.New(fmt.Sprintf("like %s, it %s, perhaps with different rules", where, j.what))})
			return
		}
	}
}

// checkPrivateMessages adds a finding if h is meant for files that leave the machine, but is on an
// event that every message to the user passes.
func (d *doctor) checkPrivateMessages(h *checkrein.Hook) {
	if h.On != checkrein.OnOutboundMessage && h.On != checkrein.OnResponseEnd {
		return
	}
	why := ""
	for _, n := range hookNames(d.coveragePlace(d.Kit.Root()), h) {
		switch {
		case n == "pii_redactor":
			why = "addresses and numbers"
		case strings.Contains(n, "scrub") || strings.Contains(n, "content_guard"):
			why = "whatever it scrubs"
		}
	}
	if why == "" && d.concernsPrivateNetworks(h) {
		why = "private addresses and host names"
	}
	if why != "" {
		d.addFinding("private-messages", h, Finding{Message: message.New(fmt.Sprintf("it also removes %s from the agent's messages to you, where you may need them", why))})
	}
}

// maxScript is the size in bytes up to which scripts are read.
const maxScript = 256 << 10

// concernsPrivateNetworks reports whether the conditions, arguments or scripts of h mention private
// networks.
func (d *doctor) concernsPrivateNetworks(h *checkrein.Hook) bool {
	if mentionsPrivateNetworks(string(h.If)) || mentionsPrivateNetworks(string(h.With)) {
		return true
	}
	return slices.ContainsFunc(coverage.ExistingFiles(h, d.coveragePlace(d.Kit.Root())), func(path string) bool {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxScript {
			return false
		}
		text, err := os.ReadFile(path)
		return err == nil && mentionsPrivateNetworks(string(text))
	})
}

// mentionsPrivateNetworks reports whether text mentions private networks.
func mentionsPrivateNetworks(text string) bool {
	text = strings.ReplaceAll(text, `\`, "")
	return slices.ContainsFunc([]string{"192.168", "172.16", "10.0.0", "internal_host", ".internal", "RFC 1918", "rfc1918"},
		func(s string) bool { return strings.Contains(text, s) })
}

// payloadMembers lists the members of payloads that scripts often search for as text.
var payloadMembers = []string{"command", "cmd", "tool_name", "event", "event_type", "hook_event_name", "path", "file_path", "prompt"}

// checkTextSearch adds a finding if a script of h searches the payload with text tools and expects
// other spaces than the payload has. Such a script finds nothing, and lets everything pass.
func (d *doctor) checkTextSearch(h *checkrein.Hook) {
	if h.Run != "command" {
		return
	}
	lang, ok := dialect.Lookup(h.Dialect)
	if !ok {
		return
	}
	payload, err := lang.Encode(NewEvent(h, "/", "/"))
	if err != nil {
		return
	}
	texts := []string{rawjson.GetText(h.With, "command")}
	for _, path := range coverage.ExistingFiles(h, d.coveragePlace(d.Kit.Root())) {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() <= maxScript {
			text, _ := os.ReadFile(path)
			texts = append(texts, string(text))
		}
	}
	for _, text := range texts {
		if member, wants := searchMismatch(text, string(payload)); member != "" {
			d.addFinding("json-by-text", h, Finding{Level: breakageLevel(h), Message: message.New(fmt.Sprintf("it searches the payload's text for %s but never finds it, because spaces in JSON can differ", wants))})
			return
		}
	}
}

// searchMismatch returns the name of a member that script searches for with spaces that payload does
// not have, and the text that it searches for. It returns "" if there is none.
func searchMismatch(script, payload string) (member, wants string) {
	if !strings.Contains(script, "grep") && !strings.Contains(script, "sed ") && !strings.Contains(script, "awk ") {
		return "", ""
	}
	script = strings.ReplaceAll(script, `\`, "")
	for _, name := range payloadMembers {
		tight, wide := `"`+name+`":"`, `"`+name+`": "`
		switch {
		case strings.Contains(script, wide) && !strings.Contains(script, tight) && strings.Contains(payload, tight):
			return name, wide
		case strings.Contains(script, tight) && !strings.Contains(script, wide) && strings.Contains(payload, wide):
			return name, tight
		}
	}
	return "", ""
}
