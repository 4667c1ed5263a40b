import { Readable } from 'node:stream'
import { Unavailable } from '../faults.ts'
import type { ByteRange } from './blobs.ts'

/** The storage returned other content than was stored: part of it is lost, or someone replaced it. */
export const otherContent = (name: string, actual: string, bytes: number): Unavailable =>
  new Unavailable('The stored file is damaged: it differs from the file that was uploaded.', {
    cause: `${name} has ${actual} instead of ${bytes} bytes`,
  })

/**
 * A part of content with this length. `source` begins at byte `from`. The stream fails if the source ends early, so
 * that no client takes a part for the whole.
 */
export function exactPart(
  source: Readable,
  name: string,
  bytes: number,
  part: ByteRange,
  from = 0,
): Readable {
  const exact = Readable.from(cut(source, name, bytes, part, from), { objectMode: false })
  return exact.once('close', () => source.destroy())
}

async function* cut(source: Readable, name: string, bytes: number, { first, last }: ByteRange, from: number) {
  let at = from
  for await (const chunk of source as AsyncIterable<Buffer>) {
    const bytesOfPart = chunk.subarray(Math.max(0, first - at), Math.max(0, last + 1 - at))
    at += chunk.length
    if (bytesOfPart.length) yield bytesOfPart
    if (at > bytes) throw otherContent(name, 'more', bytes)
    if (at > last && last < bytes - 1) return
  }
  if (at <= last) throw otherContent(name, `${at} bytes`, bytes)
}
