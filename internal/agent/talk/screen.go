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

// A screen shows reports to the user: replies on out, everything else on side. It is safe for
// concurrent use.
type screen struct {
	mu    sync.Mutex
	out   io.Writer // replies
	side  io.Writer // everything else
	raw   bool      // out is not a terminal, so it only gets replies, byte for byte
	trace bool      // show the hooks of every event
	main  string    // the session whose replies are for the user

	streamed   strings.Builder // the text that is being streamed
	shown      string          // the last text that was streamed
	refused    []string        // calls whose denial was shown
	lastNotice string
}

// maxLines is how many lines of a tool's output are shown. The model gets all of it.
const maxLines = 8

// report shows rep.
func (s *screen) report(rep agent.Report) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.main == "" || rep.Session == s.main
	switch {
	case rep.Type == agent.Delta && s.raw:
		return // it may not be part of a reply
	case rep.Type == agent.Delta:
		s.streamed.WriteString(rep.Text)
		io.WriteString(s.out, s.safeText(rep.Text))
		return
	case rep.Type == agent.Final && own, rep.Type == agent.Interim && own && !s.raw:
		s.showText(rep.Text)
		return
	}
	if rep.Type != agent.Fired {
		s.endStream()
	}
	s.showProgress(rep)
}

// showText shows text of the agent, unless it was just streamed.
func (s *screen) showText(text string) {
	s.endStream()
	same := s.shown == text && text != ""
	s.shown = ""
	if same {
		return
	}
	io.WriteString(s.out, s.safeText(text))
	if !strings.HasSuffix(text, "\n") {
		io.WriteString(s.out, "\n")
	}
}

// endStream ends the line of streamed text, if there is any.
func (s *screen) endStream() {
	if n := s.streamed.Len(); n > 0 {
		if !strings.HasSuffix(s.streamed.String(), "\n") {
			io.WriteString(s.out, "\n")
		}
		s.shown = s.streamed.String()
		s.streamed.Reset()
	}
}

// safeText returns text without terminal control characters, unless out is raw.
func (s *screen) safeText(text string) string {
	if s.raw {
		return text
	}
	return visible.EscapeText(text)
}

// printNote prints a line that is not part of a report.
func (s *screen) printNote(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endStream()
	s.printLine(format, args...)
}

func (s *screen) printLine(format string, args ...any) { fmt.Fprintf(s.side, format+"\n", args...) }

// showProgress shows a report other than the agent's own text.
func (s *screen) showProgress(rep agent.Report) {
	one := visible.EscapeLine
	switch rep.Type {
	case agent.Interim, agent.Final: // of a sub-agent
		s.printLine("%s: %s", one(rep.Agent), visible.EscapeText(rep.Text))
	case agent.Calling:
		s.printLine("→ %s %s  (%s)", one(rep.Tool), one(unescapeHTML(rep.Input)), rep.Source)
	case agent.Called:
		if rep.CallID == "" || !slices.Contains(s.refused, rep.CallID) {
			s.showOutput(rep.Text)
		}
	case agent.Blocked:
		s.refused = append(s.refused, rep.CallID)
		s.showBlocked(rep)
	case agent.Notice:
		// Hooks on before_llm_call repeat their notices on each call.
		if key := rep.Event + ": " + rep.Text; rep.Event != "before_llm_call" || key != s.lastNotice {
			s.printLine("! %s", visible.EscapeText(rep.Text))
			s.lastNotice = key
		}
	case agent.Warning:
		s.printLine("warning: %s", visible.EscapeText(rep.Text))
	case agent.Failure:
		s.printLine("error: %s", visible.EscapeText(rep.Text))
	case agent.Redoing:
		s.printLine("↻ a %s hook makes the agent continue (attempt %d of %d): %s", rep.Event, rep.Redo.Attempt, rep.Redo.Limit, visible.EscapeText(rep.Redo.Reason))
	case agent.Switched:
		s.printLine("⇄ %s takes over (%s)", one(rep.Text), rep.Reason)
	case agent.TurnEnded:
		s.refused, s.shown = nil, ""
	case agent.Compacted:
		s.printLine("the conversation was compacted (%s)", rep.Reason)
	case agent.Sent:
		s.printLine("✉ sent to %s: %s", one(rep.Channel), one(rep.Text))
	case agent.GoalDone:
		s.printLine("the goal is reached: %s", one(rep.Text))
	case agent.GoalMissed:
		s.printLine("gave up the goal %q, because hooks still object: %s", one(rep.Text), one(rep.Reason))
	case agent.Fired:
		if s.trace && rep.Outcome != nil {
			s.showSteps(rep)
		}
	}
}

// showOutput shows the beginning of text, a tool's output.
func (s *screen) showOutput(text string) {
	lines := strings.Split(strings.TrimRight(visible.EscapeText(text), "\n"), "\n")
	more := len(lines) - maxLines
	if more > 1 {
		lines = lines[:maxLines]
	}
	for _, l := range lines {
		s.printLine("  │ %s", l)
	}
	if more > 1 {
		s.printLine("  │ … %d more lines", more)
	}
}

// showBlocked shows what was blocked, why, and how to allow it.
func (s *screen) showBlocked(rep agent.Report) {
	card := card.Card{Sentence: rep.Text}
	if rep.Card != nil {
		card = *rep.Card
	}
	what := rep.Tool + " did not run"
	if rep.Tool == "" {
		what = rep.Event + " was blocked"
	}
	s.printLine("✗ %s: %s", visible.EscapeLine(what), visible.EscapeText(card.Sentence))
	command := card.Command
	if command == "" {
		command = callText(rep.Tool, rep.Input)
	}
	if command != "" {
		for line := range strings.Lines(visible.EscapeText(command)) {
			s.printLine("  │ %s", strings.TrimRight(line, "\n"))
		}
	}
	if rep.Allow != "" {
		s.printLine("  · to allow it, run in another terminal: %s", visible.EscapeLine(rep.Allow))
	}
}

// callText returns everything that a call would do: the command of a shell call with no other
// argument, or all arguments.
func callText(tool string, input json.RawMessage) string {
	var fields map[string]json.RawMessage
	if tools.CanonicalTool(tool) == "shell" && json.Unmarshal(input, &fields) == nil && len(fields) == 1 {
		t := checkrein.Tool{Canonical: "shell", Input: input}
		if c := t.Command(); c != "" {
			return c
		}
	}
	return unescapeHTML(input)
}

// unescapeHTML returns the JSON value input without HTML escapes, or input if it is invalid.
func unescapeHTML(input json.RawMessage) string {
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

// showSteps shows the hooks that answered an event, and their answers.
func (s *screen) showSteps(rep agent.Report) {
	out := rep.Outcome
	for i := range out.Steps {
		st := &out.Steps[i]
		if st.Skipped != "" || st.Unmet {
			continue
		}
		said := describeStep(st)
		if said == "" {
			continue
		}
		s.printLine("  · %s  %s  %s  %s", rep.Event, visible.EscapeLine(st.Hook.Label()), st.Took.Round(10*time.Microsecond), visible.EscapeLine(said))
	}
}

// describeStep describes the answer of a hook briefly. It returns "" if the answer is empty.
func describeStep(st *engine.Step) string {
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
