import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { clientOf, type Transport } from '../../support/client.ts'
import { isLong } from '../../support/long.ts'
import { adminOf, type Process } from '../../support/process.ts'
import { until } from '../../support/until.ts'

/** The pids of the processes that serve, by their slots, as the log says them. */
export function pidsOf({ output }: Process): ReadonlyMap<number, number> {
  const ready = output().matchAll(/"process":(\d+),"process_pid":(\d+),"msg":"process \d+ is ready"/g)
  return new Map([...ready].map(([, slot, pid]) => [Number(slot), Number(pid)]))
}

/** Waits until a slot has another process than this one. */
export const replaced = (server: Process, slot: number, pid: number): Promise<number> =>
  until(async () => {
    const now = pidsOf(server).get(slot)
    return now === pid ? undefined : now
  }, 90_000)

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Each request has a connection of its own, so one after the other goes to the next process. */
const overNewConnections: Transport = (method, url, headers, body) =>
  new Promise((done, failed) => {
    const sent = request(url, { method, headers, agent: false }, async (response) => {
      try {
        const chunks = await response.toArray()
        const { statusCode: status = 0 } = response
        const headers = new Headers(response.headers as Record<string, string>)
        done({ status, headers, text: Buffer.concat(chunks).toString() })
      } catch (error) {
        failed(error)
      }
    })
    sent.once('error', failed)
    sent.end(body)
  })

/** The same caller, over new connections. */
export const overNew = (url: string, token?: string) => clientOf(url, token, overNewConnections)

/** What clients did until they were stopped. */
export interface Traffic {
  readonly written: string[]
  readonly faults: string[]
  stop(): Promise<void>
}

const pauseMs = isLong ? 20 : 300

/** Clients that write and read, more often in the long form: on connections that stay open, and on new ones. */
export async function beginTraffic(url: string): Promise<Traffic> {
  const admin = await adminOf(url)
  const fresh = overNew(url, admin.token)
  const [written, faults]: [string[], string[]] = [[], []]
  let isStopped = false
  const loop = async (client: typeof admin, name: string) => {
    for (let i = 0; !isStopped; i++) {
      try {
        const created = await client.post('/v2/accounts', { data: { type: 'account', name: `${name}-${i}` } })
        if (created.status === 201) written.push(created.body.data.id)
        const read = await client.get('/v2/settings')
        for (const { status, body } of [created, read])
          if (status >= 400) faults.push(`${status} ${JSON.stringify(body)}`)
        // Their own work costs as much as that of the server.
        await sleep(pauseMs)
      } catch (error) {
        const { message, cause } = error as Error
        faults.push(`${message} ${String(cause ?? '')}`)
      }
    }
  }
  const loops = ['a', 'b', 'c', 'd'].flatMap((name) => [loop(admin, name), loop(fresh, `new-${name}`)])
  return {
    written,
    faults,
    async stop() {
      isStopped = true
      await Promise.all(loops)
    },
  }
}

/** Which of these accounts the server does not have. */
export async function missingOf(url: string, ids: readonly string[]): Promise<readonly string[]> {
  const admin = await adminOf(url)
  const stored = new Set<string>()
  for (let last = '00000000-0000-0000-0000-000000000000'; ; ) {
    const page = await admin.get(`/v2/accounts?sort=id&page[limit]=100&filter=gt(id,${last})`)
    for (const { id } of page.body.data) stored.add(id)
    if (page.body.data.length === 0) return ids.filter((id) => !stored.has(id))
    last = page.body.data.at(-1).id
  }
}
