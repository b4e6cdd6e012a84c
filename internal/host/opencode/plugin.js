// How long hooks may take: those that something waits for, and the others.
const waitSeconds = 300
const watchSeconds = 900
const endSeconds = 5

// remember adds to a set that does not grow for ever.
function remember(set, id) {
  set.add(id)
  if (set.size > 1000) set.delete(set.values().next().value)
}

// replace gives the host's own object the members of another: one that took its
// place would not be looked at.
function replace(own, other) {
  for (const key of Object.keys(own)) if (!Object.hasOwn(other, key)) delete own[key]
  for (const [key, value] of Object.entries(other))
    Object.defineProperty(own, key, { value, writable: true, enumerable: true, configurable: true })
}

// partID makes the n-th id of the host's form that sorts behind those made before.
function partID(n) {
  const time = (BigInt(Date.now() + 1) * 4096n + BigInt(n)) & 0xffffffffffffn
  const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
  let tail = ""
  for (let i = 0; i < 14; i++) tail += letters[Math.floor(Math.random() * letters.length)]
  return "prt_" + time.toString(16).padStart(12, "0") + tail
}

// typed are the parts of a message that the person wrote.
function typed(parts) {
  return parts.filter((p) => p.type === "text" && !p.synthetic)
}

// textsOf are the places where a tool's result has its text: most have one in
// output, those of servers a list in content.
function textsOf(result) {
  if (typeof result.output === "string" || !Array.isArray(result.content)) return [{ of: result, key: "output" }]
  return result.content.filter((c) => c?.type === "text").map((c) => ({ of: c, key: "text" }))
}

export const CheckreinPlugin = async ({ client, directory }) => {
  const rein = new Checkrein(directory)
  const greeted = new Set() // sessions whose first message was seen
  const born = new Set() // sessions that began while we watched
  const parents = new Map() // of sub-agents' sessions
  const replies = new Map() // the last text of a turn, by session
  const settled = new Set() // calls that we stopped, or whose failure was told
  const told = new Set()
  let settings // of the host, all files merged

  // Headless there is no screen that a line could spoil.
  const plain = process.argv.includes("run") || process.argv.includes("serve")

  function tell(texts) {
    for (const message of texts ?? []) {
      if (plain) process.stderr.write(message.startsWith("checkrein ") ? `${message}\n` : `checkrein: ${message}\n`)
      const said = [
        () => client.tui.showToast({ body: { title: "checkrein", message, variant: "warning", duration: 15000 } }),
        () => client.app.log({ body: { service: "checkrein", level: "warn", message } }),
      ]
      for (const say of said) Promise.resolve().then(say).catch(() => {})
    }
  }

  function event(hook, session, input, output) {
    return { hook, directory, parent: parents.get(session), input, output }
  }

  // open asks where nothing needs to be stopped for want of an answer.
  async function open(event, types, seconds = waitSeconds) {
    try {
      const answer = only(await rein.ask(event, seconds), { ...types, notice: "list" })
      tell(answer.notice)
      return answer
    } catch (err) {
      const why = `hooks on ${event.hook} did not run (${err.message}): see \`checkrein status\``
      if (!told.has(why)) tell([why])
      remember(told, why)
      return {}
    }
  }

  // watch tells of what nobody waits for.
  function watch(type, session, properties, more) {
    open({ ...event("event", session, { event: { type, properties } }), ...more }, {}, watchSeconds)
  }

  function toolFailed(part) {
    if (part?.type !== "tool" || part.state?.status !== "error" || settled.has(part.callID)) return
    remember(settled, part.callID)
    const { type, tool, callID, sessionID, state } = part
    const { status, input, error } = state
    watch("message.part.updated", sessionID, { part: { type, tool, callID, sessionID, state: { status, input, error } } })
  }

  return {
    config: async (merged) => {
      settings = merged
    },

    // So that the program that starts commands can tell them apart.
    "shell.env": async ({ sessionID, callID }, output) => {
      if (sessionID) output.env.CHECKREIN_SESSION = sessionID
      if (callID) output.env.CHECKREIN_CALL = callID
    },

    "chat.message": async (input, output) => {
      const session = input.sessionID
      const { id, agent } = output.message
      const parts = output.parts.filter((p) => p.type === "text").map(({ type, text, synthetic }) => ({ type, text, synthetic }))
      const ask = event("chat.message", session, { sessionID: session }, { message: { id, agent }, parts })
      if (!greeted.has(session)) ask.session = born.has(session) ? "startup" : "resume"
      greeted.add(session)
      const answer = await open(ask, { deny: "string", text: "string", context: "list" })
      if (answer.deny !== undefined) {
        tell([answer.deny]) // of which the host shows nothing
        throw new Error(answer.deny)
      }
      const add = (text, synthetic) =>
        output.parts.push({ id: partID(output.parts.length), sessionID: session, messageID: id, type: "text", text, synthetic })
      if (answer.text !== undefined) {
        const [first, ...others] = typed(output.parts)
        for (const part of others) output.parts.splice(output.parts.indexOf(part), 1)
        if (first) first.text = answer.text
        else add(answer.text)
      }
      for (const text of answer.context ?? []) add(text, true)
    },

    "tool.execute.before": async (input, output) => {
      const { tool, sessionID, callID } = input
      let answer
      try {
        const ask = event("tool.execute.before", sessionID, { tool, sessionID, callID }, { args: output.args })
        ask.shell = settings?.shell
        answer = only(await rein.ask(ask, waitSeconds), { deny: "string", args: "object", notice: "list" })
      } catch (err) {
        answer = { deny: unasked(err) }
      }
      tell(answer.notice)
      if (answer.deny !== undefined) {
        remember(settled, callID)
        throw new Error(answer.deny)
      }
      if (answer.args) replace((output.args ??= {}), answer.args)
    },

    "tool.execute.after": async (input, output) => {
      const { tool, sessionID, callID, args } = input
      const places = textsOf(output)
      const was = places.map(({ of, key }) => of[key]).join("\n")
      const ask = event("tool.execute.after", sessionID, { tool, sessionID, callID, args }, { title: output.title, output: was })
      const answer = await open(ask, { deny: "string", output: "string", context: "list" })
      if (answer.deny !== undefined) {
        remember(settled, callID)
        throw new Error(answer.deny)
      }
      let now = answer.output
      if (answer.context?.length) now = (now ?? was) + "\n\n" + answer.context.join("\n")
      if (now === undefined) return
      const [first, ...others] = places
      for (const { of } of others) output.content.splice(output.content.indexOf(of), 1)
      if (first) first.of[first.key] = now
      else output.content.push({ type: "text", text: now })
      // The screen has a copy.
      if (answer.output !== undefined && output.metadata?.output === was) output.metadata.output = answer.output
    },

    "experimental.chat.system.transform": async (input, output) => {
      const { sessionID, model } = input
      const ask = event("experimental.chat.system.transform", sessionID, { sessionID, model: { id: model?.id, providerID: model?.providerID } }, { system: output.system })
      const answer = await open(ask, { context: "list" })
      output.system.push(...(answer.context ?? []))
    },

    "experimental.text.complete": async (input, output) => {
      const { sessionID } = input
      const ask = event("experimental.text.complete", sessionID, { sessionID }, { text: output.text })
      const answer = await open(ask, { text: "string" })
      if (answer.text !== undefined) output.text = answer.text
      replies.set(sessionID, output.text)
    },

    "experimental.session.compacting": async ({ sessionID }, output) => {
      const answer = await open(event("experimental.session.compacting", sessionID, { sessionID }, {}), { context: "list" })
      output.context.push(...(answer.context ?? []))
    },

    // The bus has tens of events for every turn, so only these are passed on.
    event: async ({ event: { type, properties } }) => {
      const session = properties?.sessionID
      switch (type) {
        case "session.created":
          born.add(properties.info.id)
          if (properties.info.parentID) parents.set(properties.info.id, properties.info.parentID)
          break
        case "session.idle":
          watch(type, session, properties, { reply: replies.get(session) })
          replies.delete(session)
          break
        case "message.part.updated":
          toolFailed(properties.part)
          break
        case "session.error":
          if (properties.error?.name !== "MessageAbortedError") watch(type, session, properties) // which is the person's doing
          break
        case "session.compacted":
        case "permission.asked":
        case "question.asked":
          watch(type, session, properties)
      }
    },

    dispose: async () => {
      const ends = [...greeted].filter((id) => !parents.has(id)).map((sessionID) => open(event("dispose", sessionID, { sessionID }), {}, endSeconds))
      await Promise.allSettled(ends)
      rein.close()
    },
  }
}
