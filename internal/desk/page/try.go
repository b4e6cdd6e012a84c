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

	"github.com/checkrein/checkrein/internal/desk/approvals"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/rogpeppe/go-internal/diff"
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
		Unchanged int `json:"unchanged"`
		Changes   []struct {
			Direction string `json:"direction"`
			Count     int    `json:"count"`
			Rules     []struct {
				Rule     string `json:"rule"`
				Count    int    `json:"count"`
				Examples []struct {
					ID   string                  `json:"id"`
					Call string                  `json:"call"`
					Was  struct{ Answer string } `json:"was"`
					Is   struct{ Answer string } `json:"is"`
				} `json:"examples"`
			} `json:"rules"`
		} `json:"changes"`
		Cannot []struct {
			Count int `json:"count"`
		} `json:"cannot_be_replayed"`
	}
	Analysis struct { // of calls of any kind
		Differences []struct {
			Direction string `json:"direction"`
			From      string `json:"from"`
			To        string `json:"to"`
			Where     string `json:"where"`
			Witness   struct {
				Call string `json:"call"`
			} `json:"witness"`
		} `json:"differences"`
	}
	Error  string // why one of them is missing
	File   string // where the policy is saved
	Text   string
	Diff   []string                // lines
	Change *approvals.PolicyChange // nil = it cannot be saved from a page
}

// IsWeaker reports whether the draft decides some calls more mildly.
func (t *trial) IsWeaker() bool {
	for _, d := range t.Analysis.Differences {
		if d.Direction != "stricter" {
			return true
		}
	}
	return false
}

// trialTime is how long a draft may be tried.
const trialTime = 25 * time.Second

// tryPolicy shows how a draft differs from the policy, and what it would decide otherwise: of the calls
// of the last week, and of any call. Nothing is executed and nothing is saved.
func (p *Page) tryPolicy(w http.ResponseWriter, r *http.Request) {
	t := trial{File: r.PostFormValue("file"), Text: draftText(r)}
	change, old, err := p.opts.Desk.ProposePolicy(p.project(r.Context()), t.File, []byte(t.Text))
	if err == nil && isShown(old) && isShown([]byte(t.Text)) {
		t.Change = change
		if text := diff.Diff("is", old, "will be", []byte(t.Text)); text != nil {
			t.Diff = strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")[3:] // without its head
		}
	}
	if err == nil {
		err = p.fillTrial(r, &t, old != nil)
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

// fillTrial fills t with what its draft decides. exists means that it replaces a policy.
func (p *Page) fillTrial(r *http.Request, t *trial, exists bool) error {
	return p.withDraft(r.Context(), t.Text, func(file string, run func(any, ...string) error) error {
		if err := run(t, "validate", "--json", file); err != nil || !t.Valid {
			return err
		}
		err := run(&t.Replay, "replay", "--policy", file, "--since", "7d", "--json")
		if err == nil && exists {
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
		err = &approvals.Error{Status: http.StatusBadRequest, Why: "the proof cannot be read", Remedy: "try the policy again, and save that"}
	}
	if err == nil {
		err = p.withDraft(r.Context(), text, func(file string, run func(any, ...string) error) error { return run(&t, "validate", "--json", file) })
	}
	if err == nil && (!t.Valid || !isShown([]byte(text))) {
		err = &approvals.Error{Status: http.StatusUnprocessableEntity, Why: "the policy is not valid, or has values that pages do not show", Remedy: "try it again, or save it with your editor"}
	}
	var by string
	if err == nil {
		by, err = p.opts.Desk.SavePolicy(p.project(r.Context()), []byte(r.PostFormValue("change")), []byte(text), &proof)
	}
	approvals.WriteJSON(w, map[string]string{"by": by}, err)
}
