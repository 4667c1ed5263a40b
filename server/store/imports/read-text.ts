import { isUtf8 } from 'node:buffer'

/** The file has a byte that is invalid in its encoding. The text before that byte has been read. */
export class EncodingFault extends Error {
  readonly byte: number

  constructor(byte = 0) {
    const hex = `0x${byte.toString(16).padStart(2, '0').toUpperCase()}`
    super(
      `the file must be UTF-8, but the byte ${hex} is not valid there. Save the file as UTF-8 and send it again.`,
    )
    this.byte = byte
  }
}

interface DecodedText {
  readonly text: string
  /** The first bytes of a character that continues in the next chunk. */
  readonly rest: Buffer
  readonly fault?: EncodingFault
}

/** Decodes bytes that start at a character boundary. At the end of the file every character must be complete. */
type Decode = (bytes: Buffer, isEnd: boolean) => DecodedText

const none = Buffer.alloc(0)

/**
 * Reads the text of a file while it arrives, without its byte order mark. The encoding is UTF-8, or UTF-16 if the first
 * two bytes show it. Other encodings are refused: nothing tells them apart, and a wrong guess would store garbled text.
 */
export async function* readText(content: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let decode: Decode | undefined
  let rest: Buffer = none
  let isFirst = true
  const step = (chunk: Buffer, isEnd: boolean): DecodedText => {
    const bytes = rest.length ? Buffer.concat([rest, chunk]) : chunk
    if (!decode && bytes.length < 2 && !isEnd) return { text: '', rest: bytes }
    decode ??= chooseDecoder(bytes)
    const decoded = decode(bytes, isEnd)
    if (!isFirst || !decoded.text) return decoded
    isFirst = false
    return decoded.text.startsWith('\ufeff') ? { ...decoded, text: decoded.text.slice(1) } : decoded
  }
  const textOf = function* (decoded: DecodedText) {
    rest = decoded.rest
    if (decoded.text) yield decoded.text
    if (decoded.fault) throw decoded.fault
  }
  for await (const chunk of content) yield* textOf(step(chunk, false))
  yield* textOf(step(none, true))
}

/** UTF-16 begins with a byte order mark, or with a character of which one byte is zero. */
function chooseDecoder([first, second]: Buffer): Decode {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return utf16(false)
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== undefined)) return utf16(true)
  return utf8
}

const utf16 =
  (isBigEndian: boolean): Decode =>
  (bytes, isEnd) => {
    const end = bytes.length - (bytes.length % 2)
    const whole = bytes.subarray(0, end)
    // Half a surrogate pair stays as it is. Later its row is refused, like a row with a NUL.
    const text = (isBigEndian ? Buffer.from(whole).swap16() : whole).toString('utf16le')
    const rest = bytes.subarray(end)
    return isEnd && rest.length ? { text, rest, fault: new EncodingFault(rest[0]) } : { text, rest }
  }

const utf8: Decode = (bytes, isEnd) => {
  const end = isEnd ? bytes.length : findEnd(bytes)
  const [whole, rest] = [bytes.subarray(0, end), bytes.subarray(end)]
  if (isUtf8(whole)) return { text: whole.toString('utf8'), rest }
  const at = findFault(whole)
  return { text: whole.toString('utf8', 0, at), rest, fault: new EncodingFault(whole[at]) }
}

/** The start of the last character if it is incomplete, otherwise the end. */
function findEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    const isContinuation = (byte & 0xc0) === 0x80
    if (isContinuation) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

const replacement = '\ufffd'
const replacementBytes = Buffer.from(replacement)

/** The first invalid byte. A decoder writes a replacement character there, but a file may contain that itself, too. */
function findFault(bytes: Buffer): number {
  const text = bytes.toString('utf8')
  let [at, from] = [0, 0]
  for (let next = text.indexOf(replacement); next >= 0; next = text.indexOf(replacement, from)) {
    at += Buffer.byteLength(text.slice(from, next))
    if (!bytes.subarray(at, at + replacementBytes.length).equals(replacementBytes)) return at
    at += replacementBytes.length
    from = next + 1
  }
  return at
}
