import { files } from '../files/index.ts'
import { Problem } from '../kernel/errors.ts'
import { isId } from '../kernel/ids.ts'
import { withData } from '../kernel/request/links.ts'
import type { Changes } from '../kernel/shape/fields.ts'
import type { Row } from '../kernel/shape/model.ts'
import type { Work } from '../kernel/work/context.ts'
import type { ProductFields } from '../products/index.ts'
import type { ImportRow } from './import-row.ts'

/** The files that rows name as main images, which stay to the end of the transaction. */
export async function keepImages({ store }: Work, rows: readonly ImportRow[]): Promise<ReadonlySet<string>> {
  const named = rows.flatMap(({ mainImage }) => (mainImage && isId(mainImage) ? mainImage : []))
  return named.length ? store.keep(files, ...new Set(named)) : new Set()
}

/**
 * Gives a product the main image of its row, or takes it away; its other relationships stay. A Problem where there is
 * no such file.
 */
export function imageOf(
  { mainImage }: ImportRow,
  before: Row<ProductFields> | undefined,
  kept: ReadonlySet<string>,
): Pick<Changes<ProductFields>, 'relationships'> {
  const relationships = before?.hidden.relationships
  const current = relationships?.main_image?.data.id ?? null
  if (mainImage === undefined || mainImage === current) return {}
  if (mainImage !== null && !kept.has(mainImage)) {
    throw new Problem('unprocessable', `There is no file with the id ${mainImage}.`, {
      source: 'data.main_image_id',
    })
  }
  const link = mainImage === null ? undefined : { type: files.type, id: mainImage }
  return { relationships: withData(relationships, 'main_image', link) }
}
