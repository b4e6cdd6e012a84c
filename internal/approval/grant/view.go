package grant

import (
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/text/visible"
)

// An Approval is a blocked call, and what a person has to know to answer it. Its texts have no secrets
// and no invisible characters.
type Approval struct {
	Handle  string    `json:"handle"`
	Digest  string    `json:"digest"` // an answer is bound to it
	Host    string    `json:"host,omitempty"`
	Session string    `json:"session,omitempty"`
	Agent   string    `json:"agent,omitempty"`
	Project string    `json:"project,omitempty"`
	Dir     string    `json:"dir,omitempty"`
	Event   string    `json:"event"`
	Tool    string    `json:"tool,omitempty"`
	Call    string    `json:"call"`
	Whole   string    `json:"whole,omitempty"`  // the full text, if Call is shorter
	Stated  string    `json:"stated,omitempty"` // the reason that the agent itself gave
	Was     string    `json:"was"`              // deny or ask
	Why     []Reason  `json:"why"`
	Effects []Effect  `json:"effects"` // none: they are not all known
	Times   int       `json:"times"`
	Blocked time.Time `json:"blocked"`
	Expires time.Time `json:"expires"`
	Scopes  []string  `json:"scopes"` // with which it can be allowed
	// Programs lists the rules of programs among Why. An answer that allows the call must name them.
	Programs []string  `json:"programs,omitempty"`
	Answer   *Answered `json:"answer,omitempty"`
}

// A Reason is why a hook blocked a call.
type Reason struct {
	Rule     string `json:"rule"`
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
}

// An Effect is something that a call would do.
type Effect struct {
	Kind   string   `json:"kind"`
	Impact string   `json:"impact"`
	Reason string   `json:"reason"`
	Paths  []string `json:"paths,omitempty"`
	Hosts  []string `json:"hosts,omitempty"`
	On     string   `json:"on,omitempty"`
}

// Answered is an answer that was given.
type Answered struct {
	Decision string    `json:"decision"`
	Scope    string    `json:"scope,omitempty"`
	Words    string    `json:"words,omitempty"`
	By       string    `json:"by"`
	At       time.Time `json:"at"`
	Grant    string    `json:"grant,omitempty"`
}

// NewAnswered returns a for display.
func NewAnswered(a *Answer) *Answered {
	return &Answered{a.Decision, string(a.Scope), visible.EscapeText(a.Words), visible.EscapeLine(a.By), a.At.Wall, a.Grant}
}

// NewApproval returns b for display. digest is its call digest.
func NewApproval(b *Block, digest string) *Approval {
	line := visible.EscapeLine
	a := &Approval{Handle: b.Handle, Digest: digest, Host: line(b.Host), Session: line(b.Session), Agent: line(b.Agent), Project: line(b.Root), Dir: line(b.Dir),
		Event: b.Event, Tool: line(b.Tool), Call: line(b.Shown), Whole: visible.EscapeText(b.Whole), Stated: line(b.Stated), Was: b.Decision,
		Why: []Reason{}, Effects: []Effect{}, Times: b.Times, Blocked: b.At.Wall, Expires: b.Expires(), Scopes: []string{string(Once)}}
	if b.Session != "" {
		a.Scopes = append(a.Scopes, string(Session))
	}
	for i := range b.By {
		d := &b.By[i]
		a.Why = append(a.Why, Reason{strings.Join(DeciderNames(b.By[i:i+1]), ", "), d.Decision, visible.EscapeText(d.Reason)})
		if d.Program {
			a.Programs = append(a.Programs, d.Name())
		}
	}
	for i := range b.Deeds {
		d := &b.Deeds[i]
		e := Effect{Kind: line(d.Kind), Impact: line(d.Radius), Reason: line(d.Reason), On: line(d.On)}
		for _, p := range d.Paths {
			_, path, _ := strings.Cut(p, " ")
			e.Paths = append(e.Paths, line(path))
		}
		for _, h := range d.Hosts {
			e.Hosts = append(e.Hosts, line(h))
		}
		a.Effects = append(a.Effects, e)
	}
	return a
}
