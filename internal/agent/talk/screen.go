package talk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/text/card"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// A screen shows reports to a person: replies as they are, everything else
// beside them. It is safe for concurrent use.
type screen struct {
	mu    sync.Mutex
	out   io.Writer // replies
	side  io.Writer // what happens meanwhile
	raw   bool      // out is no terminal, so it gets replies alone, byte for byte
	trace bool      // tell of every event that hooks had to do with
	main  string    // the session whose replies are for the person

	streamed strings.Builder // of the text that is being shown
	shown    string          // what was streamed before something else was shown
	refused  []string        // the calls whose refusal is shown already
	told     string          // the last notice
}

// maxLines is how much of a tool's output is shown: the model sees all of it.
const maxLines = 8

func (s *screen) report(rep agent.Report) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.main == "" || rep.Session == s.main
	switch {
	case rep.Type == agent.Delta && s.raw:
		return // it may become a reply or not, and a program gets replies alone
	case rep.Type == agent.Delta:
		s.streamed.WriteString(rep.Text)
		io.WriteString(s.out, s.safe(rep.Text))
		return
	case rep.Type == agent.Final && own, rep.Type == agent.Interim && own && !s.raw:
		s.text(rep.Text)
		return
	}
	if rep.Type != agent.Fired {
		s.newline()
	}
	s.event(rep)
}

// text shows what the agent says, unless it was shown already while it was said.
func (s *screen) text(text string) {
	s.newline()
	same := s.shown == text && text != ""
	s.shown = ""
	if same {
		return
	}
	io.WriteString(s.out, s.safe(text))
	if !strings.HasSuffix(text, "\n") {
		io.WriteString(s.out, "\n")
	}
}

// newline ends what was streamed.
func (s *screen) newline() {
	if n := s.streamed.Len(); n > 0 {
		if !strings.HasSuffix(s.streamed.String(), "\n") {
			io.WriteString(s.out, "\n")
		}
		s.shown = s.streamed.String()
		s.streamed.Reset()
	}
}

// safe is a text without what a terminal would act on.
func (s *screen) safe(text string) string {
	if s.raw {
		return text
	}
	return visible.Text(text)
}

// say prints a line from outside of a report.
func (s *screen) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newline()
	s.line(format, args...)
}

func (s *screen) line(format string, args ...any) { fmt.Fprintf(s.side, format+"\n", args...) }

func (s *screen) event(rep agent.Report) {
	one := visible.Line
	switch rep.Type {
	case agent.Interim, agent.Final: // of an agent that works for another
		s.line("%s: %s", one(rep.Agent), visible.Text(rep.Text))
	case agent.Calling:
		s.line("→ %s %s  (%s)", one(rep.Tool), one(plain(rep.Input)), rep.Source)
	case agent.Called:
		if rep.CallID == "" || !slices.Contains(s.refused, rep.CallID) {
			s.output(rep.Text)
		}
	case agent.Blocked:
		s.refused = append(s.refused, rep.CallID)
		s.blocked(rep)
	case agent.Notice:
		// Hooks on the conversation say of each call what they said of the one
		// before.
		if key := rep.Event + ": " + rep.Text; rep.Event != "before_llm_call" || key != s.told {
			s.line("! %s", visible.Text(rep.Text))
			s.told = key
		}
	case agent.Warning:
		s.line("warning: %s", visible.Text(rep.Text))
	case agent.Failure:
		s.line("error: %s", visible.Text(rep.Text))
	case agent.Redoing:
		s.line("↻ a %s hook makes the agent continue (attempt %d of %d): %s", rep.Event, rep.Redo.Attempt, rep.Redo.Limit, visible.Text(rep.Redo.Reason))
	case agent.Switched:
		s.line("⇄ %s is working (%s)", one(rep.Text), rep.Reason)
	case agent.TurnEnded:
		s.refused, s.shown = nil, ""
	case agent.Compacted:
		s.line("the conversation was compacted (%s)", rep.Reason)
	case agent.Sent:
		s.line("✉ sent to %s: %s", one(rep.Channel), one(rep.Text))
	case agent.GoalDone:
		s.line("the goal is reached: %s", one(rep.Text))
	case agent.GoalMissed:
		s.line("the goal is given up: %s: hooks still object: %s", one(rep.Text), one(rep.Reason))
	case agent.Fired:
		if s.trace && rep.Outcome != nil {
			s.steps(rep)
		}
	}
}

// output shows the beginning of what a tool returned.
func (s *screen) output(text string) {
	lines := strings.Split(strings.TrimRight(visible.Text(text), "\n"), "\n")
	more := len(lines) - maxLines
	if more > 1 {
		lines = lines[:maxLines]
	}
	for _, l := range lines {
		s.line("  │ %s", l)
	}
	if more > 1 {
		s.line("  │ … %d more lines", more)
	}
}

// blocked shows what was refused: why, and what.
func (s *screen) blocked(rep agent.Report) {
	card := card.Card{Sentence: rep.Text}
	if rep.Card != nil {
		card = *rep.Card
	}
	what := rep.Tool + " did not run"
	if rep.Tool == "" {
		what = rep.Event + " was blocked"
	}
	s.line("✗ %s: %s", visible.Line(what), visible.Text(card.Sentence))
	command := card.Command
	if command == "" {
		command = commandOf(rep.Tool, rep.Input)
	}
	if command != "" {
		for line := range strings.Lines(visible.Text(command)) {
			s.line("  │ %s", strings.TrimRight(line, "\n"))
		}
	}
	if rep.Allow != "" {
		s.line("  · to allow it, run in another terminal: %s", visible.Line(rep.Allow))
	}
}

// commandOf is what a call would do, in full: of a shell call that says nothing
// else the command, of any other all its arguments.
func commandOf(tool string, input json.RawMessage) string {
	var fields map[string]json.RawMessage
	if tools.CanonicalTool(tool) == "shell" && json.Unmarshal(input, &fields) == nil && len(fields) == 1 {
		t := checkrein.Tool{Canonical: "shell", Input: input}
		if c := t.Command(); c != "" {
			return c
		}
	}
	return plain(input)
}

// plain is an object without the escapes that only web pages need.
func plain(input json.RawMessage) string {
	var v any
	in := json.NewDecoder(bytes.NewReader(input))
	in.UseNumber()
	if in.Decode(&v) != nil {
		return string(input)
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return string(input)
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// steps reports which hooks had to do with an event, and what came of it.
func (s *screen) steps(rep agent.Report) {
	out := rep.Outcome
	for i := range out.Steps {
		st := &out.Steps[i]
		if st.Skipped != "" || st.Unmet {
			continue
		}
		said := saidBy(st)
		if said == "" {
			continue
		}
		s.line("  · %s  %s  %s  %s", rep.Event, visible.Line(st.Hook.Label()), st.Took.Round(10*time.Microsecond), visible.Line(said))
	}
}

// saidBy is what a hook said, in a few words; "" when it had nothing to say.
func saidBy(st *engine.Step) string {
	var parts []string
	if st.Fault != nil {
		parts = append(parts, "fault: "+st.Fault.Error())
	}
	if v := st.Verdict; v != nil {
		if v.Decision != checkrein.NoOpinion {
			parts = append(parts, strings.TrimSpace(v.Decision.String()+" "+v.Reason))
		}
		for _, w := range v.Effects().Words() {
			switch w {
			case "deny", "allow", "ask":
			default:
				parts = append(parts, w)
			}
		}
	}
	return strings.Join(parts, ", ")
}
