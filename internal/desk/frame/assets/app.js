"use strict";
(() => {
  const $ = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const csrf = $('meta[name=csrf]')?.content;

  // post sends a form to this server. Only requests with the session's token may change anything.
  const post = (path, fields) => fetch(path, {
    method: "POST", headers: { "X-Csrf": csrf ?? "" }, body: new URLSearchParams(fields),
  });

  let toastTimer;
  function toast(text) {
    const box = $("#toast");
    box.textContent = text;
    box.classList.add("on");
    clearTimeout(toastTimer);
    toastTimer = setTimeout(() => box.classList.remove("on"), 2600);
  }

  // The fragment of a link has its secret. It leaves the address before anything else happens. A tab that
  // has the page already gets a new fragment only.
  async function enter() {
    if (location.hash.length <= 20) return;
    const secret = location.hash.slice(1);
    history.replaceState(null, "", location.pathname + location.search);
    const reply = await post("/login", { secret });
    if (reply.ok) return location.reload();
    const why = await reply.text();
    if (csrf) toast(why);
    else $("#signin").textContent = why;
  }
  enter();
  addEventListener("hashchange", enter);
  if (!csrf) return bindCopy(document);

  document.body.addEventListener("htmx:configRequest", (e) => { e.detail.headers["X-Csrf"] = csrf; });
  document.body.addEventListener("htmx:responseError", (e) => {
    if (e.detail.xhr.status === 401) location.reload();
    else toast(e.detail.xhr.responseText.slice(0, 200));
  });
  document.body.addEventListener("htmx:afterSwap", (e) => bind(e.target.parentNode ?? document));

  // isOfProject matches commands that depend on the directory in which they run, and quoteDir quotes one.
  const isOfProject = /^checkrein (hooks|packs|validate|test|analyze|replay|init|shadow|git|eval|doctor|status)\b/;
  const quoteDir = (dir) => dir.replace(/^(~(?:\/|$))?(.*)$/s, (_, home, rest) => (home ?? "") + (/^[\w@%+=:,./-]*$/.test(rest) ? rest : "'" + rest.replaceAll("'", "'\\''") + "'"));

  function bindCopy(root) {
    for (const button of all("[data-copy]:not([data-bound])", root)) {
      const dir = button.closest("[data-dir]")?.dataset.dir;
      button.dataset.bound = "1";
      if (!dir || !isOfProject.test(button.dataset.copy)) continue;
      button.dataset.copy = button.previousElementSibling.textContent = `cd ${quoteDir(dir)} && ${button.dataset.copy}`;
      button.setAttribute("aria-label", "Copy " + button.dataset.copy);
    }
    for (const button of all("[data-copy]", root)) {
      button.onclick = async () => {
        try {
          await navigator.clipboard.writeText(button.dataset.copy);
          toast("Copied: " + button.dataset.copy);
        } catch {
          getSelection().selectAllChildren(button.previousElementSibling);
          toast("Press Ctrl+C to copy");
        }
      };
    }
  }

  // bindReplies makes the forms work with which a person answers a call that waits.
  function bindReplies(root) {
    for (const form of all("form[data-reply]:not([data-bound])", root)) {
      const card = form.closest(".card"), status = $(".reply-status", card), { link } = form.dataset;
      form.dataset.bound = "1"; // once, because offering the proofs again would remove what was typed
      let chosen;
      const ready = () => {
        chosen ??= answers.challenge(link).then((asked) => answers.offer($("[data-proofs]", form), asked));
        chosen.catch((err) => { chosen = null; status.textContent = err.message; });
      };
      const end = (words) => { card.dataset.done = "1"; form.parentNode.remove(); all(".foot .command", card).forEach((c) => c.remove()); status.textContent = words; };
      if (form.parentNode.open) ready();
      form.parentNode.ontoggle = ready;
      form.onsubmit = async (e) => {
        e.preventDefault();
        form.dataset.sent = "1"; // the reply says what became of it, also if the stream has that first
        try {
          const given = await answers.send(link, form.dataset, e.submitter.value, form.programs?.checked ?? false, form.words.value, (await chosen)());
          end(answers.tell(given));
        } catch (err) {
          delete form.dataset.sent;
          if (err.answer) end(answers.tellLate(err.answer));
          else status.textContent = err.message;
        }
      };
    }
  }

  // bindSaves makes the forms work with which a person saves a policy.
  function bindSaves(root) {
    for (const form of all("form[data-save]:not([data-bound])", root)) {
      const { handle, file, old, text } = form.dataset, status = $(".reply-status", form);
      form.dataset.bound = "1";
      const ask = () => answers.read(post("/policy/challenge", { handle }));
      const chosen = ask().then((asked) => answers.offer($("[data-proofs]", form), asked, "checkrein approvals code " + handle));
      chosen.catch((err) => { status.textContent = err.message; });
      form.onsubmit = async (e) => {
        e.preventDefault();
        try {
          const way = (await chosen)(), { challenge } = await ask();
          const change = JSON.stringify({ handle, file, old, new: form.dataset.new, challenge });
          const proof = JSON.stringify(await answers.prove(way, change, "policy"));
          const { held } = await answers.read(post("/policy/save", { change, text, proof })); // the change exactly as it was signed
          status.textContent = held ? "Saved. An agent is running, so this does not count until you run checkrein confirm in your own terminal: " + held.join("; ") : "Saved. It counts from the next call on.";
          form.replaceChildren(status);
        } catch (err) {
          status.textContent = "Nothing was saved: " + err.message;
        }
      };
    }
  }

  function bind(root) {
    bindCopy(root);
    bindReplies(root);
    bindSaves(root);
    times();
  }

  // showWaiting brings the cards of what waits for an answer up to date. A card on which the person
  // works stays, and says what happened.
  async function showWaiting(handles) {
    const badge = $("#badge"), box = $("#waiting");
    badge.textContent = handles.length;
    badge.hidden = handles.length === 0;
    badge.title = handles.length === 1 ? "1 call waits for your answer" : handles.length + " calls wait for your answer";
    document.title = document.title.replace(/^\(\d+\) /, "").replace(/^/, handles.length ? `(${handles.length}) ` : "");
    if (!box) return;
    const fresh = document.createElement("div");
    fresh.innerHTML = await (await fetch(box.dataset.cards)).text();
    const has = document.activeElement; // before its card is moved, which takes the focus away
    const had = new Map(all(".card", box).map((c) => [c.dataset.handle, c]));
    for (const card of all(".card", fresh)) {
      const own = had.get(card.dataset.handle);
      if (own && !own.dataset.done) card.replaceWith(own);
      had.delete(card.dataset.handle);
    }
    for (const card of had.values()) {
      const form = $("details[open] form", card);
      if (form && !form.dataset.sent) {
        const a = form.dataset.link && await answers.post("show", JSON.stringify({ link: form.dataset.link })).catch(() => null);
        form.parentNode.remove();
        $(".reply-status", card).textContent = a?.answer ? answers.tellLate(a.answer) : "This call does not wait any more.";
      }
      if (!form && !card.dataset.done) continue;
      if (!$(".cards", fresh)) fresh.append(Object.assign(document.createElement("ul"), { className: "cards waiting" }));
      $(".cards", fresh).append(card);
    }
    box.replaceChildren(...fresh.childNodes);
    if (box.contains(has)) has.focus();
    if ($("#calm")) $("#calm").hidden = !!$(".card", box);
    bind(box);
  }

  // listen receives what happens while the page is visible. Browsers allow few connections to a server.
  const list = $("#feed"), live = $("#live");
  let stream;
  function listen() {
    stream?.close();
    live?.classList.remove("on");
    if (document.hidden || !$("#badge")) return;
    const q = new URLSearchParams(list?.dataset.query);
    if (list) q.set("list", "1");
    if (list) q.set("after", list.dataset.newest);
    stream = new EventSource("/live?" + q);
    stream.onopen = () => { if (live) { live.classList.add("on"); live.textContent = "live"; } };
    stream.onerror = () => { // what the page shows may not be so any more
      if (live) { live.classList.remove("on"); live.textContent = live.dataset.away ?? "not connected"; }
      if ($("#calm")) $("#calm").hidden = true;
    };
    stream.addEventListener("rows", (e) => {
      const news = JSON.parse(e.data);
      if (news.changed) showWaiting(news.waiting ?? []);
      if (!list) return;
      if (e.lastEventId) list.dataset.newest = e.lastEventId;
      if (!news.rows) return;
      const rows = document.createElement("ol");
      rows.innerHTML = news.rows;
      for (const row of [...rows.children].reverse()) {
        row.classList.add("new");
        list.prepend(row);
      }
      while (list.childElementCount > 400) list.lastElementChild.remove();
      $("#nothing")?.remove();
      times();
    });
  }
  addEventListener("pagehide", () => stream?.close());
  document.addEventListener("visibilitychange", listen);

  const units = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
  function times() {
    for (const t of all("time")) {
      const seconds = (Date.now() - Date.parse(t.dateTime)) / 1000;
      const unit = units.find(([, size]) => seconds >= size);
      t.textContent = unit ? `${Math.floor(seconds / unit[1])} ${unit[0]} ago` : "just now";
    }
  }
  setInterval(times, 10000);
  for (const button of all("[data-copy-from]")) {
    button.onclick = async () => {
      const from = $(button.dataset.copyFrom);
      from.select();
      await navigator.clipboard.writeText(from.value).then(() => toast("Copied"), () => toast("Press Ctrl+C to copy"));
    };
  }
  $("#draft")?.addEventListener("input", () => $("[data-save]")?.replaceChildren("The draft has changed since. Try it again, and save that."));
  bind(document);
  listen();

  $("[data-theme-switch]").onclick = async () => {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    await post("/theme", { theme: root.dataset.theme });
    document.dispatchEvent(new Event("theme"));
  };
  // draw fills the element of a plot. Colours come from the theme.
  function draw(box) {
    const { x, series, unit } = JSON.parse(box.dataset.plot);
    const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const axis = { stroke: colour("--muted"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 } };
    const lines = [colour("--accent"), colour("--contained")];
    box.replaceChildren();
    new uPlot({
      width: box.clientWidth - 28, height: 210, scales: { y: { range: (_, low, high) => [0, Math.max(high, 1) * 1.1] } },
      axes: [axis, { ...axis, size: 72, values: (_, all) => all.map((v) => `${v} ${unit}`) }],
      series: [{ label: "time" }, ...series.map((s, i) => ({
        label: s.label, stroke: s.limit ? colour("--denied") : lines[i % 2], dash: s.limit ? [6, 4] : [], width: 2, spanGaps: true, points: { show: !s.limit && x.length < 60, size: 5 },
        value: (_, v) => (v == null ? "–" : `${v.toFixed(1)} ${unit}`),
      }))],
    }, [x, ...series.map((s) => s.values)], box);
  }
  const drawAll = () => all("[data-plot]").forEach(draw);
  drawAll();
  addEventListener("resize", drawAll);
  document.addEventListener("theme", drawAll);

  // On a phone the list of pages is longer than the screen. scrollIntoView would also move where Tab begins.
  const here = $("nav [aria-current]");
  if (here) here.parentNode.scrollLeft = here.offsetLeft - (here.parentNode.clientWidth - here.offsetWidth) / 2;

  const help = $("#help");
  $("[data-help]").onclick = () => help.showModal();

  // move puts the focus on the row that is by rows away from the one that has it.
  function move(by) {
    const rows = all(".row");
    const at = rows.indexOf(document.activeElement?.closest?.(".row"));
    const next = rows[at < 0 ? 0 : Math.min(Math.max(at + by, 0), rows.length - 1)];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
  }

  const keys = {
    j: () => move(1), k: () => move(-1), "/": () => $("[data-key='/']").select(),
    "?": () => help.showModal(), c: () => $("main [data-copy]")?.click(),
  };
  let going = false;
  document.addEventListener("keydown", (e) => {
    const field = e.target.matches("input:not([type=checkbox]), textarea, select");
    if (e.key === "Escape" && field) return e.target.blur();
    if (field || help.open || e.ctrlKey || e.metaKey || e.altKey) return;
    if (going) {
      going = false;
      const link = $(`nav [data-go="${CSS.escape(e.key)}"]`);
      if (link) { e.preventDefault(); link.click(); }
      return;
    }
    if (e.key === "g") { going = true; setTimeout(() => { going = false; }, 1500); return; }
    if (keys[e.key]) { e.preventDefault(); keys[e.key](); }
  });
})();
