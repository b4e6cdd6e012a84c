// Package freeze is a handler type for checkrein: while a project is frozen, it denies the
// calls that its hooks match.
//
// A project is frozen while a file, FREEZE by default, exists in its directory. The file's
// first line is the reason that people and models get.
package freeze

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/checkrein/checkrein"
)

// Type is the handler type. Give it to kit.Options.Handlers or engine.Options.Handlers, and
// name it in the Run field of hooks. Settings of a hook are those of [Settings].
var Type = checkrein.HandlerType{
	Name: "freeze",
	New:  newHandler,
	// It reads a file, so it is not Instant.
	Traits: func(*checkrein.Hook) checkrein.Traits { return checkrein.Traits{Refuses: true} },
}

// Settings are what a hook gives in With.
type Settings struct {
	File string `json:"file"` // relative to the session's directory; "" = FREEZE
}

// newHandler checks the settings once, so that a mistake is found before the first event.
func newHandler(h checkrein.Hook) (checkrein.Handler, error) {
	var s Settings
	if len(h.With) > 0 {
		if err := json.Unmarshal(h.With, &s); err != nil {
			return nil, fmt.Errorf("settings: %w", err)
		}
	}
	s.File = cmp.Or(s.File, "FREEZE")
	if !filepath.IsLocal(s.File) {
		return nil, fmt.Errorf("file %q is outside of the project: use a relative path", s.File)
	}
	return checkrein.HandlerFunc(func(_ context.Context, ev checkrein.Event) (checkrein.Answer, error) {
		reason, err := readReason(filepath.Join(ev.Session.Dir, s.File))
		if errors.Is(err, fs.ErrNotExist) {
			return checkrein.Answer{}, nil // no opinion
		}
		if err != nil {
			return checkrein.Answer{}, err // a fault, never a decision
		}
		return checkrein.Answer{Verdict: checkrein.Verdict{Decision: checkrein.Deny, Reason: "The project is frozen: " + reason}}, nil
	}), nil
}

// readReason returns the first line of a file.
func readReason(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Scan()
	return cmp.Or(s.Text(), "ask the owners of the project"), s.Err()
}
