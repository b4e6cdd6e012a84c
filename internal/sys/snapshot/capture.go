package snapshot

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxNew is the maximum size in bytes of an untracked file that is stored.
const maxNew = 2 << 20

// A Shot is a snapshot: the state of the files at one moment.
type Shot struct {
	Tree string `json:"tree"`
	// Large lists untracked files that were not stored because they are too large.
	Large []string `json:"large,omitempty"`
}

// Capture takes a snapshot. It is kept under key as long as points are, and replaces the previous
// snapshot with that key. If key is "", it is kept only until the next snapshot.
func (s *Shadow) Capture(ctx context.Context, key string) (Shot, error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return Shot{}, err
	}
	defer unlock()
	return s.capture(ctx, key)
}

// capture is Capture for a caller that holds the lock of the shadow.
func (s *Shadow) capture(ctx context.Context, key string) (Shot, error) {
	files, large, err := s.listFiles(ctx)
	if err != nil {
		return Shot{}, err
	}
	if err := s.updateIndex(ctx, files); err != nil {
		return Shot{}, err
	}
	out, err := s.runShadowGit(ctx, nil, "write-tree")
	if err != nil {
		return Shot{}, err
	}
	shot := Shot{Tree: strings.TrimSpace(string(out)), Large: large}
	refs := "update refs/latest/" + shortDigest(s.scope) + " " + shot.Tree + "\n"
	if key != "" {
		refs += "update " + s.baseRef(key, s.now()) + " " + shot.Tree + "\n"
	}
	_, err = s.runShadowGit(ctx, []byte(refs), "update-ref", "--stdin")
	return shot, err
}

// baseRef returns the name of the ref that keeps the snapshot with key from being pruned. The name
// contains the date of at.
func (s *Shadow) baseRef(key string, at time.Time) string {
	return "refs/base/" + strconv.FormatInt(at.Unix()/86400, 10) + "/" + shortDigest(s.scope+"\x00"+key)
}

// listFiles returns the files to store, as paths relative to the top: those that git tracks, and
// untracked ones that it does not ignore. It returns untracked files that are too large separately.
func (s *Shadow) listFiles(ctx context.Context) (files map[string]bool, large []string, err error) {
	out, err := s.runSourceGit(ctx, filepath.Join(s.top, filepath.FromSlash(s.scope)), "ls-files", "-z", "-t", "--cached", "--others", "--exclude-standard", "--full-name")
	if err != nil {
		return nil, nil, fmt.Errorf("listing files: %w", err)
	}
	files = map[string]bool{}
	for _, entry := range splitNUL(out) {
		tag, name, ok := strings.Cut(entry, " ")
		if !ok {
			continue
		}
		info, err := os.Lstat(filepath.Join(s.top, filepath.FromSlash(name)))
		if err != nil || !info.Mode().IsRegular() && info.Mode()&os.ModeSymlink == 0 {
			continue // removed meanwhile, or a nested repository
		}
		if tag == "?" && info.Mode().IsRegular() && info.Size() > maxNew {
			large = append(large, name)
			continue
		}
		files[name] = true
	}
	slices.Sort(large)
	return files, large, nil
}

// updateIndex makes the index of the shadow contain exactly files, with their current content.
func (s *Shadow) updateIndex(ctx context.Context, files map[string]bool) error {
	out, err := s.runShadowGit(ctx, nil, "ls-files", "-z")
	if err != nil {
		return err
	}
	var gone, here bytes.Buffer
	for _, name := range splitNUL(out) {
		if !files[name] {
			gone.WriteString(name + "\x00")
		}
	}
	if gone.Len() > 0 {
		if _, err := s.runShadowGit(ctx, gone.Bytes(), "update-index", "--force-remove", "-z", "--stdin"); err != nil {
			return err
		}
	}
	for name := range files {
		here.WriteString(name + "\x00")
	}
	if _, err = s.runShadowGit(ctx, here.Bytes(), "update-index", "--add", "--remove", "-z", "--stdin"); err == nil {
		return nil
	}
	// One unreadable file must not prevent storing the others.
	here.Reset()
	for name := range files {
		if f, err := os.Open(filepath.Join(s.top, filepath.FromSlash(name))); err == nil {
			_ = f.Close() // opened only to check that it is readable
			here.WriteString(name + "\x00")
		}
	}
	_, err = s.runShadowGit(ctx, here.Bytes(), "update-index", "--add", "--remove", "-z", "--stdin")
	return err
}

// A Change is a file that differs between two trees. Its Status is A if it was added, D if it was
// deleted, and M or T if it was changed.
type Change struct {
	Status string `json:"status"`
	Path   string `json:"path"`
}

// diff returns the changes from the tree from to the tree to.
func (s *Shadow) diff(ctx context.Context, from, to string) ([]Change, error) {
	if from == to {
		return nil, nil
	}
	out, err := s.runShadowGit(ctx, nil, "diff-tree", "-r", "-z", "--no-renames", "--name-status", from, to)
	if err != nil {
		return nil, err
	}
	fields := splitNUL(out)
	var list []Change
	for i := 0; i+1 < len(fields); i += 2 {
		list = append(list, Change{fields[i], fields[i+1]})
	}
	return list, nil
}

// splitNUL returns the strings in out, which zero bytes separate.
func splitNUL(out []byte) []string {
	if len(out) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}
