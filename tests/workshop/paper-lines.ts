import { resource } from '../../server/kernel/declare/resource.ts'
import { integer, text } from '../../server/kernel/shape/fields.ts'
import { walks } from '../../server/kernel/shape/model.ts'
import { paperCarts } from './paper-carts.ts'

/** A line of a paper cart. */
export const paperLines = resource({
  type: 'paper-line',
  noun: ['paper-line', 'paper-lines'],
  about: 'A line of a paper cart.',
  path: '/v2/paper-carts/:paper_cart_id/lines',
  parent: () => paperCarts,
  table: 'paper_lines',
  fields: {
    sku: text({ required: true, min: 1, max: 64, about: 'The SKU of the product.', example: 'pencil' }),
    quantity: integer({ required: true, min: 1, max: 99, about: 'How many of the product.', example: 2 }),
  },
  filter: walks,
  sort: ['id', 'created_at', 'updated_at'],
  order: 'created_at',
  counted: false,
  most: { n: 100, detail: (n) => `A paper cart has at most ${n} lines.` },
  area: 'paper-carts',
  envelope: { times: 'meta.timestamps', digits: 0, fields: 'top', links: 'own', href: 'absolute' },
})
