import { resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { flag, integer, type New, number, text } from '../../kernel/shape/fields.ts'
import type { Draft } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { ownerMeta } from '../settings/owner-meta.ts'

const fields = {
  code: text({
    required: true,
    pattern: /^[A-Za-z]{3}$/,
    upperCase: true,
    about: 'The three-letter code, stored in capitals; unique in the store.',
    example: 'EUR',
  }),
  exchange_rate: number({
    required: true,
    min: 0,
    about: 'For information; Sutler does not convert with it.',
    example: 1,
  }),
  format: text({
    required: true,
    max: 255,
    pattern: /\{price\}/,
    about: 'The format of an amount: `{price}` stands for the number.',
    example: '€{price}',
  }),
  decimal_point: text({ required: true, max: 8, about: 'The decimal separator.', example: '.' }),
  thousand_separator: text({
    required: true,
    max: 8,
    about: 'The separator between groups of three digits; it may be empty.',
    example: ',',
  }),
  decimal_places: integer({
    required: true,
    min: 0,
    max: 8,
    about: 'The number of decimal places. Amounts are whole numbers of the smallest unit.',
    example: 2,
  }),
  default: flag({
    default: false,
    about: 'Whether this is the default currency. Exactly one currency of the store is the default.',
  }),
  enabled: flag({ required: true, about: 'Whether shoppers can choose the currency.', example: true }),
}

export const currencies = resource({
  type: 'currency',
  typeOptional: true,
  noun: ['currency', 'currencies'],
  about: 'A currency for prices, and the format of its amounts.',
  path: '/v2/currencies',
  table: 'currencies',
  fields,
  // The oldest first: the currency of the store's first day.
  order: 'created_at',
  most: { n: 10, detail: (n) => `You have reached the maximum allowed currency limit of ${n}` },
  area: 'currencies',
  visible: 'all',
  envelope: { times: 'meta.timestamps', digits: 3, fields: 'top', links: 'inside', href: { after: '/v2' } },
  meta: ownerMeta,
  beforeWrite: async (work, draft) => {
    mustBeWritable(draft)
    await becomeDefault(work, draft)
  },
  beforeDelete: (_work, { doc }) => {
    if (doc.default) throw new Problem('bad_request', 'The default currency cannot be deleted.')
  },
  constraints: {
    currencies_code_key: {
      code: 'invalid_field',
      detail: 'The specified currency code already exists',
      source: 'data.code',
    },
  },
})

/** The first currency of every store. */
export const dollar: New<typeof fields> = {
  code: 'USD',
  exchange_rate: 1,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the sign, and the place.
  format: '${price}',
  decimal_point: '.',
  thousand_separator: ',',
  decimal_places: 2,
  default: true,
  enabled: true,
}

function mustBeWritable({ values, before }: Draft<typeof fields>): void {
  const refuse = (name: keyof typeof fields, detail: string) =>
    new Problem('unprocessable', detail, { source: `data.${name}` })
  if (values.decimal_places > 0 && values.decimal_point === '')
    throw refuse(
      'decimal_point',
      'data.decimal_point must not be empty if data.decimal_places is greater than 0.',
    )
  if (before?.doc.default && !values.default)
    throw refuse(
      'default',
      'data.default must stay true: a store needs a default currency. Make another currency the default instead.',
    )
  if (values.default && !values.enabled)
    throw refuse('enabled', 'data.enabled must be true for the default currency.')
}

/** Keeps exactly one default: a currency that becomes the default takes it from the other. */
async function becomeDefault({ store }: Work, { values, before }: Draft<typeof fields>): Promise<void> {
  if (!values.default || before?.doc.default) return
  // Two currencies may become the default at the same time.
  await store.advisoryLock('default-currency')
  await store.changeAll(currencies, {
    where: () => 'r.is_default',
    doc: () => `(r.doc::jsonb || '{"default": false}')::json`,
  })
}
