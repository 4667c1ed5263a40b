import { action } from '../../kernel/declare/action.ts'
import { resource } from '../../kernel/declare/resource.ts'
import { notFound, Problem } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { flag, group, integer, text } from '../../kernel/shape/fields.ts'
import { indexed, type Row, walks } from '../../kernel/shape/model.ts'
import type { Instance } from '../../kernel/work/context.ts'
import type { Chore, Job } from '../../kernel/work/job.ts'
import { remove } from '../../kernel/write/by-rules.ts'
import { type BlobEntry, blobName } from '../../platform/blobs/blobs.ts'
import { extensionOf } from './file-types.ts'

const fields = {
  file_name: text({
    readOnly: true,
    max: 255,
    about: 'The name that the client sent, including directories. A file that is hosted elsewhere has none.',
    example: 'rye-loaf.jpg',
  }),
  mime_type: text({
    required: true,
    readOnly: true,
    about: 'The media type, from the extension of the name.',
    example: 'image/jpeg',
  }),
  file_size: integer({
    required: true,
    readOnly: true,
    about: 'The size in bytes; 0 for a file that is hosted elsewhere.',
  }),
  public: flag({
    default: true,
    readOnly: true,
    about: 'Always true: everyone may read the file at its `link`.',
  }),
  /** The URL of a file that is hosted elsewhere. */
  location: text({ hidden: true, readOnly: true }),
  width: integer({ hidden: true, readOnly: true }),
  height: integer({ hidden: true, readOnly: true }),
}

const size = { ops: ['gt', 'ge', 'lt', 'le'], type: 'number' } as const

export const files = resource({
  type: 'file',
  noun: ['file', 'files'],
  about: 'An image, a video or a document. Everyone may read it at its `link`.',
  path: '/v2/files',
  table: 'files',
  fields,
  operations: ['list', 'get'],
  filter: {
    id: walks.id,
    created_at: walks.created_at,
    file_name: indexed('eq', 'like'),
    file_size: size,
    width: size,
    height: size,
  },
  sort: ['created_at', 'id'],
  // Requirement §8.
  offsetMax: 10_000,
  area: 'files',
  visible: 'all',
  envelope: { times: 'meta.timestamps', digits: 3, fields: 'top', links: 'inside', href: 'absolute' },
  meta: {
    fields: {
      dimensions: group(
        { width: integer({ required: true }), height: integer({ required: true }) },
        { about: 'The size of an image in pixels.' },
      ),
    },
    of: ({ hidden: { width, height } }) => ({
      dimensions: width === undefined || height === undefined ? undefined : { width, height },
    }),
  },
  also: {
    fields: {
      link: group(
        {
          href: text({
            required: true,
            about: 'The URL of the content. For a file that is hosted elsewhere, as it was sent.',
          }),
        },
        { about: 'Where everyone may read the file.' },
      ),
    },
    of: (row, { baseUrl, store }) => {
      const href = fileLink(row, store.id)
      return { link: { href: href.startsWith('/') ? baseUrl + href : href } }
    },
  },
  afterDelete: (work, { id }) => work.later(removeContent, { fileId: id }),
})

/** Where everyone may read a file: a path on this server, or the URL of a file that is hosted elsewhere. */
export const fileLink = ({ id, doc, hidden }: Row<typeof fields>, storeId: string): string =>
  hidden.location ?? `/files/${storeId}/${servedName(id, doc.file_name ?? '')}`

/** The name of the content in its public URL. */
export const servedName = (id: string, fileName: string): string => `${id}.${extensionOf(fileName)}`

/** Deletes a file. Its store is no secret: it is part of the public URL. */
export const deleteFile = action({
  name: 'delete-file',
  route: 'DELETE /v2/files/:id',
  about: 'Deletes a file and its content. Products that refer to it no longer show it.',
  area: 'files',
  status: 204,
  refuses: ['precondition_failed'],
  async run(ctx, call) {
    const id = call.params.id.toLowerCase()
    if (!isId(id)) throw notFound('file', call.params.id)
    const [elsewhere] = await ctx.instance.database.quick({
      text: 'SELECT 1 FROM stores s JOIN files f ON f.store_id = s.id AND f.id = $2 WHERE s.id <> $1 LIMIT 1',
      values: [ctx.store.id, id],
    })
    if (elsewhere) {
      throw new Problem('forbidden', 'You are trying to remove a file outside of the tenancy', {
        title: 'Permission denied',
      })
    }
    return remove(ctx, files, [], id, call)
  },
})

/** Removes the content of a deleted file, unless it was hosted elsewhere. */
export const removeContent: Job<{ readonly fileId: string }> = {
  name: 'files:remove-content',
  attemptsMax: 10,
  run: ({ store, instance }, { fileId }) => instance.blobs.remove(blobName(store.id, fileId)),
}

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
           LEFT JOIN files f ON f.store_id = s.id AND f.id = k.id WHERE f.id IS NULL`,
    values: [owners.map(([storeId]) => storeId), owners.map(([, fileId]) => fileId)],
  })
  for (const names of orphans) await blobs.remove(names.join('/'))
}
