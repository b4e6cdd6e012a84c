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

// An Evidence is one thing that was observed in a run, identified by its digest.
type Evidence struct {
	Digest string `json:"digest"` // SHA-256 of the content, in hex
	Kind   string `json:"kind"`
	Run    int    `json:"run"`
	About  string `json:"about"` // describes the run
	Bytes  int    `json:"bytes"`

	Content []byte `json:"-"`
}

// The kinds of evidence.
const (
	ModelEvidence  = "model"  // what the model's endpoint received
	TraceEvidence  = "traces" // what ran: the files of the project, and the calls of the MCP server
	LedgerEvidence = "ledger" // what checkrein recorded
	HostEvidence   = "host"   // how the host was started, and what it printed
)

// addRunEvidence adds what was observed in r. ledger is the text of its records.
func (o *observation) addRunEvidence(r *hostRun, ledger []byte) error {
	n := 1
	for _, e := range o.evidence {
		n = max(n, e.Run+1)
	}
	for _, e := range []struct {
		kind string
		v    any
	}{{ModelEvidence, lastRequests(r.res.Record)}, {TraceEvidence, o.traces()}, {HostEvidence, o.describeRun(r)}} {
		b, err := json.MarshalIndent(e.v, "", " ")
		if err != nil {
			return err
		}
		o.addEvidence(r, Evidence{Kind: e.kind, Run: n, About: r.about, Content: append(b, '\n')})
	}
	o.addEvidence(r, Evidence{Kind: LedgerEvidence, Run: n, About: r.about, Content: ledger})
	return nil
}

// addEvidence computes the digest of e, truncates its content to maxSeen, and adds it to the
// observation and to r.
func (o *observation) addEvidence(r *hostRun, e Evidence) {
	e.Content = e.Content[:min(len(e.Content), maxSeen)]
	sum := sha256.Sum256(e.Content)
	e.Digest, e.Bytes = hex.EncodeToString(sum[:]), len(e.Content)
	o.evidence = append(o.evidence, e)
	r.digests = append(r.digests, e.Digest)
}

// runDigests returns the digests of the evidence of runs, which are numbered from 1.
func (o *observation) runDigests(runs []int) []string {
	var out []string
	for _, n := range runs {
		out = append(out, []*hostRun{&o.work, &o.prompt, &o.faults, &o.editor}[n-1].digests...)
	}
	return out
}

// A conversation is what the model's endpoint received in the last request of one conversation. Each
// request repeats everything before it.
type conversation struct {
	Requests int                 `json:"requests"`
	Path     string              `json:"path"`
	Agent    string              `json:"agent,omitempty"`
	Outside  string              `json:"outside,omitempty"` // the address that the host tried to reach instead
	Tools    []string            `json:"tools,omitempty"`
	Messages []mockmodel.Message `json:"messages,omitempty"`
}

// lastRequests returns the last request of each conversation in rec, which no later request continues.
func lastRequests(rec mockmodel.Record) []conversation {
	var out []conversation
	grown := make([]bool, len(rec))
	for i := range rec {
		for j := i + 1; j < len(rec) && !grown[i]; j++ {
			grown[i] = rec[i].Outside == "" && rec[j].Outside == "" && rec[i].Path == rec[j].Path && continuesMessages(rec[j].Messages, rec[i].Messages)
		}
	}
	for i, q := range rec {
		if grown[i] {
			continue
		}
		c := conversation{Path: q.Path, Agent: q.Agent, Outside: q.Outside, Messages: q.Messages}
		for j := range i + 1 {
			if continuesMessages(q.Messages, rec[j].Messages) {
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

// continuesMessages reports whether long continues the conversation short: both have the same first
// message that is not an instruction, and long has no fewer messages.
func continuesMessages(long, short []mockmodel.Message) bool {
	if len(short) > len(long) {
		return false
	}
	return firstMessage(long) == firstMessage(short)
}

// firstMessage returns the role and text of the first message in list that is not an instruction, or
// "" if there is none.
func firstMessage(list []mockmodel.Message) string {
	for _, m := range list {
		if m.Role != "system" && m.Role != "developer" {
			return m.Role + strings.Join(m.Texts, "\n")
		}
	}
	return ""
}

// traces returns, for JSON, the files of the project, the calls that the MCP server received, and the
// files of checkrein that were changed.
func (o *observation) traces() any {
	type file struct {
		Name string    `json:"name"`
		Time time.Time `json:"time"`
		Text string    `json:"text,omitempty"`
	}
	var files []file
	_ = filepath.WalkDir(o.w.Project, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // removed in the meantime
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
				f.Text = readText(path)
			}
		}
		files = append(files, f)
		return nil
	})
	return map[string]any{"project": files, "mcp": o.w.PokedTexts(), "changed": o.changed}
}

// describeRun returns, for JSON, how the host was run and what it printed.
func (o *observation) describeRun(r *hostRun) any {
	return map[string]any{
		"version": o.w.Host.Version, "exit": r.res.Exit, "signal": r.res.Signal, "timed_out": r.res.TimedOut,
		"seconds": r.res.Took.Seconds(), "stdout": lastPart(r.res.Stdout), "stderr": lastPart(r.res.Stderr),
		"steps": r.play.turns, "not_offered": r.play.missing, "reached_for": r.res.Record.OutsideTargets(),
		"questions": r.res.Questions,
	}
}

// lastPart returns s, or its last 16 KiB if it is longer.
func lastPart(s string) string { return s[max(0, len(s)-16<<10):] }

var agentText = regexp.MustCompile(`(?i)^[a-z_ -]+/(\d+\.\d+\.\d+(?:[-+.][0-9A-Za-z]+)*)`)

// agentVersion returns the version in agent, the User-Agent of a request. It reports false if there is
// none, or if a host sends the name of a library instead, which does not identify the host.
func agentVersion(agent string) (string, bool) {
	m := agentText.FindStringSubmatch(agent)
	if m == nil || strings.HasPrefix(strings.ToLower(agent), "openai/") || strings.HasPrefix(strings.ToLower(agent), "node") {
		return "", false
	}
	return m[1], true
}
