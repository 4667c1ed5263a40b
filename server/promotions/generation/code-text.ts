import { randomBytes } from 'node:crypto'

/** Letters and digits that people tell apart: without 0 and 1. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ23456789'

/** Bytes from here on would make the first letters more likely. */
const unbiasedBytes = 256 - (256 % alphabet.length)

const perGroup = 4

/** What generated codes look like. */
interface CodeForm {
  /** Characters after the prefix, without the dashes. */
  readonly length: number
  readonly prefix: string
}

/** A code that nobody can guess: `SUMMER-K7QD-9MZX`. */
function generateCode({ length, prefix }: CodeForm): string {
  let characters = ''
  while (characters.length < length) {
    for (const byte of randomBytes(length - characters.length)) {
      if (byte < unbiasedBytes) characters += alphabet[byte % alphabet.length]
    }
  }
  const groups = characters.match(new RegExp(`.{1,${perGroup}}`, 'g')) ?? []
  return (prefix + groups.join('-')).trim()
}

/** Codes that all differ. */
export function generateCodes(count: number, form: CodeForm): readonly string[] {
  const codes = new Set<string>()
  while (codes.size < count) codes.add(generateCode(form))
  return [...codes]
}
