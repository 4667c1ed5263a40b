import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { readConfig } from '../server/config.ts'
import { newId } from '../server/kernel/ids.ts'
import { start } from '../server/main.ts'
import { startEmbedded } from '../server/platform/postgres/embedded.ts'

/**
 * `node bench/feed-soak.ts [changes writers pauseMs]`: processes write accounts and their addresses, commit late and
 * out of order, and one client follows the store by lines of GET /v2/changes. Reports gaps, changes that come before
 * what they follow from, and how far the client is behind; with a pause between the writes it can keep up.
 */
const secret = 'the secret of the soak, which is long enough'
const [wanted = 100_000, writers = 4, pauseMs = 0] = process.argv.slice(2).map(Number)
const url = process.env.SOAK_DATABASE
/** Changes that are committed may wait for their positions for so long, if the machine is busy. */
const restMs = 30_000

/** One process: transactions that create, change and delete, some of them slow. */
async function write(url: string, storeId: string, pauseMs: number): Promise<void> {
  const clients = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const client = new pg.Client(url)
      await client.connect()
      return client
    }),
  )
  let isWriting = true
  process.on('message', () => {
    isWriting = false
  })
  await Promise.all(
    clients.map(async (client) => {
      while (isWriting) {
        await client.query('BEGIN')
        await client.query(
          `SELECT set_config('sutler.by', 'soak ${newId()} ' || to_json(clock_timestamp())::text, true)`,
        )
        await client
          .query(
            `WITH made AS (
             INSERT INTO accounts (store_id, id, created_at, updated_at, doc)
             SELECT $1, gen_random_uuid(), now(), now(), '{"name":"0"}' FROM generate_series(1, 20) RETURNING id)
           INSERT INTO account_addresses (store_id, account_id, id, created_at, updated_at, doc)
           SELECT $1, id, gen_random_uuid(), now(), now(), '{"name":"0"}' FROM made`,
            [storeId],
          )
          .catch(async (error: { code?: string }) => {
            if (error.code !== '23503') throw error
          })
        await client.query('COMMIT')
        await client
          .query(
            `UPDATE accounts SET version = version + 1, updated_at = now(), doc = json_build_object('name', version + 1)
           WHERE store_id = $1 AND id = ANY (ARRAY(SELECT id FROM accounts WHERE store_id = $1 ORDER BY created_at DESC LIMIT 30))`,
            [storeId],
          )
          .catch(() => {})
        await client.query('BEGIN')
        await client.query(
          `DELETE FROM accounts WHERE store_id = $1 AND id = ANY (ARRAY(
             SELECT id FROM accounts WHERE store_id = $1 AND id > gen_random_uuid() ORDER BY id LIMIT 5 FOR UPDATE SKIP LOCKED))`,
          [storeId],
        )
        if (Math.random() < 0.1) await sleep(Math.random() * 300)
        await client.query('COMMIT')
        await sleep(pauseMs)
      }
      await client.end()
    }),
  )
  process.disconnect()
}

async function soak(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'sutler-soak-'))
  const embedded = await startEmbedded(home, { max_connections: 100 })
  const config = readConfig({
    ...{
      DATABASE_URL: embedded.url,
      PORT: '0',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'error',
      SUTLER_SECRET: secret,
    },
    ...{ SUTLER_CLIENT_ID: 'soak', SUTLER_CLIENT_SECRET: secret, SUTLER_FILES_DIR: join(home, 'files') },
  })
  const server = await start(config)
  const sql = new pg.Client(embedded.url)
  await sql.connect()
  const storeId = (await sql.query('SELECT id FROM stores')).rows[0].id as string
  const processes = Array.from({ length: writers }, () =>
    fork(import.meta.filename, {
      env: { ...process.env, SOAK_DATABASE: embedded.url, SOAK_STORE: storeId, SOAK_PAUSE: String(pauseMs) },
    }),
  )
  try {
    const follower = new Follower(server.url)
    const began = performance.now()
    await follower.follow(wanted)
    const seconds = (performance.now() - began) / 1000
    for (const child of processes) child.send('stop')
    await Promise.all(processes.map((child) => new Promise((resolve) => child.once('exit', resolve))))
    await sleep(2000)
    await follower.follow(Number.POSITIVE_INFINITY)
    const lists = await sql.query(
      'SELECT (SELECT count(*)::int FROM accounts) AS accounts, (SELECT count(*)::int FROM account_addresses) AS addresses',
    )
    follower.report(seconds, lists.rows[0])
  } finally {
    for (const child of processes) child.kill()
    await sql.end()
    await server.stop()
    await embedded.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

interface Change {
  readonly position: number
  readonly event: string
  readonly at: string
  readonly object: { readonly type: string; readonly id: string; readonly parent: string | null }
}

/** A client that knows only the API, and keeps the ids of what exists. */
class Follower {
  readonly #url: string
  readonly #accounts = new Set<string>()
  readonly #addresses = new Map<string, string>()
  readonly #lagsMs: number[] = []
  #position = -1
  #token = ''
  #tokenAtMs = Number.NEGATIVE_INFINITY
  readonly #beganAtMs = performance.now()
  seen = 0
  #gaps = 0
  #disorders = 0

  constructor(url: string) {
    this.#url = url
  }

  async #lines(after: number) {
    if (performance.now() - this.#tokenAtMs > 1_800_000) {
      const body = new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: 'soak',
        client_secret: secret,
      })
      const answer = await fetch(`${this.#url}/oauth/access_token`, { method: 'POST', body })
      this.#token = ((await answer.json()) as { access_token: string }).access_token
      this.#tokenAtMs = performance.now()
    }
    const answer = await fetch(`${this.#url}/v2/changes?page[after]=${after}`, {
      headers: { accept: 'application/x-ndjson', authorization: `Bearer ${this.#token}` },
    })
    if (!answer.ok || !answer.body) throw new Error(`${answer.status} ${await answer.text()}`)
    return createInterface({ input: Readable.fromWeb(answer.body as ReadableStream) })
  }

  /** Until it has seen so many changes; without a limit, until none has come for a while. */
  async follow(wanted: number): Promise<void> {
    for (let atMs = performance.now(); ; ) {
      const before = this.seen
      for await (const line of await this.#lines(Math.max(this.#position, 0))) {
        this.#take(JSON.parse(line) as Change)
        if (this.seen % 100_000 === 0) this.#progress()
        if (this.seen >= wanted) return
      }
      if (this.seen > before) atMs = performance.now()
      else if (wanted === Number.POSITIVE_INFINITY && performance.now() - atMs > restMs) return
      await sleep(100)
    }
  }

  #progress(): void {
    const seconds = (performance.now() - this.#beganAtMs) / 1000
    process.stderr.write(
      `${this.seen} after ${Math.round(seconds)} s, behind ${this.#lagsMs.at(-1)} ms, gaps ${this.#gaps}, disorders ${this.#disorders}\n`,
    )
  }

  #take({ position, event, at, object: { type, id, parent } }: Change): void {
    if (position !== this.#position + 1 && this.#position >= 0) this.#gaps += 1
    this.#position = position
    this.seen += 1
    if (this.seen % 50 === 0) this.#lagsMs.push(Date.now() - new Date(at).getTime())
    if (type === 'account') {
      const isKnown = this.#accounts.has(id)
      if (isKnown === (event === 'created')) this.#disorders += 1
      if (event === 'deleted') this.#accounts.delete(id)
      else this.#accounts.add(id)
      if (event === 'deleted' && [...this.#childrenOf(id)].length > 0) this.#disorders += 1
    } else if (type === 'address') {
      if (this.#addresses.has(id) === (event === 'created')) this.#disorders += 1
      if (event === 'created' && !this.#accounts.has(parent as string)) this.#disorders += 1
      this.#change(id, parent as string, event === 'deleted')
    }
  }

  readonly #children = new Map<string, Set<string>>()
  #childrenOf(account: string): Set<string> {
    return this.#children.get(account) ?? new Set()
  }
  #change(id: string, account: string, isGone: boolean): void {
    const children = this.#childrenOf(account)
    if (isGone) {
      this.#addresses.delete(id)
      children.delete(id)
    } else {
      this.#addresses.set(id, account)
      children.add(id)
    }
    if (children.size > 0) this.#children.set(account, children)
    else this.#children.delete(account)
  }

  report(seconds: number, lists: { accounts: number; addresses: number }): void {
    const lags = this.#lagsMs.sort((a, b) => a - b)
    const at = (part: number) => lags[Math.floor((lags.length - 1) * part)] ?? 0
    process.stdout.write(
      `${this.seen.toLocaleString('en')} changes, ${writers} processes, ${Math.round(wanted / seconds)} changes/s followed\n` +
        `gaps ${this.#gaps}, changes before what they follow from ${this.#disorders}\n` +
        `lag from the change to the client, ms: p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)}\n` +
        `the copy has ${this.#accounts.size} accounts and ${this.#addresses.size} addresses; the lists have ${lists.accounts} and ${lists.addresses}\n`,
    )
    if (
      this.#gaps ||
      this.#disorders ||
      this.#accounts.size !== lists.accounts ||
      this.#addresses.size !== lists.addresses
    )
      process.exitCode = 1
  }
}

if (url) await write(url, process.env.SOAK_STORE as string, Number(process.env.SOAK_PAUSE))
else await soak()
