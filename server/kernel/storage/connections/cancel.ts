import pg from 'pg'
import { atMost } from '../../at-most.ts'
import { Problem } from '../../errors.ts'

/** Properties of the driver's connection that its types leave out. */
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

/**
 * Sends a cancel request on a connection of its own. The database closes that connection when it has accepted the
 * request.
 */
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
 * Ends the running statement of this connection as soon as `signal` aborts. Call the returned function after the
 * statement has ended, before sending another: it waits until the cancel request cannot end anyone else's statement. If
 * it throws, give up the connection.
 */
export function cancelWith(signal: AbortSignal, client: pg.ClientBase): () => Promise<void> {
  let cancelling: Promise<void> | undefined
  const begin = () => {
    cancelling = cancel(client).catch((cause: unknown) => {
      throw new Problem('unavailable', 'A statement could not be cancelled.', { cause })
    })
    // The function below throws the error; this prevents an unhandled rejection.
    cancelling.catch(() => {})
  }
  signal.addEventListener('abort', begin, { once: true })
  return async () => {
    signal.removeEventListener('abort', begin)
    await cancelling
  }
}
