// A host that loads the plugin named on the command line, calls its hooks as
// stdin says, and prints what came of each.
import { readFileSync } from "node:fs"
import { pathToFileURL } from "node:url"

const { default: plugin } = await import(pathToFileURL(process.argv[2]))
const told = []
const api = (on) => ({ on, logger: { warn: (s) => told.push(s) }, config: { agents: { defaults: { workspace: process.cwd() } } } })
const hooks = new Map()
for (let i = 0; i < 3; i++) plugin.register(api((name, handler, opts) => hooks.set(name, { handler, opts })))
const steps = []
for (const { hook, event, ctx } of JSON.parse(readFileSync(0))) {
  const kept = JSON.stringify(event)
  let result, threw
  try {
    result = hooks.get(hook).handler(event, { ...ctx, abortSignal: new AbortController().signal, fn() {} })
  } catch (err) {
    threw = err.message
  }
  const promised = result instanceof Promise
  if (promised) result = await result
  steps.push({ threw, result, promised, changed: JSON.stringify(event) !== kept })
}
// Once nobody waits for an answer any more, nothing keeps the host alive.
process.once("beforeExit", () => process.stdout.write(JSON.stringify({ id: plugin.id, hooks: [...hooks.keys()], steps, told })))
