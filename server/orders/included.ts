import { accountMembers, accountResource } from '../accounts/index.ts'
import {
  customDiscountSchema,
  promotionSchema,
  showCustomDiscount,
  showTaxItem,
  taxesOf,
  taxItemSchema,
} from '../carts/index.ts'
import type { Resource } from '../kernel/declare/resource.ts'
import { objectText } from '../kernel/http/object-text.ts'
import { objectOf } from '../kernel/openapi/named-schemas.ts'
import { listOf, object } from '../kernel/openapi/shapes.ts'
import { findAll } from '../kernel/query/find.ts'
import { parse } from '../kernel/query/parse.ts'
import { type JsonSchema, text } from '../kernel/shape/fields.ts'
import type { Ctx } from '../kernel/work/context.ts'
import { findContents, type OrderContents } from './order-contents.ts'
import { orderItem, orderItemsOf } from './order-items.ts'
import type { OrderRow } from './orders.ts'

/** What an order includes of its contents. */
const ofContents = ['items', 'tax_items', 'custom_discounts', 'promotions'] as const
/** The objects that it includes, and the members of `included` that list them. */
const related = { account: 'accounts', account_member: 'account_members' } as const

type Content = (typeof ofContents)[number]
type Name = Content | keyof typeof related

const names: readonly Name[] = [...ofContents, 'account', 'account_member']

/** What `include=` may name, once or more often, or in one list with commas. */
export const includeParameter = (accepted: readonly Name[] = names) =>
  text({
    about: `Objects to include, separated by commas: ${accepted.join(', ')}.`,
    example: accepted.join(','),
  })

/** The schema of `included` beside orders. */
export const includedSchema: JsonSchema = object(
  {
    items: listOf(orderItem),
    tax_items: listOf(taxItemSchema),
    custom_discounts: listOf(customDiscountSchema),
    promotions: listOf(promotionSchema),
    accounts: listOf(objectOf(() => accountResource)),
    account_members: listOf(objectOf(() => accountMembers)),
  },
  [],
)

/** The member `included` of a response, after a comma; empty where the request includes nothing. */
export async function includedIn(
  ctx: Ctx,
  rows: readonly OrderRow[],
  query: string,
  accepted: readonly Name[] = names,
): Promise<string> {
  const include = parse(query).include
  return includedText(ctx, rows, { names: accepted.filter((name) => include.includes(name)), include })
}

/** What to include. */
interface IncludeOptions {
  readonly names: readonly Name[]
  readonly include?: readonly string[]
  /** The contents of the orders, if the caller has them. */
  readonly known?: ReadonlyMap<string, OrderContents> | undefined
}

/** As `includedIn`, for these names. */
export async function includedText(
  ctx: Ctx,
  rows: readonly OrderRow[],
  { names, include = names, known }: IncludeOptions,
): Promise<string> {
  if (!names.length) return ''
  const ids = names.some((name) => name in show) ? rows.map(({ id }) => id) : []
  const contents = known ?? (await findContents(ctx.store, ids))
  const members = await Promise.all(
    names.map(async (name) => {
      if (name === 'account' || name === 'account_member') {
        return `${JSON.stringify(related[name])}:${await relatedText(ctx, rows, name)}`
      }
      const all = rows.flatMap((row) => {
        const own = contents.get(row.id)
        return own ? show[name](row, own, ctx.baseUrl, include) : []
      })
      return `"${name}":${JSON.stringify(all)}`
    }),
  )
  return `,"included":{${members.join(',')}}`
}

type Show = (
  row: OrderRow,
  contents: OrderContents,
  baseUrl: string,
  include: readonly string[],
) => readonly object[]

const show: Readonly<Record<Content, Show>> = {
  items: orderItemsOf,
  tax_items: (_row, { contents }) => contents.lines.flatMap(taxesOf).map(showTaxItem),
  custom_discounts: (_row, { contents: { lines, customDiscounts }, priced }) => [
    ...lines.flatMap((line) =>
      line.customDiscounts.map((one) =>
        showCustomDiscount(one, priced.currency, { id: line.id, kind: itemTypeOf(line.kind) }),
      ),
    ),
    ...customDiscounts.map((one) => showCustomDiscount(one, priced.currency)),
  ],
  promotions: (_row, { priced }) => priced.promotions,
}

const itemTypeOf = (kind: string): string => (kind === 'custom_item' ? kind : 'order_item')

/** The accounts or members of orders, as a JSON list. Shoppers see only what they may read at its own address. */
async function relatedText(ctx: Ctx, rows: readonly OrderRow[], name: keyof typeof related): Promise<string> {
  const resource: Resource = name === 'account' ? accountResource : accountMembers
  const column = name === 'account' ? 'account_id' : 'account_member_id'
  const ids = rows.flatMap(({ hidden }) => hidden[column] ?? [])
  const objects = await findAll(ctx, resource, ids)
  return `[${objects.map((row) => objectText(resource, row, ctx, true)).join(',')}]`
}
