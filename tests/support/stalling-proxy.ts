import { connect, createServer, type Socket } from 'node:net'

/** A proxy before PostgreSQL that can stall: connections stay open and new ones are accepted, but no data passes. */
export interface StallingProxy {
  /** The database's URL through the proxy. */
  readonly url: string
  /** How many connections the server holds open. */
  open(): number
  stall(): void
  /** New connections work again; the old ones never do. */
  resume(): void
  close(): void
}

/** `postgres` is the URL of a PostgreSQL at a Unix socket. */
export async function openStallingProxy(postgres: string, database: string): Promise<StallingProxy> {
  const folder = new URL(postgres.replace('@/', '@socket/')).searchParams.get('host')
  const sockets = new Set<Socket>()
  let stalled = false
  const listener = createServer((client) => {
    const server = connect(`${folder}/.s.PGSQL.5432`)
    sockets.add(client)
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('error', () => {})
      if (!stalled) from.pipe(to)
      from.on('close', () => to.destroy())
    }
    client.on('close', () => sockets.delete(client))
  })
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
  const { port } = listener.address() as { port: number }
  return {
    url: `postgres://${new URL(postgres.replace('@/', '@socket/')).username}@127.0.0.1:${port}/${database}`,
    open: () => sockets.size,
    stall() {
      stalled = true
      // Not paused: a socket that nobody reads does not notice that its other end has gone.
      for (const socket of sockets) socket.unpipe().resume()
    },
    resume() {
      stalled = false
    },
    close() {
      listener.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
