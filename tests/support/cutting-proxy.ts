import { connect, createServer, type Socket } from 'node:net'

/** A proxy before PostgreSQL that breaks like a restart: connections end, and new ones are refused. */
export interface CuttingProxy {
  /** The database's URL through the proxy. */
  readonly url: string
  /** Breaks now, for so long. */
  cut(ms: number): void
  /**
   * Breaks once, at a statement with the text `sent`: before PostgreSQL has it, or, given the text `answered`, when
   * PostgreSQL has carried it out and answers so. Settles when that has happened.
   */
  cutAt(ms: number, sent: string, answered?: string): Promise<void>
  close(): void
}

/** `postgres` is the URL of a PostgreSQL at a Unix socket. */
export async function openCuttingProxy(postgres: string, database: string): Promise<CuttingProxy> {
  const there = new URL(postgres.replace('@/', '@socket/'))
  const sockets = new Set<Socket>()
  let closed = false
  let onSent = (_bytes: Buffer, _from: Socket) => {}
  let onAnswered = (_bytes: Buffer, _to: Socket) => {}
  const listener = createServer((client) => {
    const server = connect(`${there.searchParams.get('host')}/.s.PGSQL.5432`)
    sockets.add(client)
    // Before it is piped, so that the bytes that break the connection do not get through.
    client.on('data', (bytes) => onSent(bytes, client))
    server.on('data', (bytes) => onAnswered(bytes, client))
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('error', () => {})
      from.pipe(to)
      from.on('close', () => to.destroy())
    }
    client.on('close', () => sockets.delete(client))
  })
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
  const { port } = listener.address() as { port: number }
  const cut = (ms: number) => {
    onSent = onAnswered = () => {}
    listener.close()
    for (const socket of sockets) socket.destroy()
    setTimeout(() => {
      if (!closed) listener.listen(port, '127.0.0.1')
    }, ms)
  }
  return {
    url: `postgres://${there.username}@127.0.0.1:${port}/${database}`,
    cut,
    cutAt: (ms, sent, answered) =>
      new Promise((done) => {
        const now = () => {
          cut(ms)
          done()
        }
        const pending = new Set<Socket>()
        onSent = (bytes, client) => {
          pending.delete(client)
          if (!bytes.includes(sent)) return
          if (answered === undefined) now()
          else pending.add(client)
        }
        onAnswered = (bytes, client) => {
          if (pending.has(client) && bytes.includes(answered ?? '')) now()
        }
      }),
    close() {
      closed = true
      listener.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
