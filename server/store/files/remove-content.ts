import type { Job } from '../../kernel/work/job.ts'
import { blobName } from '../../platform/blobs/blobs.ts'

/** Removes the content of a deleted file, unless it was hosted elsewhere. */
export const removeContent: Job<{ readonly fileId: string }> = {
  name: 'files:remove-content',
  attemptsMax: 10,
  run: ({ store, instance }, { fileId }) => instance.blobs.remove(blobName(store.id, fileId)),
}
