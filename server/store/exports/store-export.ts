import { newId } from '../../kernel/ids.ts'
import type { Work } from '../../kernel/work/context.ts'
import { blobName } from '../../platform/blobs/blobs.ts'

/** Stores the content of an export. Returns the id of its file, which `signLink` names. */
export async function storeExport(
  { store, instance }: Work,
  content: AsyncIterable<Uint8Array>,
): Promise<string> {
  const draft = await instance.blobs.draft(content)
  try {
    const fileId = newId()
    // No row of `files` refers to it, so the chore forget-orphans deletes it after a week.
    await draft.keep(blobName(store.id, fileId))
    return fileId
  } finally {
    await draft.discard()
  }
}
