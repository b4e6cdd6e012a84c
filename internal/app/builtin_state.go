package app

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/sys/snapshot"
	"github.com/checkrein/checkrein/internal/sys/state"
)

const (
	builtinsFolder = "builtins" // the folder for the state of builtins, with a folder for each
	sweepOdds      = 64         // on average, one change in this many removes expired state
)

// updateBuiltinState loads the state of the builtin name for the session into v, calls change to
// update v, and saves it. Without a session, v starts from zero and is not saved. Damaged state also
// starts from zero, because it could never be updated otherwise.
func (k *Kit) updateBuiltinState(ev *checkrein.Event, name string, ttl time.Duration, v any, change func() error) error {
	if ev.Session.ID == "" || k.state.Path() == "" {
		reflect.ValueOf(v).Elem().SetZero()
		return change()
	}
	store := k.state.OpenStore(builtinsFolder+"/"+name, ttl, k.now)
	if k.standing.foreign { // read the saved state, but do not change it
		if ok, err := store.Get(sessionKey(ev.Host, ev.Session.ID), v); err != nil || !ok {
			reflect.ValueOf(v).Elem().SetZero()
		}
		return change()
	}
	if rand.Uint32N(sweepOdds) == 0 {
		_, _ = store.Sweep() // if this fails, a later change removes the expired state
	}
	key := sessionKey(ev.Host, ev.Session.ID)
	err := store.Update(key, v, change)
	if errors.Is(err, state.ErrDamaged) && store.Delete(key) == nil {
		err = store.Update(key, v, change)
	}
	return err
}

// removeBuiltinState removes the state of the builtin name for the session of ev.
func (k *Kit) removeBuiltinState(ev *checkrein.Event, name string) error {
	if ev.Session.ID == "" || k.state.Path() == "" || k.standing.foreign {
		return nil
	}
	return k.state.OpenStore(builtinsFolder+"/"+name, 0, k.now).Delete(sessionKey(ev.Host, ev.Session.ID))
}

// appendLine appends a line to a file. A relative name is one of checkrein's logs, whose size is
// limited. An absolute path is a file of the user's, which only grows.
func (k *Kit) appendLine(file string, line []byte) error {
	if !filepath.IsAbs(file) {
		return k.state.OpenLog("log/" + file).Append(line)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if k.state.Path() != "" { // lock, because a line that another process is writing would look torn
		unlock, err := k.state.Lock("log/" + shortDigest(file))
		if err != nil {
			return err
		}
		defer unlock()
	}
	// Open for reading too, so that opening a pipe without a reader does not block.
	f, err := os.OpenFile(file, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file: choose another file", file)
	}
	text := append(line[:len(line):len(line)], '\n')
	var last [1]byte
	if n, _ := f.ReadAt(last[:], info.Size()-1); n == 1 && last[0] != '\n' {
		text = append([]byte{'\n'}, text...) // a writer was killed in the middle of a line
	}
	_, err = f.Write(text)
	return err
}

// openSnapshots opens the snapshots of the files in dir.
func (k *Kit) openSnapshots(ctx context.Context, dir string) (*snapshot.Shadow, error) {
	if k.standing.foreign {
		return nil, snapshot.ErrNoRepository // a foreign caller has no snapshots
	}
	return snapshot.OpenShadow(ctx, dir, k.state, k.environ, k.now)
}
