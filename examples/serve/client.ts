// A guard for an agent in TypeScript: asks checkrein serve about each tool call before it runs.
//
//	node client.ts 'rm -rf build'
//
// No packages: node's own fetch, and types that node 22.18 and later erases by itself. A gate without an
// answer stays closed.

import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

interface Outcome {
  decision?: "allow" | "ask" | "deny";
  reason?: string;
}

const state = join(process.env.XDG_STATE_HOME || join(homedir(), ".local/state"), "checkrein");
const read = (name: string) => readFileSync(join(state, name), "utf8").trim();

/** judge returns the decision about an event; {} means that nothing was decided. */
export async function judge(event: object): Promise<Outcome> {
  const response = await fetch(read("serve-address") + "/v1/events", {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: "Bearer " + read("serve-token") },
    body: JSON.stringify(event),
    signal: AbortSignal.timeout(60_000),
  });
  if (!response.ok) throw new Error(`status ${response.status}: ${await response.text()}`);
  return response.json();
}

/** mayRun returns why a shell command must not run, or "" if it may. */
export async function mayRun(command: string): Promise<string> {
  try {
    const answer = await judge({
      hook_event_name: "PreToolUse", session_id: "example", cwd: process.cwd(),
      tool_name: "Bash", tool_input: { command },
    });
    // Nobody can be asked here, so a question counts as a denial.
    return answer.decision === "deny" || answer.decision === "ask" ? answer.reason || "no reason" : "";
  } catch (error) {
    return `checkrein did not answer: ${error}`;
  }
}

const reason = await mayRun(process.argv[2]);
console.log(reason ? "denied: " + reason : "run");
process.exit(reason ? 1 : 0);
