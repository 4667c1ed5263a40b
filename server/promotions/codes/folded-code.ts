import { caseless } from '../../kernel/storage/expressions.ts'

/** What `trim` of JavaScript takes off, as PostgreSQL writes it. */
const spaces = String.raw`E'\t\n\u000b\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'`

/**
 * The SQL of a text as the column `code` has it: in small letters, and without white space at its ends. It has the
 * collation of the column, because an index answers comparisons in its own collation only.
 */
export const foldedCode = (text: string): string =>
  `(${caseless(`btrim(${text}::text, ${spaces})`)} COLLATE "C")`
