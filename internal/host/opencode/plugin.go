package opencode

import (
	_ "embed"

	"github.com/checkrein/checkrein/internal/host/bridge"
)

//go:embed plugin.js
var part string

// Plugin is the source of the plugin that asks the checkrein at the given path.
func Plugin(program string) []byte { return bridge.Module(Host.Name, program, part) }
