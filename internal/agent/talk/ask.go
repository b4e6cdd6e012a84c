package talk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/agent"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// Confirm asks the person for a tool call.
func (t *Talk) Confirm(ctx context.Context, q agent.Question) (agent.Reply, error) {
	t.screen.mu.Lock()
	t.screen.newline()
	one := visible.Line
	t.screen.line("? %s wants to call %s  [%s]", one(q.Agent), one(q.Tool), badge(q.Metadata))
	for line := range strings.Lines(visible.Text(commandOf(q.Tool, q.Input))) {
		t.screen.line("  │ %s", strings.TrimRight(line, "\n"))
	}
	if q.Reason != "" {
		t.screen.line("  why you are asked: %s", visible.Text(q.Reason))
	}
	for _, key := range slices.Sorted(maps.Keys(q.Metadata)) {
		if key != "blast_radius" && key != "safety_label" {
			t.screen.line("  %s: %s", one(key), one(q.Metadata[key]))
		}
	}
	always := ""
	if q.Grant != "" {
		always = "a = always (" + one(q.Grant) + "), "
	}
	t.screen.line("  y = yes, %se = everything from now on, n = no, or say why not", always)
	fmt.Fprint(t.opts.Err, "  allow? ")
	t.screen.mu.Unlock()
	answer, err := t.answer(ctx)
	if err != nil {
		return agent.Reply{}, err
	}
	switch strings.ToLower(answer) {
	case "y", "yes":
		return agent.Reply{Answer: agent.Approve}, nil
	case "a", "always":
		return agent.Reply{Answer: agent.Always}, nil
	case "e", "everything":
		return agent.Reply{Answer: agent.Everything}, nil
	case "", "n", "no":
		return agent.Reply{}, nil
	}
	return agent.Reply{Reason: answer}, nil
}

// badge returns how far a call reaches.
func badge(metadata map[string]string) string {
	label, radius := metadata["safety_label"], metadata["blast_radius"]
	if label == "" || label == radius {
		return "blast radius: " + visible.Line(radius)
	}
	return visible.Line(label) + ", blast radius: " + visible.Line(radius)
}

// ConfirmMore asks whether the agent goes on past its limit.
func (t *Talk) ConfirmMore(ctx context.Context, done int) (bool, error) {
	t.screen.mu.Lock()
	t.screen.newline()
	fmt.Fprintf(t.opts.Err, "? the agent has taken %d turns; let it take 10 more? (y/n) ", done)
	t.screen.mu.Unlock()
	answer, err := t.answer(ctx)
	return strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes"), err
}

// agrees asks a question of a command.
func (t *Talk) agrees(ctx context.Context, question string) bool {
	t.screen.mu.Lock()
	t.screen.newline()
	fmt.Fprint(t.opts.Err, visible.Text(question)+" [y/N] ")
	t.screen.mu.Unlock()
	answer, err := t.answer(ctx)
	return err == nil && (strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes"))
}

// answer is the person's next line.
func (t *Talk) answer(ctx context.Context) (string, error) {
	next := make(chan string, 1)
	t.wait(next)
	defer t.wait(nil)
	select {
	case a, ok := <-next:
		if !ok {
			return "", errGone
		}
		return a, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

var errGone = errors.New("the input was closed")

func (t *Talk) wait(next chan string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone && next != nil {
		close(next)
		return
	}
	t.next = next
}

// answers hands a line to whoever waits for one, and reports whether anybody did.
func (t *Talk) answers(line string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.next == nil {
		return false
	}
	t.next <- line
	t.next = nil
	return true
}

// leave notes that no more lines will come.
func (t *Talk) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.gone = true
	if t.next != nil {
		close(t.next)
		t.next = nil
	}
}
