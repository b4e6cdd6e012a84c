// Package skill finds skills, which are directories with a SKILL.md of instructions that an agent
// reads when it needs them.
package skill

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

// A Skill is a set of instructions for an agent.
type Skill struct {
	Name        string
	Description string
	Dir         string   // the directory of its files
	Project     bool     // it belongs to the project
	Fork        bool     // it runs in a separate session
	Tools       []string // tools that such a session may use; none = all of the agent
}

const (
	file       = "SKILL.md"
	maxFile    = 256 << 10
	maxSkills  = 200
	maxEntries = 20_000 // searched in a directory
	maxAbout   = 1024   // bytes of a description for the model
)

// A Place lists the directories to search for skills.
type Place struct {
	Home string // "" = there is none
	Top  string // the root of the repository
	Dir  string // the agent's working directory, at or below Top
}

// Find returns the skills in at sorted by name, from the same directories as docker-agent. Of two with
// the same name, the one nearer to the agent counts.
func Find(at Place) []Skill {
	found := map[string]Skill{}
	add := func(dir string, deep, project bool) {
		for _, s := range findIn(dir, deep) {
			if s.Project = project; len(found) < maxSkills || found[s.Name].Name != "" {
				found[s.Name] = s
			}
		}
	}
	if at.Home != "" {
		for _, s := range slices.Backward(hosts.Skills[:]) {
			add(filepath.Join(at.Home, filepath.FromSlash(s.Path)), s.Deep, false)
		}
		add(filepath.Join(at.Home, ".agents", "skills"), true, false)
	}
	for _, s := range slices.Backward(hosts.Skills[:]) {
		if s.Where&hosts.Project != 0 {
			add(filepath.Join(at.Dir, filepath.FromSlash(s.Path)), false, true)
		}
	}
	for _, dir := range dirsBetween(at.Top, at.Dir) {
		add(filepath.Join(dir, ".agents", "skills"), false, true)
	}
	out := make([]Skill, 0, len(found))
	for _, name := range slices.Sorted(maps.Keys(found)) {
		out = append(out, found[name])
	}
	return out
}

// dirsBetween returns the directories from top down to dir.
func dirsBetween(top, dir string) []string {
	out := []string{dir}
	for dir != top && filepath.Dir(dir) != dir {
		dir = filepath.Dir(dir)
		out = append(out, dir)
	}
	if dir != top { // top is not a parent of dir
		return out[:1]
	}
	slices.Reverse(out)
	return out
}

// findIn returns the skills in the directories directly in dir or, if recursive is set, in all
// directories below it.
func findIn(dir string, recursive bool) []Skill {
	var out []Skill
	seen := 0
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error { // does not follow symlinks
		if seen++; err != nil || seen > maxEntries || len(out) >= maxSkills {
			return fs.SkipAll
		}
		if !d.IsDir() || path == dir {
			return nil
		}
		if strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if s, err := readHead(path); err == nil {
			out = append(out, s)
		}
		if !recursive {
			return fs.SkipDir
		}
		return nil
	})
	return out
}

// readHead returns the skill in dir, according to its front matter.
func readHead(dir string) (Skill, error) {
	text, err := readIn(dir, file)
	if err != nil {
		return Skill{}, err
	}
	head, _, err := splitFrontMatter(text)
	if err != nil {
		return Skill{}, err
	}
	n, _, err := yamldoc.Parse([]byte(head))
	if err != nil || n.Kind != yamldoc.Map {
		return Skill{}, errors.New("the front matter cannot be read")
	}
	s := Skill{Name: n.Get("name").ScalarText(), Description: n.Get("description").ScalarText(), Dir: dir, Fork: n.Get("context").ScalarText() == "fork"}
	if s.Name == "" || s.Description == "" || strings.ContainsFunc(s.Name, func(r rune) bool { return r <= ' ' || r == '<' || r == '>' || r == 0x7f }) {
		return Skill{}, errors.New("the name or the description is missing, or the name contains a space, a control character, < or >")
	}
	switch tools := n.Get("allowed-tools"); {
	case tools.IsNull():
	case tools.Kind == yamldoc.List:
		for _, item := range tools.Items {
			s.Tools = append(s.Tools, item.ScalarText())
		}
	default:
		for t := range strings.SplitSeq(tools.ScalarText(), ",") {
			s.Tools = append(s.Tools, strings.TrimSpace(t))
		}
	}
	return s, nil
}

// splitFrontMatter splits text, a SKILL.md, into its front matter and the rest. It returns an error if
// there is no front matter.
func splitFrontMatter(text string) (head, body string, err error) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	rest, ok := strings.CutPrefix(text, "---\n")
	head, body, end := strings.Cut(rest, "\n---")
	if !ok || !end {
		return "", "", errors.New("there is no front matter between --- lines")
	}
	_, body, _ = strings.Cut(body, "\n")
	return head, strings.TrimSpace(body), nil
}

// Text returns the instructions of the skill.
func (s *Skill) Text() (string, error) {
	text, err := readIn(s.Dir, file)
	if err != nil {
		return "", err
	}
	_, body, err := splitFrontMatter(text)
	return body, err
}

// ReadFile returns the contents of the file name in the skill's directory.
func (s *Skill) ReadFile(name string) (string, error) { return readIn(s.Dir, name) }

// readIn returns the contents of the text file name in dir. Symlinks cannot lead out of dir.
func readIn(dir, name string) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	info, err := root.Stat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return "", fmt.Errorf("%s is not a regular file or is larger than %d bytes", name, maxFile)
	}
	f, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxFile))
	return strings.ToValidUTF8(string(text), "�"), err
}
