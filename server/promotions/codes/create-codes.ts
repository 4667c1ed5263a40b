import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { objectText } from '../../kernel/http/object-text.ts'
import { objectOf } from '../../kernel/openapi/named-schemas.ts'
import { findAll } from '../../kernel/query/find.ts'
import { type Fields, flag, group, integer, list } from '../../kernel/shape/fields.ts'
import { type ShownValue, shown } from '../../kernel/shape/shown.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { codeOptions, maxUsesPerShopper } from './codes.ts'
import { codesMax } from './codes-max.ts'
import { foldedCode } from './folded-code.ts'
import type { PromotionKind } from './promotion-kinds.ts'
import { lockForCodes, mustHaveRoom, releaseEnded } from './room-for-codes.ts'

interface NewCode {
  readonly code: string
  readonly consume_unit: string
  readonly uses?: number | null
  readonly user?: string | readonly string[] | null
  readonly max_uses_per_shopper?: {
    readonly max_uses?: number
    readonly includes_guests?: boolean
    readonly includes_guest?: boolean
  } | null
  readonly is_for_new_shopper?: boolean | null
}

const codeFields = (kind: PromotionKind): Fields => ({
  ...codeOptions(kind),
  uses: integer({
    nullable: true,
    min: 0,
    about: 'How often the code can be used in all. Left out, there is no limit.',
  }),
  ...(kind.limitsShoppers && {
    max_uses_per_shopper: perShopper,
    is_for_new_shopper: flag({
      nullable: true,
      about:
        'Whether the code is only for shoppers who have never paid an order. It then has no other limits.',
    }),
  }),
})

const perShopper = group(
  {
    max_uses: integer({ min: 1, max: 10_000, about: 'How often each shopper can use the code.' }),
    includes_guests: flag({
      about: 'Whether guests can use the code. A guest is known by the email address of the cart.',
    }),
    includes_guest: flag({ about: 'The same, as some clients spell it.' }),
  },
  { nullable: true, about: `${maxUsesPerShopper.options.about} Needs \`consume_unit: per_checkout\`.` },
)

const duplicates = shown.list(
  shown.group({
    source: shown.group({ type: shown.constant('promotion_codes'), codes: shown.list(shown.text) }),
    title: shown.text,
    description: shown.text,
  }),
)

/** Adds codes to a promotion, all or none. */
export const createCodes = (kind: PromotionKind) =>
  action({
    name: `create-${kind.name}-codes`,
    route: `POST ${kind.path}/:promotion_id/codes`,
    about: kind.holdsCodes
      ? 'Adds codes to a promotion, all or none, and shows the promotion. No other standard promotion may have one of the codes until it has ended.'
      : 'Adds codes to a promotion, all or none. `messages` lists those that other promotions have too: such a code makes all of them apply.',
    area: 'promotions',
    status: 201,
    queuesBy: 'promotion_id',
    body: {
      type: 'promotion_codes',
      typeOptional: true,
      fields: {
        codes: list(group(codeFields(kind), {}), {
          required: true,
          ...{ minItems: 1, maxItems: codesMax },
          about: `At most ${codesMax} in one request.`,
        }),
      },
    },
    shows: kind.holdsCodes
      ? { resource: kind.promotions }
      : { data: shown.list(objectOf(() => kind.codes)), beside: { messages: duplicates } },
    refuses: ['unprocessable'],

    async run(ctx, { params, body }) {
      const promotion = await lockForCodes(ctx, kind, params.promotion_id)
      const sent = body.codes as unknown as readonly NewCode[]
      const codes = sent.map((one) => ({ ...one, code: one.code.trim() }))
      codes.forEach(mustBeConsistent)
      await mustHaveRoom(ctx, kind, promotion, codes.length)
      const names = codes.map(({ code }) => code)
      await releaseEnded(ctx, kind, names)
      const rows = codes.map((code) => toValues(ctx, code))
      const ids = await insertCodes(ctx, kind, promotion.id, rows)
      if (kind.holdsCodes) return objectAnswer(201, kind.promotions, promotion, ctx)
      const created = await findAll(ctx, kind.codes, ids)
      const data = created.map((row) => objectText(kind.codes, row, ctx, true)).join(',')
      const repeated = await findStored(ctx, kind, promotion.id, names, 'c.promotion_id <> $2')
      const messages = repeated.length ? `,"messages":${JSON.stringify([duplicateMessage(repeated)])}` : ''
      return { status: 201, body: `{"data":[${data}]${messages}}` }
    },
  })

function mustBeConsistent(
  { code, consume_unit, uses, user, max_uses_per_shopper: perShopper, is_for_new_shopper }: NewCode,
  i: number,
): void {
  const source = `data.codes.${i}`
  // The pattern of the field knows only the white space of ASCII.
  if (!code) {
    const detail = `${source}.code must have a character that is not white space.`
    throw new Problem('invalid_field', detail, { source: `${source}.code` })
  }
  if (perShopper && perShopper.max_uses === undefined) {
    throw new Problem('invalid_field', 'Has a dependency on max_uses', {
      title: 'missing_dependency',
      source: `${source}.max_uses_per_shopper`,
    })
  }
  if (perShopper && consume_unit === 'per_application') {
    const detail = `Consume unit '${consume_unit}' is not supported when using 'max_uses_per_shopper' features.`
    throw new Problem('unprocessable', detail, {
      title: 'Unsupported consume unit',
      source: `${source}.consume_unit`,
    })
  }
  const isLimited = uses !== undefined && uses !== null
  if (is_for_new_shopper && (isLimited || perShopper || user?.length)) {
    const detail = `Code - ${code} can't have limited uses or assigned to users since it's for first-time shoppers.`
    throw new Problem('invalid_field', detail, { title: 'Invalid Code', source })
  }
}

function toValues({ who }: Ctx, { code, consume_unit, uses, user, ...others }: NewCode) {
  const { max_uses_per_shopper: perShopper, is_for_new_shopper } = others
  return {
    code,
    consume_unit,
    ...(uses !== undefined && uses !== null && { max_uses: uses }),
    ...(user?.length && { user }),
    ...(perShopper && {
      max_uses_per_shopper: {
        max_uses: perShopper.max_uses,
        includes_guests: perShopper.includes_guests ?? perShopper.includes_guest ?? false,
      },
    }),
    ...(is_for_new_shopper && { is_for_new_shopper }),
    created_by: who.actor,
  }
}

/** Those of the codes, as they were sent, that are stored in a row `c` of this condition. `$2` is the promotion. */
async function findStored(
  { store }: Ctx,
  { codes: { table } }: PromotionKind,
  promotionId: string,
  codes: readonly string[],
  condition: string,
): Promise<readonly string[]> {
  const rows = await store.run(
    `SELECT v FROM unnest($3::text[]) v WHERE EXISTS (SELECT FROM ${table} c
       WHERE c.store_id = $1 AND c.code = ${foldedCode('v')} AND (${condition}))`,
    promotionId,
    codes,
  )
  return rows.map(([code]) => code as string)
}

const duplicateMessage = (codes: readonly string[]): ShownValue<typeof duplicates>[number] => ({
  source: { type: 'promotion_codes', codes },
  title: 'Duplicate code names',
  description: 'Code names duplicated in other promotions',
})

type CodeRow = Readonly<Record<string, unknown>> & { readonly code: string }

/** Stores new codes of a promotion and returns their ids, or says which of them are taken. */
async function insertCodes(
  ctx: Ctx,
  kind: PromotionKind,
  promotionId: string,
  codes: readonly CodeRow[],
): Promise<readonly string[]> {
  const { store } = ctx
  const rows = codes.map((values) => ({ scope: [promotionId], values }))
  try {
    return await store.attempt(() => store.insertAll(kind.codes, rows))
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.source !== 'data.codes') throw problem
    const names = codes.map(({ code }) => code)
    const own = 'c.promotion_id = $2'
    const held = kind.holdsCodes ? `${own} OR c.is_held` : own
    const taken = await findStored(ctx, kind, promotionId, names, held)
    const refused = [...new Set([...taken, ...repeatedIn(names)])]
    const { code, title, source, detail } = problem
    throw new Problem(code, `${detail}: ${firstOf(refused)}`, { title, source, meta: { codes: refused } })
  }
}

/** The codes that are in the list before, in capitals or small letters. */
function repeatedIn(codes: readonly string[]): readonly string[] {
  const before = new Set<string>()
  return codes.filter((code) => before.size === before.add(code.toLowerCase()).size)
}

const shownMax = 10

const firstOf = (codes: readonly string[]) =>
  codes.slice(0, shownMax).join(', ') + (codes.length > shownMax ? ', …' : '')
