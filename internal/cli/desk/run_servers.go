package desk

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent"
	"github.com/checkrein/checkrein/internal/agent/mcp"
	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/agent/tool"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/hook/handler/webhook"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/checkrein/checkrein/kit"
)

// openServers makes room for the MCP servers of the run.
func (r *run) openServers(ui agent.UI) *mcp.Pool {
	r.servers = mcp.NewPool(mcp.Options{Dir: r.dir, Environ: r.env.Environ, Tell: func(text string) {
		ui.Report(agent.Report{Type: agent.Warning, Session: r.id, Text: text})
	}})
	return r.servers
}

// exit ends the program at once, and the servers with it.
func (r *run) exit(code int) {
	if r.servers != nil {
		r.servers.Kill()
	}
	os.Exit(code)
}

// tools are the tools of an agent. Its servers are started, and what is started is
// said before.
func (r *run) tools(ctx context.Context, a *team.Agent) ([]tool.Tool, error) {
	for i := range a.Toolsets {
		if s := a.Toolsets[i].Server; s != nil {
			fmt.Fprintf(r.env.Stderr, "note: MCP server %s: %s\n", visible.Line(s.Label), visible.Line(shownServer(s)))
		}
	}
	return tool.Of(a, r.place(ctx))
}

// changed returns the tools of an agent whose servers say that they are others now.
func (r *run) changed(ctx context.Context, a *team.Agent) ([]tool.Tool, bool) {
	if !r.servers.Changed(a) {
		return nil, false
	}
	tools, err := tool.Of(a, r.place(ctx))
	return tools, err == nil
}

func (r *run) place(ctx context.Context) tool.Place {
	return tool.Place{
		Dir: r.dir, Environ: r.env.Environ, Base: filepath.Dir(r.file), Memories: filepath.Join(placesOf(r.env).State, "memory"), Lists: &r.lists, Get: getPage,
		Server: func(set *team.Toolset, taken func(string) bool) []tool.Tool { return r.servers.Tools(ctx, set, taken) },
	}
}

// maxPage bounds what a fetch reads of a page.
const maxPage = 1 << 20

// getPage gets a page of the web, and nothing of this machine or the network around it.
func getPage(ctx context.Context, url string) (tool.Page, error) {
	p, err := webhook.Get(ctx, webhook.Options{}, url, maxPage)
	return tool.Page(p), err
}

// shownServer is what is started, or where it is reached.
func shownServer(s *team.Server) string {
	if s.Command == "" {
		return s.URL
	}
	return strings.Join(append([]string{s.Command}, s.Args...), " ")
}

// serverEvent is what approvals of servers are called by. No host has such an event.
const serverEvent = "mcp_server"

// serverHooks are the MCP servers that the agent files of a kit start, as hooks that
// nothing fires: a server's program is code that a file brings along, and is approved
// like that of its hooks.
func serverHooks(env *console.Env, opts *kit.Options) []checkrein.Hook {
	var out []checkrein.Hook
	for _, file := range append(slices.Clone(opts.Files), opts.AgentFile) {
		if file == "" {
			continue
		}
		t, err := team.Load(env.Path(file))
		if err != nil {
			continue // no agent file, or one that does not run
		}
		a := t.Default()
		if named, ok := t.Agent(opts.Agent); ok {
			a = named
		}
		out = append(out, hooksOf(a, t)...)
	}
	return out
}

func hooksOf(a *team.Agent, t *team.Team) []checkrein.Hook {
	from := checkrein.Origin{Scope: checkrein.ScopeUser, File: t.File}
	if a != t.Default() {
		from.Agent = a.Name // as the file's hooks have it
	}
	if config.InRepository(t.File) {
		from.Scope, from.Approval = checkrein.ScopeProject, true
	}
	var out []checkrein.Hook
	for i := range a.Toolsets {
		s := a.Toolsets[i].Server
		if s == nil || s.Command == "" {
			continue
		}
		variables := map[string]string{}
		for _, v := range s.Env {
			variables[v.Name] = v.Value
		}
		with, err := json.Marshal(map[string]any{"argv": append([]string{s.Command}, s.Args...), "env": variables})
		if err != nil {
			continue
		}
		from.Line = s.Line
		out = append(out, checkrein.Hook{ID: fmt.Sprintf("%s#%d", s.Label, i+1), Name: s.Label, On: checkrein.Other, Event: serverEvent, Run: "command", With: with,
			Priority: checkrein.DefaultPriority, OnFault: checkrein.FaultIgnore, Dialect: "docker-agent", From: from})
	}
	return out
}

// isServer reports whether a hook is a server of serverHooks.
func isServer(h *checkrein.Hook) bool { return h.On == checkrein.Other && h.Event == serverEvent }
