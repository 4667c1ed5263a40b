import { resource } from '../../kernel/declare/resource.ts'
import { flag, reference } from '../../kernel/shape/fields.ts'
import { promotionEnvelope } from './promotion-envelope.ts'
import { promotionFields, promotions } from './promotions.ts'

const shownOnly = { required: true, readOnly: true } as const

const sql = (row: string) => `
  '"parent_id":"' || ${row}promotion_id || '","current":' || (${row}number =
    (SELECT own.version FROM promotions own WHERE own.store_id = $1 AND own.id = ${row}promotion_id))::text`

/** What a promotion was after each of its writes. The database records it, and removes those before the latest 100. */
export const promotionVersions = resource({
  type: 'promotion',
  noun: ['promotion-version', 'promotion-versions'],
  about:
    'A version of a standard promotion: what it was after one of its writes. It has an id of its own; the id of the promotion ' +
    'stays the same. The server keeps the latest 100 versions of a promotion.',
  path: '/v2/promotions/:promotion_id/history',
  parent: () => promotions,
  table: 'promotion_versions',
  fields: promotionFields,
  addedUnder: 'promotions',
  shownWith: {
    fields: {
      parent_id: reference('promotion', { ...shownOnly, about: 'The id of the promotion.' }),
      current: flag({ ...shownOnly, about: 'Whether the promotion is this version now.' }),
    },
    sql,
  },
  operations: ['list'],
  order: { by: '-number', about: 'the newest first' },
  counted: false,
  area: 'promotions',
  envelope: promotionEnvelope,
})
