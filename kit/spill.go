package kit

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/checkrein/checkrein"
)

// spillFolder holds what was too large to show, a folder for each session.
const (
	spillFolder = "results"
	spillTTL    = 48 * time.Hour // of sessions that never ended
)

// spill keeps a text of a session in a private file and returns its path.
func (k *Kit) spill(ev *checkrein.Event, text string) (string, error) {
	k.dropSpills()
	// Nobody else writes into the folder, so a name need not be hard to guess.
	id := strconv.FormatInt(k.now().UnixNano(), 36) + "-" + strconv.Itoa(os.Getpid()) + "-" + strconv.FormatUint(k.spilled.Add(1), 36)
	name := filepath.Join(spillFolder, spillName(ev), id+".txt")
	if err := k.state.Write(name, []byte(text)); err != nil {
		return "", fmt.Errorf("keeping a large output: %w", err)
	}
	return k.state.Path(name), nil
}

// unspill removes what was kept of a session. What has no session is left to
// time: it may be another's.
func (k *Kit) unspill(ev *checkrein.Event) error {
	if ev.Session.ID == "" || k.state.Path() == "" {
		return nil
	}
	return os.RemoveAll(k.state.Path(spillFolder, spillName(ev)))
}

func spillName(ev *checkrein.Event) string {
	if ev.Session.ID == "" {
		return "unknown"
	}
	return digest(sessionKey(ev))
}

// dropSpills removes what sessions left behind that never ended.
func (k *Kit) dropSpills() {
	entries, _ := os.ReadDir(k.state.Path(spillFolder))
	for _, e := range entries {
		if info, err := e.Info(); err == nil && k.now().Sub(info.ModTime()) > spillTTL {
			os.RemoveAll(k.state.Path(spillFolder, e.Name()))
		}
	}
}
