/** Longer words are as good as their beginning. */
const lengthMax = 64

/** Text as it is compared in a search: without case, accents and other ways to write the same letter. */
export const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()

const word = /[\p{L}\p{N}\p{M}]+/gu

/** The words of a text as they are compared. */
export const wordsOf = (text: string): readonly string[] =>
  (folded(text).match(word) ?? []).map((word) => word.slice(0, lengthMax).toWellFormed())

/** A text as one word: what SKUs and part numbers are compared as, whatever stands between their parts. */
export const codeOf = (text: string): string => wordsOf(text).join('').slice(0, lengthMax).toWellFormed()
