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

// Confirm asks the user about a tool call.
func (t *Talk) Confirm(ctx context.Context, q agent.Question) (agent.Reply, error) {
	t.screen.mu.Lock()
	t.screen.endStream()
	one := visible.EscapeLine
	t.screen.printLine("? %s wants to call %s  [%s]", one(q.Agent), one(q.Tool), safetyText(q.Metadata))
	for line := range strings.Lines(visible.EscapeText(callText(q.Tool, q.Input))) {
		t.screen.printLine("  │ %s", strings.TrimRight(line, "\n"))
	}
	if q.Reason != "" {
		t.screen.printLine("  why you are asked: %s", visible.EscapeText(q.Reason))
	}
	for _, key := range slices.Sorted(maps.Keys(q.Metadata)) {
		if key != "blast_radius" && key != "safety_label" {
			t.screen.printLine("  %s: %s", one(key), one(q.Metadata[key]))
		}
	}
	always := ""
	if q.Grant != "" {
		always = "a = always (" + one(q.Grant) + "), "
	}
	t.screen.printLine("  y = yes, %se = everything from now on, n = no, or type the reason why not", always)
	fmt.Fprint(t.opts.Err, "  allow? ")
	t.screen.mu.Unlock()
	answer, err := t.readAnswer(ctx)
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

// safetyText describes the safety label and the impact of a call, according to its metadata.
func safetyText(metadata map[string]string) string {
	label, radius := metadata["safety_label"], metadata["blast_radius"]
	if label == "" || label == radius {
		return "blast radius: " + visible.EscapeLine(radius)
	}
	return visible.EscapeLine(label) + ", blast radius: " + visible.EscapeLine(radius)
}

// ConfirmMore asks the user whether the agent may continue after done iterations, its limit.
func (t *Talk) ConfirmMore(ctx context.Context, done int) (bool, error) {
	t.screen.mu.Lock()
	t.screen.endStream()
	fmt.Fprintf(t.opts.Err, "? the agent has reached its iteration limit, which is %d; allow 10 more iterations? (y/n) ", done)
	t.screen.mu.Unlock()
	answer, err := t.readAnswer(ctx)
	return strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes"), err
}

// askYesNo asks the user a question of a command, and reports whether the answer is yes.
func (t *Talk) askYesNo(ctx context.Context, question string) bool {
	t.screen.mu.Lock()
	t.screen.endStream()
	fmt.Fprint(t.opts.Err, visible.EscapeText(question)+" [y/N] ")
	t.screen.mu.Unlock()
	answer, err := t.readAnswer(ctx)
	return err == nil && (strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes"))
}

// readAnswer returns the user's next line. The error is errInputClosed if there is none.
func (t *Talk) readAnswer(ctx context.Context) (string, error) {
	next := make(chan string, 1)
	t.setAnswerChannel(next)
	defer t.setAnswerChannel(nil)
	select {
	case a, ok := <-next:
		if !ok {
			return "", errInputClosed
		}
		return a, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

var errInputClosed = errors.New("the input was closed")

// setAnswerChannel makes the next line go to next, or ends that if next is nil. If there are no more
// lines, it closes next.
func (t *Talk) setAnswerChannel(next chan string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.inputClosed && next != nil {
		close(next)
		return
	}
	t.next = next
}

// passAnswer passes line to a waiting question, and reports whether there was one.
func (t *Talk) passAnswer(line string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.next == nil {
		return false
	}
	t.next <- line
	t.next = nil
	return true
}

// closeInput records that there are no more lines, and ends a waiting question.
func (t *Talk) closeInput() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.inputClosed = true
	if t.next != nil {
		close(t.next)
		t.next = nil
	}
}
