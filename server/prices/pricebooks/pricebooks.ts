import { type Resource, resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { findListed } from '../../kernel/query/find.ts'
import { longText } from '../../kernel/query/long-text.ts'
import { text } from '../../kernel/shape/fields.ts'
import { indexed, type Row, walks } from '../../kernel/shape/model.ts'
import type { ListedRow } from '../../kernel/storage/listed-rows.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { ownerMeta } from '../../store/index.ts'
import { conflict, externalRef, pricebookEnvelope } from './pricebook-fields.ts'
import { prices } from './prices.ts'

export const pricebookNameMax = 500

const fields = {
  name: text({
    required: true,
    min: 1,
    max: pricebookNameMax,
    about: 'Shown to merchants; unique in the store.',
    example: 'Retail',
  }),
  description: text({ nullable: true, about: 'Shown to merchants.' }),
  external_ref: externalRef,
}

export const pricebooks: Resource<typeof fields> = resource({
  type: 'pricebook',
  noun: ['pricebook', 'pricebooks'],
  about: 'Prices by SKU, and the modifiers of prices that children inherit.',
  path: '/pcm/pricebooks',
  table: 'pricebooks',
  fields,
  filter: { ...walks, external_ref: longText('external_ref', 'eq'), name: indexed('eq', 'like') },
  sort: ['created_at', 'id', 'updated_at'],
  area: 'pricebooks',
  envelope: pricebookEnvelope,
  refusedWith: 422,
  closed: true,
  meta: ownerMeta,
  include: { prices: { target: () => prices, find: findPrices } },
  constraints: {
    pricebooks_name_key: {
      ...conflict,
      detail: 'The pricebook already exists',
      source: 'data.attributes.name',
    },
  },
})

/** More prices are not included in an answer. */
const includedMax = 10_000

/** All prices or an error: a client would take the first ones for all of them. */
async function findPrices(ctx: Ctx, books: readonly Row[]): Promise<readonly ListedRow[]> {
  const rows = await ctx.store.run(
    `SELECT id FROM prices WHERE store_id = $1 AND pricebook_id = ANY($2::uuid[]) ORDER BY created_at DESC, id DESC
     LIMIT ${includedMax + 1}`,
    books.map(({ id }) => id),
  )
  if (rows.length > includedMax) {
    const detail = `The price book has more than ${includedMax} prices. Read them a page at a time, from its /prices.`
    throw new Problem('bad_request', detail, { source: 'include' })
  }
  const ids = rows.map(([id]) => id as string)
  return findListed(ctx, prices, ids)
}
