import { resource } from '../../kernel/declare/resource.ts'
import { walks } from '../../kernel/shape/model.ts'
import { cartFields } from '../contents/cart-fields.ts'
import { cartEnvelope } from '../contents/envelope.ts'
import { mustBeOwnerOf, mustNotBeLast, ownedBy } from '../contents/owners.ts'
import { shownOf } from '../contents/shown-of.ts'
import { cartMeta, metaOf } from '../shown/show-cart.ts'
import { cartRelationships, relationshipsOf } from '../shown/show-relationships.ts'
import { prepareCart, withSettings } from './prepare-cart.ts'

/** What a shopper is about to buy. */
export const carts = resource({
  type: 'cart',
  noun: ['cart', 'carts'],
  about:
    'What a shopper is about to buy. A cart exists from its first write on; before that, any id reads as an empty cart. A cart expires when nothing has changed in it for some days.',
  path: '/v2/carts',
  table: 'carts',
  fields: cartFields,
  addedUnder: 'carts',
  // Clients leave the type out.
  typeOptional: true,
  operations: ['create', 'update', 'delete'],
  filter: {
    ...walks,
    id: { ops: walks.id, type: 'text', column: 'reference' },
    name: { ops: ['like', 'ilike'], caseless: 'like', indexed: true },
    account_ids: {
      ops: ['contains'],
      type: 'text',
      where: (_op, [id], bind) => ownedBy('accounts', bind(JSON.stringify([id]))),
    },
  },
  sort: ['created_at', 'id', 'updated_at'],
  order: '-updated_at',
  offsetMax: 10_000,
  area: 'carts',
  envelope: cartEnvelope,
  key: { field: 'id', where: (name, bind) => `reference = ${bind(name)}` },
  expires: 'expires_at',
  // Who knows the id of a cart may read it: see owners.ts.
  visible: 'all',
  unborn: withSettings,
  computed: true,
  personal: ['customer_id'],
  inside: { shows: shownOf },
  meta: { fields: cartMeta, of: metaOf },
  also: {
    fields: { relationships: cartRelationships },
    of: (row) => ({ relationships: relationshipsOf(row) }),
  },
  beforeWrite: async (work, draft) => {
    mustBeOwnerOf(work, draft.before)
    await prepareCart(work, draft)
  },
  beforeDelete: async (work, row) => {
    mustBeOwnerOf(work, row)
    await mustNotBeLast(work, row)
  },
  constraints: {
    carts_reference_key: {
      code: 'conflict',
      detail: 'a cart with this id already exists',
      source: 'data.id',
    },
  },
})
