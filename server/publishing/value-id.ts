import { hash } from 'node:crypto'

/**
 * What stands for a value of a field in a row: half of a digest, as PostgreSQL writes a bigint. Whoever writes or looks
 * for it need not ask which number it was given; of ten million values no two have the same, but for one in 400,000
 * shops.
 */
export const valueId = (field: string, value: string): string =>
  BigInt.asIntN(64, BigInt(`0x${hash('sha256', `${field}\0${value}`).slice(0, 16)}`)).toString()

/** What stands for a word of the values of a field. No value begins with a NUL. */
export const wordId = (field: string, word: string): string => valueId(field, `\0${word}`)
