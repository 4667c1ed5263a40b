import { findAll } from '../../kernel/query/find.ts'
import type { Work } from '../../kernel/work/context.ts'
import { fileLink, files } from '../../store/index.ts'
import type { CartLine, Image } from './contents.ts'

/**
 * The images of these files, by id. A file never changes, so only those that no line has yet are read: usually none.
 * An image whose file is deleted stays until its product is published without it.
 */
export async function imagesOf(
  work: Work,
  lines: readonly CartLine[],
  fileIds: readonly string[],
): Promise<ReadonlyMap<string, Image>> {
  const known = new Map(lines.flatMap(({ image }) => (image ? [[image.fileId, image] as const] : [])))
  const missing = [...new Set(fileIds)].filter((id) => !known.has(id))
  for (const row of await findAll(work, files, missing)) {
    const { mime_type, file_name = '' } = row.doc
    known.set(row.id, { fileId: row.id, mime_type, file_name, href: fileLink(row, work.store.id) })
  }
  return known
}
