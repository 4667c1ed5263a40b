import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { file } from '../../kernel/http/file.ts'
import { text } from '../../kernel/shape/fields.ts'
import { hasEnded, inEdition } from '../../kernel/storage/editions.ts'
import { inParts } from '../../kernel/storage/sized-parts.ts'
import type { Ctx, Work } from '../../kernel/work/context.ts'
import { isDeltaLink } from '../catalogs/delta-link.ts'
import { releases } from '../catalogs/releases.ts'
import { type CatalogEdition, editionOf } from '../publishing/editions.ts'
import { repricedProducts } from '../publishing/repriced-products.ts'
import { findPublishedRows, sizedPublished } from '../shown/published-row.ts'
import { showProducts } from '../shown/show-products.ts'
import type { View } from '../view/view.ts'
import { deltaView } from '../view/views.ts'

/** What a release changed, for clients that keep a copy of the catalog, such as a search engine. */
export const readDelta = action({
  name: 'read-catalog-delta',
  route: 'GET /catalog-deltas/:store_id/:catalog_id/:release_id',
  about:
    'Reads what a release changed, for anyone who has the signed link of the release: JSON documents, one per line, ' +
    'compressed by gzip. New and changed products have the `delta_type` createupdate; the ids of removed products have ' +
    'the `delta_type` delete. If the release has `is_full_delta`, all of its products are listed.',
  area: 'open',
  storeIn: 'store_id',
  status: 200,
  query: {
    until: text({ required: true, about: 'When the link expires, in milliseconds since the epoch.' }),
    signature: text({ required: true, about: 'The signature of the link.' }),
  },
  shows: { file: 'application/gzip' },
  refuses: ['forbidden'],
  async run(ctx, { params, query }) {
    const { catalog_id, release_id } = params
    if (!isDeltaLink(ctx.instance, params, query)) {
      throw new Problem('forbidden', 'The link is not valid or has expired. Read the release for a new one.')
    }
    const edition = await editionOf(ctx, catalog_id, release_id)
    const release = await ctx.store.findWhole(releases, release_id, [catalog_id])
    if (!edition || !release) throw new Problem('not_found', 'The release no longer exists.')
    const view = await deltaView(ctx, { ...edition, catalogId: catalog_id }, release_id)
    const lines = Readable.from(deltaOf(ctx, view, release.hidden.is_full_delta === true))
    // A failure while streaming ends the answer.
    const content = pipeline(lines, createGzip(), () => {})
    return file(content, 'application/gzip', {
      'content-disposition': `attachment; filename="delta-${release_id}.json.gz"`,
    })
  },
})

const line = (document: object) => `${JSON.stringify(document)}\n`

async function* deltaOf(ctx: Ctx, view: View, isFull: boolean): AsyncGenerator<string> {
  const changed = await changedIds(ctx, view.published, isFull)
  for await (const part of inParts(ctx.store, sizedPublished(view), changed)) {
    const rows = await findPublishedRows(ctx, view, part)
    const shown = await showProducts(ctx, view, [...rows.values()])
    yield shown.map((product) => line({ delta_type: 'createupdate', ...product })).join('')
  }
  if (isFull) return
  const gone = await deletedIds(ctx, view.published)
  yield gone.map((id) => line({ delta_type: 'delete', id, type: 'product' })).join('')
}

/** The listed products that an edition changed, or all of them. */
async function changedIds(
  { store }: Pick<Work, 'store'>,
  published: CatalogEdition,
  all: boolean,
): Promise<readonly string[]> {
  const { catalogId, edition, sources } = published
  if (!all && !sources.repricesAll) return repricedProducts(store, published)
  const rows = await store.runLong(
    `SELECT id FROM published_products
     WHERE store_id = $1 AND listed_in = $2::uuid AND ${inEdition('$3::int')} ORDER BY id`,
    catalogId,
    edition,
  )
  return rows.map(([id]) => id as string)
}

/** The products that are no longer listed. */
async function deletedIds(
  { store }: Pick<Work, 'store'>,
  { catalogId, edition }: CatalogEdition,
): Promise<readonly string[]> {
  const rows = await store.runLong(
    `SELECT o.id FROM published_products o
     WHERE o.store_id = $1 AND o.catalog_id = $2 AND o.until = $3::int AND ${hasEnded('o')}
       AND o.listed_in IS NOT NULL AND NOT EXISTS (
       SELECT FROM published_products p WHERE p.store_id = $1 AND p.catalog_id = $2 AND p.id = o.id
         AND ${inEdition('$3::int', 'p')} AND p.listed_in IS NOT NULL)
     ORDER BY o.id`,
    catalogId,
    edition,
  )
  return rows.map(([id]) => id as string)
}
