package tool

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A memo is an entry in an agent's memory.
type memo struct {
	ID       string    `json:"id"`
	At       time.Time `json:"created_at"`
	Memory   string    `json:"memory"`
	Category string    `json:"category,omitempty"`
}

const maxMemories = 4 << 20 // bytes of the file

// A memoryFile is the file that stores a memory as {"memories": […]}. A file with other contents is
// not changed.
type memoryFile struct{ dir, name string }

var memoryMu sync.Mutex // agents of one run may share a file

// memoryTools returns the tools for a memory that outlasts the session.
func memoryTools(at Place, of *agentToolset) []Tool {
	s := memoryFile{at.Base, of.Path}
	if of.Path == "" {
		// Agents with the same name in another directory have another memory.
		s = memoryFile{at.Memories, fmt.Sprintf("%s-%x.json", safeFileName(of.agent), sha256.Sum256([]byte(at.Base)))}
	}
	const text, category = `"memory":{"type":"string"}`, `"category":{"type":"string","description":"such as preference, fact, project"}`
	return []Tool{
		newMemoryTool("add_memory", "Remember something beyond this session.", `{"type":"object","properties":{`+text+`,`+category+`},"required":["memory"]}`, false, s.add),
		newMemoryTool("get_memories", "Show everything that is remembered.", `{"type":"object","properties":{}}`, true, func(struct{}) (string, error) { return s.search(searchMemoArgs{}) }),
		newMemoryTool("search_memories", "Show what is remembered with all of these words, or of a category.", `{"type":"object","properties":{"query":{"type":"string"},`+category+`}}`, true, s.search),
		newMemoryTool("update_memory", "Change something that is remembered.", `{"type":"object","properties":{"id":{"type":"string"},`+text+`,`+category+`},"required":["id","memory"]}`, false, s.update),
		newMemoryTool("delete_memory", "Forget something.", `{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`, false, s.remove),
	}
}

// newMemoryTool returns a tool of category memory that calls do. reads means that it is read-only.
func newMemoryTool[In any](name, about, params string, reads bool, do func(In) (string, error)) Tool {
	t := newListTool(name, about, params, do)
	t.Category, t.ReadOnly = "memory", reads
	return t
}

// safeFileName returns agent with every character replaced that is unsafe in a file name.
func safeFileName(agent string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' {
			return r
		}
		return '_'
	}, agent)
}

type searchMemoArgs struct {
	Query    string `json:"query"`
	Category string `json:"category"`
}

func (s memoryFile) add(in memo) (string, error) {
	if strings.TrimSpace(in.Memory) == "" {
		return "", errors.New("memory is empty: pass what to remember")
	}
	return s.edit(func(list []memo) ([]memo, string, error) {
		last := 0
		for _, m := range list {
			n, _ := strconv.Atoi(m.ID)
			last = max(last, n)
		}
		m := memo{strconv.Itoa(last + 1), time.Now().UTC().Truncate(time.Second), in.Memory, in.Category}
		return append(list, m), "remembered as " + m.ID, nil
	})
}

func (s memoryFile) update(in memo) (string, error) {
	return s.edit(func(list []memo) ([]memo, string, error) {
		at := slices.IndexFunc(list, func(m memo) bool { return m.ID == in.ID })
		if at < 0 {
			return nil, "", fmt.Errorf("nothing is saved under the name %q", in.ID)
		}
		list[at].Memory = in.Memory
		if in.Category != "" {
			list[at].Category = in.Category
		}
		return list, "changed " + in.ID, nil
	})
}

func (s memoryFile) remove(in memo) (string, error) {
	return s.edit(func(list []memo) ([]memo, string, error) {
		at := slices.IndexFunc(list, func(m memo) bool { return m.ID == in.ID })
		if at < 0 {
			return nil, "", fmt.Errorf("nothing is saved under the name %q", in.ID)
		}
		return slices.Delete(list, at, at+1), "forgot " + in.ID, nil
	})
}

// search returns the memories that contain all words of the query and have the category, as JSON.
func (s memoryFile) search(in searchMemoArgs) (string, error) {
	var found []memo
	err := s.withRoot(func(root *os.Root) error {
		list, err := s.read(root)
		for _, m := range list {
			all := !slices.ContainsFunc(strings.Fields(strings.ToLower(in.Query)), func(w string) bool { return !strings.Contains(strings.ToLower(m.Memory), w) })
			if all && (in.Category == "" || strings.EqualFold(in.Category, m.Category)) {
				found = append(found, m)
			}
		}
		return err
	})
	if err != nil || len(found) == 0 {
		return "nothing is remembered", err
	}
	raw, err := json.Marshal(found)
	return string(raw), err
}

// edit changes the memories with do, which also returns the text for the model.
func (s memoryFile) edit(do func([]memo) ([]memo, string, error)) (said string, err error) {
	err = s.withRoot(func(root *os.Root) error {
		list, err := s.read(root)
		if err != nil {
			return err
		}
		if list, said, err = do(list); err != nil {
			return err
		}
		return s.write(root, list)
	})
	return said, err
}

// withRoot calls do with the directory of the file, which it creates if necessary. Symlinks cannot
// lead out of it.
func (s memoryFile) withRoot(do func(*os.Root) error) error {
	memoryMu.Lock()
	defer memoryMu.Unlock()
	if s.dir == "" {
		return errors.New("there is no file to save memories in: give the toolset a path")
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return do(root)
}

type memories struct {
	List []memo `json:"memories"`
}

// read returns the memories in the file, or none if it does not exist.
func (s memoryFile) read(root *os.Root) ([]memo, error) {
	f, err := root.Open(s.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", s.name)
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxMemories+1))
	if err != nil {
		return nil, err
	}
	var out memories
	in := json.NewDecoder(bytes.NewReader(raw))
	in.DisallowUnknownFields()
	if err := in.Decode(&out); err != nil || out.List == nil || in.More() {
		return nil, fmt.Errorf("%s is not a memory file of checkrein run, so it is not changed: name another file as path", s.name)
	}
	return out.List, nil
}

func (s memoryFile) write(root *os.Root, list []memo) error {
	raw, err := json.MarshalIndent(memories{append([]memo{}, list...)}, "", "  ")
	if err != nil {
		return err
	}
	if len(raw) > maxMemories {
		return fmt.Errorf("the memory is limited to %d bytes: delete something first", maxMemories)
	}
	if dir := filepath.Dir(s.name); dir != "." {
		if err := root.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	next := s.name + ".new"
	if err := root.WriteFile(next, append(raw, '\n'), 0o600); err != nil {
		return err
	}
	return root.Rename(next, s.name)
}
