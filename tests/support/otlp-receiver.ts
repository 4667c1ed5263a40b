import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as a collector gets it. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
}

/** A field of a protobuf message: a number, or the bytes of a text or of another message. */
type Field = readonly [number: number, value: bigint | Buffer]

/** Reads the fields of a protobuf message. */
function fieldsOf(bytes: Buffer): readonly Field[] {
  const fields: Field[] = []
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] as number
      value |= BigInt(byte & 127) << shift
      if (byte < 128) return value
    }
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const [number, kind] = [tag >> 3, tag & 7]
    if (kind === 0) fields.push([number, varint()])
    else {
      const length = kind === 2 ? Number(varint()) : kind === 1 ? 8 : 4
      fields.push([number, bytes.subarray(at, at + length)])
      at += length
    }
  }
  return fields
}

const all = (bytes: Buffer, number: number) =>
  fieldsOf(bytes).flatMap(([one, value]) => (one === number && typeof value !== 'bigint' ? [value] : []))
const first = (bytes: Buffer, number: number) => all(bytes, number)[0] ?? Buffer.alloc(0)

/** The spans of an ExportTraceServiceRequest: resource_spans, scope_spans, spans. */
const spansIn = (request: Buffer): readonly ReceivedSpan[] =>
  all(request, 1)
    .flatMap((ofResource) => all(ofResource, 2))
    .flatMap((ofScope) => all(ofScope, 2))
    .map((span) => ({
      traceId: first(span, 1).toString('hex'),
      spanId: first(span, 2).toString('hex'),
      parentSpanId: first(span, 4).toString('hex'),
      name: first(span, 5).toString(),
      attributes: Object.fromEntries(
        all(span, 9).map((pair) => [first(pair, 1).toString(), first(first(pair, 2), 1).toString()]),
      ),
    }))

/** A collector on this machine. */
export async function openCollector() {
  const spans: ReceivedSpan[] = []
  const requests: { readonly path: string | undefined; readonly key: unknown }[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    requests.push({ path: request.url, key: request.headers['x-key'] })
    spans.push(...spansIn(Buffer.concat(parts)))
    response.end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    close: () => {
      server.closeAllConnections()
      return new Promise((done) => server.close(done))
    },
  }
}
