package native

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/grammar"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
)

// writeFile returns hooks as a checkrein.yaml, which can express every valid hook.
func writeFile(hooks []checkrein.Hook) ([]hookfile.Document, []hookfile.Loss) {
	w := grammar.Writer{Rules: grammar.Rules{Dialect: "native", Extra: true}, Indent: "  "}
	block := w.WriteHooks(hooks)
	text := "version: 1\n"
	if block != "" {
		text += "hooks:\n" + block
	}
	return []hookfile.Document{{Name: "checkrein.yaml", Data: []byte(text)}}, w.Losses
}
