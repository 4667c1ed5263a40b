import fc from 'fast-check'

const codePoints = (max: number) => fc.integer({ min: 0, max }).map((code) => String.fromCodePoint(code))

/** Any character, most often one that means something somewhere: fast-check's unit `binary` takes seconds to make. */
export const anyCharacter = fc
  .oneof(codePoints(0x7f), codePoints(0x2ff), codePoints(0xffff), codePoints(0x10ffff))
  .filter((character) => character.isWellFormed())
