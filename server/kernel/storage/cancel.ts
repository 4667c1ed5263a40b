import pg from 'pg'
import { atMost } from '../at-most.ts'
import { Problem } from '../errors.ts'

/** What the driver knows of a connection, and its types leave out. */
interface ConnectionDetails {
  readonly host: string
  readonly port: number
  readonly ssl: pg.ClientConfig['ssl']
  readonly processID: number
  readonly secretKey: number
}

interface Canceller extends pg.Connection {
  connect(...address: [path: string] | [port: number, host: string]): void
  requestSsl(): void
  cancel(processID: number, secretKey: number): void
}

const cancellingMaxMs = 5_000

/** The request has a connection of its own, which the database closes when the statement was told to end. */
async function cancel(client: pg.ClientBase): Promise<void> {
  const { host, port, ssl, processID, secretKey } = client as unknown as ConnectionDetails
  const connection = new pg.Connection({ ssl } as pg.ConnectionConfig) as Canceller
  const closed = new Promise<void>((done, failed) => {
    connection.once('error', failed)
    connection.once('end', done)
  })
  const ask = () => connection.cancel(processID, secretKey)
  connection.once('connect', ssl ? () => connection.requestSsl() : ask)
  connection.once('sslconnect', ask)
  if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`)
  else connection.connect(port, host)
  if (await atMost(cancellingMaxMs, closed)) return
  connection.stream.destroy()
  throw new Error('the database did not accept the cancel request in time')
}

/**
 * Ends the statement that this connection is busy with as soon as `asker` is aborted. What it returns is called once
 * the statement has ended, before anything else is sent: nobody else's statement is then ended for it. It throws when
 * that is not sure; the connection must be given up.
 */
export function cancelWith(asker: AbortSignal, client: pg.ClientBase): () => Promise<void> {
  let cancelling: Promise<void> | undefined
  const begin = () => {
    cancelling = cancel(client).catch((cause: unknown) => {
      throw new Problem('unavailable', 'A statement could not be cancelled.', { cause })
    })
    // Whoever waits for the statement is told, when it ends.
    cancelling.catch(() => {})
  }
  asker.addEventListener('abort', begin, { once: true })
  return async () => {
    asker.removeEventListener('abort', begin)
    await cancelling
  }
}
