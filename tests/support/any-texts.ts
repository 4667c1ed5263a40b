import { randomFillSync } from 'node:crypto'
import fc from 'fast-check'

const codePoints = (max: number) => fc.integer({ min: 0, max }).map((code) => String.fromCodePoint(code))

/** Any character, most often one that means something somewhere: fast-check's unit `binary` takes seconds to make. */
export const anyCharacter = fc
  .oneof(codePoints(0x7f), codePoints(0x2ff), codePoints(0xffff), codePoints(0x10ffff))
  .filter((character) => character.isWellFormed())

/** A text of so many characters, each of four bytes, that does not compress: no index entry holds a long one. */
export const bulkyText = (length: number): string =>
  Array.from(randomFillSync(new Uint16Array(length)), (n) => String.fromCodePoint(0x20000 + (n >> 1))).join(
    '',
  )
