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
	Package string // the npm package
	Version string // the installed version
	// Patience multiplies the timeout of a run, for busy machines; 0 = 1.
	Patience int

	recipe Recipe
	argv   []string // the command that starts the host
	node   string   // the Node.js in its PATH; "" = none
	root   string   // the directory for its spaces
}

// NewHost returns the build of a host that npm installed into the directory modules. node is the path
// of Node.js. The host's spaces are created in root.
func (r *Recipe) NewHost(version, modules, node, root string) (*Host, error) {
	found, err := filepath.Glob(filepath.Join(modules, filepath.FromSlash(r.Entry)))
	if err != nil || len(found) == 0 {
		return nil, fmt.Errorf("the package has no %s: it does not support this system, or has changed", r.Entry)
	}
	h := &Host{Name: r.Name, Package: r.Package, Version: version, recipe: *r, node: node, root: root}
	h.argv = []string{slices.MinFunc(found, func(a, b string) int { return len(a) - len(b) })} // builds for old processors have longer names
	if r.Node {
		h.argv = append([]string{node}, h.argv...)
	}
	return h, nil
}

// ErrNotFound means that a host is not installed on this machine.
var ErrNotFound = errors.New("not found on this machine")

// A Where lists where to search for a host. Only file names are read; the settings in the user's home
// directory are neither read nor copied.
type Where struct {
	Path string // the value of PATH
	Home string // the user's home directory, in which some hosts install their program
	Root string // the directory for spaces
}

// Find returns the build of a host that is installed on this machine. Its version is the one that the
// build itself reports in an empty home directory. The error is [ErrNotFound] if the host is not
// installed.
func (rs Recipes) Find(ctx context.Context, name string, w Where) (*Host, error) {
	r := rs.ForHost(name)
	if r == nil {
		return nil, fmt.Errorf("unknown agent %q: this build can run %s", name, strings.Join(rs.Hosts(), ", "))
	}
	s := *r
	path := w.findProgram(s)
	if path == "" {
		return nil, fmt.Errorf("%s: %w: there is no program %q in PATH or in the usual places", name, ErrNotFound, s.Name)
	}
	root, err := filepath.Abs(w.Root)
	if err != nil {
		return nil, err
	}
	h := &Host{Name: s.Name, Package: s.Package, recipe: s, argv: []string{path}, node: w.findNode(path), root: root}
	h.Version, err = h.AskVersion(ctx)
	return h, err
}

// findProgram returns the first executable of the host, or "" if there is none.
func (w Where) findProgram(s Recipe) string {
	dirs := filepath.SplitList(w.Path)
	for _, place := range s.InstallDirs {
		dirs = append(dirs, filepath.Join(w.Home, filepath.FromSlash(place)))
	}
	for _, place := range []string{".local/bin", ".npm-global/bin", ".bun/bin", ".local/share/pnpm", ".volta/bin"} {
		dirs = append(dirs, filepath.Join(w.Home, filepath.FromSlash(place)))
	}
	for _, dir := range append(dirs, "/usr/local/bin", "/opt/homebrew/bin", "/usr/bin") {
		if !filepath.IsAbs(dir) { // it would be relative to the project
			continue
		}
		if path, err := exec.LookPath(filepath.Join(dir, s.Name)); err == nil {
			return path
		}
	}
	return ""
}

// findNode returns the path of Node.js for the program at path: the one beside the program, where
// version managers install it, or else the one in the PATH. It returns "" if there is none.
func (w Where) findNode(path string) string {
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

// Program returns the path of the host's own executable, or of the script that Node.js runs. It may be
// a symlink in the PATH.
func (h *Host) Program() string {
	if h.recipe.Node && len(h.argv) > 1 {
		return h.argv[1]
	}
	return h.argv[0]
}

// Timeout returns an ample limit for the duration of a run.
func (h *Host) Timeout() time.Duration {
	return h.recipe.Timeout * time.Duration(max(1, h.Patience))
}

// DelegateCall returns a call that gives a sub-agent a prompt. It reports false if the host has no
// tool for that.
func (h *Host) DelegateCall(prompt string) (mockmodel.Call, bool) {
	if h.recipe.DelegateArgs == nil {
		return mockmodel.Call{}, false
	}
	args := maps.Clone(h.recipe.DelegateArgs)
	args["prompt"] = prompt
	return mockmodel.Call{Tool: "task", Args: args}, true
}

// PokeCalls returns the calls that can reach the tool of the space's MCP server. Use the first one for
// which the model is offered a tool.
func (h *Host) PokeCalls(text string) []mockmodel.Call {
	args := map[string]any{"text": text}
	list := []mockmodel.Call{mockmodel.MCP(ToolServer, Tool, args)}
	if h.recipe.CallerTool != "" {
		list = append(list, mockmodel.Native(h.recipe.CallerTool, map[string]any{"name": "mcp__" + ToolServer + "__" + Tool, "arguments": args}))
	}
	return list
}

var versionText = regexp.MustCompile(`\d+\.\d+\.\d+(?:[-+.][0-9A-Za-z]+)*`)

// versionTimeout is long enough for a host that unpacks itself at its first start.
const versionTimeout = 30 * time.Second

// AskVersion runs the build with --version in an empty home directory, and returns the version.
func (h *Host) AskVersion(ctx context.Context) (string, error) {
	home, err := os.MkdirTemp(h.root, h.Name+"-*")
	if err != nil {
		return "", fmt.Errorf("asking %s for its version: %w", h.Name, err)
	}
	defer os.RemoveAll(home)
	defer killProcesses(home)
	bin := filepath.Join(home, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		return "", err
	}
	if h.node != "" && runtime.GOOS != "windows" {
		if err := os.Symlink(h.node, filepath.Join(bin, "node")); err != nil {
			return "", err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	env := []string{
		"PATH=" + systemPath(bin), "HOME=" + home, "TMPDIR=" + home, "TERM=dumb", "NO_COLOR=1", "npm_config_offline=true",
		"HTTP_PROXY=" + deadProxy, "HTTPS_PROXY=" + deadProxy, "http_proxy=" + deadProxy, "https_proxy=" + deadProxy,
	}
	if runtime.GOOS == "windows" {
		env = append(env, "USERPROFILE="+home, "TEMP="+home, "SystemRoot="+os.Getenv("SystemRoot"))
	}
	res, err := process.Run(ctx, process.Spec{Argv: append(slices.Clone(h.argv), "--version"), Dir: home, Env: env})
	if err == nil && res.Exit != 0 {
		err = fmt.Errorf("it exited with %d%s: %s", res.Exit, res.Signal, lastLines(string(res.Stderr), 3))
	}
	if err != nil {
		return "", fmt.Errorf("%s --version does not work in an empty home: %w", h.argv[0], err)
	}
	version := versionText.FindString(string(res.Stdout))
	if version == "" {
		return "", fmt.Errorf("%s --version did not print a version, but %q", h.argv[0], lastLines(string(res.Stdout), 1))
	}
	return version, nil
}

// RemoveSpaces removes the spaces in root and kills their processes. It cleans up after a program that
// was killed.
func RemoveSpaces(root string) error {
	spaces, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	for _, s := range spaces {
		killProcesses(filepath.Join(root, s.Name(), "home"))
		killProcesses(filepath.Join(root, s.Name())) // AskVersion uses it as the home directory
	}
	return os.RemoveAll(root)
}

// deadProxy is the address of a proxy that does not exist, because printing a version needs no
// network.
const deadProxy = "http://127.0.0.1:9"

// lastLines returns the last n lines of s.
func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
