import { kinds, type SentItem } from '../../server/kernel/body/kinds.ts'
import { action } from '../../server/kernel/declare/action.ts'
import { objectText } from '../../server/kernel/http/object-text.ts'
import { named, objectOf } from '../../server/kernel/openapi/named-schemas.ts'
import { listOf } from '../../server/kernel/openapi/shapes.ts'
import { findByName } from '../../server/kernel/query/find.ts'
import { findOrCreate } from '../../server/kernel/request/first-write.ts'
import { json } from '../../server/kernel/shape/answer.ts'
import { group, integer, reference, text } from '../../server/kernel/shape/fields.ts'
import type { Ctx } from '../../server/kernel/work/context.ts'
import { add } from '../../server/kernel/write/by-rules.ts'
import { paperCarts } from './paper-carts.ts'
import { paperLines } from './paper-lines.ts'
import { things } from './things.ts'

const { sku, quantity } = paperLines.fields

const paperItems = kinds({
  name: 'NewItem',
  most: 10,
  of: {
    paper_item: { about: 'A product, by its SKU.', fields: { sku, quantity } },
    custom_paper_item: {
      about: 'An item that is not a product, at a price of its own.',
      fields: {
        name: text({ required: true, min: 1, max: 64, about: 'The name of the item.' }),
        quantity,
        price: group(
          { amount: integer({ required: true, min: 0 }) },
          { required: true, about: 'The price of one piece.' },
        ),
      },
    },
    thing_item: {
      about: 'A thing, under its title.',
      fields: {
        thing_id: reference('thing', { required: true, about: 'The thing.' }),
        quantity: integer({ default: 1, min: 1, max: 99, about: 'How many.' }),
      },
    },
  },
})

/** Adds lines of several kinds to a paper cart, one or many at once, as clients add items to a cart. */
export const addPaperItems = action({
  name: 'add-paper-items',
  route: 'POST /v2/paper-carts/:paper_cart_id/items',
  about: 'Adds lines to a paper cart, and answers with these lines.',
  area: 'paper-carts',
  status: 201,
  queuesBy: 'paper_cart_id',
  kinds: paperItems,
  shows: { data: named('NewPaperLines', listOf(objectOf(() => paperLines))) },
  async run(ctx, { params, items }) {
    const { id } = await findOrCreate(ctx, paperCarts, params.paper_cart_id)
    const lines: string[] = []
    for (const item of items) {
      const line = await add(ctx, paperLines, [id], {
        sku: await skuOf(ctx, item),
        quantity: item.values.quantity,
      })
      lines.push(objectText(paperLines, line, ctx, true))
    }
    return json(201, { data: lines.map((text) => JSON.parse(text)) })
  },
})

async function skuOf(ctx: Ctx, item: SentItem<typeof paperItems.of>): Promise<string> {
  switch (item.kind) {
    case 'paper_item':
      return item.values.sku
    case 'custom_paper_item':
      return item.values.name
    case 'thing_item':
      return (await findByName(ctx, things, item.values.thing_id)).doc.title
  }
}
