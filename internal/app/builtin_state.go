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
	builtinsFolder = "builtins" // the state of builtins, a folder for each
	sweepOdds      = 64         // one of so many changes removes expired state
)

// updateBuiltinState calls change to update v, the state of a builtin for a session. Without a session
// v starts from zero and is not saved. Damaged state starts from zero too, because it could never be
// updated otherwise.
func (k *Kit) updateBuiltinState(ev *checkrein.Event, name string, ttl time.Duration, v any, change func() error) error {
	if ev.Session.ID == "" || k.state.Path() == "" {
		reflect.ValueOf(v).Elem().SetZero()
		return change()
	}
	store := k.state.OpenStore(builtinsFolder+"/"+name, ttl, k.now)
	if k.standing.foreign { // read the saved state, and leave it as it is
		if ok, err := store.Get(sessionKey(ev.Host, ev.Session.ID), v); err != nil || !ok {
			reflect.ValueOf(v).Elem().SetZero()
		}
		return change()
	}
	if rand.Uint32N(sweepOdds) == 0 {
		_, _ = store.Sweep() // otherwise, a later change removes it
	}
	key := sessionKey(ev.Host, ev.Session.ID)
	err := store.Update(key, v, change)
	if errors.Is(err, state.ErrDamaged) && store.Delete(key) == nil {
		err = store.Update(key, v, change)
	}
	return err
}

// removeBuiltinState removes the state of a builtin for a session.
func (k *Kit) removeBuiltinState(ev *checkrein.Event, name string) error {
	if ev.Session.ID == "" || k.state.Path() == "" || k.standing.foreign {
		return nil
	}
	return k.state.OpenStore(builtinsFolder+"/"+name, 0, k.now).Delete(sessionKey(ev.Host, ev.Session.ID))
}

// addLine adds a line to a file. A relative name is one of checkrein's logs, whose size is limited;
// any other file is the person's, and only grows.
func (k *Kit) addLine(file string, line []byte) error {
	if !filepath.IsAbs(file) {
		return k.state.OpenLog("log/" + file).Append(line)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if k.state.Path() != "" { // one writer at a time: another's half-written line would look torn
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

// openSnapshots opens the snapshots of the files of a directory.
func (k *Kit) openSnapshots(ctx context.Context, dir string) (*snapshot.Shadow, error) {
	if k.standing.foreign {
		return nil, snapshot.ErrNoRepository // no snapshots belong to the caller
	}
	return snapshot.Open(ctx, dir, k.state, k.environ, k.now)
}
