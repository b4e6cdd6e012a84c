import { spawn, spawnSync } from "node:child_process"

const host = "@HOST@"
const program = "@PROGRAM@"
const pins = ["@PINS@"]

// What changes how checkrein runs, and is none of the host's business.
const cleared = ["@CLEARED@"]

// How long after its own deadline checkrein is taken for dead.
const graceSeconds = 3
const longestAnswer = 64 * 1024 * 1024

// Checkrein asks one long-lived `checkrein hook HOST --serve-stdio`, a JSON line
// each way. The process is started with the first question and again, once for
// each question, when it is gone; it ends with the host.
class Checkrein {
  #dir
  #child = null
  #last = 0
  #calls = new Map() // what waits for an answer, by id

  constructor(dir) {
    this.#dir = dir
  }

  // ask sends an event and returns the answer. It throws when there is none in
  // time; whoever asks at a gate must stop what waits there, then.
  ask(event, seconds) {
    const id = ++this.#last
    return new Promise((resolve, reject) => {
      const line = JSON.stringify({ id, within: seconds, ...event }) + "\n"
      const call = { line, tries: 2, resolve, reject }
      // It also keeps the host alive until there is an answer: the process does not.
      call.timer = setTimeout(() => {
        this.#settle(id, call.reject, new Error(`no answer in ${seconds + graceSeconds} s`))
        this.#drop(this.#child, "it was ended because it did not answer")
      }, (seconds + graceSeconds) * 1000)
      this.#calls.set(id, call)
      this.#send(id, call)
    })
  }

  // close lets the process finish what it has, and end.
  close() {
    this.#child?.stdin.end()
  }

  #settle(id, how, what) {
    const call = this.#calls.get(id)
    if (!call) return
    this.#calls.delete(id)
    clearTimeout(call.timer)
    how(what)
  }

  #send(id, call) {
    if (call.tries-- === 0) {
      this.#settle(id, call.reject, new Error(call.why))
      return
    }
    try {
      this.#child ??= this.#start()
      this.#child.stdin.write(call.line)
    } catch (err) {
      this.#child = null
      call.why = err.message
      this.#send(id, call)
    }
  }

  #start() {
    const child = spawn(program, ["hook", host, "--serve-stdio", ...pins], {
      cwd: this.#dir,
      env: environment(),
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true,
    })
    let rest = ""
    child.stdout?.setEncoding("utf8")
    child.stdout?.on("data", (text) => {
      rest += text
      for (let end; (end = rest.indexOf("\n")) >= 0; rest = rest.slice(end + 1)) this.#hear(child, rest.slice(0, end))
      if (rest.length > longestAnswer) this.#drop(child, "its answer does not end")
    })
    child.stdin?.on("error", () => {}) // it is gone, which is told below
    child.on("error", (err) => this.#drop(child, err.message))
    child.on("close", () => this.#drop(child, `${program} ended`))
    child.on("exit", (code, signal) => {
      // What it said last may still be on its way.
      setTimeout(() => this.#drop(child, `${program} ended with ${signal ?? code}`), 200)
    })
    child.unref?.()
    child.stdin?.unref?.()
    child.stdout?.unref?.()
    return child
  }

  #hear(child, line) {
    let answer
    try {
      answer = JSON.parse(line)
    } catch {
      this.#drop(child, `${program} said what is not JSON`)
      return
    }
    const call = this.#calls.get(answer?.id)
    if (call) {
      this.#settle(answer.id, call.resolve, answer)
    } else if (answer?.id == null) {
      // A line of ours could not be read, and nobody can say which.
      const err = new Error(answer?.deny ?? "an answer without a question")
      for (const [id, call] of [...this.#calls]) this.#settle(id, call.reject, err)
    }
  }

  // drop gives a process up; what it has not answered is asked once more.
  #drop(child, why) {
    if (!child || child !== this.#child) return
    this.#child = null
    child.kill("SIGTERM") // upon which it ends the hooks that it runs
    setTimeout(() => child.kill("SIGKILL"), 1000).unref?.()
    for (const [id, call] of [...this.#calls]) {
      call.why = why
      this.#send(id, call)
    }
  }
}

// environment is what checkrein is started with.
function environment() {
  const env = { ...process.env }
  for (const name of cleared) delete env[name]
  return env
}

// askNow is ask for hooks that cannot wait for a promise: a process of its own.
function askNow(event, seconds, dir) {
  const done = spawnSync(program, ["hook", host, "--event", event.hook, "--within", String(seconds), ...pins], {
    cwd: dir,
    env: environment(),
    input: JSON.stringify(event),
    encoding: "utf8",
    stdio: ["pipe", "pipe", "ignore"],
    timeout: (seconds + graceSeconds) * 1000,
    killSignal: "SIGKILL",
    maxBuffer: longestAnswer,
    windowsHide: true,
  })
  if (done.error) throw done.error
  if (done.status !== 0) throw new Error(`${program} ended with ${done.signal ?? done.status}`)
  return done.stdout.trim() === "" ? {} : JSON.parse(done.stdout)
}

// unasked is what the model is told of something that was stopped because
// checkrein could not be asked.
function unasked(err) {
  return (
    `checkrein could not be asked whether this may run (${err?.message ?? err}), so it was stopped. ` +
    `A person can find out more with \`checkrein status\`, or remove checkrein with \`checkrein uninstall ${host}\`.`
  )
}

// only returns what an answer has under the keys that mean something to a hook,
// each of its type. An answer that has anything else is not understood.
function only(answer, types) {
  for (const [key, value] of Object.entries(answer)) {
    if (key === "id") continue
    const type = Array.isArray(value) ? "list" : typeof value
    if (types[key] !== type || value === null) throw new Error(`its answer has ${key}, which means nothing here`)
  }
  return answer
}
