package freeze_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	freeze "example.com/handler"
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/checkreintest"
)

func TestFreeze(t *testing.T) {
	frozen, free, broken := t.TempDir(), t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(frozen, "FREEZE"), []byte("release 2.0 until Friday\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(broken, "FREEZE"), 0o700); err != nil {
		t.Fatal(err)
	}
	push := func(dir string) checkrein.Event {
		return checkrein.Event{
			Kind: checkrein.PreToolUse, Session: checkrein.Session{ID: "s1", Dir: dir},
			Tool: &checkrein.Tool{Name: "shell", Input: json.RawMessage(`{"command":"git push"}`)},
		}
	}
	with := func(settings string) checkrein.Hook { return checkrein.Hook{With: json.RawMessage(settings)} }
	checkreintest.TestHandler(t, freeze.Type,
		checkreintest.HandlerCase{Name: "frozen", Event: push(frozen), Want: checkrein.Deny, Reason: "release 2.0 until Friday"},
		checkreintest.HandlerCase{Name: "free", Event: push(free)},
		checkreintest.HandlerCase{Name: "another file", Event: push(frozen), Hook: with(`{"file":"STOP"}`)},
		checkreintest.HandlerCase{Name: "unreadable", Event: push(broken), Fault: true},
		checkreintest.HandlerCase{Name: "outside of the project", Event: push(free), Hook: with(`{"file":"../FREEZE"}`), Refused: true},
		checkreintest.HandlerCase{Name: "wrong settings", Event: push(free), Hook: with(`{"file":1}`), Refused: true},
	)
}
