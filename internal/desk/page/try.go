package page

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// A draft is the data of the page on which a person edits the policy.
type draft struct {
	File   string // where the policy is saved
	Text   string
	Hidden bool // the file has values that pages do not show
}

// maxPolicy is the maximum size of a policy that is edited, in bytes.
const maxPolicy = 128 << 10

// showEdit shows the person's own file as a draft.
func (p *Page) showEdit(*http.Request) (screen, error) {
	d := draft{File: p.opts.Config}
	text, err := os.ReadFile(p.opts.Config)
	switch {
	case err != nil: // there is none yet
		d.Text = "version: 1\n"
	case len(text) > maxPolicy, strings.Contains(string(text), "channels:"), secret.Redactor{}.MaskText(string(text)) != string(text):
		d.Hidden = true
	default:
		d.Text = visible.EscapeText(string(text))
	}
	return screen{Name: "edit", Title: "Try a policy", Data: d}, nil
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
	Error string // why one of them is missing
	File  string // where the policy is saved
}

// trialTime is how long a draft may be tried.
const trialTime = 25 * time.Second

// tryPolicy shows what a draft would decide otherwise: of the calls of the last week, and of any call.
// Nothing is executed and nothing is saved.
func (p *Page) tryPolicy(w http.ResponseWriter, r *http.Request) {
	t := trial{File: p.opts.Config}
	err := p.fillTrial(r, &t)
	p.render(w, r, &screen{Name: "tried", Part: true, Data: &t}, err)
}

func (p *Page) fillTrial(r *http.Request, t *trial) error {
	dir, err := os.MkdirTemp("", "checkrein-draft-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "checkrein.yaml")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(r.PostFormValue("text"), "\r\n", "\n")), 0o600); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), trialTime)
	defer cancel()
	run := func(into any, args ...string) error {
		out, err := p.opts.Run(ctx, args...)
		if err == nil {
			err = json.Unmarshal(out, into)
		}
		return err
	}
	if err := run(t, "validate", "--json", file); err != nil || !t.Valid {
		return err
	}
	err = run(&t.Replay, "replay", "--policy", file, "--since", "7d", "--json")
	if _, missing := os.Stat(p.opts.Config); err == nil && missing == nil {
		err = run(&t.Analysis, "analyze", "--diff", p.opts.Config, file, "--json")
	}
	if err != nil {
		t.Error = strings.ReplaceAll(err.Error(), file, "new.yaml")
	}
	return nil
}
