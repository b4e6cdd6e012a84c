package config

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
)

const brokenFolder = "---\nname: guard\ndescription: d\ntrigger: before_tool\nmatcher: {tool: Shell}\ntimeout: 5\n---\n"

// TestBrokenFolderByScope checks that what a broken hook folder closes depends on its scope.
func TestBrokenFolderByScope(t *testing.T) {
	t.Parallel()
	agents := func(tr tree) func(*Options) { return func(o *Options) { o.Agents = tr.path("agents") } }
	for _, tt := range []struct{ name, file, text, want string }{
		{"a person's, with a matcher", "agents/g/HOOK.md", brokenFolder, "pre_tool_use Shell by row"},
		{"a person's, for every tool", "agents/g/HOOK.md", strings.ReplaceAll(brokenFolder, "Shell", "'.*'"), "pre_tool_use .* ignore"},
		{"a person's, without a matcher", "agents/g/HOOK.md", strings.ReplaceAll(brokenFolder, "matcher: {tool: Shell}\n", ""), "pre_tool_use  ignore"},
		{"a person's, of which nothing is known", "agents/g/HOOK.md", "x", "pre_tool_use  ignore"},
		{"an administrator's", "managed/g/HOOK.md", "x", "every gate"},
		{"a project's", "project/.agents/hooks/g/HOOK.md", "x", "every gate"}, // the kit skips it if it is not approved
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr := newTree(t)
			tr.write(tt.file, tt.text)
			if strings.HasPrefix(tt.file, "managed/") {
				tr.write("managed/checkrein.yaml", "version: 1\ninclude: [g/HOOK.md]\n")
			}
			c := tr.load(agents(tr))
			if c.Err() == nil {
				t.Fatal("it is taken as whole")
			}
			var got []string
			for _, h := range c.Hooks {
				if h.ID == LostID {
					got = []string{"every gate"}
					continue
				}
				policy := map[checkrein.FaultPolicy]string{checkrein.FaultByRow: "by row", checkrein.FaultIgnore: "ignore"}[h.OnFault]
				got = append(got, h.On.String()+" "+h.Match+" "+policy)
			}
			if s := strings.Join(got, ", "); s != tt.want {
				t.Errorf("got %s, want %s", s, tt.want)
			}
		})
	}
}

// TestSameNamesAreReported checks that hook folders with the same name in one scope are reported,
// whereas a project's may replace the user's.
func TestSameNamesAreReported(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	whole := strings.ReplaceAll(brokenFolder, "timeout: 5\n", "")
	tr.write("agents/a/HOOK.md", whole)
	tr.write("agents/b/HOOK.md", whole)
	tr.write("project/.agents/hooks/a/HOOK.md", whole)
	c := tr.load(func(o *Options) { o.Agents = tr.path("agents") })
	if c.Err() != nil || len(c.Hooks) != 3 {
		t.Fatalf("got %d hooks, %v", len(c.Hooks), c.Err())
	}
	var told []string
	for _, f := range c.Files {
		for _, w := range f.Warnings {
			told = append(told, w.Error())
		}
	}
	if len(told) != 1 || !strings.Contains(told[0], "b/HOOK.md:2") || !strings.Contains(told[0], "both run") {
		t.Errorf("got %q", told)
	}
}
