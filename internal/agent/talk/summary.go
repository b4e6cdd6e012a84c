package talk

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/checkrein/checkrein/internal/agent"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// A blockedCall is something that was blocked in a run, and how often.
type blockedCall struct {
	handle, text string
	times        int
}

// A blockSummary collects what was blocked, for the end of a run without a user to ask.
type blockSummary struct {
	mu   sync.Mutex
	list []blockedCall
}

// maxText is how many characters of a call a summary shows.
const maxText = 100

// addIfBlocked adds what rep reports as blocked. It ignores other reports.
func (s *blockSummary) addIfBlocked(rep agent.Report) {
	if rep.Type != agent.Blocked {
		return
	}
	what := rep.Event
	if rep.Tool != "" {
		what = visible.EscapeLine(strings.Join(strings.Fields(callText(rep.Tool, rep.Input)), " "))
	}
	if short := []rune(what); len(short) > maxText {
		what = string(short[:maxText]) + " …"
	}
	why := rep.Text
	if rep.Card != nil {
		why = rep.Card.Sentence
	}
	why, _, _ = strings.Cut(strings.TrimSpace(why), "\n")
	text := what + ": " + visible.EscapeLine(why)
	if len(rep.Rules) > 0 {
		text += " [" + visible.EscapeLine(strings.Join(rep.Rules, ", ")) + "]"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.list, func(r blockedCall) bool { return r.handle == rep.Handle && r.text == text })
	if i < 0 {
		s.list = append(s.list, blockedCall{rep.Handle, text, 1})
		return
	}
	s.list[i].times++
}

// print writes a line for each blocked call, with the handle with which a person can allow it.
func (s *blockSummary) print(w io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.list) == 0 {
		return
	}
	lifted := slices.ContainsFunc(s.list, func(r blockedCall) bool { return r.handle != "" })
	fmt.Fprintln(w, "blocked in this run:")
	for _, r := range s.list {
		if lifted { // handles are in a column
			fmt.Fprintf(w, "  %-4s  %s", r.handle, r.text)
		} else {
			fmt.Fprint(w, "  "+r.text)
		}
		if r.times > 1 {
			fmt.Fprintf(w, " (%d times)", r.times)
		}
		fmt.Fprintln(w)
	}
	if lifted {
		fmt.Fprintln(w, "To allow one that has a handle in front, run in a terminal of your own: checkrein allow HANDLE")
	}
}
