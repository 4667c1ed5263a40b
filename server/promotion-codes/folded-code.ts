import { caseless } from '../kernel/storage/expressions.ts'

/**
 * The SQL of a text as the column `code` has it: in small letters. It has the collation of the column, because an index
 * answers comparisons in its own collation only.
 */
export const foldedCode = (text: string): string => `(${caseless(text)} COLLATE "C")`
