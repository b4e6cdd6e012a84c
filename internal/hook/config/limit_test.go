package config

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
)

// loadCounted loads as for a waiting host, and counts how many files and bytes of the project are
// parsed.
func loadCounted(tr tree, change ...func(*Options)) (c *Config, files, bytes int) {
	c = tr.load(append(change, func(o *Options) {
		o.Hurried = true
		o.Dialect = func(src hookfile.Source) (*hookfile.Dialect, bool) {
			d, ok := dialect.Detect(src)
			if !ok {
				return d, ok
			}
			counts := *d
			counts.Parse = func(src hookfile.Source) (hookfile.File, error) {
				if strings.HasPrefix(src.File, tr.path("project")) {
					files, bytes = files+1, bytes+parsedSize(d, src.Data)+len(src.Beside)
				}
				return d.Parse(src)
			}
			return &counts, ok
		}
	})...)
	return c, files, bytes
}

func folder(tr tree, dir, name, more string) string {
	return tr.write(dir+"/"+name+"/HOOK.md", "---\nname: "+name+"\ndescription: x\ntrigger: before_tool\n"+more+"---\nMuch text.\n")
}

func overs(c *Config) (out []string) {
	for _, f := range c.Files {
		if f.OverLimit != nil {
			out = append(out, f.OverLimit.Error())
		}
	}
	return out
}

// TestLimits checks that unapproved files are parsed only within the limits, and approved files
// always.
func TestLimits(t *testing.T) {
	t.Parallel()
	const folders = "project/.agents/hooks"
	for _, tt := range []struct {
		name  string
		make  func(tr tree) (approved []string)
		over  string // a part of the only notice
		files int    // number of parsed files
	}{
		{"as many folders as may be", func(tr tree) []string {
			for i := range hurried.folders {
				folder(tr, folders, fmt.Sprintf("h%d", i), "")
			}
			return nil
		}, "", hurried.folders},
		{"one more, and an approved one", func(tr tree) []string {
			for i := range hurried.folders + 1 {
				folder(tr, folders, fmt.Sprintf("h%d", i), "")
			}
			return []string{folder(tr, folders, "zz", "")}
		}, "more than 100 unapproved hook folders", 1},
		{"an approved one that is gone", func(tr tree) []string { return []string{tr.path(folders + "/zz/HOOK.md")} }, "", 0},
		{"approved ones do not use the limit up", func(tr tree) (approved []string) {
			for i := range hurried.folders {
				folder(tr, folders, fmt.Sprintf("h%d", i), "")
				approved = append(approved, folder(tr, folders, fmt.Sprintf("a%d", i), ""))
			}
			return approved
		}, "", 2 * hurried.folders},
		{"many names", func(tr tree) []string {
			for i := range hurried.entries + 1 {
				tr.write(fmt.Sprintf("%s/f%d", folders, i), "")
			}
			return []string{folder(tr, folders, "zz", "")}
		}, "more than 1000 entries", 1},
		{"bytes of front matter", func(tr tree) []string {
			for i := range 9 {
				folder(tr, folders, fmt.Sprintf("h%d", i), "#"+strings.Repeat("x", 9<<10)+"\n")
			}
			return []string{folder(tr, folders, "zz", "#"+strings.Repeat("x", 50<<10)+"\n")}
		}, "more than 64 KiB", 8},
		{"text below it", func(tr tree) []string {
			for i := range 9 {
				path := folder(tr, folders, fmt.Sprintf("h%d", i), "")
				if err := os.WriteFile(path, []byte("---\nname: h\n---\n"+strings.Repeat("x", 50<<10)), 0o600); err != nil {
					tr.t.Fatal(err)
				}
			}
			return nil
		}, "", 9},
		{"a file that is too large", func(tr tree) []string {
			tr.write("project/checkrein.yaml", ruleFile("big")+"#"+strings.Repeat("x", 32<<10))
			return nil
		}, "larger than 32 KiB", 0},
		{"an approved one of that size", func(tr tree) []string {
			return []string{tr.write("project/checkrein.yaml", ruleFile("big")+"#"+strings.Repeat("x", 32<<10))}
		}, "", 1},
		{"settings beside", func(tr tree) []string {
			tr.write("project/config/shell_hooks.yaml", "hooks: []\n")
			tr.write("project/config/agent.yaml", "#"+strings.Repeat("x", 1<<20))
			return nil
		}, "", 1},
		{"includes of includes", func(tr tree) []string {
			for i := range 50 {
				text := "version: 1\ninclude:\n"
				for k := range 50 {
					text += fmt.Sprintf("  - i%d.yaml\n", k)
				}
				tr.write(fmt.Sprintf("project/i%d.yaml", i), text)
			}
			tr.write("project/checkrein.yaml", "version: 1\ninclude: [i0.yaml, gate.yaml]\n")
			return []string{tr.write("project/gate.yaml", ruleFile("gate"))}
		}, "", 2 + maxIncluded},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr := newTree(t)
			approved := tt.make(tr)
			c, files, bytes := loadCounted(tr, func(o *Options) { o.Approved = approved })
			if files > tt.files || tt.over == "" && tt.name != "includes of includes" && files != tt.files {
				t.Errorf("%d files were parsed, want %d", files, tt.files)
			}
			if most := hurried.bytes + len(approved)*maxApproved; bytes > most {
				t.Errorf("%d bytes were parsed, want at most %d", bytes, most)
			}
			switch said := overs(c); {
			case tt.over == "" && len(said) > 0, tt.over != "" && (len(said) != 1 || !strings.Contains(said[0], tt.over)):
				t.Errorf("said %q, want one with %q", said, tt.over)
			}
			for _, file := range approved {
				if _, err := os.Lstat(file); err == nil && !slices.ContainsFunc(c.Files, func(f File) bool { return f.Path == file && f.Lost == nil }) {
					t.Errorf("%s is not read", file)
				}
			}
		})
	}
}

// TestPatientLimits checks that a user who reviews files sees more of them, so that they can be
// approved.
func TestPatientLimits(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	for i := range hurried.folders + 1 {
		folder(tr, "project/.agents/hooks", fmt.Sprintf("h%d", i), "")
	}
	if c := tr.load(); len(c.Hooks) != hurried.folders+1 || c.Err() != nil {
		t.Errorf("%d hooks, %v", len(c.Hooks), c.Err())
	}
}

// TestLimitsInDoubt checks that gates close if files are left out and the list of approved files may
// be incomplete.
func TestLimitsInDoubt(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	for i := range hurried.folders + 1 {
		folder(tr, "project/.agents/hooks", fmt.Sprintf("h%d", i), "")
	}
	c, _, _ := loadCounted(tr, func(o *Options) { o.Doubt = true })
	wantNames(t, c, "project configuration!")
}

// TestOwnDirectoriesAreNotCapped checks that the user's own directories are read completely, and that
// gates close if they have too many entries.
func TestOwnDirectoriesAreNotCapped(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	for i := range hurried.entries + 1 {
		folder(tr, "user/agents", fmt.Sprintf("h%d", i), "")
	}
	c, _, _ := loadCounted(tr, func(o *Options) { o.Agents = tr.path("user/agents") })
	if len(c.Hooks) != hurried.entries+1 || c.Err() != nil {
		t.Errorf("%d hooks, %v", len(c.Hooks), c.Err())
	}
	for i := range maxOwnEntries {
		if err := os.WriteFile(tr.path(fmt.Sprintf("user/agents/f%d", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, _, _ = loadCounted(tr, func(o *Options) { o.Agents = tr.path("user/agents") })
	wantErr(t, c.Err(), "more than 10000 entries")
	if !slices.ContainsFunc(c.Hooks, func(h checkrein.Hook) bool {
		return h.ID == LostID && h.On == checkrein.PreToolUse && h.OnFault == checkrein.FaultBlock
	}) {
		t.Error("no gate is closed")
	}
}
