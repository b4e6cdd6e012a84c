package dockeragent

import "github.com/checkrein/checkrein/internal/catalog/hosts"

// Row holds the facts about docker-agent that other packages need.
var Row = hosts.Row{
	Rank: 14, Name: "docker-agent",
	Aliases: "docker cagent",
	Files: []hosts.File{
		{Path: ".config/cagent/hooks.d/checkrein.yaml", Where: hosts.Home, Form: hosts.Whole, Env: "DOCKER_AGENT_CONFIG_DIR", Below: "hooks.d/checkrein.yaml"},
		{Path: ".cagent/hooks.d/checkrein.yaml", Where: hosts.Home, Form: hosts.Whole, Env: "CAGENT_CONFIG_DIR", Below: "hooks.d/checkrein.yaml"},
	},
	Starts: []hosts.Start{{
		Programs: "docker-agent cagent", Sub: "docker agent", Env: "DOCKER_AGENT_CONFIG_DIR CAGENT_CONFIG_DIR",
		Moves: "--config-dir", Quiet: "version catalog feedback",
	}},
	Tools: hosts.Tools{
		Shell: "shell", Read: "read_file", Write: "write_file", Edit: "edit_file", List: "list_directory",
		Search: "search_files_content", Fetch: "fetch", Task: "transfer_task",
	},
}
