package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/checkrein/checkrein/internal/agent/model"
)

// Lists holds the to-do lists of a run: one for each agent, and a shared one. They last as long as the
// run.
type Lists struct {
	mu   sync.Mutex
	list map[string]*todoList
}

// listFor returns the list of agent, or the shared one, and creates it if necessary.
func (l *Lists) listFor(agent string, shared bool) *todoList {
	name := "agent " + agent
	if shared {
		name = "shared"
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.list == nil {
		l.list = map[string]*todoList{}
	}
	if l.list[name] == nil {
		l.list[name] = &todoList{}
	}
	return l.list[name]
}

type todoList struct {
	mu    sync.Mutex
	items []todoItem
}

type todoItem struct {
	ID          string `json:"id"`
	Description string `json:"description"`
	Status      string `json:"status"`
}

const maxTodos = 500

var todoStates = []string{"pending", "in-progress", "completed"}

// todoTools returns the tools for a to-do list. They change nothing outside the run.
func todoTools(at Place, of *agentToolset) []Tool {
	lists := at.Lists
	if lists == nil {
		lists = &Lists{}
	}
	list := lists.listFor(of.agent, of.Shared)
	return []Tool{
		newListTool("create_todo", "Add an item to the to-do list.", `{"type":"object","properties":{"description":{"type":"string"}},"required":["description"]}`,
			func(in struct {
				Description string `json:"description"`
			}) (string, error) {
				return list.add(in.Description)
			}),
		newListTool("create_todos", "Add several items to the to-do list.", `{"type":"object","properties":{"descriptions":{"type":"array","items":{"type":"string"}}},"required":["descriptions"]}`,
			func(in struct {
				Descriptions []string `json:"descriptions"`
			}) (string, error) {
				return list.add(in.Descriptions...)
			}),
		newListTool("update_todos", "Update the status of to-do items.",
			`{"type":"object","properties":{"updates":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"status":{"type":"string","enum":["pending","in-progress","completed"]}},"required":["id","status"]}}},"required":["updates"]}`,
			func(in struct {
				Updates []struct {
					ID     string `json:"id"`
					Status string `json:"status"`
				} `json:"updates"`
			}) (string, error) {
				var wrong []error
				for _, u := range in.Updates {
					wrong = append(wrong, list.update(u.ID, u.Status))
				}
				return list.text(), errors.Join(wrong...)
			}),
		newListTool("list_todos", "Show the to-do list.", `{"type":"object","properties":{}}`, func(struct{}) (string, error) { return list.text(), nil }),
	}
}

// newListTool returns a tool that calls do. It is marked as read-only, since it changes nothing that
// needs approval.
func newListTool[In any](name, about, params string, do func(In) (string, error)) Tool {
	return Tool{
		Definition: model.Definition{Name: name, Description: about, Parameters: json.RawMessage(params)}, Category: "todo", ReadOnly: true,
		Run: func(_ context.Context, input json.RawMessage) (string, error) {
			var in In
			if err := ParseArguments(input, &in); err != nil {
				return "", fmt.Errorf("arguments of %s: %w", name, err)
			}
			return do(in)
		},
	}
}

func (l *todoList) add(list ...string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(list) == 0 || slices.ContainsFunc(list, func(s string) bool { return strings.TrimSpace(s) == "" }) {
		return "", errors.New("a description is empty: pass what to do")
	}
	if len(l.items)+len(list) > maxTodos {
		return "", fmt.Errorf("the list has %d entries, and adding %d would exceed the limit of %d", len(l.items), len(list), maxTodos)
	}
	for _, d := range list {
		l.items = append(l.items, todoItem{fmt.Sprintf("todo_%d", len(l.items)+1), d, todoStates[0]})
	}
	return l.marshal(), nil
}

func (l *todoList) update(id, status string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := slices.IndexFunc(l.items, func(i todoItem) bool { return i.ID == id })
	switch {
	case at < 0:
		return fmt.Errorf("the list has no item %q", id)
	case !slices.Contains(todoStates, status):
		return fmt.Errorf("%s: the status must be one of %s", id, strings.Join(todoStates, ", "))
	}
	l.items[at].Status = status
	return nil
}

// text returns the list as JSON for the model.
func (l *todoList) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.marshal()
}

// marshal returns the list as JSON for the model. The caller must hold l.mu.
func (l *todoList) marshal() string {
	raw, _ := json.Marshal(struct {
		All []todoItem `json:"all_todos"`
	}{append([]todoItem{}, l.items...)})
	return string(raw)
}
