import type { Client } from '../../support/client.ts'
import { openReceiver, type ReceivedRequest, type Receiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'

/** A receiver, and an integration that sends there. */
export interface Hook extends Receiver {
  readonly id: string
  readonly path: string
  /** Waits until so many requests have arrived, and returns the first of them. */
  got(n: number): Promise<readonly ReceivedRequest[]>
  /** The jobs of the integration, the oldest first. */
  jobs(): Promise<readonly Job[]>
  /** Waits until no job of the integration waits, and returns all of them. */
  ended(n: number): Promise<readonly Job[]>
  /** Deletes the integration, and closes the receiver. */
  remove(): Promise<void>
}

export interface Job {
  readonly id: string
  readonly state: string
  readonly attempt: number
  readonly reason?: string
  readonly event: { readonly id: string; readonly key: string }
}

export async function openHook(
  admin: Client,
  observes: readonly string[],
  configuration: object = {},
): Promise<Hook> {
  const receiver = await openReceiver()
  const data = {
    ...{ type: 'integration', name: 'Hook', integration_type: 'webhook', observes },
    configuration: { url: `${receiver.url}/hook`, ...configuration },
  }
  const { body } = await admin.post('/v2/integrations', { data })
  const path = `/v2/integrations/${body.data.id}`
  const jobs = async () => {
    const page = await admin.get(`${path}/jobs?page[limit]=100`)
    return [...(page.body.data as Job[])].reverse()
  }
  return Object.assign(receiver, {
    ...{ id: body.data.id as string, path, jobs },
    remove: async () => {
      await admin.delete(path)
      await receiver.close()
    },
    got: (n: number) =>
      until(async () => (receiver.requests.length >= n ? receiver.requests.slice(0, n) : undefined)),
    ended: (n: number) =>
      until(async () => {
        const all = await jobs()
        return all.length >= n && all.every(({ state }) => state !== 'waiting') ? all : undefined
      }),
  })
}

export const newAccount = async (admin: Client, name: string): Promise<string> =>
  (await admin.post('/v2/accounts', { data: { type: 'account', name } })).body.data.id
