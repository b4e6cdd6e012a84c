"use strict";
// Proves and sends answers to approvals, for the page of a link and for the pages of checkrein open.

const answers = (() => {
  const text = new TextEncoder();
  const toBase64 = (bytes) => btoa(Array.from(new Uint8Array(bytes), (b) => String.fromCharCode(b)).join(""));
  const fromBase64 = (s) => Uint8Array.from(atob(s), (c) => c.charCodeAt(0));
  const digest = (s) => crypto.subtle.digest("SHA-256", text.encode(s));

  // post sends body, JSON, and returns the reply. read returns the reply to what was sent. A refusal becomes an error, with the answer that came
  // first if there is one.
  const post = (name, body) => read(fetch("/approve/" + name, { method: "POST", headers: { "Content-Type": "application/json" }, body }));
  async function read(sent) {
    const reply = await sent.catch(() => { throw new Error("The server does not answer. To start it again, run checkrein open."); });
    const value = await reply.json().catch(() => ({ error: "the server refused this page", remedy: "open it again with checkrein open" }));
    const sentence = (s) => s.charAt(0).toUpperCase() + s.slice(1) + ".";
    if (!reply.ok) throw Object.assign(new Error(sentence(value.error) + " " + sentence(value.remedy)), { answer: value.answer });
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

  const challenge = (link) => post("challenge", JSON.stringify({ link }));

  // proofs returns the ways in which this browser can prove an answer: a code of command, or one of keys.
  async function proofs(keys, command) {
    const list = [{ label: `A code: run ${command} in your own terminal`, code: true }];
    for (const key of keys) {
      if (key.kind === "passkey" && location.hostname === "localhost" && window.PublicKeyCredential) list.unshift({ label: "Passkey " + key.name, passkey: key });
      if (key.kind === "phone" && window.indexedDB && crypto.subtle) {
        const own = await keyStore("readonly", (s) => s.get(key.name)).catch(() => null);
        if (own) list.unshift({ label: "The key of this browser, " + key.name, name: key.name, own });
      }
    }
    return list;
  }

  // offer fills box with the ways to prove an answer, and returns a function that returns the chosen one.
  async function offer(box, { keys }, command = "checkrein approvals code") {
    const list = await proofs(keys, command);
    box.replaceChildren();
    const code = document.createElement("input");
    Object.assign(code, { autocomplete: "off", spellcheck: false });
    code.setAttribute("aria-label", "Code");
    const choices = list.map((way, i) => {
      const label = document.createElement("label"), input = document.createElement("input");
      label.className = "line";
      Object.assign(input, { type: "radio", name: "proof", checked: i === 0 });
      label.append(input, " " + way.label);
      box.append(label);
      return input;
    });
    code.addEventListener("input", () => { choices.at(-1).checked = true; });
    box.append(code);
    return () => ({ ...list[choices.findIndex((c) => c.checked)], typed: code.value });
  }

  // prove returns the proof of words, an answer or what else is named, in the way that the person chose.
  async function prove(way, words, what = "approval") {
    if (way.code && !way.typed.trim()) throw new Error("Type the code that your terminal shows.");
    if (way.code) return { code: way.typed };
    const signed = `checkrein/${what}/1\n` + words;
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

  // send answers the call that a, its handle and digest, names. choice is once, session or deny.
  async function send(link, a, choice, programs, words, way) {
    const deny = choice === "deny";
    const asked = await challenge(link);
    const answer = JSON.stringify({ handle: a.handle, digest: a.digest, decision: deny ? "deny" : "allow", scope: deny ? "" : choice, programs, words, challenge: asked.challenge });
    const proof = await prove(way, answer);
    // The answer is sent exactly as it was signed.
    return post("answer", `{"link":${JSON.stringify(link)},"answer":${answer},"proof":${JSON.stringify(proof)}}`);
  }

  // tell returns what an answer means, in words.
  const tell = (given) => (given.decision === "allow" ? "Allowed. The agent can try again now." : "Denied. The agent gets your words when it tries again.");
  const tellLate = (given) => `Already answered: ${given.decision}, by ${given.by}, ${new Date(given.at).toLocaleString()}.`;

  return { post, read, challenge, prove, keyStore, sign, digest, toBase64, offer, send, tell, tellLate };
})();
