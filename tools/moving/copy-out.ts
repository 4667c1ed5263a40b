import pg from 'pg'

/** Above this many waiting bytes, the connection is not read until they are taken. */
const waitingBytesMax = 4 * 1024 * 1024

interface CopyWire extends pg.Connection {
  readonly stream: pg.Connection['stream'] & { pause(): void; resume(): void }
}

/** The driver's query for `COPY … TO STDOUT`, which the package has no function for. */
class CopyOut extends pg.Query {
  readonly #text: string
  readonly callback: (error?: Error | null) => void
  #wire: CopyWire | undefined
  #chunks: Buffer[] = []
  #bytes = 0
  #ended = false
  #error: Error | undefined
  #news = Promise.withResolvers<void>()

  constructor(text: string) {
    super({ text })
    this.#text = text
    this.callback = (error) => {
      this.#error = error ?? undefined
      this.#ended = true
      this.#news.resolve()
    }
  }

  override submit = (connection: pg.Connection): undefined => {
    this.#wire = connection as CopyWire
    this.#wire.query(this.#text)
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    // The driver uses its buffer again.
    this.#chunks.push(Buffer.from(chunk))
    this.#bytes += chunk.length
    if (this.#bytes > waitingBytesMax) this.#wire?.stream.pause()
    this.#news.resolve()
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback()
  }

  async *taken(): AsyncGenerator<readonly Buffer[]> {
    for (;;) {
      await this.#news.promise
      this.#news = Promise.withResolvers()
      const chunks = this.#chunks
      this.#chunks = []
      this.#bytes = 0
      this.#wire?.stream.resume()
      if (chunks.length) yield chunks
      if (this.#error) throw this.#error
      if (this.#ended && !this.#chunks.length) return
    }
  }
}

/** The rows of a query with one column of JSON, as lines. Nothing but the lines that wait is held in memory. */
export async function* linesOf(client: pg.ClientBase, query: string): AsyncGenerator<readonly Buffer[]> {
  const copy = new CopyOut(`COPY (${query}) TO STDOUT`)
  client.query(copy)
  for await (const rows of copy.taken()) yield rows.map(unescaped)
}

const backslash = 0x5c
/** What COPY writes for some characters. Those that end a line are white space between the values of a document. */
const escapes: Readonly<Record<string, string>> = { n: ' ', r: ' ', t: '\t', b: '\b', f: '\f', v: '\v' }

function unescaped(line: Buffer): Buffer {
  if (!line.includes(backslash)) return line
  const text = line
    .toString('latin1')
    .replace(/\\(.)/g, (_, character: string) => escapes[character] ?? character)
  return Buffer.from(text, 'latin1')
}
