import { type Resource, resource } from '../../kernel/declare/resource.ts'
import { choice, field, flag, group, integer, text } from '../../kernel/shape/fields.ts'
import { type ConstraintRefusal, type FilterRule, walks } from '../../kernel/shape/model.ts'
import { promotionEnvelope } from '../standard/promotion-envelope.ts'
import { foldedCode } from './folded-code.ts'
import type { KindOfPromotion } from './kind-of-promotion.ts'

const server = { readOnly: true } as const

export const maxUsesPerShopper = group(
  {
    max_uses: integer({ min: 1, max: 10_000, about: 'How often each shopper can use the code.' }),
    includes_guests: flag({
      default: false,
      about: 'Whether guests can use the code. A guest is known by the email address of the cart.',
    }),
  },
  { about: 'How often each shopper can use the code. Left out: as often as they like.' },
)

/** Whom a code is for, and how it is used up, as a merchant declares it. */
export const codeOptions = ({ consumeUnits }: KindOfPromotion) => ({
  code: text({
    required: true,
    min: 1,
    max: 255,
    pattern: /\S/,
    about: 'What shoppers enter, in capitals or small letters. White space at its ends is taken off.',
    example: 'SUMMER10',
  }),
  consume_unit: choice(consumeUnits, {
    default: consumeUnits[0],
    about: `What counts as a use: an order (\`${consumeUnits[0]}\`), or each item or application that the code discounts (\`${consumeUnits[1]}\`).`,
  }),
  user: field<string | readonly string[]>(
    { type: ['string', 'array'], maxLength: 255, items: { type: 'string', maxLength: 255 }, maxItems: 1000 },
    { about: 'Who can use the code: the id or the email address of a customer, or a list of them.' },
  ),
})

const fieldsOf = (kind: KindOfPromotion) => ({
  ...codeOptions(kind),
  max_uses: integer({
    ...server,
    min: 0,
    about: 'How often the code can be used in all. Absent if there is no limit.',
  }),
  ...(kind.limitsShoppers && {
    max_uses_per_shopper: maxUsesPerShopper,
    is_for_new_shopper: flag({
      about: 'Whether the code is only for shoppers who have never paid an order.',
    }),
  }),
  created_by: text({ ...server, about: 'The application key that created the code.' }),
  // The job that generated the code.
  job_id: text({ hidden: true, readOnly: true }),
})

/** The column `code` is folded, so values are folded before they are compared with it. */
export const byCode: FilterRule = {
  ops: ['eq', 'gt', 'ge', 'lt', 'le'],
  type: 'text',
  where: (op, values, bind) => {
    if (op === 'eq' || op === 'in')
      return `code IN (${values.map((value) => foldedCode(bind(value))).join(', ')})`
    return `code ${{ gt: '>', ge: '>=', lt: '<', le: '<=' }[op as string]} ${foldedCode(bind(values[0]))}`
  },
}

const duplicate: ConstraintRefusal = {
  code: 'unprocessable',
  title: 'Duplicate code',
  detail: 'Promotion code already in use',
  source: 'data.codes',
}

/** The codes of promotions of one kind. */
export const codesOf = (kind: KindOfPromotion): Resource =>
  resource({
    type: 'promotion_codes',
    noun: [`${kind.name}-code`, `${kind.name}-codes`],
    about: `A code that makes a ${kind.words} apply to the cart of the shopper who enters it.`,
    path: `${kind.path}/:promotion_id/codes`,
    parent: () => kind.promotions,
    table: `${kind.tables}_codes`,
    // Shoppers may enter it in capitals or small letters, and so may merchants in addresses.
    key: { field: 'code', where: (code, bind) => `code = ${foldedCode(bind(code))}` },
    fields: fieldsOf(kind),
    shownWith: {
      fields: {
        uses: integer({
          readOnly: true,
          min: 0,
          about: 'How often the code can still be used. Absent if there is no limit.',
        }),
      },
      sql: (row) =>
        `CASE WHEN ${row}max_uses IS NOT NULL THEN '"uses":' || (${row}max_uses - ${row}used) END`,
    },
    computed: true,
    filter: { ...walks, code: byCode },
    sort: ['code', 'created_at', 'id'],
    area: 'promotions',
    operations: ['list', 'get', 'delete'],
    envelope: promotionEnvelope,
    constraints: {
      [`${kind.tables}_codes_code_key`]: duplicate,
      ...(kind.holdsCodes && { [`${kind.tables}_codes_held_key`]: duplicate }),
    },
  })
