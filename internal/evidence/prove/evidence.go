package prove

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/host/mockmodel"
)

// Evidence is something that was seen, kept by its digest.
type Evidence struct {
	Digest string `json:"digest"` // SHA-256 of the content, in hex
	Kind   string `json:"kind"`
	Run    int    `json:"run"`
	About  string `json:"about"` // the run, in words
	Bytes  int    `json:"bytes"`

	Content []byte `json:"-"`
}

// The kinds of evidence.
const (
	OfModel  = "model"  // what the model's endpoint received
	OfTraces = "traces" // what ran: the files of the project, and the calls of the MCP server
	OfLedger = "ledger" // what checkrein recorded
	OfHost   = "host"   // how the host was started, and what it printed
)

// keep keeps what was seen of a run.
func (o *observation) keep(r *run, ledger []byte) error {
	n := 1
	for _, e := range o.evidence {
		n = max(n, e.Run+1)
	}
	for _, e := range []struct {
		kind string
		v    any
	}{{OfModel, conversations(r.res.Record)}, {OfTraces, o.traces()}, {OfHost, o.started(r)}} {
		b, err := json.MarshalIndent(e.v, "", " ")
		if err != nil {
			return err
		}
		o.add(r, Evidence{Kind: e.kind, Run: n, About: r.about, Content: append(b, '\n')})
	}
	o.add(r, Evidence{Kind: OfLedger, Run: n, About: r.about, Content: ledger})
	return nil
}

func (o *observation) add(r *run, e Evidence) {
	e.Content = e.Content[:min(len(e.Content), maxSeen)]
	sum := sha256.Sum256(e.Content)
	e.Digest, e.Bytes = hex.EncodeToString(sum[:]), len(e.Content)
	o.evidence = append(o.evidence, e)
	r.digests = append(r.digests, e.Digest)
}

// digests are those of the evidence of some runs.
func (o *observation) digests(runs []int) []string {
	var out []string
	for _, n := range runs {
		out = append(out, []*run{&o.work, &o.prompt, &o.faults, &o.editor}[n-1].digests...)
	}
	return out
}

// A conversation is what the model's endpoint received in the end of one conversation:
// every request has all that was said before it.
type conversation struct {
	Requests int                 `json:"requests"`
	Path     string              `json:"path"`
	Agent    string              `json:"agent,omitempty"`
	Outside  string              `json:"outside,omitempty"` // whom the host tried to reach instead
	Tools    []string            `json:"tools,omitempty"`
	Messages []mockmodel.Message `json:"messages,omitempty"`
}

// conversations are the last requests of all conversations: those that no later one
// begins with.
func conversations(rec mockmodel.Record) []conversation {
	var out []conversation
	grown := make([]bool, len(rec))
	for i := range rec {
		for j := i + 1; j < len(rec) && !grown[i]; j++ {
			grown[i] = rec[i].Outside == "" && rec[j].Outside == "" && rec[i].Path == rec[j].Path && begins(rec[j].Messages, rec[i].Messages)
		}
	}
	for i, q := range rec {
		if grown[i] {
			continue
		}
		c := conversation{Path: q.Path, Agent: q.Agent, Outside: q.Outside, Messages: q.Messages}
		for j := range i + 1 {
			if begins(q.Messages, rec[j].Messages) {
				c.Requests++
			}
		}
		for _, t := range q.Tools {
			c.Tools = append(c.Tools, t.Name)
		}
		out = append(out, c)
	}
	return out
}

// begins reports whether a conversation has at least the messages of another: the same
// first one that is not an instruction, and no fewer of them.
func begins(long, short []mockmodel.Message) bool {
	if len(short) > len(long) {
		return false
	}
	return opening(long) == opening(short)
}

func opening(list []mockmodel.Message) string {
	for _, m := range list {
		if m.Role != "system" && m.Role != "developer" {
			return m.Role + strings.Join(m.Texts, "\n")
		}
	}
	return ""
}

// traces are the files of the project, what the MCP server was called with, and which
// files of checkrein were changed.
func (o *observation) traces() any {
	type file struct {
		Name string    `json:"name"`
		Time time.Time `json:"time"`
		Text string    `json:"text,omitempty"`
	}
	var files []file
	_ = filepath.WalkDir(o.w.Project, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // gone meanwhile
		}
		if d.IsDir() {
			if d.Name() == ".git" {
				return filepath.SkipDir
			}
			return nil
		}
		f := file{}
		if f.Name, err = filepath.Rel(o.w.Project, path); err != nil {
			return nil
		}
		if info, err := d.Info(); err == nil {
			f.Time = info.ModTime()
			if info.Mode().IsRegular() && info.Size() < 4<<10 {
				f.Text = content(path)
			}
		}
		files = append(files, f)
		return nil
	})
	return map[string]any{"project": files, "mcp": o.w.PokedTexts(), "changed": o.changed}
}

// started is how the host was run, and what it printed.
func (o *observation) started(r *run) any {
	return map[string]any{
		"version": o.w.Host.Version, "exit": r.res.Exit, "signal": r.res.Signal, "timed_out": r.res.TimedOut,
		"seconds": r.res.Took.Seconds(), "stdout": tail(r.res.Stdout), "stderr": tail(r.res.Stderr),
		"steps": r.play.turns, "not_offered": r.play.missing, "reached_for": r.res.Record.OutsideTargets(),
		"questions": r.res.Questions,
	}
}

// tail is the end of a long text.
func tail(s string) string { return s[max(0, len(s)-16<<10):] }

var agentText = regexp.MustCompile(`(?i)^[a-z_ -]+/(\d+\.\d+\.\d+(?:[-+.][0-9A-Za-z]+)*)`)

// agentVersion is the version that a host gives itself in its requests. The names of
// libraries that some send instead say nothing of the host.
func agentVersion(agent string) (string, bool) {
	m := agentText.FindStringSubmatch(agent)
	if m == nil || strings.HasPrefix(strings.ToLower(agent), "openai/") || strings.HasPrefix(strings.ToLower(agent), "node") {
		return "", false
	}
	return m[1], true
}
