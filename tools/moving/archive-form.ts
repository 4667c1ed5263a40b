/**
 * The form of an archive: `store.json` first, then the content of files, then the rows of tables as NDJSON in parts
 * (`tables/accounts/000001.ndjson`), and at the end `end.json`. An archive without that is not complete.
 */

export const format = 1
export const headerName = 'store.json'
export const endName = 'end.json'
export const fileFolder = 'files/'
const tableFolder = 'tables/'
/** The store's short jobs, which are in no table of its own. */
export const jobsName = 'waiting_jobs'

export interface ArchiveHeader {
  readonly format: number
  readonly exported_at: string
  /** The schema that the rows are of. */
  readonly migrations: readonly string[]
  readonly organisation: StoreName
  readonly store: StoreName
  /** Identifies the secret that sealed values are sealed with. */
  readonly secret: { readonly fingerprint: string; readonly in_use_from: string } | null
}

interface StoreName {
  readonly id: string
  readonly name: string
  readonly created_at: string
}

export interface ArchiveEnd {
  /** The rows of each table. */
  readonly rows: Readonly<Record<string, number>>
  readonly files: number
  /** Of all contents before, one after the other. */
  readonly sha256: string
}

export const partName = (table: string, part: number): string =>
  `${tableFolder}${table}/${String(part).padStart(6, '0')}.ndjson`

/** The table of a part. */
export const tableOf = (name: string): string | undefined => /^tables\/(\w+)\/\d+\.ndjson$/.exec(name)?.[1]

/** The name of the blob of a file in an archive of a store. */
export const fileOf = (name: string): string | undefined => /^files\/([0-9a-f-]{36})$/.exec(name)?.[1]
