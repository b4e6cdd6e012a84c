package watch

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/serve"
	"github.com/checkrein/checkrein/internal/desk/feed"
	"github.com/checkrein/checkrein/internal/text/term"
)

// maxRows is how many rows the screen keeps.
const maxRows = 500

// A screen is the state of the live view. It implements [tea.Model].
type screen struct {
	ctx  context.Context
	env  *console.Env
	run  serve.Program
	out  *term.Screen
	zone *time.Location
	wide int
	high int

	rows     []feed.Row // oldest first
	left     int        // rows that were left out
	cursor   uint64     // the record of the selected row
	isNewest bool       // the newest row stays selected

	filter      string
	isTyping    bool // keys go to the filter
	onlyPending bool
	pending     map[string]bool // handles of calls that wait for an answer
	note        string          // about the last key
}

// The messages of the screen, besides those of tea and batches.
type (
	pendingMsg map[string]bool
	ranMsg     struct{}
)

// Init begins to read which calls wait.
func (s *screen) Init() tea.Cmd { return s.readPending }

func (s *screen) readPending() tea.Msg { return pendingMsg(listPending(s.env)) }

// Update changes the state after a message.
func (s *screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.wide, s.high = msg.Width, msg.Height
	case feed.Batch:
		s.left += msg.Dropped
		s.rows = append(s.rows, msg.Rows...)
		if over := len(s.rows) - maxRows; over > 0 {
			s.rows = slices.Clone(s.rows[over:])
		}
	case pendingMsg:
		s.pending = msg
		return s, tea.Tick(pendingInterval, func(time.Time) tea.Msg { return s.readPending() })
	case ranMsg:
		s.pending = listPending(s.env)
	case tea.KeyPressMsg:
		if s.isTyping {
			s.typeFilter(msg)
			return s, nil
		}
		return s, s.press(msg.String())
	}
	return s, nil
}

// typeFilter changes the filter by a key.
func (s *screen) typeFilter(key tea.KeyPressMsg) {
	switch name := key.String(); {
	case name == "enter":
		s.isTyping = false
	case name == "esc", name == "ctrl+c":
		s.isTyping, s.filter = false, ""
	case name == "backspace":
		if r := []rune(s.filter); len(r) > 0 {
			s.filter = string(r[:len(r)-1])
		}
	default:
		s.filter += key.Key().Text
	}
}

// press does what a key stands for.
func (s *screen) press(key string) tea.Cmd {
	s.note = ""
	shown := s.visibleRows()
	at := s.findSelected(shown)
	switch key {
	case "q", "ctrl+c":
		return tea.Quit
	case "esc":
		s.filter, s.onlyPending = "", false
	case "/":
		s.isTyping = true
	case "w":
		s.onlyPending = !s.onlyPending
	case "up", "k":
		s.move(shown, at-1)
	case "down", "j":
		s.move(shown, at+1)
	case "pgup":
		s.move(shown, at-s.listHeight())
	case "pgdown":
		s.move(shown, at+s.listHeight())
	case "home", "g":
		s.move(shown, 0)
	case "end", "G":
		s.move(shown, len(shown)-1)
	case "enter", "e", "a", "u":
		if at < 0 {
			s.note = "nothing is selected"
			return nil
		}
		c := s.commandFor(key, &shown[at])
		if c == nil {
			return nil
		}
		return tea.Exec(c, func(error) tea.Msg { return ranMsg{} })
	}
	return nil
}

// commandFor returns the command that a key stands for, about the row r. It returns nil, and sets the
// note, if there is none.
func (s *screen) commandFor(key string, r *feed.Row) *command {
	args := []string{"explain", fmt.Sprint(r.Record)}
	switch key {
	case "a":
		if r.Handle == "" {
			s.note = "nothing to allow: this call was not blocked, or no person can allow it"
			return nil
		}
		args = []string{"allow", r.Handle}
	case "u":
		if len(r.Saves) == 0 {
			s.note = "nothing to undo: nothing was saved for this call"
			return nil
		}
		args = []string{"undo", r.Saves[0]}
	}
	return &command{ctx: s.ctx, env: *s.env, run: s.run, args: args}
}

// SetStdin, SetStdout and SetStderr do nothing, because the command has the streams of the terminal.
func (*command) SetStdin(io.Reader)  {}
func (*command) SetStdout(io.Writer) {}
func (*command) SetStderr(io.Writer) {}

// visibleRows returns the rows that the filters accept.
func (s *screen) visibleRows() []feed.Row {
	if s.filter == "" && !s.onlyPending {
		return s.rows
	}
	var out []feed.Row
	for i := range s.rows {
		r := &s.rows[i]
		text := strings.ToLower(strings.Join([]string{r.Host, r.Session, r.Event, r.Tool, r.Call, r.Answer, r.Would, r.Handle, r.Root, strings.Join(r.Rules, " ")}, " "))
		if strings.Contains(text, strings.ToLower(s.filter)) && (!s.onlyPending || s.pending[r.Handle]) {
			out = append(out, *r)
		}
	}
	return out
}

// findSelected returns the index of the selected row in shown: the newest, or the first that is not older
// than the one selected, or -1.
func (s *screen) findSelected(shown []feed.Row) int {
	if s.isNewest {
		return len(shown) - 1
	}
	i, _ := slices.BinarySearchFunc(shown, s.cursor, func(r feed.Row, n uint64) int { return cmp.Compare(r.Record, n) })
	return min(i, len(shown)-1)
}

// move selects the row at index i of shown, or the nearest one.
func (s *screen) move(shown []feed.Row, i int) {
	if len(shown) == 0 {
		return
	}
	i = max(0, min(i, len(shown)-1))
	s.cursor, s.isNewest = shown[i].Record, i == len(shown)-1
}

// listHeight returns how many rows fit between the first line and the last two.
func (s *screen) listHeight() int { return max(1, s.high-3) }

// View draws the screen.
func (s *screen) View() tea.View {
	shown := s.visibleRows()
	at := s.findSelected(shown)
	from := max(0, min(at-s.listHeight()/2, len(shown)-s.listHeight()))
	lines := []string{s.line(s.head(len(shown))...)}
	for i := from; i < min(from+s.listHeight(), len(shown)); i++ {
		mark := term.P("  ")
		if i == at {
			mark = term.T(term.Strong, "> ")
		} else if s.pending[shown[i].Handle] {
			mark = term.T(term.Warn, "? ")
		}
		lines = append(lines, s.line(append([]term.Span{mark}, rowSpans(s.zone, &shown[i])...)...))
	}
	for len(lines) < s.listHeight()+1 {
		lines = append(lines, "")
	}
	v := tea.NewView(strings.Join(append(lines, s.detail(shown, at), s.foot()), "\n"))
	v.AltScreen, v.WindowTitle = true, "checkrein watch"
	return v
}

// line returns spans as a line that fits.
func (s *screen) line(spans ...term.Span) string {
	return s.out.Render(term.Truncate(spans, max(1, s.wide))...)
}

// head returns the first line: what is shown.
func (s *screen) head(shown int) []term.Span {
	head := []term.Span{term.T(term.Strong, "checkrein watch  ")}
	if n := len(s.pending); n > 0 {
		head = append(head, term.T(term.Warn, fmt.Sprintf("%d waiting for you  ", n)))
	}
	head = append(head, term.T(term.Faint, term.FormatCount(len(s.rows), "row")))
	if shown < len(s.rows) {
		head = append(head, term.T(term.Faint, fmt.Sprintf(", %d shown (esc shows all)", shown)))
	}
	if s.left > 0 {
		head = append(head, term.T(term.Faint, fmt.Sprintf(", %s left out", term.FormatNumber(s.left))))
	}
	return head
}

// detail returns the line about the selected row, or about the last key.
func (s *screen) detail(shown []feed.Row, at int) string {
	switch {
	case s.note != "":
		return s.line(term.T(term.Warn, s.note))
	case at >= 0:
		return s.line(term.P(shown[at].Why))
	case len(s.rows) == 0:
		return s.line(term.T(term.Faint, "Nothing is recorded yet. To connect your agents: checkrein install --all"))
	}
	return ""
}

// foot returns the last line: the filter, or the keys.
func (s *screen) foot() string {
	if s.isTyping {
		return s.line(term.T(term.Strong, "/"), term.P(s.filter+"_"), term.T(term.Faint, "  enter keeps it, esc removes it"))
	}
	foot := []term.Span{}
	if s.filter != "" {
		foot = append(foot, term.T(term.Strong, "/"+s.filter+"  "))
	}
	for _, key := range [][2]string{{"enter", "explain"}, {"a", "allow"}, {"u", "undo"}, {"/", "filter"}, {"w", "waiting"}, {"q", "quit"}} {
		foot = append(foot, term.T(term.Name, key[0]), term.T(term.Faint, " "+key[1]+"  "))
	}
	return s.line(foot...)
}
