// Keeps the values of environment variables out of the transcript: what `env` and its
// like printed is stored as names only.
//
// tool_result_persist is strictly synchronous. A Promise is dropped and the original
// stored, so nothing here waits: what the handler needs is read when the plugin is
// registered. An event with a result does not say which command made it; that is
// remembered in before_tool_call, by the id that both events carry.

const printsEnvironment = /^\s*(env|printenv|export|set)\s*$/
const most = 500 // calls without a result are forgotten at some time

// What is known survives register, which may run several times.
const commands = new Map() // by toolCallId
let keep = new Set(["HOME", "LANG", "PATH", "PWD", "SHELL", "TERM", "USER"])

function beforeToolCall({ toolName, toolCallId, params }) {
  if (toolName !== "exec" || typeof params?.command !== "string") return // OpenClaw's shell is called exec
  commands.set(toolCallId, params.command)
  if (commands.size > most) commands.delete(commands.keys().next().value)
}

function mask(text) {
  return text.replace(/^((?:export |declare -x )?([A-Za-z_]\w*)=).*$/gm, (line, head, name) => (keep.has(name) ? line : `${head}[REDACTED]`))
}

function toolResultPersist({ toolCallId, message }) {
  const command = commands.get(toolCallId)
  commands.delete(toolCallId)
  if (command === undefined || !printsEnvironment.test(command)) return
  const changed = { ...message }
  if (Array.isArray(message.content)) changed.content = message.content.map((part) => (part?.type === "text" ? { ...part, text: mask(part.text) } : part))
  // Where content was cut, details.aggregated has all of it.
  if (typeof message.details?.aggregated === "string") changed.details = { ...message.details, aggregated: mask(message.details.aggregated) }
  return { message: changed }
}

export default {
  id: "mask-environment",
  name: "Mask the environment",
  register(api) {
    const more = api.pluginConfig?.keep
    if (Array.isArray(more)) keep = new Set([...keep, ...more])
    api.on("before_tool_call", beforeToolCall)
    api.on("tool_result_persist", toolResultPersist)
  },
}
