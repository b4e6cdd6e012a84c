package health

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/catalog/transcripts"
)

// A secret is found in every place from which hosts give files to their models.
func TestSecretsInGivenFilesAreFound(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		files map[string]string // paths below a home directory that has the project proj
		want  string
	}{
		"a rule":             {map[string]string{"proj/.claude/rules/a/x.md": "VALUE"}, ".claude/rules/a/x.md"},
		"an import":          {map[string]string{"proj/CLAUDE.md": "see @docs/k.md.", "proj/docs/k.md": "VALUE"}, "docs/k.md"},
		"an import's import": {map[string]string{"proj/CLAUDE.md": "@a.md", "proj/a.md": "(@b.md)", "proj/b.md": "VALUE"}, "b.md"},
		"from the home":      {map[string]string{"proj/CLAUDE.md": "@~/k.md", "k.md": "VALUE"}, "~/k.md"},
		"imports in a ring":  {map[string]string{"proj/CLAUDE.md": "@a.md", "proj/a.md": "@CLAUDE.md"}, ""},
		"memory":             {map[string]string{".claude/projects/SLUG/memory/MEMORY.md": "VALUE"}, "memory/MEMORY.md"},
		"a command":          {map[string]string{"proj/.claude/commands/x.md": "VALUE"}, ".claude/commands/x.md"},
		"one's own command":  {map[string]string{".claude/commands/x.md": "VALUE"}, ".claude/commands/x.md"},
		"a skill":            {map[string]string{"proj/.claude/skills/s/SKILL.md": "VALUE"}, ".claude/skills/s/SKILL.md"},
		"a directory below":  {map[string]string{"proj/sub/CLAUDE.md": "VALUE"}, "sub/CLAUDE.md"},
		"a directory above":  {map[string]string{"CLAUDE.md": "VALUE"}, "CLAUDE.md"},
		"another file":       {map[string]string{"proj/main.md": "VALUE", "proj/.env": "VALUE"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			project := filepath.Join(home, "proj")
			if err := os.MkdirAll(project, 0o755); err != nil {
				t.Fatal(err)
			}
			for path, text := range tt.files {
				path = filepath.Join(home, filepath.FromSlash(strings.Replace(path, "SLUG", transcripts.ProjectDirName(project), 1)))
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			g := secretSearch{ctx: t.Context(), has: func(text string) bool { return strings.Contains(text, "VALUE") }, seen: map[string]bool{}}
			if got := g.findFile(project, project, []string{"HOME=" + home}); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
