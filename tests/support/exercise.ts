import { app } from '../../server/app.ts'
import { type Client, clientOf, type Reply, tokenOf } from './client.ts'
import { Samples, specimensWith } from './samples.ts'

/** A called operation and its response, or the reason why it could not be called. */
export interface CallResult {
  readonly id: string
  readonly reply?: Reply
  readonly why?: string
}

const late = new Set(['delete-settings'])

/** Calls every operation of the application once, as a client that wants it to succeed. */
export async function exercise(
  client: Client,
  credentials: { id: string; secret: string },
): Promise<CallResult[]> {
  const samples = new Samples(client)
  const called: CallResult[] = []
  const operations = app.flatMap((module) => module.operations)
  const inOrder = operations.sort((a, b) => Number(late.has(a.id)) - Number(late.has(b.id)))
  for (const operation of inOrder) {
    if (operation.id === 'get-access-token') {
      const body = new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: credentials.id,
        client_secret: credentials.secret,
      })
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      called.push({
        id: operation.id,
        reply: await client.send('POST', operation.path, { body: `${body}`, headers }),
      })
      continue
    }
    // A list with a record tests more.
    const { of } = operation
    const listed =
      of.is === 'resource' &&
      of.name === 'list' &&
      specimensWith('list').find(({ resource }) => resource === of.resource)
    try {
      if (listed) await samples.make(listed)
      const { path, body } = await samples.call(operation)
      const init = body === undefined ? {} : { body: JSON.stringify(body) }
      called.push({ id: operation.id, reply: await client.send(operation.method, path, init) })
    } catch (error) {
      // The addresses of files, exports and deltas come from other responses.
      called.push({ id: operation.id, why: (error as Error).message })
    }
  }
  return called
}

async function main(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const { BASE_URL: url = '', SUTLER_CLIENT_ID: id = '', SUTLER_CLIENT_SECRET: secret = '' } = env
  const client = clientOf(url, await tokenOf(url, id, secret, 'client_credentials'))
  for (const { id: operation, reply, why } of await exercise(client, { id, secret })) {
    const more = !reply ? why : reply.status >= 300 ? JSON.stringify(reply.body) : ''
    process.stdout.write(`${reply?.status ?? '---'} ${operation} ${more}\n`)
  }
}

if (import.meta.main) await main(process.env)
