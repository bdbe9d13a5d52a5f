/* What the browser keeps and what leaves it: the records of an address, the only place that makes requests, and
   invitations. The parts stand in globalThis.ppdmKeep, for the page around them. */

"use strict";

(() => {
  const { Refusal, say, sha256, uniforms } = globalThis.ppdm;
  const TEXT = globalThis.ppdmText ?? {};

  const toText = (bytes) => btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (c) => ({ "+": "-", "/": "_" })[c] ?? "");
  const toBytes = (text) => Uint8Array.from(atob(text.replace(/[-_]/g, (c) => (c === "-" ? "+" : "/"))), (c) => c.charCodeAt(0));
  const newName = () => toText(crypto.getRandomValues(new Uint8Array(16))); // randomUUID came later

  // ------------------------------------------------------------------ what the browser keeps

  /* The secret as a record for the vault. Scripts can use the key, not export it;
     whoever has the disk has both. */
  async function seal(secret, base) {
    const key = await crypto.subtle.generateKey(
      { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
    const iv = crypto.getRandomValues(new Uint8Array(12));
    const text = new TextEncoder().encode(JSON.stringify(secret));
    const ciphertext = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, text);
    return { stage: "waiting", key, iv, ...(await toFile(ciphertext, base)) };
  }

  async function unseal({ key, iv, file, ciphertext }, base) {
    const sealed = ciphertext ?? (await (await (await folder(base)).getFileHandle(file)).getFile()).arrayBuffer();
    const text = await crypto.subtle.decrypt({ name: "AES-GCM", iv }, key, await sealed);
    return JSON.parse(new TextDecoder().decode(text));
  }

  const folder = async (base, create = false) => (await navigator.storage.getDirectory())
    .getDirectoryHandle(encodeURIComponent(base), { create });

  /* A ciphertext lies in a file of its own: what is deleted there is gone from the browser's folder, while
     its database's log keeps it as long as it likes. A browser without such files has it in the record. */
  async function toFile(ciphertext, base) {
    try {
      const file = newName();
      const handle = await (await folder(base, true)).getFileHandle(file, { create: true });
      await new Blob([ciphertext]).stream().pipeTo(await handle.createWritable());
      return { file };
    } catch { return { ciphertext }; }
  }

  async function dropFiles(base, but) {
    try {
      const all = await folder(base);
      for await (const name of all.keys()) if (name !== but) await all.removeEntry(name);
    } catch { /* there are no such files */ }
  }

  function done(request) {
    return new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  }

  /* The records of an address; their keys begin with it. Each change of one is compare-and-swap, because another
     tab may be at work. */
  class Vault {
    static async open(base) {
      const request = indexedDB.open("ppdm", 1);
      request.onupgradeneeded = () => request.result.createObjectStore("surveys");
      return Object.assign(new Vault(), { base, key: base, db: await done(request), wrote: new Set() });
    }

    at(key) { return Object.assign(new Vault(), this, { key }); }

    read(key = this.key) { return done(this.db.transaction("surveys").objectStore("surveys").get(key)); }

    async keys() {
      const all = await done(this.db.transaction("surveys").objectStore("surveys").getAllKeys());
      return all.filter((key) => key.startsWith(`${this.base}#`));
    }

    /* Put `next`, or what it makes (nothing: delete), in the place of `old`, and with it what `others` has of other
       keys; return it, or null if `old` is gone. One tab at a time. Durability "strict": what was drawn must be
       on the disk before it is sent, or a power cut in between would have it drawn, and sent, a second time. */
    swap(old, next, others = []) {
      return navigator.locks.request(`ppdm ${this.base}`, async () => {
        if ((await this.read())?.id !== old?.id) return null;
        const made = typeof next === "function" ? await next() : next;
        const record = made ? { ...made, id: newName() } : null;
        this.wrote.add(record?.id);
        const change = this.db.transaction("surveys", "readwrite", { durability: "strict" });
        const store = change.objectStore("surveys");
        const written = new Promise((resolve, reject) => {
          change.oncomplete = resolve;
          change.onabort = change.onerror = () => reject(change.error);
          [[this.key, record], ...others].forEach(([key, one]) =>
            (one ? store.put({ id: newName(), ...one }, key) : store.delete(key)));
        });
        await dropFiles(this.key, await written.then(() => record?.file, () => old?.file));
        await written;
        return record;
      });
    }
  }

  /* Of what a device keeps of an address, each record with its key, `at`: */

  const placeAt = (at) => at.split("#")[1];

  /* what is the same person's, of other surveys; */
  const othersOf = (kept, key, who = "") => kept.filter(({ at }) => at !== key && (at.split("#")[2] ?? "") === who);

  /* the epsilon of each report that has gone, or goes; */
  const spentOf = (kept) => kept.flatMap(({ stage, epsilon, spent = [] }) =>
    [...spent, ...(["going", "sent"].includes(stage) ? [{ epsilon }] : [])].map((one) => one.epsilon));

  /* of a report that is deleted: that it went; */
  const goneOf = ({ stage, epsilon, spent = [] }) => ({ stage: "gone", epsilon, spent: [...spent, { stage, epsilon }] });

  /* and what a survey that begins makes of the others: their reports that have arrived, of anybody, are deleted, for no
     page shows them any more; and a lot that was drawn, unless something was spent before it. */
  const clearedOf = (kept, key, who) => [
    ...kept.filter(({ at, stage, answers }) => placeAt(at) !== placeAt(key) && stage === "sent" && answers).map((one) => [one.at, goneOf(one)]),
    ...othersOf(kept, key, who).filter(({ stage, spent }) => stage === "empty" && !spent?.length).map(({ at }) => [at])];

  // ------------------------------------------------------------------ what leaves the browser

  class Unreachable extends Error {} // no answer, or a busy server: the same again, later

  class Rejected extends Error { // the survey answered: no
    constructor({ error, reason }) {
      super(typeof TEXT.rejected?.[error] === "string" ? say(`rejected.${error}`) : reason ?? say("forged.unreadable"));
      this.code = error;
    }
  }

  /* The only place that makes requests; it counts them, so that the person can see them all. */
  class Line {
    constructor(base) {
      this.base = base;
      this.sent = new Map();
    }

    async ask(path, message, read = parse) {
      const body = message && JSON.stringify(message);
      const what = body ? `POST ${path} ${body}` : `GET ${path}`;
      this.sent.set(what, (this.sent.get(what) ?? 0) + 1);
      // of one length, or whoever watches the encrypted line would count the digits and the bits of a report
      const { status, text } = await this.fetch(path, body?.padEnd(8192 * Math.ceil(body.length / 8192)));
      if (status === 204) return null;
      if (status >= 500 || status === 408 || status === 429) throw new Unreachable();
      if (status >= 400) throw new Rejected(parse(text));
      return read(text);
    }

    async fetch(path, body) {
      const patience = new AbortController(); // AbortSignal.timeout came later
      const timer = setTimeout(() => patience.abort(), 30000);
      try {
        const response = await fetch(new URL(path, this.base), {
          method: body ? "POST" : "GET",
          headers: body ? { "Content-Type": "application/json" } : {},
          body,
          cache: "no-store",
          credentials: "omit",
          redirect: "error",
          referrerPolicy: "no-referrer",
          signal: patience.signal,
        });
        return { status: response.status, text: await response.text() };
      } catch {
        throw new Unreachable();
      } finally {
        clearTimeout(timer);
      }
    }
  }

  function parse(text) {
    try {
      const answer = JSON.parse(text);
      if (answer !== null && typeof answer === "object") return answer;
    } catch { /* said below */ }
    throw new Refusal(say("forged.unreadable"));
  }

  // ------------------------------------------------------------------ invitations

  const thumbprint = ({ e, n }) => sha256(new TextEncoder().encode(JSON.stringify({ e, kty: "RSA", n }))); // RFC 7638
  const keyOf = (jwk) => crypto.subtle.importKey("jwk", jwk, { name: "RSA-PSS", hash: "SHA-384" }, true, ["verify"]);

  const digest = (code) => sha256(new TextEncoder().encode(code));

  /* The invitation stands behind the # of the page's address. It leaves it at once, where people look over a shoulder
     and bookmark it, and waits in this tab for the press on "Begin". */
  const CODE = /^#([\w-]{43})(?![\w-])/; // a dot or a bracket may have been copied with it
  const LINK = CODE.exec(location.hash)?.[1];

  function takeLink(base) {
    if (LINK && !takeLink.done) {
      sessionStorage.setItem(`ppdm ${base}`, LINK);
      history.replaceState(history.state, "", location.pathname + location.search);
      addEventListener("hashchange", () => CODE.test(location.hash) && location.reload());
      takeLink.done = true;
    }
    return sessionStorage.getItem(`ppdm ${base}`);
  }

  /* An invitation buys the signature of a random token that the survey does not see (RFC 9474, vendor/blindrsa.js).
     What is asked is kept first, or a lost answer would cost the invitation. */
  class Pass {
    constructor(vault, line, hold, code) {
      Object.assign(this, { vault, line, hold, code });
      this.suite = globalThis.blindRSA.RSABSSA.SHA384.PSS.Deterministic();
    }

    get() { return (this.asked ??= this.exchange().finally(() => { this.asked = null; })); } // once at a time
    async exchange() {
      const record = (await this.vault.read()) ?? (await this.put(undefined, await this.blind(this.code)));
      sessionStorage.removeItem(`ppdm ${this.vault.base}`); // what was begun is kept, whatever comes
      if (record.token) return record;
      const { code: invitation, jwk, nonce, blinded, inverse } = record;
      const answer = await this.line.ask("api/exchange", { invitation, blinded: toText(blinded) }).catch(async (error) => {
        if (error instanceof Rejected) await this.vault.swap(record, null); // a wrong link shall not stick
        throw error;
      });
      const signed = await this.suite.finalize(await keyOf(jwk), nonce, toBytes(answer.signature), inverse)
        .catch(() => { throw new Refusal(say("forged.signature")); });
      const least = Math.min(LEAST_HOLD, this.hold); // or the time of the exchange would tell whose it is
      const wait = least + uniforms(1)[0] * (this.hold - least);
      return this.put(record, { wait, token: toText([...nonce, ...signed]), signer: await thumbprint(jwk) });
    }

    async put(old, next) { return (await this.vault.swap(old, next)) ?? this.vault.read(); } // another tab's

    async blind(code) {
      if (!code) throw new Refusal(say("stop.uninvited"));
      const { key: jwk } = await this.line.ask("api/access");
      if (jwk?.e !== "AQAB" || jwk.n?.length !== 342) throw new Refusal(say("forged.key")); // RSA, 2048 bits
      const nonce = crypto.getRandomValues(new Uint8Array(16));
      const { blindedMsg: blinded, inv: inverse } = await this.suite.blind(await keyOf(jwk), nonce);
      return { code, jwk, nonce, blinded, inverse };
    }
  }

  const LEAST_HOLD = 120000; // milliseconds: what is sent at once after an exchange is that person's

  globalThis.ppdmKeep = Object.freeze({
    LEAST_HOLD, Line, Pass, Rejected, Unreachable, Vault, clearedOf, digest, goneOf, newName, othersOf, parse, placeAt, seal, spentOf,
    takeLink, unseal,
  });
})();
