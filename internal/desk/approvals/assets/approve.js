"use strict";
// Shows an approval, and signs the person's answer to it. The secret of the link is in the fragment,
// which is neither sent by itself nor kept in the history.

const at = (id) => document.getElementById(id);
const fragment = location.hash.slice(1);
history.replaceState(null, "", location.pathname);

const text = new TextEncoder();
const toBase64 = (bytes) => btoa(Array.from(new Uint8Array(bytes), (b) => String.fromCharCode(b)).join(""));
const fromBase64 = (s) => Uint8Array.from(atob(s), (c) => c.charCodeAt(0));
const digest = (s) => crypto.subtle.digest("SHA-256", text.encode(s));

function say(words) { at("status").textContent = words; }

// post sends body, JSON, and returns the reply. A refusal becomes an error.
async function post(name, body) {
  const reply = await fetch(name, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  const value = await reply.json();
  if (!reply.ok) throw new Error(value.error + ". " + value.remedy);
  return value;
}

// The private keys of this browser stay in it: they cannot be exported, not even by this script.
function openKeys() {
  return new Promise((done, fail) => {
    const open = indexedDB.open("checkrein", 1);
    open.onupgradeneeded = () => open.result.createObjectStore("keys");
    open.onsuccess = () => done(open.result);
    open.onerror = () => fail(open.error);
  });
}
async function keyStore(mode, act) {
  const db = await openKeys();
  return new Promise((done, fail) => {
    const request = act(db.transaction("keys", mode).objectStore("keys"));
    request.onsuccess = () => done(request.result);
    request.onerror = () => fail(request.error);
  });
}

const sign = (key, words) => crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, key, text.encode(words));

// proofs returns the ways in which this browser can prove an answer.
async function proofs(link) {
  const list = [{ label: "A code: run checkrein approvals code in your own terminal", code: true }];
  const { keys } = await post("challenge", JSON.stringify({ link }));
  for (const key of keys) {
    if (key.kind === "passkey" && location.hostname === "localhost" && window.PublicKeyCredential) list.unshift({ label: "Passkey " + key.name, passkey: key });
    if (key.kind === "phone" && window.indexedDB && crypto.subtle) {
      const own = await keyStore("readonly", (s) => s.get(key.name)).catch(() => null);
      if (own) list.unshift({ label: "The key of this browser, " + key.name, name: key.name, own });
    }
  }
  return list;
}

// prove returns the proof of words, an answer, in the way that the person chose.
async function prove(way, words) {
  if (way.code) return { code: at("code").value };
  const signed = "checkrein/approval/1\n" + words;
  if (way.own) return { key: way.name, signature: toBase64(await sign(way.own, signed)) };
  const { response } = await navigator.credentials.get({ publicKey: {
    challenge: await digest(signed), rpId: "localhost", userVerification: "required",
    allowCredentials: [{ type: "public-key", id: fromBase64(way.passkey.credential) }],
  } });
  return {
    key: way.passkey.name, signature: toBase64(response.signature),
    client_data: toBase64(response.clientDataJSON), authenticator_data: toBase64(response.authenticatorData),
  };
}

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
  at("title").textContent = (a.host || "An agent") + " waits for an approval";
  at("call").textContent = a.call;
  at("whole").textContent = a.whole || "";
  at("whole-part").hidden = !a.whole;
  addFact("tool", a.tool);
  addFact("in", a.dir);
  addFact("project", a.project);
  addFact("blocked", new Date(a.blocked).toLocaleString() + (a.times > 1 ? ", " + a.times + " times" : ""));
  addFact("the agent says", a.stated);
  for (const w of a.why) addItem(at("why"), w.rule + ": " + w.reason);
  for (const e of a.effects) addItem(at("effects"), [e.kind + " (" + e.impact + "): " + e.reason, ...(e.paths || []), ...(e.hosts || []), e.on].filter(Boolean).join(", "));
  if (!a.effects.length) addItem(at("effects"), "Not all effects are known, so an answer covers only this exact call, word for word.");
  at("programs-part").hidden = !a.programs;
  at("session").hidden = !a.scopes.includes("session");
}

function showProofs(list) {
  list.forEach((way, i) => {
    const label = document.createElement("label"), input = document.createElement("input");
    label.className = "line";
    Object.assign(input, { type: "radio", name: "proof", value: i, checked: i === 0 });
    label.append(input, " " + way.label);
    at("proofs").append(label);
  });
  const code = document.createElement("input");
  Object.assign(code, { id: "code", autocomplete: "off", spellcheck: false });
  code.setAttribute("aria-label", "Code");
  code.addEventListener("input", () => { document.querySelector(`input[name=proof][value="${list.length - 1}"]`).checked = true; });
  at("proofs").append(code);
}

async function showApproval(link) {
  const a = await post("show", JSON.stringify({ link }));
  describe(a);
  at("approval").hidden = false;
  if (a.answer) {
    at("form").hidden = true;
    return say("Already answered: " + a.answer.decision + ", by " + a.answer.by + ", " + new Date(a.answer.at).toLocaleString() + ".");
  }
  const ways = await proofs(link);
  showProofs(ways);
  say("Expires " + new Date(a.expires).toLocaleString() + ".");
  at("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const deny = event.submitter.value === "deny";
    try {
      const { challenge } = await post("challenge", JSON.stringify({ link }));
      const answer = JSON.stringify({
        handle: a.handle, digest: a.digest, decision: deny ? "deny" : "allow", scope: deny ? "" : event.submitter.value,
        programs: at("programs").checked, words: at("words").value, challenge,
      });
      const way = ways[Number(document.querySelector("input[name=proof]:checked").value)];
      const proof = await prove(way, answer);
      // The answer is sent exactly as it was signed.
      const given = await post("answer", `{"link":${JSON.stringify(link)},"answer":${answer},"proof":${JSON.stringify(proof)}}`);
      at("form").hidden = true;
      say(given.decision === "allow" ? "Allowed. The agent can try again now." : "Denied.");
    } catch (err) {
      say(err.message);
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
