package page

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/checkrein/checkrein/internal/desk/approvals"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// A draft is the data of the page on which a person edits a policy.
type draft struct {
	File   string
	Files  []string // that can be edited
	Text   string
	Hidden bool // the file has values that pages do not show
}

// showEdit shows a policy as a draft: that of the parameter file, or the person's own.
func (p *Page) showEdit(r *http.Request) (screen, error) {
	dir := p.project(r.Context())
	files, err := p.opts.Desk.PolicyFiles(dir)
	if err != nil {
		return screen{}, err
	}
	d := draft{File: files[0], Files: files}
	if file := r.URL.Query().Get("file"); slices.Contains(files, file) { // not so if it was of another project
		d.File = file
	}
	text, err := p.opts.Desk.ReadPolicy(dir, d.File)
	switch {
	case err != nil:
		return screen{}, err
	case text == nil:
		d.Text = "version: 1\n"
	case !isShown(text):
		d.Hidden = true
	default:
		d.Text = string(text)
	}
	return p.ofProject(r.Context(), screen{Name: "edit", Title: "Try a policy", Data: d})
}

// isShown reports whether a page shows the policy text as it is: it has no secrets and no invisible
// characters.
func isShown(text []byte) bool {
	s := string(text)
	return !strings.Contains(s, "channels:") && secret.Redactor{}.MaskText(s) == s && visible.EscapeText(s) == s
}

// A trial is what a draft would decide otherwise.
type trial struct {
	Valid    bool `json:"valid"`
	Problems []struct {
		Level string `json:"level"`
		Line  int    `json:"line"`
		What  string `json:"what"`
	} `json:"problems"`
	Replay struct { // of calls of the last week
		Calls     int `json:"calls"`
		Unchanged int `json:"unchanged"` // of those that could be decided again
		Changes   []struct {
			Direction string        `json:"direction"`
			Count     int           `json:"count"`
			Rules     []changedRule `json:"rules"`
		} `json:"changes"`
		Cannot []struct {
			Count int `json:"count"`
		} `json:"cannot_be_replayed"`
	}
	Analysis struct { // of calls of any kind
		Differences []difference `json:"differences"`
	}
	Compared bool // there is a policy that the draft replaces

	Error  string // why one of them is missing
	File   string // where the policy is saved
	Text   string
	Diff   []string                // lines
	Change *approvals.PolicyChange // nil = it cannot be saved from a page
}

// A changedRule has calls that one rule decides otherwise.
type changedRule struct {
	Rule     string `json:"rule"`
	Count    int    `json:"count"`
	Examples []struct {
		ID   string                  `json:"id"`
		Call string                  `json:"call"`
		Was  struct{ Answer string } `json:"was"`
		Is   struct{ Answer string } `json:"is"`
	} `json:"examples"`
}

// More returns how many calls are not among the examples.
func (c *changedRule) More() int { return c.Count - len(c.Examples) }

// A difference is a set of calls that a draft decides otherwise, or a setting that only one policy has.
type difference struct {
	Direction string `json:"direction"`
	Status    string `json:"status"`
	Setting   string `json:"setting"`
	From      string `json:"from"`
	To        string `json:"to"`
	Where     string `json:"where"`
	Witness   struct {
		Call string `json:"call"`
	} `json:"witness"`
}

// IsStricter reports whether the draft is stricter there.
func (d *difference) IsStricter() bool { return d.Direction == "stricter" }

// Text returns in words what is different.
func (d *difference) Text() string {
	switch {
	case d.Setting == "":
		return strings.TrimPrefix(d.Where, "pre_tool_use ")
	case d.Status == "possible":
		return d.Setting + " differ"
	case d.IsStricter():
		return d.Setting + " is gone"
	}
	return d.Setting + " is new"
}

// Example returns a call that is decided otherwise, or "".
func (d *difference) Example() string { return strings.TrimPrefix(d.Witness.Call, "shell: ") }

// IsWeaker reports whether the draft decides some calls less strictly.
func (t *trial) IsWeaker() bool {
	for _, c := range t.Replay.Changes {
		if c.Direction == "newly-allowed" {
			return true
		}
	}
	return slices.ContainsFunc(t.Analysis.Differences, func(d difference) bool { return !d.IsStricter() })
}

// CountLost returns how many calls could not be decided again.
func (t *trial) CountLost() (n int) {
	for _, c := range t.Replay.Cannot {
		n += c.Count
	}
	return n
}

// CountChanged returns how many calls would end otherwise.
func (t *trial) CountChanged() int { return t.Replay.Calls - t.Replay.Unchanged - t.CountLost() }

// trialTime is how long a draft may be tried.
const trialTime = 25 * time.Second

// tryPolicy shows how a draft differs from the policy, and what it would decide otherwise: of the calls
// of the last week, and of any call. Nothing is executed and nothing is saved.
func (p *Page) tryPolicy(w http.ResponseWriter, r *http.Request) {
	t := trial{File: r.PostFormValue("file"), Text: draftText(r)}
	change, old, err := p.opts.Desk.ProposePolicy(p.project(r.Context()), t.File, []byte(t.Text))
	t.Compared = old != nil
	if err == nil && isShown(old) && isShown([]byte(t.Text)) {
		t.Change = change
		if text := diff.Diff("is", old, "will be", []byte(t.Text)); text != nil {
			t.Diff = strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")[3:] // without its head
		}
	}
	if err == nil {
		err = p.fillTrial(r, &t)
	}
	p.render(w, r, &screen{Name: "tried", Part: true, Data: &t}, err)
}

// draftText returns the draft in r, with the line ends of a file.
func draftText(r *http.Request) string {
	return strings.ReplaceAll(r.PostFormValue("text"), "\r\n", "\n")
}

// withDraft calls do with a file that has text, and with a function that runs commands which print JSON.
func (p *Page) withDraft(ctx context.Context, text string, do func(file string, run func(into any, args ...string) error) error) error {
	dir, err := os.MkdirTemp("", "checkrein-draft-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "checkrein.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	return do(file, func(into any, args ...string) error {
		out, err := p.run(ctx, args...)
		if err == nil {
			err = json.Unmarshal(out, into)
		}
		return err
	})
}

// fillTrial fills t with what its draft decides.
func (p *Page) fillTrial(r *http.Request, t *trial) error {
	return p.withDraft(r.Context(), t.Text, func(file string, run func(any, ...string) error) error {
		if err := run(t, "validate", "--json", file); err != nil || !t.Valid {
			return err
		}
		err := run(&t.Replay, "replay", "--policy", file, "--since", "7d", "--examples", "20", "--json")
		if err == nil && t.Compared {
			err = run(&t.Analysis, "analyze", "--diff", t.File, file, "--json")
		}
		if err != nil {
			t.Error = strings.ReplaceAll(err.Error(), file, "new.yaml")
		}
		return nil
	})
}

// challengePolicy answers with what a key must sign to save a policy.
func (p *Page) challengePolicy(w http.ResponseWriter, r *http.Request) {
	c, err := p.opts.Desk.Challenge(r.PostFormValue("handle"))
	approvals.WriteJSON(w, c, err)
}

// savePolicy saves a draft, if it is valid and a person proves to want exactly this change.
func (p *Page) savePolicy(w http.ResponseWriter, r *http.Request) {
	var proof approvals.Proof
	var t trial
	text := draftText(r)
	err := json.Unmarshal([]byte(r.PostFormValue("proof")), &proof)
	if err != nil {
		err = &approvals.Error{Status: http.StatusBadRequest, Why: "the proof cannot be read", Remedy: "try the policy again, and then save it"}
	}
	if err == nil {
		err = p.withDraft(r.Context(), text, func(file string, run func(any, ...string) error) error { return run(&t, "validate", "--json", file) })
	}
	switch {
	case err == nil && !t.Valid:
		err = &approvals.Error{Status: http.StatusUnprocessableEntity, Why: "the policy is not valid", Remedy: "try it to see what is wrong"}
	case err == nil && !isShown([]byte(text)):
		err = &approvals.Error{Status: http.StatusUnprocessableEntity, Why: "the policy has values that pages do not show", Remedy: "save it with your editor"}
	}
	var saved *approvals.SavedPolicy
	if err == nil {
		saved, err = p.opts.Desk.SavePolicy(p.project(r.Context()), []byte(r.PostFormValue("change")), []byte(text), &proof)
	}
	approvals.WriteJSON(w, saved, err)
}
