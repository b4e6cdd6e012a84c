// Package fakehost is an agent for tests. It behaves like one build of Claude Code, [Version]: it
// reads hooks from settings, fires events with the same payloads, queries the model through
// Anthropic's Messages API, runs tools and sub-agents, and writes the same transcripts, except for
// lines that have nothing to do with hooks. So `checkrein install claude` and the code that proves
// hosts can be tested with it, without installing anything from npm.
//
// It behaves as documented unless its build has a [Lie], a way in which a host may seem to honour
// hooks and does not. The lies are part of the program file, see [Seal], because a host under test
// runs with an empty environment.
//
// Package faketest builds the program and copies it to where a test needs it.
//
// It answers one prompt and exits: headless with -p, or at a terminal, where it asks the user in plain
// lines. It supports hooks of type command, without `if` and async, and the tools Bash, Read, Write,
// Edit, Agent and those of MCP servers that are called over HTTP. The model gets the report of a
// background sub-agent when the turn is over.
package fakehost
