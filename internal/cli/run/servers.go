package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/agent"
	"github.com/checkrein/checkrein/internal/agent/mcp"
	"github.com/checkrein/checkrein/internal/agent/skill"
	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/agent/tool"
	"github.com/checkrein/checkrein/internal/catalog/walls"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/hook/handler/webhook"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// openServers creates and returns the pool of the run's MCP servers. It starts none of them.
func (r *run) openServers(ui agent.UI) *mcp.Pool {
	r.servers = mcp.NewPool(mcp.Options{Dir: r.dir, Environ: r.env.Environ, Program: base.HotProgram(r.env), Walls: r.wallsPlace, Notify: func(text string) {
		ui.Report(agent.Report{Type: agent.Warning, Session: r.id, Text: text})
	}})
	return r.servers
}

// wallsPlace returns where programs behind walls run.
func (r *run) wallsPlace() (walls.Place, error) {
	k, err := r.openKit(r.firstAgent())
	if err != nil {
		return walls.Place{}, err
	}
	return k.WallsPlace(), nil
}

// exit kills the MCP servers and ends the program at once.
func (r *run) exit(code int) {
	if r.servers != nil {
		r.servers.Kill()
	}
	os.Exit(code)
}

// openTools prints which MCP servers it is about to start for the agent a, starts them, and returns
// the agent's tools.
func (r *run) openTools(ctx context.Context, a *team.Agent) ([]tool.Tool, error) {
	for i := range a.Toolsets {
		if s := a.Toolsets[i].Server; s != nil {
			fmt.Fprintf(r.env.Stderr, "note: MCP server %s: %s\n", visible.EscapeLine(s.Label), visible.EscapeLine(serverText(s)))
		}
	}
	return tool.ToolsOf(a, r.toolPlace(ctx))
}

// changedTools returns the tools of the agent a if one of its MCP servers reported that they changed.
// It reports false otherwise.
func (r *run) changedTools(ctx context.Context, a *team.Agent) ([]tool.Tool, bool) {
	if !r.servers.ToolsChanged(a) {
		return nil, false
	}
	tools, err := tool.ToolsOf(a, r.toolPlace(ctx))
	return tools, err == nil
}

// toolPlace returns the directories and environment that tools work with, and the functions that they
// use.
func (r *run) toolPlace(ctx context.Context) tool.Place {
	return tool.Place{
		Dir: r.dir, Environ: r.env.Environ, Base: filepath.Dir(r.file), Memories: filepath.Join(base.Places(r.env).State, "memory"), Lists: &r.lists, Get: getPage,
		Server: func(set *team.Toolset, taken func(string) bool) []tool.Tool { return r.servers.Tools(ctx, set, taken) },
	}
}

// maxPage is how many bytes of a web page are read.
const maxPage = 1 << 20

// getPage fetches a page from the web. It refuses addresses of this machine and its local network.
func getPage(ctx context.Context, url string) (tool.Page, error) {
	p, err := webhook.GetPage(ctx, webhook.Options{}, url, maxPage)
	return tool.Page(p), err
}

// serverText returns the command that starts an MCP server, or its URL if it has no command.
func serverText(s *team.Server) string {
	if s.Command == "" {
		return s.URL
	}
	return strings.Join(append([]string{s.Command}, s.Args...), " ")
}

// loadSkills returns the skills of the agent a. It prints those that came with the project, since they
// instruct the model and their author is not trusted.
func (r *run) loadSkills(a *team.Agent) []skill.Skill {
	if !a.Skills {
		return nil
	}
	list := skill.Find(skill.Place{Home: environ.Home(r.env.Environ), Top: environ.RepoTop(r.dir), Dir: r.dir})
	if len(a.SkillNames) > 0 {
		for _, name := range a.SkillNames {
			if !slices.ContainsFunc(list, func(s skill.Skill) bool { return s.Name == name }) {
				fmt.Fprintf(r.env.Stderr, "note: agent %s: skill %s was not found\n", visible.EscapeLine(a.Name), visible.EscapeLine(name))
			}
		}
		list = slices.DeleteFunc(list, func(s skill.Skill) bool { return !slices.Contains(a.SkillNames, s.Name) })
	}
	for i := range list {
		if s := &list[i]; s.Project {
			fmt.Fprintf(r.env.Stderr, "note: project skill %s: %s\n", visible.EscapeLine(s.Name), visible.EscapeLine(s.Dir))
		}
	}
	return list
}
