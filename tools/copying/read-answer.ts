import { isObject } from '../../server/kernel/body/input.ts'

/** Reads what the other server sends. It may be broken, or want to harm: nothing of it is trusted before it is here. */

// biome-ignore lint/suspicious/noExplicitAny: another server's answer may have any shape.
export type Json = any

export interface RemoteAnswer {
  readonly status: number
  readonly body: Json
}

/** An answer that cannot be used, in one line for the report. */
export class UnreadableAnswer extends Error {
  override readonly name = 'UnreadableAnswer'
}

/** Of one answer, unpacked. A page of a hundred large objects has some megabytes. */
const answerBytesMax = 32 * 1024 * 1024
/** As in the bodies that a Sutler takes. Deeper values could exhaust the stack. */
const depthMax = 64

/** The text of a response, unpacked: a few packed bytes may become gigabytes. */
export async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    // Leaving the loop closes the connection.
    if (bytes > answerBytesMax) throw new UnreadableAnswer(`an answer is longer than ${answerBytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** The JSON of a text; undefined if it is none. */
export function parsed(text: string): Json {
  if (isTooDeep(text)) throw new UnreadableAnswer(`an answer is nested deeper than ${depthMax} levels`)
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

function isTooDeep(text: string): boolean {
  let depth = 0
  let inText = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') inText = !inText
    else if (inText && char === '\\') at += 1
    else if (inText) continue
    else if ((char === '[' || char === '{') && ++depth > depthMax) return true
    else if (char === ']' || char === '}') depth -= 1
  }
  return false
}

/** The object that an answer shows. */
export function objectOf(path: string, answer: RemoteAnswer): Json {
  if (answer.status !== 200) throw new UnreadableAnswer(`${path} cannot be read: ${detailOf(answer)}`)
  const { data } = isObject(answer.body) ? answer.body : {}
  if (!isObject(data)) throw new UnreadableAnswer(`${path} has no object as data`)
  return data
}

/** The objects of a list, or of one page of it. Their ids, if they have some, can be parts of a path. */
export function objectsOf(path: string, answer: RemoteAnswer): readonly Json[] {
  if (answer.status !== 200) throw new UnreadableAnswer(`${path} cannot be read: ${detailOf(answer)}`)
  const { data } = isObject(answer.body) ? answer.body : {}
  // A list of at most one link has it without a list, or null.
  const objects: readonly Json[] = Array.isArray(data) ? data : data ? [data] : []
  const odd = objects.find((one) => !isObject(one) || !(one.id === undefined || isPlainId(one.id)))
  if (odd === undefined) return objects
  const what = isObject(odd) ? `the id ${JSON.stringify(odd.id).slice(0, 80)}` : 'what is not an object'
  throw new UnreadableAnswer(`${path} has ${what}`)
}

/** Whether it can be an id: a part of a path, and a header, that mean nothing else there. */
export const isPlainId = (value: unknown): value is string =>
  typeof value === 'string' && /^(?!\.{1,2}$)[\w.~:@!$'()*+,;=-]{1,255}$/.test(value)

/** A slug or a code as a part of a path. Undefined if a path cannot have it. */
export const pathPartOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^(?!\.{0,2}$)/.test(value) && value.isWellFormed()
    ? encodeURIComponent(value)
    : undefined

/** What a refusal says. */
export function detailOf({ status, body }: RemoteAnswer): string {
  const errors: readonly Json[] = Array.isArray(body?.errors) ? body.errors.filter(isObject) : []
  const details = errors.map(({ detail, title, source }) => {
    const where = typeof source === 'string' ? source : source?.pointer
    return [where, detail ?? title].filter((one) => typeof one === 'string' && one !== '').join(': ')
  })
  return `${status} ${details.join('; ')}`.trim()
}

const lineCharsMax = 500

/** A text of the other server as a line for a terminal, which would obey control characters. */
export const oneLine = (text: string): string => {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
  return line.length > lineCharsMax ? `${line.slice(0, lineCharsMax)} …` : line
}
