package hostlab

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/sys/process"
)

// A Host is an installed agent.
type Host struct {
	Name    string
	Package string // of npm
	Version string // what is installed
	// Patience is how much longer than on a quiet machine a run may take; 0 = not at all.
	Patience int

	recipe Recipe
	argv   []string // starts it
	node   string   // the Node.js that its PATH has; "" = none
	root   string   // where its spaces are made
}

// Installed returns the build of a host that npm has put into a folder of modules. Its
// spaces are made below root.
func (r *Recipe) Installed(version, modules, node, root string) (*Host, error) {
	found, err := filepath.Glob(filepath.Join(modules, filepath.FromSlash(r.Entry)))
	if err != nil || len(found) == 0 {
		return nil, fmt.Errorf("the package has no %s: it is not made for this system, or has changed", r.Entry)
	}
	h := &Host{Name: r.Name, Package: r.Package, Version: version, recipe: *r, node: node, root: root}
	h.argv = []string{slices.MinFunc(found, func(a, b string) int { return len(a) - len(b) })} // others are for old processors
	if r.Node {
		h.argv = append([]string{node}, h.argv...)
	}
	return h, nil
}

// ErrNotFound reports that a host is not on this machine.
var ErrNotFound = errors.New("not found on this machine")

// Where is where a host is looked for. Only names of files are looked at: what a
// person has set up in their home is neither read nor copied.
type Where struct {
	Path string // the variable of that name
	Home string // the person's, below which some hosts put their program
	Root string // where spaces are made
}

// Find finds the build of a host that is installed on this machine. Its version is
// what the build itself says, in a home that is empty.
func (rs Recipes) Find(ctx context.Context, name string, w Where) (*Host, error) {
	r := rs.Named(name)
	if r == nil {
		return nil, fmt.Errorf("unknown agent %q: this build can run %s", name, strings.Join(rs.Hosts(), ", "))
	}
	s := *r
	path := w.find(s)
	if path == "" {
		return nil, fmt.Errorf("%s: %w: there is no program %q in PATH or in the usual places", name, ErrNotFound, s.Name)
	}
	root, err := filepath.Abs(w.Root)
	if err != nil {
		return nil, err
	}
	h := &Host{Name: s.Name, Package: s.Package, recipe: s, argv: []string{path}, node: w.node(path), root: root}
	h.Version, err = h.AskVersion(ctx)
	return h, err
}

// find returns the first program of that name which can be run.
func (w Where) find(s Recipe) string {
	dirs := filepath.SplitList(w.Path)
	for _, place := range s.Places {
		dirs = append(dirs, filepath.Join(w.Home, filepath.FromSlash(place)))
	}
	for _, place := range []string{".local/bin", ".npm-global/bin", ".bun/bin", ".local/share/pnpm", ".volta/bin"} {
		dirs = append(dirs, filepath.Join(w.Home, filepath.FromSlash(place)))
	}
	for _, dir := range append(dirs, "/usr/local/bin", "/opt/homebrew/bin", "/usr/bin") {
		if !filepath.IsAbs(dir) { // it would be the project's
			continue
		}
		if path, err := exec.LookPath(filepath.Join(dir, s.Name)); err == nil {
			return path
		}
	}
	return ""
}

// node finds the Node.js that goes with a program: beside it, as version managers
// have it, else that of the PATH.
func (w Where) node(path string) string {
	dirs := []string{filepath.Dir(path)}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		dirs = append(dirs, filepath.Dir(real))
	}
	for _, dir := range append(dirs, filepath.SplitList(w.Path)...) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if node, err := exec.LookPath(filepath.Join(dir, "node")); err == nil {
			return node
		}
	}
	return ""
}

// Program is the host's own executable, or the script that Node.js runs, as PATH leads
// to it.
func (h *Host) Program() string {
	if h.recipe.Node && len(h.argv) > 1 {
		return h.argv[1]
	}
	return h.argv[0]
}

// Timeout is what is ample for a run of the host.
func (h *Host) Timeout() time.Duration {
	return h.recipe.Timeout * time.Duration(max(1, h.Patience))
}

// Delegate is the call by which the host's agent has a sub-agent do something; false =
// the host offers no tool for that.
func (h *Host) Delegate(prompt string) (mockmodel.Call, bool) {
	if h.recipe.Delegate == nil {
		return mockmodel.Call{}, false
	}
	args := maps.Clone(h.recipe.Delegate)
	args["prompt"] = prompt
	return mockmodel.Call{Tool: "task", Args: args}, true
}

// Poke are the calls of the tool that the MCP server of a space has: the first one that the
// model is offered a tool for is the one to make.
func (h *Host) Poke(text string) []mockmodel.Call {
	args := map[string]any{"text": text}
	list := []mockmodel.Call{mockmodel.MCP(ToolServer, Tool, args)}
	if h.recipe.Bridge != "" {
		list = append(list, mockmodel.Native(h.recipe.Bridge, map[string]any{"name": "mcp__" + ToolServer + "__" + Tool, "arguments": args}))
	}
	return list
}

var versionText = regexp.MustCompile(`\d+\.\d+\.\d+(?:[-+.][0-9A-Za-z]+)*`)

// versionTime is for a host that unpacks itself when it starts for the first time.
const versionTime = 30 * time.Second

// AskVersion has the build tell its version, in an empty home.
func (h *Host) AskVersion(ctx context.Context) (string, error) {
	home, err := os.MkdirTemp(h.root, h.Name+"-*")
	if err != nil {
		return "", fmt.Errorf("asking %s for its version: %w", h.Name, err)
	}
	defer os.RemoveAll(home)
	defer sweep(home)
	bin := filepath.Join(home, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		return "", err
	}
	if h.node != "" && runtime.GOOS != "windows" {
		if err := os.Symlink(h.node, filepath.Join(bin, "node")); err != nil {
			return "", err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	env := []string{
		"PATH=" + systemPath(bin), "HOME=" + home, "TMPDIR=" + home, "TERM=dumb", "NO_COLOR=1", "npm_config_offline=true",
		"HTTP_PROXY=" + noProxy, "HTTPS_PROXY=" + noProxy, "http_proxy=" + noProxy, "https_proxy=" + noProxy,
	}
	if runtime.GOOS == "windows" {
		env = append(env, "USERPROFILE="+home, "TEMP="+home, "SystemRoot="+os.Getenv("SystemRoot"))
	}
	res, err := process.Run(ctx, process.Spec{Argv: append(slices.Clone(h.argv), "--version"), Dir: home, Env: env})
	if err == nil && res.Exit != 0 {
		err = fmt.Errorf("it ended with %d%s: %s", res.Exit, res.Signal, lastLines(string(res.Stderr), 3))
	}
	if err != nil {
		return "", fmt.Errorf("%s --version does not work in an empty home: %w", h.argv[0], err)
	}
	version := versionText.FindString(string(res.Stdout))
	if version == "" {
		return "", fmt.Errorf("%s --version tells no version, but %q", h.argv[0], lastLines(string(res.Stdout), 1))
	}
	return version, nil
}

// Left removes the spaces below a folder, and ends what still runs in them: for a
// program that was killed before it could.
func Left(root string) error {
	spaces, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	for _, s := range spaces {
		sweep(filepath.Join(root, s.Name(), "home"))
		sweep(filepath.Join(root, s.Name())) // of who only told a version
	}
	return os.RemoveAll(root)
}

// noProxy is where no proxy listens: who only tells a version needs no network.
const noProxy = "http://127.0.0.1:9"

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
