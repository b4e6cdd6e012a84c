package openclaw

import (
	_ "embed"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/host/jsplugin"
)

//go:embed plugin.js
var part string

// PluginID is the plugin's name in OpenClaw's configuration.
const PluginID = "checkrein"

// A File is a file in the plugin's directory.
type File struct {
	Name string
	Text []byte
}

// Plugin returns the files of the plugin that calls the program of line.
func Plugin(line hostfiles.Line) []File {
	return []File{
		{"package.json", []byte(packageJSON)},
		{"openclaw.plugin.json", []byte(manifest)},
		{"index.js", jsplugin.Module(Host.Name, line, part)},
	}
}

const packageJSON = `{
  "name": "checkrein",
  "version": "1.0.0",
  "private": true,
  "type": "module",
  "openclaw": {
    "extensions": ["./index.js"]
  }
}
`

const manifest = `{
  "id": "checkrein",
  "name": "checkrein",
  "description": "Asks checkrein what agents may do.",
  "activation": {
    "onStartup": true
  },
  "configSchema": {
    "type": "object",
    "additionalProperties": false,
    "properties": {}
  }
}
`
