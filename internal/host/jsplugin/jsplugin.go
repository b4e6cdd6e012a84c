// Package jsplugin generates plugins: JavaScript modules that run inside hosts which call functions
// instead of commands. A plugin consists of a client, which is the same for all hosts and talks to
// checkrein hook HOST --serve-stdio, and of the host's own part, which encodes its hooks as lines and
// applies the answers.
package jsplugin

import (
	_ "embed"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

//go:embed client.js
var client string

// Module returns the source of a plugin, one file without dependencies. The plugin starts the program
// of line. part is the host's own part, which uses the client's Checkrein class.
func Module(host string, line hostfiles.Line, part string) []byte {
	fill := strings.NewReplacer(`"@HOST@"`, string(rawjson.Quote(host)), `"@PROGRAM@"`, string(rawjson.Quote(line.Program)),
		`"@PINS@"`, quoteList(line.DirArgs()), `"@CLEARED@"`, quoteList(hostfiles.ClearedVars[:]))
	return []byte("// Written by `checkrein install " + host + "`; `checkrein uninstall` removes it. Changes to this file will be lost.\n\n" + fill.Replace(client) + "\n" + part)
}

// quoteList returns words as the elements of a JavaScript list.
func quoteList(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = string(rawjson.Quote(w))
	}
	return strings.Join(quoted, ", ")
}
