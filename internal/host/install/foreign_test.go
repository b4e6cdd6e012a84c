package install_test

const claudeForeign = `// keep: a comment before everything
{
    "model": "opus", // keep this one
    "hooks": {
        /* keep: my own */
        "PreToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "mine.sh", "keep": 1}]}, // keep it first
        ],
        "FileChanged": [{"hooks": [{"type": "command", "command": "mine.sh"}]}]
        // keep: the last one
    },
    "permissions": {"allow": ["Bash(git status)"]}, // keep
    // keep: the end
}
`

const codexForeign = `{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [
          { "type": "command", "command": "mine.sh", "timeout": 5 }
        ]
      }
    ]
  },
  "keep": [1,2,
    3]
}
`

const geminiForeign = `{
	"ui": {"theme": "dark"},
	"hooks": {
		"BeforeTool": [{"matcher": "keep", "sequential": true, "hooks": [{"type": "command", "command": "mine.sh", "timeout": 1000}]}],
		"PreToolUse": [{"matcher": "keep", "hooks": [{"type": "command", "command": "mine.sh"}]}]
	}
}
`

const flatForeign = `{
  "version": 1,
  "hooks": {
    "preToolUse": [{"command": "mine.sh", "bash": "mine.sh", "keep": 1}],
    "pre_run_command": [
      {"command": "mine.sh"}
    ]
  }
}`

const opencodeForeign = `{
  "$schema": "https://opencode.ai/config.json",
  // keep: colours
  "theme": "dark",
  "plugin": [
    "someone-else", // keep
    ["with-options", {"keep": true}]
  ]
}
`

const openclawForeign = `{
  "gateway": {"port": 18789},
  "plugins": {
    "enabled": true,
    "allow": ["keep"],
    "load": {"paths": ["/opt/keep"]},
    "entries": {
      "keep": {"enabled": true}
    }
  }
}
`

const kimiForeign = `# keep: the top
default_model = "k2"

[[hooks]] # keep: mine
event = "PreToolUse"
command = '''
mine.sh [[hooks]]
'''
timeout = 5

# keep: providers
[providers.kimi]
type = "kimi" # keep
keys = [
  "a", # ]
  "b",
]
`

const hermesForeign = `# keep: the top
model:
  default: x   # keep
hooks:
    # keep: mine
    pre_tool_call:
      - matcher: "terminal|write_file"
        command: "mine.sh"   # keep
        timeout: 10
      # keep: the second
      - command: other.sh
    on_session_end:
      - command: mine.sh
# keep: below
hooks_auto_accept: false
`
