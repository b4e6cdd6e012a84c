// A host that calls handlers of the extension named on the command line, as stdin
// says, and prints what came of each.
import { readFileSync } from "node:fs"
import { pathToFileURL } from "node:url"

const { default: extension } = await import(pathToFileURL(process.argv[2]))
const told = []
const sent = []
const asked = []
const handlers = {}
extension({
  on: (name, handler) => (handlers[name] = handler),
  sendMessage: (message, options) => sent.push({ ...message, ...options }),
})
const ctx = {
  cwd: process.cwd(),
  hasUI: true, // changed by an event "ui"
  model: { provider: "mock", id: "m" },
  sessionManager: { getSessionId: () => "s" },
  getSystemPrompt: () => "you are",
  ui: {
    notify: (message) => told.push(message),
    confirm: async (title, message) => {
      asked.push(message)
      return message.includes("yes")
    },
  },
}
const steps = []
for (const { hook, event } of JSON.parse(readFileSync(0))) {
  if (hook === "ui") {
    ctx.hasUI = event
    continue
  }
  const input = event.input // which must stay the same object
  const result = await handlers[hook](event, ctx)
  steps.push({ result, input, same: event.input === input })
}
await handlers.session_shutdown({ reason: "quit" }, ctx)
// Once nobody waits for an answer any more, nothing keeps the host alive.
process.once("beforeExit", () => process.stdout.write(JSON.stringify({ hooks: Object.keys(handlers), steps, told, sent, asked })))
