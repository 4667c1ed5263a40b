import { Problem } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { withLinkData } from '../../kernel/request/links.ts'
import type { Changes } from '../../kernel/shape/fields.ts'
import type { Row } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { files } from '../../store/index.ts'
import type { ProductFields } from '../product-fields/product-fields.ts'
import type { ImportRow } from './import-row.ts'

/** Locks the files that rows name as main images against deletion. Returns the ids of those that exist. */
export async function lockImages({ store }: Work, rows: readonly ImportRow[]): Promise<ReadonlySet<string>> {
  const ids = rows.flatMap(({ mainImage }) => (mainImage && isId(mainImage) ? mainImage : []))
  return ids.length ? store.lockShared(files, ...new Set(ids)) : new Set()
}

/**
 * The change that sets or removes the main image of a product. Its other relationships stay. Throws a Problem if the
 * file does not exist.
 */
export function toImageChange(
  { mainImage }: ImportRow,
  before: Row<ProductFields> | undefined,
  existing: ReadonlySet<string>,
): Pick<Changes<ProductFields>, 'relationships'> {
  const relationships = before?.hidden.relationships
  const current = relationships?.main_image?.data.id ?? null
  if (mainImage === undefined || mainImage === current) return {}
  if (mainImage !== null && !existing.has(mainImage)) {
    throw new Problem('unprocessable', `There is no file with the id ${mainImage}.`, {
      source: 'data.main_image_id',
    })
  }
  const link = mainImage === null ? undefined : { type: files.type, id: mainImage }
  return { relationships: withLinkData(relationships, 'main_image', link) }
}
