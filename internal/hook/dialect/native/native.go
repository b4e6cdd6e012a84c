// Package native implements checkrein's own dialect: checkrein.yaml.
package native

import (
	"bytes"
	"path/filepath"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/grammar"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/payload"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// Dialect is the entry for this format in the table of dialects.
var Dialect = hookfile.Dialect{
	Name:   "native",
	Parse:  parse,
	Detect: detect,
	Encode: encode,
	Write:  writeFile,
	Form: hookfile.AnswerForm{
		Decisions: []hookfile.DecisionWord{
			{Word: "block", Is: checkrein.Deny}, {Word: "deny", Is: checkrein.Deny},
			{Word: "ask", Is: checkrein.Ask},
			{Word: "allow", Is: checkrein.Allow}, {Word: "approve", Is: checkrein.Allow},
			{Word: "none", Is: checkrein.NoOpinion},
		},
		Plain: true,
	},
}

// topLevelKeys lists the keys at the top level of a file.
var topLevelKeys = []string{"version", "hooks", "include", "packs", "settings", "project_may_allow", "self_approve", "shadow", "mode", "until", "on_full", "not_replaced", "secrets", "grants", "channels", "judge", "ledger", "walls", "approvals"}

// detect reports whether src has the name of a checkrein file, or keys that only checkrein files have.
func detect(src hookfile.Source) bool {
	base := filepath.Base(src.File)
	if base == "checkrein.yaml" || base == "checkrein.yml" {
		return true
	}
	if text, ok := bytes.CutPrefix(bytes.TrimSpace(src.Data), []byte("{")); ok && bytes.HasPrefix(bytes.TrimSpace(text), []byte(`"`)) {
		return isNativeJSON(src.Data)
	}
	for key := range yamldoc.TopLevelKeys(src.Data) {
		if key == "version" || key == "packs" || key == "include" {
			return true
		}
	}
	return false
}

// isNativeJSON reports whether text is a checkrein file in JSON: it has packs or include, or it has a
// version, another of checkrein's keys, and only events with checkrein's names. A version alone is not
// enough, because files of other systems may have one.
func isNativeJSON(text []byte) bool {
	version, other, torn := false, false, false
	for key := range yamldoc.TopLevelKeys(text) {
		switch {
		case key == "packs" || key == "include":
			return true
		case key == "version":
			version = true
		case key == "hooks":
			_, ok := rawjson.Get(text, key)
			other, torn = true, !ok
		default:
			other = other || slices.Contains(topLevelKeys, key)
		}
	}
	if !version || !other || torn {
		return false
	}
	ours, others := false, false
	hooks, _ := rawjson.Get(text, "hooks")
	rawjson.Each(hooks, func(key string, _ []byte) bool {
		kind, known := hookfile.KindOf(key)
		ours = ours || known && kind.String() == key
		others = others || !known || kind.String() != key
		return true
	})
	return ours || !others
}

// parse reads a checkrein.yaml.
func parse(src hookfile.Source) (hookfile.File, error) {
	b := grammar.Block{File: src.File, Rules: grammar.Rules{Dialect: "native", Extra: true, Begin: "start with version: 1, then hooks: or packs:"}}
	root, ok := b.ParseYAML(src.Data)
	if !ok {
		return b.Result()
	}
	checkTopLevel(&b, root)
	checkVersion(&b, root)
	b.Shadow = b.ReadMode(root.Get("mode")) == grammar.Shadow
	if b.Until = b.ReadUntil(root.Get("until")); b.Until != "" && !b.Shadow {
		b.Warn(root.Get("until").Line, "", "add mode: shadow, or remove it", "until has no effect without mode: shadow")
	}
	b.ReadHooks(root.Get("hooks"))
	includes := readIncludes(&b, root.Get("include"))
	settings := readSettings(&b, root)
	settings.Packs = readPacks(&b, root.Get("packs"))
	if b.Shadow && slices.ContainsFunc(settings.Packs, func(p setting.Pack) bool { return p.Shadow == nil }) {
		b.Warn(root.Get("packs").Line, "", "write mode: shadow in the entries of packs too", "mode: shadow applies to hooks only: the file's settings for packs are enforced")
	}
	settings.Grants = readGrants(&b, root.Get("grants"))
	settings.Channels = readChannels(&b, root.Get("channels"))
	settings.Judges = readJudges(&b, root.Get("judge"))
	file, err := b.Result()
	file.Includes, file.Settings = includes, settings
	return file, err
}

// checkTopLevel adds lost mistakes for unknown keys at the top level. For an event, the remedy is to
// put it below hooks.
func checkTopLevel(b *grammar.Block, root *yamldoc.Node) {
	rest := *root
	rest.Pairs = slices.DeleteFunc(slices.Clone(root.Pairs), func(p yamldoc.Pair) bool {
		kind, is := hookfile.KindOf(p.Key)
		if is {
			b.AddLost(p.Line, "write hooks: {"+kind.String()+": […]}", "unknown key %q in the file: put events under hooks", p.Key)
		}
		return is
	})
	b.AddUnknownKeysLost(&rest, "the file", topLevelKeys...)
}

func checkVersion(b *grammar.Block, root *yamldoc.Node) {
	v := root.Get("version")
	switch {
	case v == nil:
		b.AddError(1, "", "add version: 1 as the first line", "the file has no version")
	case v.Text != "1":
		b.AddLost(v.Line, "write version: 1", "version must be the number 1, not %s", v.Text)
	}
}

// readIncludes reads the included files in n, which is a name or a list of names.
func readIncludes(b *grammar.Block, n *yamldoc.Node) []hookfile.Include {
	if n.IsNull() {
		return nil
	}
	items := n.Items
	if n.Kind == yamldoc.Text {
		items = []*yamldoc.Node{n}
	}
	var out []hookfile.Include
	for _, item := range items {
		if item.Kind != yamldoc.Text || item.Text == "" {
			b.AddLost(item.Line, "write a list of file names", "include holds %s", item.Kind)
			continue
		}
		out = append(out, hookfile.Include{File: item.Text, Line: item.Line})
	}
	if len(out) == 0 && n.Kind != yamldoc.List {
		b.AddLost(n.Line, "write a list of file names", "include is %s, not a list", n.Kind)
	}
	return out
}

// encode returns the payload for ev with the host's names and, in addition, checkrein's name for the
// tool.
func encode(ev checkrein.Event) ([]byte, error) {
	body := payload.Append(nil, &ev, func(b []byte) []byte {
		if ev.Tool != nil {
			b = payload.AppendText(b, "tool", ev.Tool.Canonical)
		}
		return payload.AppendText(b, "host", ev.Host)
	})
	return payload.MakePortable(body)
}
