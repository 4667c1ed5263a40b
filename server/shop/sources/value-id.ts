import { hash } from 'node:crypto'

/**
 * The id of a field's value: half of a digest, as a bigint. Writers and readers compute it without a lookup. Among
 * ten million values a collision has a chance of 1 in 400,000.
 */
export const valueId = (field: string, value: string): string =>
  BigInt.asIntN(64, BigInt(`0x${hash('sha256', `${field}\0${value}`).slice(0, 16)}`)).toString()

/** The id of a word of a field's values. No value begins with a NUL, so word ids differ from value ids. */
export const wordId = (field: string, word: string): string => valueId(field, `\0${word}`)
