/** What a file may be. */

export const linesMax = 50_000

/** As it is sent. */
export const bytesMax = 50 * 1024 * 1024

/** A packed file may become a thousand times as large. */
export const unpackedBytesMax = 100 * 1024 * 1024

export const lineCharactersMax = 256 * 1024
