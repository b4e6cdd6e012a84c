package host

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// RenameDirArgument renames the working directory in patch, a rewrite of a shell call, to the argument
// that the event's host uses for it. It returns an error if the host has none, because the host would
// ignore the directory and run the command in another one.
func RenameDirArgument(ev checkrein.Event, patch json.RawMessage) (json.RawMessage, error) {
	h, ok := Find(ev.Host)
	if !ok || ev.Tool == nil || ev.Tool.Canonical != "shell" {
		return patch, nil
	}
	has := func(key string) bool { _, ok := rawjson.Get(ev.Tool.Input, key); return ok }
	out := rawjson.Object{'{'}
	var err error
	rawjson.Each(patch, func(key string, val []byte) bool {
		if tools.IsDirName(key) && rawjson.Kind(val) != 'n' && !has(key) && !slices.Contains(h.Dirs, key) {
			if len(h.Dirs) == 0 {
				err = fmt.Errorf("the rewrite sets %s, but the shell tool of %s takes no directory: put cd DIR && before the command instead", key, h.Title)
				return false
			}
			name := h.Dirs[max(0, slices.IndexFunc(h.Dirs, has))]
			if _, twice := rawjson.Get(patch, name); twice {
				err = fmt.Errorf("the rewrite sets the directory twice, as %s and as %s", key, name)
				return false
			}
			key = name
		}
		out.Raw(key, val)
		return true
	})
	out.Close()
	return json.RawMessage(out), err
}
