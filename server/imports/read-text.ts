import { isUtf8 } from 'node:buffer'

/** A file has a byte that its encoding does not have here. The text before it has been read. */
export class EncodingFault extends Error {
  readonly byte: number

  constructor(byte = 0) {
    const hex = `0x${byte.toString(16).padStart(2, '0').toUpperCase()}`
    super(`the file must be UTF-8, which the byte ${hex} is not. Save it as UTF-8 and send it again.`)
    this.byte = byte
  }
}

interface Decoded {
  readonly text: string
  /** The bytes of a character that goes on in the next chunk. */
  readonly rest: Buffer
  readonly fault?: EncodingFault
}

/** Decodes bytes that begin with a character. At the end of a file every character must be complete. */
type Decode = (bytes: Buffer, isEnd: boolean) => Decoded

const none = Buffer.alloc(0)

/**
 * The text of a file as it arrives, without its byte order mark. It is UTF-8, or UTF-16 if its first two bytes say so.
 * Other encodings cannot be told apart: they are refused, because a wrong guess would store garbled text.
 */
export async function* readText(content: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let decode: Decode | undefined
  let rest: Buffer = none
  let isFirst = true
  const step = (chunk: Buffer, isEnd: boolean): Decoded => {
    const bytes = rest.length ? Buffer.concat([rest, chunk]) : chunk
    if (!decode && bytes.length < 2 && !isEnd) return { text: '', rest: bytes }
    decode ??= decoderOf(bytes)
    const decoded = decode(bytes, isEnd)
    if (!isFirst || !decoded.text) return decoded
    isFirst = false
    return decoded.text.startsWith('\ufeff') ? { ...decoded, text: decoded.text.slice(1) } : decoded
  }
  const textOf = function* (decoded: Decoded) {
    rest = decoded.rest
    if (decoded.text) yield decoded.text
    if (decoded.fault) throw decoded.fault
  }
  for await (const chunk of content) yield* textOf(step(chunk, false))
  yield* textOf(step(none, true))
}

/** Of UTF-16, either byte of the first character is zero, or they are a byte order mark. */
function decoderOf([first, second]: Buffer): Decode {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return utf16(false)
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== undefined)) return utf16(true)
  return utf8
}

const utf16 =
  (isBigEndian: boolean): Decode =>
  (bytes, isEnd) => {
    const end = bytes.length - (bytes.length % 2)
    const whole = bytes.subarray(0, end)
    // Half a surrogate pair stays one: its row is refused, as that of a NUL is.
    const text = (isBigEndian ? Buffer.from(whole).swap16() : whole).toString('utf16le')
    const rest = bytes.subarray(end)
    return isEnd && rest.length ? { text, rest, fault: new EncodingFault(rest[0]) } : { text, rest }
  }

const utf8: Decode = (bytes, isEnd) => {
  const end = isEnd ? bytes.length : endOfCharacters(bytes)
  const [whole, rest] = [bytes.subarray(0, end), bytes.subarray(end)]
  if (isUtf8(whole)) return { text: whole.toString('utf8'), rest }
  const at = firstFault(whole)
  return { text: whole.toString('utf8', 0, at), rest, fault: new EncodingFault(whole[at]) }
}

/** Where the last character begins, if more bytes of it must follow; otherwise the end. */
function endOfCharacters(bytes: Buffer): number {
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

/** Where bytes stop being UTF-8. A decoder puts a replacement character there, which a file may also have itself. */
function firstFault(bytes: Buffer): number {
  const text = bytes.toString('utf8')
  let [at, from] = [0, 0]
  for (let found = text.indexOf(replacement); found >= 0; found = text.indexOf(replacement, from)) {
    at += Buffer.byteLength(text.slice(from, found))
    if (!bytes.subarray(at, at + replacementBytes.length).equals(replacementBytes)) return at
    at += replacementBytes.length
    from = found + 1
  }
  return at
}
