package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/text/tomldoc"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestUpgradeSample makes a folder of samples: CHECKREIN_SAMPLE names it, and
// CHECKREIN_SAMPLE_PROGRAMS is the directory of the programs whose home it keeps.
func TestUpgradeSample(t *testing.T) {
	folder, bin := os.Getenv("CHECKREIN_SAMPLE"), os.Getenv("CHECKREIN_SAMPLE_PROGRAMS")
	if folder == "" || bin == "" {
		t.Skip("set CHECKREIN_SAMPLE and CHECKREIN_SAMPLE_PROGRAMS to keep a home of a build")
	}
	to := filepath.Join(upgradeData, folder)
	if err := os.MkdirAll(to, 0o755); err != nil {
		t.Fatal(err)
	}
	h := newUpgradeHome(t, bin)
	h.furnish(to)
	h.install()
	h.approve()
	h.work()
	h.workMore()
	h.pack(filepath.Join(to, "home.tar.gz"))
	h.expect(filepath.Join(to, "expect.json"))
	h.keep(filepath.Join(to, "calls.jsonl.gz"), h.answer(h.calls()))
	for variant, args := range upgradeVariants {
		h.unpack(filepath.Join(to, "home.tar.gz"))
		if code, out := h.person(args...); code != 0 {
			t.Fatalf("%q: exit code %d\n%s", args, code, out)
		}
		h.pack(filepath.Join(to, variant+".tar.gz"))
	}
}

// upgradeVariants are homes in which the person has switched something off, with the
// command that did it.
var upgradeVariants = map[string][]string{
	"off":    {"hooks", "off"},
	"pause":  {"pause", "8h"},
	"shadow": {"install", "claude", "--shadow", "--program", upgradeTop + "/bin/checkrein"},
}

// furnish writes the home as it is before checkrein comes, and keeps that in the folder.
func (h *upgradeHome) furnish(to string) {
	h.t.Helper()
	archive, err := txtar.ParseFile(upgradeData + "/home.txtar")
	if err == nil {
		err = os.WriteFile(filepath.Join(to, "before.txtar"), txtar.Format(archive), 0o644)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	for _, f := range archive.Files {
		h.write(filepath.Join(upgradeTop, f.Name), strings.ReplaceAll(string(f.Data), "$TOP", upgradeTop))
	}
	for _, program := range []string{
		".config/agents/hooks/own-note/scripts/run.sh", "shop/.agents/hooks/project-note/scripts/run.sh",
		".local/bin/claude",
	} {
		if err := os.Chmod(filepath.Join(h.home, program), 0o700); err != nil {
			h.t.Fatal(err)
		}
	}
	h.git("init", "-q", "-b", "main", "--template=")
	h.git("add", ".")
	h.git("commit", "-q", "-m", "first")
}

func (h *upgradeHome) git(args ...string) {
	h.t.Helper()
	if out, err := h.command("git", args...).CombinedOutput(); err != nil {
		h.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// must runs checkrein, which must succeed.
func (h *upgradeHome) must(args ...string) string {
	h.t.Helper()
	code, out := h.run(args...)
	if code != 0 {
		h.t.Fatalf("checkrein %q: exit code %d\n%s", args, code, out)
	}
	return out
}

// mustShow has the person run checkrein, which must succeed and show a text.
func (h *upgradeHome) mustShow(want string, args ...string) {
	h.t.Helper()
	if code, out := h.person(args...); code != 0 || !strings.Contains(out, want) {
		h.t.Fatalf("checkrein %q: exit code %d, want %q in\n%s", args, code, want, out)
	}
}

// inProject runs f with another directory as the project.
func (h *upgradeHome) inProject(project string, f func()) {
	was := h.project
	h.project = filepath.Join(h.home, project)
	f()
	h.project = was
}

// install installs checkrein for every host, in both scopes where there are two.
func (h *upgradeHome) install() {
	h.t.Helper()
	program := filepath.Join(upgradeTop, "bin", "checkrein")
	for _, name := range host.Names() {
		out := h.must("install", name, "--program", program)
		if name == "ahp" {
			h.write(filepath.Join(h.home, "ahp.json"), out) // which has no settings of its own
		}
	}
	h.inProject("wired", func() {
		for _, name := range host.Names() {
			code, out := h.run("install", name, "--program", program, "--scope", "project", "--force")
			if code != 0 && !strings.Contains(out, "no such scope") {
				h.t.Fatalf("%s: %s", name, out)
			}
		}
	})
	h.must("git", "install", "--program", program)
	h.git("add", h.gitHooks())
	h.git("commit", "-q", "-m", "hooks")
}

// approve has the person approve the project's hooks, revoke one, disable one, and then
// adds one without an approval.
func (h *upgradeHome) approve() {
	h.t.Helper()
	h.mustShow("approved  pre_tool_use  approved", "hooks", "approve", "--all")
	h.mustShow("revoked  pre_tool_use  revoked", "hooks", "revoke", "revoked")
	h.mustShow("disabled", "hooks", "disable", "disabled")
	file := filepath.Join(h.project, "checkrein.yaml")
	text, err := os.ReadFile(file)
	more, err2 := os.ReadFile(filepath.Join(h.project, "unapproved.yaml"))
	if err := errors.Join(err, err2); err != nil {
		h.t.Fatal(err)
	}
	h.write(file, string(text)+string(more))
}

// work has agents work and the person allow, pause, confirm and look.
func (h *upgradeHome) work() {
	h.t.Helper()
	for scope, want := range upgradeGrants {
		flag, _, _ := strings.Cut(want, " ")
		denied := h.answer([]upgradeCall{h.shell("docker volume rm " + scope)})[0]
		m := regexp.MustCompile(`checkrein allow ([0-9a-f]+)`).FindStringSubmatch(denied.Reply)
		if m == nil {
			h.t.Fatalf("%s: no handle in %+v", scope, denied)
		}
		if flag == "none" {
			h.must("wrong", m[1], "--why", "the volume is a cache")
			continue
		}
		h.mustShow("allowed (grant ", "allow", m[1], flag)
	}
	used := h.shell("docker volume rm once")
	if used = h.answer([]upgradeCall{used})[0]; used.Reply != "" {
		h.t.Fatalf("the grant does not count: %+v", used)
	}
	h.mustShow("", "pause", "10m", "--why", "a move")
	h.mustShow("", "pause", "off")
	own := filepath.Join(h.home, ".config/checkrein/checkrein.yaml")
	more := "s/^packs:$/&\\n  - {name: containers, medium: none}/"
	loosen := upgradeCall{Host: "codex", Run: []string{"sed", "-i", more, own}, Dir: h.home}
	if c := h.answer([]upgradeCall{h.shell("ls"), loosen, h.shell("ls")}); c[1].Exit != 0 {
		h.t.Fatal(c[1])
	}
	h.mustShow("confirmed", "confirm")
	h.turn()
	h.must("audit", "query", "--json")
	h.must("audit", "checkpoint")
	h.must("scan", ".")
	h.must("audit", "verify")
}

// upgradeGrants are volumes, with the scope in which their removal is allowed and what
// then becomes of it.
var upgradeGrants = map[string]string{
	"project": "--project passes",
	"always":  "--always passes",
	"once":    "--once denied",
	"short":   "--for=1m denied",
	"never":   "none denied",
}

// turn is a turn of Claude Code in which a file changes and a tool returns a secret.
func (h *upgradeHome) turn() {
	h.t.Helper()
	event := func(name, more string) upgradeCall {
		input := `{"session_id":"s-2","cwd":"` + h.project + `","hook_event_name":"` + name + `"` + more + `}`
		return upgradeCall{Run: []string{"checkrein", "hook", "claude"}, Dir: h.project, Input: input}
	}
	bash := `,"tool_name":"Bash","tool_use_id":"c1","tool_input":{"command":"cat notes"}`
	result := `,"tool_response":{"stdout":"TOKEN=` + upgradeToken + `","stderr":"","interrupted":false,"isImage":false}`
	write := `,"tool_name":"Write","tool_use_id":"c0","tool_input":{"file_path":"README.md","content":"A line.\n"}`
	toEnv := strings.NewReplacer("README.md", ".env", "A line.", "token = "+upgradeToken)
	calls := h.answer([]upgradeCall{
		event("SessionStart", `,"source":"startup"`),
		event("UserPromptSubmit", `,"prompt":"Write a line."`),
		event("PreToolUse", write),
		{Run: []string{"sh", "-c", "echo A line. >>README.md"}, Dir: h.project},
		event("PreToolUse", toEnv.Replace(write)),
		event("PreToolUse", bash),
		event("PostToolUse", bash+result),
		event("Stop", ""),
	})
	if heardIn([]byte(calls[4].Reply)) != "none" {
		h.t.Fatalf("not written: %+v", calls[4])
	}
	if reply := calls[6].Reply; !strings.Contains(reply, "[REDACTED") || strings.Contains(reply, upgradeToken) {
		h.t.Fatalf("not redacted: %s", reply)
	}
}

// captured are commands in the payloads of hosts' tests.
var captured = regexp.MustCompile(
	`("(?:command|cmd|command_line)":)"(?:echo hello|git status|touch before|make test|ls)"`)

// payloads returns the payload of a host's event, and where it has a command of a shell
// also one whose command is denied.
func (h *upgradeHome) payloads(name, event string) []string {
	h.t.Helper()
	file := filepath.Join("../../internal/host", strings.ReplaceAll(name, "-", ""), "testdata", event+".json")
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) { // no run of the host has shown it yet
		h.t.Logf("%s: there is no payload of %s, so a minimal one is made", name, event)
		data, err = fmt.Appendf(nil, `{"session_id":"s-1","cwd":"/work/project","hook_event_name":%q}`, event), nil
	}
	if err != nil {
		h.t.Fatal(err)
	}
	here := strings.NewReplacer("/home/dev/project", h.project, "/work/project", h.project, "/home/dev", h.home)
	text := here.Replace(string(data))
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(text)); err != nil {
		h.t.Fatal(err)
	}
	text = compact.String() + "\n"
	out := []string{captured.ReplaceAllString(text, `${1}"ls"`)}
	if captured.MatchString(text) {
		out = append(out, captured.ReplaceAllString(text, `${1}"docker volume rm data"`))
	}
	return out
}

// calls returns what agents run: every installed line and plugin, with payloads.
func (h *upgradeHome) calls() []upgradeCall {
	h.t.Helper()
	var out []upgradeCall
	h.inProject("wired", func() { out = append(h.installedCalls("user"), h.installedCalls("project")...) })
	var ahp struct {
		Hooks []struct {
			Transport struct {
				Command string
				Args    []string
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(h.home, "ahp.json"))
	if err == nil {
		err = json.Unmarshal(text, &ahp)
	}
	if err != nil {
		h.t.Fatalf("%v: %s", err, text)
	}
	for _, event := range []string{"session.start@observe", "tool.before@intercept", "tool.after@observe"} {
		for _, payload := range h.payloads("ahp", event) {
			c := upgradeCall{Host: "ahp", Scope: "user", Event: event, Dir: h.home + "/wired", Input: payload}
			c.Run = append([]string{ahp.Hooks[0].Transport.Command}, ahp.Hooks[0].Transport.Args...)
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b upgradeCall) int { return strings.Compare(a.name(), b.name()) })
	return out
}

// installedCalls returns the calls of what status finds installed in a scope.
func (h *upgradeHome) installedCalls(scope string) []upgradeCall {
	h.t.Helper()
	var status struct {
		Hosts []struct {
			Host      string
			Installed []struct {
				Scope  string
				Files  []struct{ Path string }
				Events []string
			}
		}
	}
	_, out := h.run("status", "--json")
	if err := json.Unmarshal([]byte(out), &status); err != nil {
		h.t.Fatalf("%v: %s", err, out)
	}
	var calls []upgradeCall
	for _, host := range status.Hosts {
		for _, at := range host.Installed {
			if at.Scope != scope {
				continue
			}
			n := len(calls)
			for _, f := range at.Files {
				calls = append(calls, h.wiredCalls(host.Host, f.Path)...)
			}
			for i := range calls[n:] {
				calls[n+i].Scope = scope
			}
			for _, e := range at.Events {
				isRun := func(c upgradeCall) bool { return c.Event == e || c.Run[0] == "node" }
				if !slices.ContainsFunc(calls[n:], isRun) {
					h.t.Errorf("%s: nothing is run at %s", host.Host, e)
				}
			}
		}
	}
	return calls
}

// wiredCalls returns the calls of a file with lines of ours.
func (h *upgradeHome) wiredCalls(name, file string) []upgradeCall {
	h.t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		h.t.Fatal(err)
	}
	var calls []upgradeCall
	add := func(event, payload string, run ...string) {
		calls = append(calls, upgradeCall{Host: name, Event: event, Run: run, Dir: h.project, Input: payload})
	}
	line := func(event, line string) {
		for _, payload := range h.payloads(name, event) {
			add(event, payload, "sh", "-c", line)
		}
	}
	switch filepath.Ext(file) {
	case ".js":
		before := map[string]string{"opencode": "tool.execute.before@1", "openclaw": "before_tool_call"}[name]
		for _, payload := range h.payloads(name, before) {
			add(before, "["+payload+"]", "node", "$REPO/internal/host/"+name+"/testdata/host.mjs", file)
		}
	case ".json", ".jsonc":
		eachLine(text, line)
	case ".toml":
		doc, err := tomldoc.Parse(text)
		if err != nil {
			h.t.Fatal(err)
		}
		eachLine(doc.JSON(), line)
	case ".yaml":
		doc, _, err := yamldoc.Parse(text)
		if err != nil {
			h.t.Fatal(err)
		}
		eachLine(doc.JSON(), line)
	default: // a script that is named after its event
		for _, payload := range h.payloads(name, filepath.Base(file)) {
			add(filepath.Base(file), payload, file)
		}
	}
	return calls
}

// eachLine calls f with each line of ours in settings, and the event that it is for: the
// last key above it that is none of the entry's own, or the entry's key "event".
func eachLine(settings []byte, f func(event, line string)) {
	var root any
	if err := json.Unmarshal(settings, &root); err != nil {
		panic(err) // what has lines of ours can be read
	}
	var walk func(event string, v any)
	walk = func(event string, v any) {
		switch v := v.(type) {
		case map[string]any:
			if named, ok := v["event"].(string); ok {
				event = named
			}
			for key, v := range v {
				if _, leaf := v.(string); leaf || key == "hooks" {
					walk(event, v)
				} else {
					walk(key, v)
				}
			}
		case []any:
			for _, v := range v {
				walk(event, v)
			}
		case string:
			if hostfiles.IsOwnCommand(v) {
				f(event, v)
			}
		}
	}
	walk("", root)
}

// keep writes calls to a compressed file, one a line.
func (h *upgradeHome) keep(file string, calls []upgradeCall) {
	h.t.Helper()
	var buf bytes.Buffer
	z, _ := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	enc := json.NewEncoder(z)
	enc.SetEscapeHTML(false)
	for _, c := range calls {
		if err := enc.Encode(c); err != nil {
			h.t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(file, buf.Bytes(), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

// expect keeps what the build finds in its own home.
func (h *upgradeHome) expect(file string) {
	h.t.Helper()
	text, err := json.MarshalIndent(h.findings(), "", "\t")
	if err == nil {
		err = os.WriteFile(file, append(text, '\n'), 0o644)
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// pack keeps the home in an archive.
func (h *upgradeHome) pack(file string) {
	h.t.Helper()
	var buf bytes.Buffer
	z, _ := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	w := tar.NewWriter(z)
	err := filepath.WalkDir(h.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(upgradeTop, path)
		if err != nil {
			return err
		}
		e := &tar.Header{Name: filepath.ToSlash(name), Typeflag: tar.TypeDir, Format: tar.FormatPAX}
		e.Mode, e.ModTime = int64(info.Mode().Perm()), info.ModTime()
		var data []byte
		if !d.IsDir() {
			if data, err = os.ReadFile(path); err != nil {
				return err
			}
			if d.Name() == "checkrein-shell" { // the copy of a program; unpack puts that of the tests there
				data = nil
			}
			e.Typeflag, e.Size = tar.TypeReg, int64(len(data))
		}
		if err := w.WriteHeader(e); err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	})
	if err = errors.Join(err, w.Close(), z.Close()); err == nil {
		err = os.WriteFile(file, buf.Bytes(), 0o644)
	}
	if err != nil {
		h.t.Fatal(err)
	}
}
