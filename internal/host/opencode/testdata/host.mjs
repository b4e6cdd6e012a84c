// A host that calls hooks of the plugin named on the command line, as stdin says,
// and prints what came of each.
import { readFileSync } from "node:fs"
import { pathToFileURL } from "node:url"

const module = await import(pathToFileURL(process.argv[2]))
const told = []
const client = { tui: { showToast: async ({ body }) => told.push(body.message) }, app: { log: async () => {} } }
const made = Object.values(module)
const hooks = await made[0]({ client, directory: process.cwd() })
const steps = []
for (const { hook, input, output } of JSON.parse(readFileSync(0))) {
  const own = output?.args // which must stay the same object
  let threw
  try {
    await hooks[hook](input, output)
  } catch (err) {
    threw = err.message
  }
  steps.push({ threw, output, same: output?.args === own })
}
await hooks.dispose()
// Once nobody waits for an answer any more, nothing keeps the host alive.
process.once("beforeExit", () => process.stdout.write(JSON.stringify({ exports: made.length, steps, told })))
