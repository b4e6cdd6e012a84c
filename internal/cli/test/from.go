package test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/explain"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/hook/dialect/native"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// makeCase prints a case made from the record of --from, or appends it to the file of --out.
func (c *command) makeCase(ctx context.Context) error {
	dir, err := records.LedgerFlag("").Dir(c.env)
	if err != nil {
		return err
	}
	raw, err := records.FindRecord(ctx, c.env, dir, c.from)
	if err != nil {
		return err
	}
	if _, damage := ledger.ParseLine(raw); damage != nil {
		return &base.Exit{Code: console.Finding, Err: errors.New("this record was changed or damaged, so no case is made from it. For details, run checkrein audit verify")}
	}
	r, err := record.Decode(raw)
	if err != nil || r.Kind != ledger.KindEvent {
		return &base.Exit{Code: console.Finding, Err: errors.New("this record is not about an event. To list those that are, run checkrein audit query")}
	}
	text, err := caseOf(r)
	if err != nil {
		return &base.Exit{Code: console.Finding, Err: fmt.Errorf("no case can be made from record %d: %w", r.Seq, err)}
	}
	if c.out == "" {
		_, err := io.WriteString(c.env.Stdout, "cases:\n"+text)
		return err
	}
	return c.appendCase(text)
}

// appendCase appends a case to the file of --out, which is created if it does not exist.
func (c *command) appendCase(text string) error {
	path := c.env.Path(c.out)
	if !strings.HasSuffix(path, suffix) {
		return fmt.Errorf("--out: the name of a test file ends with %s", suffix)
	}
	old, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		old = []byte("cases:\n")
	case err != nil:
		return base.AsFailure(err)
	case len(old) > 0 && old[len(old)-1] != '\n':
		old = append(old, '\n')
	}
	before := &testFile{path: path}
	after := &testFile{path: path}
	_ = before.parse(old)
	if err := after.parse(append(old, text...)); err != nil || len(after.cases) != len(before.cases)+1 {
		return &base.Exit{Code: console.Finding, Err: fmt.Errorf("%s does not end with its cases in block form: add the case yourself, from checkrein test --from %s", path, c.from)}
	}
	if err := state.ReplaceFile(path, after.src, 0o644); err != nil {
		return base.AsFailure(err)
	}
	fmt.Fprintf(c.env.Stdout, "added a case to %s\n", path)
	return nil
}

// caseOf returns the case that a record is about, as an item of a list in YAML.
func caseOf(r *record.Record) (string, error) {
	ev, missing := records.EventOf(r)
	switch {
	case missing == records.Truncated:
		return "", errors.New("the call was too long to be recorded as a whole: write the case with the call itself")
	case missing == records.Redacted && dependsOnSecret(r):
		return "", errors.New("it was decided because of a secret, which the record does not contain: write the case with a made-up secret of the same kind")
	case r.Fault != "":
		return "", fmt.Errorf("the event could not be read (%s)", r.Fault)
	}
	expect := expectOf(r, &ev)
	var b strings.Builder
	line := func(key, value string) { fmt.Fprintf(&b, "    %s: %s\n", key, value) }
	shell := ev.Kind == checkrein.PreToolUse && ev.Tool != nil && len(ev.Tool.Commands()) == 1 && cmp.Or(ev.Tool.Canonical, "shell") == "shell"
	name := r.Event
	switch {
	case shell:
		name = base.OneLine(ev.Tool.Commands()[0])
	case ev.Tool != nil:
		name += " " + ev.Tool.Name
	}
	fmt.Fprintf(&b, "  - name: %s\n", scalarText(fmt.Sprintf("record %d: %s", r.Seq, base.Truncate(name, base.MaxCell))))
	if r.Host != "" && r.Host != "native" {
		line("host", r.Host)
	}
	if rel, err := filepath.Rel(cmp.Or(r.Root, r.Dir), r.Dir); err == nil && rel != "." && filepath.IsLocal(rel) {
		line("dir", scalarText(filepath.ToSlash(rel)))
	}
	switch {
	case shell && rawjson.GetText(ev.Tool.Input, "command") != "":
		line("command", scalarText(relocate(ev.Tool.Commands()[0], r)))
	default:
		ev.Host, ev.Session = "", checkrein.Session{Agent: ev.Session.Agent}
		body, err := native.Dialect.Encode(ev)
		if err == nil {
			body, err = rawjson.Patch(body, []byte(`{"session_id":null,"cwd":null}`))
		}
		if err != nil {
			return "", err
		}
		line("event", relocate(string(body), r))
	}
	if r.Answer == "contained" {
		line("walls", "true")
	}
	if r.Answer == "saved" {
		b.WriteString("    # Add files: that the call would lose, such as files: {src/main.go: text}. What is saved depends on them.\n")
	}
	line("expect", expect)
	return b.String(), nil
}

// relocate returns text with the project of r as test files write it.
func relocate(text string, r *record.Record) string {
	if root := cmp.Or(r.Root, r.Dir); filepath.Dir(root) != root && root != "" {
		return strings.ReplaceAll(text, root, projectVar)
	}
	return text
}

// answers has the answer of each decision.
var answers = map[string]string{"deny": "denied", "ask": "asked"}

// expectOf returns what was decided about r, the record of ev, as a mapping in YAML. A test asks where the
// agent can ask, although no person was there when the call was recorded.
func expectOf(r *record.Record, ev *checkrein.Event) string {
	decision := r.Decision
	switch {
	case r.Unasked != "" && host.Honours(ev)&checkrein.CanAsk != 0:
		decision = "ask"
	case r.Shadow && r.Trial != nil:
		decision = r.Trial.Counted
	case r.Shadow:
		decision = ""
	}
	answer := cmp.Or(r.Answer, answers[decision], "pass")
	text := "{answer: " + answer
	if record.Decides(decision) {
		for _, d := range explain.Deciders(r) {
			if d.Step != nil && r.Counts(d.Step) {
				text += ", rule: " + scalarText(d.Step.Decider())
				break
			}
		}
	}
	return text + "}"
}

// dependsOnSecret reports whether a hook decided about r because of a secret.
func dependsOnSecret(r *record.Record) bool {
	return slices.ContainsFunc(r.Plan, func(s record.Step) bool {
		return record.Decides(s.Decision) && (s.Pack == "secrets" || strings.HasPrefix(s.Rule, "secrets/") || strings.Contains(s.Hook, "secret"))
	})
}
