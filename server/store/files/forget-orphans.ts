import type { Instance } from '../../kernel/work/context.ts'
import type { Chore } from '../../kernel/work/job.ts'
import type { BlobEntry } from '../../platform/blobs/blobs.ts'

/** Exports are stored for a week. Younger content may also still be waiting for its row. */
const orphanAfterMs = 7 * 24 * 60 * 60_000
const batchMax = 500

/**
 * Removes content without a row of `files`: a process was killed before it wrote the row, or the content is an expired
 * export. Content of unknown stores is left alone.
 */
export const forgetOrphans: Chore = {
  name: 'files:forget-orphans',
  attemptsMax: 3,
  every: '23 3 * * *',
  async run(instance) {
    const { blobs, clock } = instance
    const since = new Date(clock.now().getTime() - orphanAfterMs)
    await blobs.forgetDrafts(since)
    let batch: BlobEntry[] = []
    for await (const blob of blobs.list()) {
      if (blob.since >= since) continue
      batch.push(blob)
      if (batch.length < batchMax) continue
      await forget(instance, batch)
      batch = []
    }
    await forget(instance, batch)
  },
}

async function forget({ database, blobs }: Instance, batch: readonly BlobEntry[]): Promise<void> {
  const owners = batch.map(({ name }) => name.split('/') as [storeId: string, fileId: string])
  const orphans = await database.run({
    text: `SELECT k.store_id, k.id FROM unnest($1::uuid[], $2::uuid[]) k (store_id, id)
           JOIN stores s ON s.id = k.store_id
           WHERE NOT EXISTS (SELECT FROM files f WHERE f.store_id = k.store_id AND f.id = k.id)`,
    values: [owners.map(([storeId]) => storeId), owners.map(([, fileId]) => fileId)],
  })
  for (const names of orphans) await blobs.remove(names.join('/'))
}
