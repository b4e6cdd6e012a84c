package pi

import (
	_ "embed"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/host/jsplugin"
)

//go:embed plugin.js
var part string

// Plugin returns the source of the extension that calls the program of line.
func Plugin(line hostfiles.Line) []byte { return jsplugin.Module(Host.Name, line, part) }
