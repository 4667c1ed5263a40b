/** What a file may be. What is exported can be imported: only an export has fewer rows. */

/** Of an import, with the header. Empty rows count, as they do in a spreadsheet. */
export const rowsMax = 50_000

/** Of an export, without it. */
export const exportedRowsMax = 10_000

export const bytesMax = 50 * 1024 * 1024

export const columnsMax = 1000

/** Of one row, with its quotes and delimiters. */
export const rowCharactersMax = 2 * 1024 * 1024
