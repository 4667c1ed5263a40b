import type { Tuple } from '../../kernel/storage/database.ts'
import { caseless } from '../../kernel/storage/expressions.ts'
import type { Work } from '../../kernel/work/context.ts'
import { foldedCode } from '../codes/folded-code.ts'
import { allKinds, type PromotionKind } from '../codes/promotion-kinds.ts'
import type { EnteredCode } from '../discounts/codes.ts'
import type { DiscountShopper } from '../discounts/discount-cart.ts'
import { hasPaidSql } from './paying-shoppers.ts'
import { type ShopperSql, shopperKey, shopperKeySql } from './shoppers.ts'

/**
 * Finds codes as a shopper entered them, in capitals or small letters, in the order of `texts`. A code of several
 * promotions is in the result for each of them, also where a promotion is disabled or has ended. Unknown codes are
 * left out.
 */
export async function findEnteredCodes(
  { store }: Work,
  texts: readonly string[],
  shopper: DiscountShopper,
): Promise<readonly EnteredCode[]> {
  if (!texts.length) return []
  const rows = await store.read(findSql, texts, shopperKey(shopper) ?? null)
  return rows.map(toEnteredCode)
}

/**
 * The codes with the texts of a list `entered (text, place)`. The lateral query makes the database look up each text in
 * the index, whatever it believes about the size of the tables. A code that its promotion holds no more belongs to
 * another one by now.
 */
const codesSql = (
  { codes: { table }, holdsCodes }: PromotionKind,
  entered: string,
  columns: string,
): string =>
  `SELECT ${columns} FROM ${entered} CROSS JOIN LATERAL (
     SELECT * FROM ${table} c WHERE c.store_id = $1 AND c.code = ${foldedCode('entered.text')}${holdsCodes ? ' AND c.is_held' : ''}
     OFFSET 0) c`

const limitPerShopper = `(c.doc#>>'{max_uses_per_shopper,max_uses}')::bigint`

/** How often a shopper has used the code `c`. `shopper` is the SQL of what `shopperKey` returns. */
const usedByShopper = ({ usages: { table } }: PromotionKind, shopper: string): string =>
  `coalesce((SELECT max(u.slot) FROM ${table} u
     WHERE u.store_id = $1 AND u.code_id = c.id AND u.shopper = ${shopper} AND u.slot IS NOT NULL), 0)`

const findSql = `SELECT * FROM (
  ${allKinds
    .map((kind, i) =>
      codesSql(
        kind,
        'unnest($2::text[]) WITH ORDINALITY entered (text, place)',
        `entered.place, ${i} AS kind, c.id, c.doc->>'code', c.promotion_id, c.doc->>'consume_unit',
         c.max_uses - c.used, c.doc->'user', c.doc->'is_for_new_shopper',
         ${limitPerShopper} - ${usedByShopper(kind, '$3::text')}, c.doc#>'{max_uses_per_shopper,includes_guests}'`,
      ),
    )
    .join(' UNION ALL ')}
) codes ORDER BY place, kind, id` as const

function toEnteredCode(tuple: Tuple): EnteredCode {
  const [, , , code, promotionId, unit, usesLeft, user, isForNewShopper, shopperUsesLeft, includesGuests] =
    tuple
  return {
    code: code as string,
    promotionId: promotionId as string,
    consumes: allKinds.some(({ consumeUnits: [perOrder] }) => perOrder === unit) ? 'checkout' : 'application',
    ...(usesLeft != null && { usesLeft: Number(usesLeft) }),
    ...(user && { users: [JSON.parse(user) as string | readonly string[]].flat() }),
    ...(shopperUsesLeft != null && {
      perShopper: {
        usesLeft: Math.max(0, Number(shopperUsesLeft)),
        includesGuests: includesGuests === 'true',
      },
    }),
    ...(isForNewShopper === 'true' && { isForNewShopper: true }),
  }
}

/** Whether the code `c` is for the shopper: see `refuseCode`. Carts store this answer, and no email address. */
const isNamedSql = ({ customerId, email }: ShopperSql): string =>
  `EXISTS (SELECT FROM jsonb_path_query((c.doc->'user')::jsonb, '$[*]') u
     WHERE u#>>'{}' = ${customerId} OR ${caseless("(u#>>'{}')")} = ${caseless(`(${email})`)})`

/**
 * The SQL of a text that changes when what `findEnteredCodes` returns for these codes and this shopper changes in a way
 * that matters to a cart. `codes` is the SQL of a jsonb list of texts. Of a code that an order uses up once, it only
 * matters whether a use is left: carts with a popular code keep their prices.
 */
export const codesStateSql = (codes: string, shopper: ShopperSql): string =>
  `(SELECT string_agg(state, ',' ORDER BY state) FROM (${allKinds
    .map((kind) =>
      codesSql(
        kind,
        `jsonb_array_elements_text(${codes}) entered (text)`,
        `concat_ws(' ', c.id, c.version,
           CASE WHEN c.doc->>'consume_unit' = '${kind.consumeUnits[0]}' THEN (c.max_uses > c.used)::integer
             ELSE c.max_uses - c.used END,
           'shopper ' || (${limitPerShopper} > ${usedByShopper(kind, shopperKeySql(shopper))}),
           CASE WHEN c.doc->'user' IS NOT NULL THEN 'named ' || ${isNamedSql(shopper)} END,
           CASE WHEN c.doc->>'is_for_new_shopper' = 'true' THEN 'paid ' || ${hasPaidSql(shopper)} END) AS state`,
      ),
    )
    .join(' UNION ALL ')}) codes)`
