import { type Relationship, relationship } from '../../server/kernel/declare/relationship.ts'
import { type Resource, resource } from '../../server/kernel/declare/resource.ts'
import { integer, map, text } from '../../server/kernel/shape/fields.ts'
import { things } from './things.ts'

const comparisons = ['lt', 'le', 'eq', 'gt', 'ge'] as const

/** A cart made of paper: it proves the words of the kernel that carts are declared with. */
export const paperCarts: Resource = resource({
  type: 'paper-cart',
  noun: ['paper-cart', 'paper-carts'],
  about: 'A cart made of paper.',
  path: '/v2/paper-carts',
  table: 'paper_carts',
  fields: {
    id: text({
      pattern: /^[A-Za-z0-9_-]{1,255}$/,
      immutable: true,
      about: 'Chosen by the client, or a UUID; unique in the store.',
      example: 'my-cart',
    }),
    name: text({ min: 1, max: 255, default: 'Cart', about: 'The name of the cart.' }),
    notes: map(text({ max: 255 }), { default: {}, maxKeys: 20, about: 'Notes on the cart.' }),
  },
  filter: {
    id: { ops: ['eq', 'in'], type: 'text', column: 'reference' },
    created_at: comparisons,
    updated_at: comparisons,
  },
  sort: ['created_at', 'updated_at'],
  unborn: (_work, defaults) => ({ ...defaults, total_quantity: 0 }),
  computed: true,
  shownWith: {
    fields: { total_quantity: integer({ readOnly: true, about: 'How many pieces are in the cart.' }) },
    // The lines change it, and no write of the cart does.
    sql: (row) =>
      `(SELECT '"total_quantity":' || coalesce(sum((line.doc->>'quantity')::int), 0) FROM paper_lines line
        WHERE line.store_id = $1 AND line.paper_cart_id = ${row}id)`,
  },
  key: { field: 'id', where: (name, bind) => `reference = ${bind(name)}` },
  order: '-updated_at',
  area: 'paper-carts',
  envelope: { times: 'meta.timestamps', digits: 0, fields: 'top', links: 'inside', href: 'absolute' },
  beforeWrite: (_work, { id, values }) => {
    values.id ??= id
  },
  constraints: {
    paper_carts_reference_key: {
      code: 'conflict',
      detail: 'a paper cart with this id already exists',
      source: 'data.id',
    },
  },
})

/** What lies beside the cart. */
export const thingsOfPaperCart: Relationship = relationship({
  name: 'paper-cart-things',
  about: 'The things that lie beside the paper cart.',
  path: '/v2/paper-carts/:paper_cart_id/relationships/things',
  owner: () => paperCarts,
  target: () => things,
  holds: 'many',
  storage: { table: 'paper_cart_things', ownerColumn: 'paper_cart_id' },
  most: { n: 500, detail: (n) => `A paper cart may have at most ${n} things.` },
  area: 'paper-carts',
  operations: { list: 200, add: 200, replace: 200, remove: 204 },
})
