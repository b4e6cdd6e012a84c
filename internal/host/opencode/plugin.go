package opencode

import (
	_ "embed"

	"github.com/checkrein/checkrein/internal/catalog/wiring"
	"github.com/checkrein/checkrein/internal/host/bridge"
)

//go:embed plugin.js
var part string

// Plugin is the source of the plugin that asks the checkrein of a line.
func Plugin(line wiring.Line) []byte { return bridge.Module(Host.Name, line, part) }
