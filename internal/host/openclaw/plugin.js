import { isAbsolute } from "node:path"

// How long hooks may take. OpenClaw waits 15 s for some of its hooks and then
// hides the reason, 30 s for the end of a run, and for others as long as it takes.
const waitSeconds = 11
const endSeconds = 25
const watchSeconds = 300
const syncSeconds = 10

// What is known here survives register, which may run several times.
const rein = new Checkrein()
const sessions = new Map() // session ids and directories, by session key
const greeted = new Set() // sessions whose first prompt was seen
const born = new Set() // sessions that began while we watched
const refused = new Map() // prompts that may not run: the reason by run
const inputs = new Map() // what tools were called with, by call
const stopped = new Set() // calls that we stopped
const told = new Set()
let logger = console
let workspace

// keep adds to a map or a set that does not grow for ever.
function keep(store, key, value) {
  if (store instanceof Map) store.set(key, value)
  else store.add(key)
  if (store.size > 1000) store.delete(store.keys().next().value)
}

function tell(texts) {
  for (const text of texts ?? []) logger.warn(`checkrein: ${text}`)
}

// line is an event as checkrein reads it: chosen members, because what else the
// host says has keys, functions and whole conversations in it.
function line(hook, event, ctx = {}) {
  const key = ctx.sessionKey ?? event.sessionKey
  const known = sessions.get(key) ?? {}
  const sessionId = ctx.sessionId ?? event.sessionId ?? known.sessionId
  const workspaceDir = ctx.workspaceDir ?? known.workspaceDir
  if (key) keep(sessions, key, { sessionId, workspaceDir })
  const { agentId, runId, channel, channelId, requesterSessionKey } = ctx
  return {
    hook,
    directory: workspace,
    event,
    ctx: { sessionId, sessionKey: key, workspaceDir, agentId, runId, channel, channelId, requesterSessionKey },
  }
}

function missed(hook, err) {
  const why = `hooks on ${hook} did not run (${err.message}): see \`checkrein status\``
  if (!told.has(why)) tell([why])
  keep(told, why)
  return {}
}

// open asks where nothing needs to be stopped for want of an answer.
async function open(event, types = {}, seconds = waitSeconds) {
  try {
    const answer = only(await rein.ask(event, seconds), { ...types, notice: "list" })
    tell(answer.notice)
    return answer
  } catch (err) {
    return missed(event.hook, err)
  }
}

// openNow is open for hooks whose promises are dropped.
function openNow(event, types) {
  try {
    const answer = only(askNow(event, syncSeconds), { ...types, notice: "list" })
    tell(answer.notice)
    return answer
  } catch (err) {
    return missed(event.hook, err)
  }
}

// gate asks where something must not go on without an answer.
async function gate(event, types) {
  try {
    const answer = only(await rein.ask(event, waitSeconds), { ...types, deny: "string", notice: "list" })
    tell(answer.notice)
    return answer
  } catch (err) {
    return { deny: unasked(err) }
  }
}

// watch is a hook that can only be observed.
function watch(pick, seconds = watchSeconds) {
  return (hook) => async (event, ctx) => {
    await open(line(hook, pick(event), ctx), {}, seconds)
  }
}

// textsIn are the texts of a message's content; none if that is a text itself.
function textsIn(message) {
  return Array.isArray(message.content) ? message.content.filter((part) => part?.type === "text") : []
}

// withText is a message that says something else.
function withText(message, text) {
  if (typeof message.content === "string") return { ...message, content: text }
  const [first, ...others] = textsIn(message)
  const content = message.content.filter((part) => !others.includes(part)).map((part) => (part === first ? { ...part, text } : part))
  return { ...message, content }
}

// short keeps a text to what a dialog takes: whole sentences, so that no command in
// it is cut to another one.
function short(text, most) {
  if (text.length <= most) return text
  const end = text.slice(0, most).lastIndexOf(". ")
  return end > most / 2 ? text.slice(0, end + 1) : text.slice(0, most - 1) + "…"
}

async function beforeToolCall(event, ctx) {
  const { toolName, params, toolCallId, runId } = event
  const answer = await gate(line("before_tool_call", { toolName, params, toolCallId, runId }, ctx), { ask: "string", params: "object" })
  if (answer.deny !== undefined) {
    keep(stopped, toolCallId)
    return { block: true, blockReason: answer.deny }
  }
  keep(inputs, toolCallId, { ...params, ...answer.params })
  const result = {}
  if (answer.params) result.params = answer.params
  if (answer.ask !== undefined) {
    tell([`${toolName} needs an approval: ${answer.ask}`]) // which is not said where nobody can give one
    result.requireApproval = { title: short(`checkrein: ${toolName}`, 80), description: short(answer.ask, 256), severity: "warning" }
  }
  return result.params || result.requireApproval ? result : undefined
}

async function afterToolCall(event, ctx) {
  const { toolName, params, toolCallId, runId, result, error } = event
  if (stopped.has(toolCallId)) return
  await open(line("after_tool_call", { toolName, params, toolCallId, runId, result: { content: result?.content }, error }, ctx), {}, watchSeconds)
}

function toolResultPersist(event, ctx) {
  const { toolName, toolCallId, message } = event
  if (stopped.has(toolCallId)) return
  const { role, content, isError } = message
  const ask = line("tool_result_persist", { toolName, toolCallId, params: inputs.get(toolCallId), message: { role, content, isError } }, ctx)
  const { output } = openNow(ask, { output: "string" })
  if (output === undefined) return
  const was = textsIn(message).map((part) => part.text).join("\n").trim()
  const changed = withText(message, output)
  if (message.details) // which has a copy
    changed.details = Object.fromEntries(Object.entries(message.details).map(([k, v]) => [k, typeof v === "string" && v.trim() === was ? output : v]))
  return { message: changed }
}

function beforeMessageWrite(event, ctx) {
  const { message } = event
  if (message?.role !== "assistant" || textsIn(message).length === 0) return
  const { role } = message
  const { text } = openNow(line("before_message_write", { message: { role, content: textsIn(message) } }, ctx), { text: "string" })
  return text === undefined ? undefined : { message: withText(message, text) }
}

async function beforePromptBuild(event, ctx) {
  const ask = line("before_prompt_build", { prompt: event.prompt }, ctx)
  const session = ask.ctx.sessionId ?? ask.ctx.sessionKey
  if (session && !greeted.has(session)) ask.session = born.has(session) ? "startup" : "resume"
  if (session) keep(greeted, session)
  const answer = await open(ask, { deny: "string", context: "list" })
  if (answer.deny !== undefined) keep(refused, ctx.runId, answer.deny)
  else refused.delete(ctx.runId)
  return answer.context?.length ? { appendContext: answer.context.join("\n") } : undefined
}

async function beforeAgentRun(event, ctx) {
  const reason = refused.get(ctx.runId)
  return reason === undefined ? undefined : { outcome: "block", reason, message: reason }
}

async function beforeAgentFinalize(event, ctx) {
  const { runId, sessionId, sessionKey, cwd, stopHookActive, lastAssistantMessage } = event
  const answer = await open(line("before_agent_finalize", { runId, sessionId, sessionKey, cwd, stopHookActive, lastAssistantMessage }, ctx), { redo: "string" })
  return answer.redo === undefined ? undefined : { action: "revise", reason: answer.redo }
}

async function messageSending(event, ctx) {
  const { to, content } = event
  const answer = await gate(line("message_sending", { to, content }, ctx), { text: "string" })
  if (answer.deny !== undefined) {
    tell([answer.deny])
    return { cancel: true, cancelReason: answer.deny }
  }
  return answer.text === undefined ? undefined : { content: answer.text }
}

async function sessionStart(event, ctx) {
  keep(born, event.sessionId ?? ctx?.sessionId)
}

const observed = {
  agent_end: watch(({ success, error, durationMs, runId }) => ({ success, error, durationMs, runId }), endSeconds),
  llm_output: watch(({ runId, sessionId, resolvedRef, assistantTexts, usage }) => ({ runId, sessionId, resolvedRef, assistantTexts, usage })),
  session_end: watch(({ sessionId, sessionKey, messageCount, reason }) => ({ sessionId, sessionKey, messageCount, reason })),
  before_compaction: watch(({ messageCount, tokenCount }) => ({ messageCount, tokenCount }), endSeconds),
  after_compaction: watch(({ messageCount, tokenCount, compactedCount }) => ({ messageCount, tokenCount, compactedCount }), endSeconds),
  subagent_spawned: watch(({ childSessionKey, agentId, label, mode, runId }) => ({ childSessionKey, agentId, label, mode, runId })),
  subagent_ended: watch(({ targetSessionKey, targetKind, reason, outcome, error, runId }) => ({ targetSessionKey, targetKind, reason, outcome, error, runId })),
}

export default {
  id: "checkrein",
  name: "checkrein",
  description: "Asks checkrein what agents may do.",

  // register starts nothing: it may run several times.
  register(api) {
    logger = api.logger ?? console
    const dir = api.config?.agents?.defaults?.workspace
    if (typeof dir === "string" && isAbsolute(dir)) workspace = dir
    const last = { priority: -1000 } // so that others cannot change what was judged
    api.on("before_tool_call", beforeToolCall, last)
    api.on("after_tool_call", afterToolCall)
    api.on("tool_result_persist", toolResultPersist, last)
    api.on("before_message_write", beforeMessageWrite, last)
    api.on("before_prompt_build", beforePromptBuild)
    api.on("before_agent_run", beforeAgentRun)
    api.on("before_agent_finalize", beforeAgentFinalize)
    api.on("message_sending", messageSending, last)
    api.on("session_start", sessionStart)
    for (const [hook, handler] of Object.entries(observed)) api.on(hook, handler(hook))
  },
}
