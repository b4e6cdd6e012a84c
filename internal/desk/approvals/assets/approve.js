"use strict";
// Shows an approval, and signs the person's answer to it. The secret of the link is in the fragment,
// which is neither sent by itself nor kept in the history.

const at = (id) => document.getElementById(id);
const fragment = location.hash.slice(1);
history.replaceState(null, "", location.pathname);

const { post, keyStore, sign, digest, toBase64 } = answers;

function say(words) { at("status").textContent = words; }

function addItem(list, words) {
  const item = document.createElement("li");
  item.textContent = words;
  list.append(item);
}

function addFact(name, value) {
  if (!value) return;
  const term = document.createElement("dt"), data = document.createElement("dd");
  term.textContent = name;
  data.textContent = value;
  at("facts").append(term, data);
}

function describe(a) {
  at("title").textContent = "A call of " + (a.host || "an agent") + " waits for your answer";
  at("call").textContent = a.call;
  at("whole").textContent = a.whole || "";
  at("whole-part").hidden = !a.whole;
  addFact("tool", a.tool);
  addFact("in", a.dir === a.project ? "" : a.dir);
  addFact("project", a.project);
  addFact("blocked", new Date(a.blocked).toLocaleString() + (a.times > 1 ? ", " + a.times + " times" : ""));
  addFact("the agent says", a.stated);
  for (const w of a.why) addItem(at("why"), w.rule + ": " + w.reason);
  for (const e of a.effects) addItem(at("effects"), [e.kind + " (" + e.impact + "): " + e.reason, ...(e.paths || []), ...(e.hosts || []), e.on].filter(Boolean).join(", "));
  if (!a.effects.length) addItem(at("effects"), "Not all effects are known, so an answer covers only this exact call, word for word.");
  at("programs-part").hidden = !a.programs;
  at("session").hidden = !a.scopes.includes("session");
}

async function showApproval(link) {
  const a = await post("show", JSON.stringify({ link }));
  describe(a);
  at("approval").hidden = false;
  if (a.answer) {
    at("form").hidden = true;
    return say(answers.tellLate(a.answer));
  }
  const chosen = await answers.offer(at("proofs"), await answers.challenge(link));
  say("Expires " + new Date(a.expires).toLocaleString() + ".");
  at("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const given = await answers.send(link, a, event.submitter.value, at("programs").checked, at("words").value, chosen());
      at("form").hidden = true;
      say(answers.tell(given));
    } catch (err) {
      if (err.answer) at("form").hidden = true;
      say(err.answer ? answers.tellLate(err.answer) : err.message);
    }
  });
}

async function makePhoneKey(secret, name) {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign", "verify"]);
  const made = {
    secret, public: toBase64(await crypto.subtle.exportKey("spki", pair.publicKey)),
    proof: { signature: toBase64(await sign(pair.privateKey, "checkrein/enrolment/1\n" + secret)) },
  };
  await keyStore("readwrite", (s) => s.put(pair.privateKey, name));
  return made;
}

async function makePasskey(secret, name) {
  const { response } = await navigator.credentials.create({ publicKey: {
    challenge: await digest("checkrein/enrolment/1\n" + secret), rp: { id: "localhost", name: "checkrein" },
    user: { id: await digest(name), name, displayName: name }, attestation: "none",
    pubKeyCredParams: [{ type: "public-key", alg: -7 }, { type: "public-key", alg: -8 }, { type: "public-key", alg: -257 }],
    authenticatorSelection: { userVerification: "required" },
  } });
  return {
    secret, public: toBase64(response.getPublicKey()),
    proof: { client_data: toBase64(response.clientDataJSON), authenticator_data: toBase64(response.getAuthenticatorData()) },
  };
}

async function showEnrolment(secret) {
  const { kind, name } = await post("enrol", JSON.stringify({ secret }));
  at("title").textContent = "Enrol the " + kind + " " + name;
  at("enrol-about").textContent = kind === "passkey" ? "Answers to approvals are then signed by a passkey of this computer."
    : "Answers to approvals are then signed by a key in this browser, which cannot be copied out of it.";
  at("enrolment").hidden = false;
  say("");
  at("enrol").addEventListener("click", async () => {
    at("enrol").disabled = true;
    try {
      const made = await (kind === "passkey" ? makePasskey : makePhoneKey)(secret, name);
      const key = await post("enrol", JSON.stringify(made));
      at("fingerprint").textContent = key.fingerprint;
      at("fingerprint-part").hidden = false;
      at("enrol").hidden = true;
    } catch (err) {
      at("enrol").disabled = false;
      say(err.message);
    }
  });
}

(async () => {
  try {
    if (fragment.startsWith("enrol=")) await showEnrolment(fragment.slice("enrol=".length));
    else if (fragment) await showApproval(fragment);
    else say("Open this page by the link that you were sent.");
  } catch (err) {
    say(err.message);
  }
})();
