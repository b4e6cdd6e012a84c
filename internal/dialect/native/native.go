// Package native is checkrein's own dialect: checkrein.yaml.
package native

import (
	"bytes"
	"path/filepath"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/envelope"
	"github.com/checkrein/checkrein/internal/grammar"
	"github.com/checkrein/checkrein/internal/yamldoc"
)

// Dialect is the row of the dialect table.
var Dialect = checkrein.Dialect{
	Name:   "native",
	Parse:  parse,
	Detect: detect,
	Encode: encode,
	Write:  write,
	Form: checkrein.AnswerForm{
		Decisions: []checkrein.DecisionWord{
			{Word: "block", Is: checkrein.Deny}, {Word: "deny", Is: checkrein.Deny},
			{Word: "ask", Is: checkrein.Ask},
			{Word: "allow", Is: checkrein.Allow}, {Word: "approve", Is: checkrein.Allow},
			{Word: "none", Is: checkrein.NoOpinion},
		},
		Plain: true,
	},
}

// topLevel lists the keys of a file.
var topLevel = []string{"version", "hooks", "include", "packs", "settings", "project_may_allow", "self_approve", "shadow", "on_full", "secrets", "grants", "channels", "ledger"}

func detect(src checkrein.Source) bool {
	base := filepath.Base(src.File)
	if base == "checkrein.yaml" || base == "checkrein.yml" {
		return true
	}
	for line := range bytes.Lines(src.Data) {
		if bytes.HasPrefix(line, []byte("version:")) || bytes.HasPrefix(line, []byte("packs:")) || bytes.HasPrefix(line, []byte("include:")) {
			return true
		}
	}
	return false
}

func parse(src checkrein.Source) (checkrein.File, error) {
	b := grammar.Block{File: src.File, Rules: grammar.Rules{Dialect: "native", Extra: true}}
	root, ok := b.Open(src.Data)
	if !ok {
		return b.Result()
	}
	b.Keys(root, "the file", topLevel...)
	version(&b, root)
	b.Read(root.Get("hooks"))
	includes := include(&b, root.Get("include"))
	settings := switches(&b, root)
	settings.Packs = packs(&b, root.Get("packs"))
	settings.Grants = grants(&b, root.Get("grants"))
	settings.Channels = channels(&b, root.Get("channels"))
	file, err := b.Result()
	file.Includes, file.Settings = includes, settings
	return file, err
}

func version(b *grammar.Block, root *yamldoc.Node) {
	v := root.Get("version")
	switch {
	case v == nil:
		b.Problem(1, "", "add version: 1", "the file has no version")
	case v.Text != "1":
		b.Lose(v.Line, "this checkrein reads version 1", "version %s is unknown", v.Text)
	}
}

func include(b *grammar.Block, n *yamldoc.Node) []checkrein.Include {
	if n.IsNull() {
		return nil
	}
	items := n.Items
	if n.Kind == yamldoc.Text {
		items = []*yamldoc.Node{n}
	}
	var out []checkrein.Include
	for _, item := range items {
		if item.Kind != yamldoc.Text || item.Text == "" {
			b.Lose(item.Line, "write a list of file names", "include holds %s", item.Kind)
			continue
		}
		out = append(out, checkrein.Include{File: item.Text, Line: item.Line})
	}
	if len(out) == 0 && n.Kind != yamldoc.List {
		b.Lose(n.Line, "write a list of file names", "include is %s", n.Kind)
	}
	return out
}

// encode writes the event in the host's words, with checkrein's name for the
// tool beside.
func encode(ev checkrein.Event) ([]byte, error) {
	body := envelope.Append(nil, &ev, func(b []byte) []byte {
		if ev.Tool != nil {
			b = envelope.Text(b, "tool", ev.Tool.Canonical)
		}
		return envelope.Text(b, "host", ev.Host)
	})
	return envelope.Finish(body)
}
