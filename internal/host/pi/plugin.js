// How long hooks may take: those that something waits for, and the others.
const waitSeconds = 300
const watchSeconds = 900
const endSeconds = 5

// replace gives the host's own object the members of another: one that took its
// place would not be looked at.
function replace(own, other) {
  for (const key of Object.keys(own)) if (!Object.hasOwn(other, key)) delete own[key]
  for (const [key, value] of Object.entries(other))
    Object.defineProperty(own, key, { value, writable: true, enumerable: true, configurable: true })
}

// textsIn returns the texts in a list of parts.
function textsIn(content) {
  return content.filter((part) => part?.type === "text")
}

// withText returns the parts with one text instead of those that they have.
function withText(content, text) {
  return [{ type: "text", text }, ...content.filter((part) => part?.type !== "text")]
}

// hidden returns a message for the model that Pi does not show.
function hidden(texts) {
  return { customType: "checkrein", content: texts.join("\n"), display: false }
}

export default function (pi) {
  let rein // Pi wants no process before a session starts
  let started // the session of the last session_start, which may come twice
  let reply // the last text of a turn
  let again = false // a hook has kept this turn going
  let outcome // of the last turn
  const reported = new Set()

  function line(hook, event, ctx) {
    const { provider, id } = ctx.model ?? {}
    return { hook, event, ctx: { cwd: ctx.cwd, sessionId: ctx.sessionManager.getSessionId(), model: id && `${provider}/${id}` } }
  }

  function ask(event, seconds) {
    rein ??= new Checkrein(event.ctx.cwd)
    return rein.ask(event, seconds)
  }

  function tell(texts, ctx) {
    for (const text of texts ?? []) {
      const message = text.startsWith("checkrein ") ? text : `checkrein: ${text}`
      if (ctx.hasUI) ctx.ui.notify(message, "warning")
      else process.stderr.write(`${message}\n`)
    }
  }

  // open asks where nothing needs to be stopped for want of an answer.
  async function open(event, types, ctx, seconds = waitSeconds) {
    try {
      const answer = only(await ask(event, seconds), { ...types, notice: "list" })
      tell(answer.notice, ctx)
      return answer
    } catch (err) {
      const why = `hooks on ${event.hook} did not run (${err.message}): see \`checkrein status\``
      if (!reported.has(why)) tell([why], ctx)
      reported.add(why)
      return {}
    }
  }

  // watch tells of what nothing waits for. Once the session is over, it cannot tell the user.
  function watch(event, ctx) {
    open(event, {}, ctx, watchSeconds).catch(() => {})
  }

  pi.on("session_start", async ({ reason }, ctx) => {
    const id = ctx.sessionManager.getSessionId()
    if (id === started) return
    started = id
    const answer = await open(line("session_start", { reason }, ctx), { context: "list" }, ctx)
    if (answer.context?.length) pi.sendMessage(hidden(answer.context), { deliverAs: "nextTurn" })
  })

  pi.on("input", async ({ text, source, streamingBehavior }, ctx) => {
    again = false
    const answer = await open(line("input", { text, source, streamingBehavior }, ctx), { deny: "string", text: "string", context: "list" }, ctx)
    if (answer.deny !== undefined) {
      tell([answer.deny], ctx) // of which Pi shows nothing
      return { action: "handled" }
    }
    if (answer.context?.length) pi.sendMessage(hidden(answer.context), { deliverAs: streamingBehavior ?? "nextTurn" })
    if (answer.text !== undefined) return { action: "transform", text: answer.text }
  })

  pi.on("context", async ({ messages }, ctx) => {
    const answer = await open(line("context", { system: ctx.getSystemPrompt() }, ctx), { context: "list" }, ctx)
    if (answer.context?.length) return { messages: [...messages, { role: "custom", ...hidden(answer.context), timestamp: Date.now() }] }
  })

  pi.on("tool_call", async ({ toolName, toolCallId, input }, ctx) => {
    let answer
    try {
      answer = only(await ask(line("tool_call", { toolName, toolCallId, input }, ctx), waitSeconds), { deny: "string", ask: "string", input: "object", notice: "list" })
    } catch (err) {
      return { block: true, reason: unasked(err) }
    }
    tell(answer.notice, ctx)
    if (answer.deny !== undefined) return { block: true, reason: answer.deny }
    if (answer.ask !== undefined && !ctx.hasUI) return { block: true, reason: `Pi cannot ask the user here, so this is denied. ${answer.ask}` }
    if (answer.ask !== undefined && !(await ctx.ui.confirm("checkrein", answer.ask, { signal: ctx.signal })))
      return { block: true, reason: `The user did not allow this. ${answer.ask}` }
    if (answer.input) replace(input, answer.input)
  })

  pi.on("tool_result", async ({ toolName, toolCallId, input, content, isError }, ctx) => {
    const texts = textsIn(content)
    const event = line("tool_result", { toolName, toolCallId, input, content: texts, isError }, ctx)
    const answer = await open(event, { deny: "string", output: "string", context: "list" }, ctx)
    if (answer.deny !== undefined) return { content: withText([], answer.deny), details: {}, isError: true }
    const output = answer.output ?? texts.map((part) => part.text).join("\n")
    if (answer.context?.length) content = withText(content, [output, ...answer.context].join("\n\n"))
    else if (answer.output !== undefined) content = withText(content, output)
    else return
    return answer.output === undefined ? { content } : { content, details: {} } // which may have the output again
  })

  pi.on("message_end", async ({ message }, ctx) => {
    if (message.role !== "assistant") return
    const texts = textsIn(message.content)
    if (texts.length === 0) return
    const answer = await open(line("message_end", { message: { role: "assistant", content: texts } }, ctx), { text: "string" }, ctx)
    reply = answer.text ?? texts.map((part) => part.text).join("\n")
    if (answer.text !== undefined) return { message: { ...message, content: withText(message.content, answer.text) } }
  })

  pi.on("agent_before_settle", async (event, ctx) => {
    outcome = event.outcome
    if (outcome !== "completed") return
    const answer = await open(line("agent_before_settle", { outcome, reply, again }, ctx), { redo: "string" }, ctx)
    if (answer.redo === undefined) return
    again = true
    return { entries: [...event.entries, { type: "custom_message", ...hidden([answer.redo]), display: true }], continue: true }
  })

  pi.on("agent_settled", (_, ctx) => watch(line("agent_settled", { outcome }, ctx), ctx))

  pi.on("session_compact", ({ reason, compactionEntry: { summary } }, ctx) => watch(line("session_compact", { reason, compactionEntry: { summary } }, ctx), ctx))

  pi.on("session_before_compact", async ({ reason }, ctx) => {
    const answer = await open(line("session_before_compact", { reason }, ctx), { deny: "string" }, ctx)
    if (answer.deny === undefined) return
    tell([answer.deny], ctx)
    return { cancel: true }
  })

  pi.on("session_shutdown", async ({ reason }, ctx) => {
    await open(line("session_shutdown", { reason }, ctx), {}, ctx, endSeconds)
    rein.close()
  })
}
