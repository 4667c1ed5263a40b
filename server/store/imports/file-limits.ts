/** Limits of an imported file. */

export const bytesMax = 50 * 1024 * 1024

/** A compressed file may become a thousand times as large. */
export const unpackedBytesMax = 100 * 1024 * 1024

/** Rows, with the header, or lines. Empty ones count, as they do in a spreadsheet. */
export const rowsMax = 50_000

/** Of one line of a text file. */
export const lineCharactersMax = 256 * 1024

/** Of one row of a CSV file, with its quotes and delimiters. */
export const rowCharactersMax = 2 * 1024 * 1024

export const columnsMax = 1000
