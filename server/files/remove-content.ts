import type { Job } from '../kernel/jobs.ts'

/** What a file's content is called where it is kept. */
export const contentName = (storeId: string, fileId: string): string => `${storeId}/${fileId}`

/** Removes the content of a file that was deleted. What was kept elsewhere has none. */
export const removeContent: Job<{ readonly fileId: string }> = {
  name: 'files:remove-content',
  attemptsMax: 10,
  run: ({ store, instance }, { fileId }) => instance.blobs.remove(contentName(store.id, fileId)),
}
