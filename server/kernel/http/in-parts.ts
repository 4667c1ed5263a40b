import { Readable } from 'node:stream'
import { Problem } from '../errors.ts'
import type { Answer } from '../shape/answer.ts'

/** A shorter response is sent at once. */
const wholeCharsMax = 512 * 1024

/**
 * A response whose JSON is made while it is sent, as fast as the client reads it: at most one part is in memory. An
 * error after its beginning closes the connection.
 */
export async function answerInParts(
  { status, headers }: Pick<Answer, 'status' | 'headers'>,
  parts: AsyncGenerator<string>,
): Promise<Answer> {
  let body = ''
  while (body.length <= wholeCharsMax) {
    const { value, done } = await parts.next()
    if (done) return { status, body, ...(headers && { headers }) }
    body += value
  }
  return {
    status,
    body: Readable.from(restOf(body, parts), { highWaterMark: 1 }),
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  }
}

/** Strings: the socket frees their bytes when it has sent them, and buffers would wait for a collection of garbage. */
async function* restOf(beginning: string, parts: AsyncGenerator<string>): AsyncGenerator<string> {
  yield beginning
  yield* parts
}

/** A part of a list is longer only by its last item: what is short-lived and small costs little to collect. */
const partCharsMax = 64 * 1024

/** The items of a JSON list, from texts that arrive in portions. */
export async function* joined(portions: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  let comma = ''
  for await (const texts of portions) {
    let part = ''
    for (const text of texts) {
      part += comma
      comma = ','
      if (text.length >= partCharsMax) {
        // By itself: it would be copied to be joined.
        if (part) yield part
        yield text
        part = ''
        continue
      }
      part += text
      if (part.length < partCharsMax) continue
      yield part
      part = ''
    }
    if (part) yield part
  }
}

/** What one object includes is made as a whole. */
const textCharsMax = 8 * 1024 * 1024

/** The text of a few parts, such as what an object includes. Refuses one that would be too long to hold. */
export async function textOf(parts: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const part of parts) {
    text += part
    if (text.length <= textCharsMax) continue
    const detail = `What the response includes must have at most ${textCharsMax} characters of JSON. Leave include out, and read the objects from their own list.`
    throw new Problem('bad_request', detail, { source: 'include' })
  }
  return text
}
