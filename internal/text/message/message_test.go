package message_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"testing"

	"github.com/checkrein/checkrein/internal/text/message"
)

func TestMessage(t *testing.T) {
	t.Parallel()
	restore := message.Run("checkrein install claude", "to restore it")
	for _, c := range []struct {
		m                       message.Message
		line, sentences, object string
	}{
		{message.New("all is well"), "all is well", "all is well", `{"what":"all is well"}`},
		{message.New("it is gone", restore, message.Run("checkrein uninstall claude", "if this was intended")),
			"it is gone: to restore it, run checkrein install claude; if this was intended, run checkrein uninstall claude",
			"it is gone. To restore it, run checkrein install claude. If this was intended, run checkrein uninstall claude",
			`{"what":"it is gone","remedies":[{"command":"checkrein install claude","text":"to restore it"},{"command":"checkrein uninstall claude","text":"if this was intended"}]}`},
		{message.New("no space", message.Remedy{}, message.Do("free some"), message.Run("df", "")),
			"no space: free some; run df", "no space. Free some. Run df", `{"what":"no space","remedies":[{"text":"free some"},{"command":"df"}]}`},
		{message.New("it is damaged", message.Do("remove it"), message.Run("checkrein prove", message.Then), message.Do("look")),
			"it is damaged: remove it, then run checkrein prove; look", "it is damaged. Remove it. Then run checkrein prove. Look",
			`{"what":"it is damaged","remedies":[{"text":"remove it"},{"command":"checkrein prove","text":"then"},{"text":"look"}]}`},
		{message.New("held back", message.RunYourself("checkrein confirm", "to apply it")),
			"held back: to apply it, run checkrein confirm in your own terminal", "held back. To apply it, run checkrein confirm in your own terminal",
			`{"what":"held back","remedies":[{"command":"checkrein confirm","text":"to apply it","own_terminal":true}]}`},
		{message.New("it is gone", restore).With(message.Run("checkrein install claude", ""), message.Do("look")),
			"it is gone: to restore it, run checkrein install claude; look", "it is gone. To restore it, run checkrein install claude. Look",
			`{"what":"it is gone","remedies":[{"command":"checkrein install claude","text":"to restore it"},{"text":"look"}]}`},
	} {
		object, err := json.Marshal(c.m)
		if err != nil || string(object) != c.object || c.m.String() != c.line || c.m.Sentences() != c.sentences {
			t.Errorf("got  %s\n     %s\n     %s\nwant %s\n     %s\n     %s", c.m, c.m.Sentences(), object, c.line, c.sentences, c.object)
		}
	}
}

func TestFromError(t *testing.T) {
	t.Parallel()
	restore := message.Run("checkrein install", "to restore it")
	gone := message.Wrap(os.ErrNotExist, restore)
	for _, c := range []struct {
		err  error
		text string
		want message.Message
	}{
		{errors.New("no: way"), "no: way", message.New("no: way")},
		{gone, "file does not exist: to restore it, run checkrein install", message.New("file does not exist", restore)},
		{fmt.Errorf("settings: %w", gone), "settings: file does not exist: to restore it, run checkrein install", message.New("settings: file does not exist", restore)},
		{fmt.Errorf("settings: %w (twice)", gone), "settings: file does not exist: to restore it, run checkrein install (twice)", message.New("settings: file does not exist (twice)", restore)},
		{message.WrapSentences(os.ErrNotExist, restore), "file does not exist. To restore it, run checkrein install", message.New("file does not exist", restore)},
	} {
		if got := message.FromError(c.err); !reflect.DeepEqual(got, c.want) || c.err.Error() != c.text {
			t.Errorf("%v: got %+v", c.err, got)
		}
	}
	if !errors.Is(gone, os.ErrNotExist) {
		t.Errorf("%v is not %v", gone, os.ErrNotExist)
	}
}
