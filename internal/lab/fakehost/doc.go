// Package fakehost is an agent for tests. It speaks the contract of one build of Claude
// Code, [Version]: it reads hooks from settings, fires events with the payloads of the
// real one, asks the model by Anthropic Messages, runs tools and sub-agents and writes
// the same transcripts, but for lines that have nothing to do with hooks. So
// `checkrein install claude` and whatever judges hosts work on it without a package of
// npm.
//
// It is honest unless its build says otherwise: a [Lie] is a way in which a host may
// seem to honour hooks and does not. What it lies about goes with the program itself,
// see [Seal], because who judges a host gives it an empty environment.
//
// Package faketest builds it and puts it where a test wants it.
//
// It answers one prompt and ends: headless with -p, or at a terminal, where it asks the
// person in plain lines. Of hooks it knows the type command, without `if` and
// async; of tools Bash, Read, Write, Edit, Agent and those of MCP servers that are called
// by HTTP. The model gets the report of a background sub-agent when the turn is over.
package fakehost
