/** The types whose binary form is their text, with the number that PostgreSQL knows each by. */
const oids = { text: 25, json: 114 } as const

const headBytes = 20
const lengthBytes = 4
/** UTF-8 has at most three bytes for a unit of UTF-16. */
const bytesOfUnit = 3

/**
 * An array of texts as PostgreSQL stores one. In a literal each quote of each text is escaped, and each character is
 * read by itself: for documents that takes longer than to store them.
 */
export function textArray(type: keyof typeof oids, texts: readonly (string | null | undefined)[]): Buffer {
  const units = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)
  const array = Buffer.allocUnsafe(headBytes + texts.length * lengthBytes + units * bytesOfUnit)
  const hasNulls = texts.some((text) => text == null)
  const head = [texts.length ? 1 : 0, hasNulls ? 1 : 0, oids[type], texts.length, 1]
  // An array without elements has no dimension, and so neither its length nor its first index.
  let end = 0
  for (const number of head.slice(0, texts.length ? 5 : 3)) end = array.writeInt32BE(number, end)
  for (const text of texts) {
    const bytes = text == null ? -1 : array.write(text, end + lengthBytes)
    array.writeInt32BE(bytes, end)
    end += lengthBytes + Math.max(bytes, 0)
  }
  return array.subarray(0, end)
}
