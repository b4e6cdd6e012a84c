package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
)

// A bound is how large a part of the state may be before something is wrong.
type bound struct {
	folder string
	bytes  int64 // 0 = not bounded here
	files  int
}

var bounds = []bound{
	{folder: "log", bytes: 128 << 20, files: 64}, // each log and the one before it, 10 MiB each
	{folder: "sessions", bytes: 1 << 30, files: 50_000},
	{folder: "builtins", bytes: 1 << 30, files: 50_000},
	{folder: "changed", bytes: 256 << 20, files: 50_000},
	{folder: "cache", bytes: 256 << 20, files: 10_000},
}

// old is how long after its last change a temporary file is a leftover.
const old = time.Hour

// State looks at the state directory: who may read and change it, locks that
// stay held, what killed processes left, and how large it is.
func (r *Report) State(dir state.Dir, now time.Time, keep int64) {
	root := dir.Path()
	info, err := os.Stat(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return // it is made when there is something to keep
	case err != nil:
		r.Find("state-unsafe", Finding{Message: message.Of(err)})
		return
	}
	// Reading anything makes the package look at all directories above it.
	if _, err := dir.Read("trust.json", 16<<20); err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.Find("state-unsafe", Finding{Message: message.Of(err)})
		return
	}
	if perm := info.Mode().Perm(); perm&0o077 != 0 && os.PathSeparator == '/' {
		r.Find("state-open", Finding{Message: message.New(fmt.Sprintf("other users can read %s (mode %04o)", root, perm), message.Run("chmod 700 "+root, ""))})
	}
	for _, name := range []string{"trust.json", state.LogFile} {
		r.lock(dir, name)
	}
	r.leftovers(root, now)
	for _, b := range append(bounds, bound{folder: "ledger", bytes: keep + keep/4}) {
		r.size(root, b)
	}
}

// lock tries a lock that others take too; one that nobody ever took is left
// alone.
func (r *Report) lock(dir state.Dir, name string) {
	path := dir.Path(filepath.FromSlash(name)) + ".lock"
	if _, err := os.Stat(path); err != nil {
		return
	}
	unlock, err := dir.Lock(name)
	if err != nil {
		r.Find("state-locked", Finding{Message: message.Of(err)})
		return
	}
	unlock()
}

// leftovers counts what was never finished.
func (r *Report) leftovers(root string, now time.Time) {
	var list []string
	_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasPrefix(e.Name(), ".checkrein-") || !strings.HasSuffix(e.Name(), ".tmp") {
			return nil
		}
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > old {
			list = append(list, path)
		}
		return nil
	})
	if len(list) > 0 {
		r.Find("state-leftover", Finding{Message: message.New(fmt.Sprintf("%s left behind by killed processes, such as %s", term.Count(len(list), "file"), list[0]), message.Do("remove them: they are not in use"))})
	}
}

// size compares a part of the state with its bound.
func (r *Report) size(root string, b bound) {
	var bytes int64
	files := 0
	dir := filepath.Join(root, b.folder)
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil
		}
		files++
		if info, err := e.Info(); err == nil {
			bytes += info.Size()
		}
		return nil
	})
	if b.bytes > 0 && bytes > b.bytes || b.files > 0 && files > b.files {
		remedy := message.Do("check its contents: files older than a week can be removed")
		if b.folder == "ledger" {
			remedy = message.Run("checkrein audit prune", "")
		}
		r.Find("state-large", Finding{Message: message.New(fmt.Sprintf("%s contains %s with %d MiB in total", dir, term.Count(files, "file"), bytes>>20), remedy)})
	}
}
