type ReceivedContent = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>

interface ContentBeginning {
  readonly bytes: Buffer<ArrayBuffer>
  readonly isLonger: boolean
  /** Why there is no more: the connection broke. */
  readonly error?: unknown
}

/** Reads at most so many bytes, and leaves the rest. It keeps what has arrived before an error. */
export async function readBeginning(content: ReceivedContent, bytesMax: number): Promise<ContentBeginning> {
  const parts: Uint8Array[] = []
  let length = 0
  const whole = () => Buffer.concat(parts, Math.min(length, bytesMax))
  try {
    for await (const part of content) {
      const bytes = typeof part === 'string' ? Buffer.from(part) : part
      length += bytes.length
      parts.push(bytes)
      // Leaving the loop closes the connection.
      if (length > bytesMax) break
    }
  } catch (error) {
    return { bytes: whole(), isLonger: length > bytesMax, error }
  }
  return { bytes: whole(), isLonger: length > bytesMax }
}

/** Reads all of a body. Throws `tooLong` as soon as it has more bytes than that. */
export async function readUpTo(
  content: ReceivedContent,
  bytesMax: number,
  tooLong: () => Error,
): Promise<Buffer<ArrayBuffer>> {
  const { bytes, isLonger, ...broken } = await readBeginning(content, bytesMax)
  if (isLonger) throw tooLong()
  if ('error' in broken) throw broken.error
  return bytes
}
