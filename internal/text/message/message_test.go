package message_test

import (
	"encoding/json"
	"errors"
	"fmt"
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

func TestOf(t *testing.T) {
	t.Parallel()
	m := message.New("it is gone", message.Run("checkrein install", "to restore it"))
	for _, c := range []struct {
		err  error
		want message.Message
	}{
		{errors.New("no: way"), message.New("no: way")},
		{m, m},
		{fmt.Errorf("settings: %w", m), message.New("settings: it is gone", m.Remedies...)},
		{fmt.Errorf("settings: %w (twice)", m), message.New("settings: it is gone (twice)", m.Remedies...)},
	} {
		if got := message.Of(c.err); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v: got %+v", c.err, got)
		}
	}
}
