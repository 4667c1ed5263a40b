import type { Readable } from 'node:stream'

/** Storage for what is too large for a row. The content of a name never changes; names have the form `<id>/<id>`. */
export interface Blobs {
  /** Writes the content to this machine's disk. No one can read it before it is complete and kept. */
  draft(content: AsyncIterable<Uint8Array>): Promise<BlobDraft>
  /**
   * The content, or a part of it; undefined if there is none of this name. With `bytes`, the content has that length or
   * fails, before the first byte if possible.
   */
  read(name: string, bytes?: number, part?: ByteRange): Promise<Readable | undefined>
  /** A missing blob counts as removed. */
  remove(name: string): Promise<void>
  /** All kept blobs, in no order. */
  list(): AsyncIterable<BlobEntry>
  /** Deletes drafts without a write since then: their process is gone. */
  forgetDrafts(since: Date): Promise<void>
  close(): void
}

export interface BlobDraft {
  readonly bytes: number
  /** Stores the draft under this name. It is there even after a power cut. */
  keep(name: string): Promise<void>
  /** Deletes the draft. After `keep` there is nothing to delete. */
  discard(): Promise<void>
}

/** The first and the last byte. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

export interface BlobEntry {
  readonly name: string
  readonly bytes: number
  readonly since: Date
}

/** The name of a blob that belongs to an owner. */
export const blobName = (ownerId: string, id: string): string => `${ownerId}/${id}`

const nameForm = /^[0-9a-f-]{36}\/[0-9a-f-]{36}$/

/** Whether a name is one of ours; others are ignored. */
export const isBlobName = (name: string): boolean => nameForm.test(name)

/** Throws if a name could lead outside the directory. */
export function mustBeBlobName(name: string): string {
  if (isBlobName(name)) return name
  throw new Error(`${JSON.stringify(name)} is not the name of a blob`)
}
