import type { Readable } from 'node:stream'

/** A store for what is too large for a row. What a name stands for never changes; names are `<id>/<id>`. */
export interface Blobs {
  /** Puts what comes on this machine's disk: nobody sees it before it is whole, and kept. */
  draft(content: AsyncIterable<Uint8Array>): Promise<Draft>
  /**
   * All of it or a part; undefined where there is nothing of that name. With the `bytes` that were kept, the content
   * has as many, or it fails: before its first byte where that is known by then.
   */
  read(name: string, bytes?: number, part?: Part): Promise<Readable | undefined>
  /** What is not there is removed already. */
  remove(name: string): Promise<void>
  /** Everything that is kept, in no order. */
  list(): AsyncIterable<BlobEntry>
  /** Throws drafts away that nobody has written to since then: their process is gone. */
  forgetDrafts(since: Date): Promise<void>
  close(): void
}

export interface Draft {
  readonly bytes: number
  /** From now on it is there under this name, also after a power cut. */
  keep(name: string): Promise<void>
  /** After `keep` there is nothing left to throw away. */
  discard(): Promise<void>
}

/** The first and the last byte. */
export interface Part {
  readonly first: number
  readonly last: number
}

export interface BlobEntry {
  readonly name: string
  readonly since: Date
}

/** What is called by an id of an owner's. */
export const blobName = (ownerId: string, id: string): string => `${ownerId}/${id}`

const nameForm = /^[0-9a-f-]{36}\/[0-9a-f-]{36}$/

/** Whether it is one of ours: whatever else lies there is not looked at. */
export const isBlobName = (name: string): boolean => nameForm.test(name)

/** No name leads anywhere else, whoever made it. */
export function mustBeBlobName(name: string): string {
  if (isBlobName(name)) return name
  throw new Error(`${JSON.stringify(name)} is not the name of a blob`)
}
