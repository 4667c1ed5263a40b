import { listing } from '../../kernel/declare/listing.ts'
import { type Resource, resource } from '../../kernel/declare/resource.ts'
import { notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { flag, integer, text } from '../../kernel/shape/fields.ts'
import { walks } from '../../kernel/shape/model.ts'
import { promotionEnvelope } from '../standard/promotion-envelope.ts'
import { byCode } from './codes.ts'
import { foldedCode } from './folded-code.ts'
import type { KindOfPromotion } from './kind-of-promotion.ts'

const shown = { required: true, readOnly: true } as const
const id = (about: string) => text({ ...shown, format: 'uuid', about })
const nullableId = (about: string) => text({ ...shown, nullable: true, format: 'uuid', about })

const fieldsOf = ({ misspellsCustomer }: KindOfPromotion) => ({
  order_id: id('The order in which the code was used.'),
  code_id: id('The id of the code, which may have been deleted since.'),
  code: text({ ...shown, about: 'The code.' }),
  times_used: integer({ ...shown, min: 1, about: 'How many uses of the code the order took.' }),
  used_on: text({ ...shown, format: 'date-time', about: 'When the order was placed.' }),
  customer_id: nullableId('The customer who used the code.'),
  ...(misspellsCustomer && {
    cusomter_id: nullableId('The same as `customer_id`, as the public contract spells it here.'),
  }),
  account_id: nullableId('The account for which the code was used.'),
  customer_email: text({
    ...shown,
    nullable: true,
    about: 'The email address of the shopper; `**` once anonymized.',
  }),
  updated_by: text({ readOnly: true, about: 'Who anonymized the usage.' }),
  anonymized: flag({ ...shown, about: 'Whether the email address has been removed.' }),
  used_on_ms: integer({ readOnly: true, hidden: true }),
})

export const usagesOfPromotion = (kind: KindOfPromotion): Resource =>
  resource({
    type: 'promotion_usage',
    noun: [`${kind.name}-usage`, `${kind.name}-usages`],
    about: `A use of a code of a ${kind.words} in an order.`,
    path: `${kind.path}/:promotion_id/usages`,
    parent: () => kind.promotions,
    table: `${kind.tables}_usages`,
    fields: fieldsOf(kind),
    filter: {
      id: walks.id,
      updated_at: walks.updated_at,
      used_on: { ops: ['gt', 'ge', 'lt', 'le'], type: 'time' },
      code: { ...byCode, ops: ['eq'] },
    },
    sort: ['code', 'customer_email', 'customer_id', 'id', 'order_id', 'updated_at', 'used_on'],
    order: '-updated_at',
    operations: ['list'],
    area: 'promotions',
    envelope: promotionEnvelope,
    personal: ['customer_id', 'account_id'],
  })

/** The usages of one code, also after it was deleted. */
export const usagesOfCode = (kind: KindOfPromotion, usages: Resource): Resource =>
  listing(usages, {
    noun: [`${kind.name}-code-usage`, `${kind.name}-code-usages`],
    path: `${kind.path}/:promotion_id/codes/:code/usages`,
    scope: {
      columns: ['code_list'],
      of: async ({ store }, { promotion_id: promotionId = '', code = '' }) => {
        const [row] = isId(promotionId)
          ? await store.read(
              `SELECT md5(id::text || ${foldedCode('$3')})::uuid FROM ${kind.promotions.table}
               WHERE store_id = $1 AND id = $2`,
              promotionId,
              code,
            )
          : []
        if (!row?.[0]) throw notFound(kind.promotions.noun[0].replace('-', ' '), promotionId)
        return [row[0]]
      },
    },
    sort: ['used_on'],
    order: { by: 'used_on', about: 'the oldest first' },
  })
