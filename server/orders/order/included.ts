import {
  customDiscount,
  promotion,
  showCustomDiscount,
  showTaxItem,
  taxesOf,
  taxItem,
} from '../../carts/index.ts'
import type { Resource } from '../../kernel/declare/resource.ts'
import { joined, textOf } from '../../kernel/http/in-parts.ts'
import { objectText } from '../../kernel/http/object-text.ts'
import { Memory } from '../../kernel/memory.ts'
import { objectOf } from '../../kernel/openapi/named-schemas.ts'
import { findListed } from '../../kernel/query/find.ts'
import { parse } from '../../kernel/query/parse.ts'
import { portionsOf } from '../../kernel/query/portions.ts'
import { text } from '../../kernel/shape/fields.ts'
import { optional, type ShownValue, shown } from '../../kernel/shape/shown.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { perInstance } from '../../kernel/work/per-instance.ts'
import { accountMembers, accountResource } from '../../people/index.ts'
import { eachContents, type OrderContents } from './order-contents.ts'
import { orderItem, orderItemsOf } from './order-items.ts'
import type { OrderRow } from './orders.ts'

/** What an order includes of its contents. */
const ofContents = ['items', 'tax_items', 'custom_discounts', 'promotions'] as const
/** The objects that it includes, and the members of `included` that list them. */
const related = { account: 'accounts', account_member: 'account_members' } as const

type Content = (typeof ofContents)[number]
type RelatedName = keyof typeof related
type Name = Content | RelatedName

const isRelated = (name: Name): name is RelatedName => Object.hasOwn(related, name)

const names: readonly Name[] = [...ofContents, 'account', 'account_member']

/** What `include=` may name, once or more often, or in one list with commas. */
export const includeParameter = (accepted: readonly Name[] = names) =>
  text({
    about: `Objects to include, separated by commas: ${accepted.join(', ')}.`,
    example: accepted.join(','),
  })

/** The member `included` of a response with orders. */
export const included = shown.group({
  items: optional(shown.list(orderItem)),
  tax_items: optional(shown.list(taxItem)),
  custom_discounts: optional(shown.list(customDiscount)),
  promotions: optional(shown.list(promotion)),
  accounts: optional(shown.list(objectOf(() => accountResource))),
  account_members: optional(shown.list(objectOf(() => accountMembers))),
})

/** The member `included` of a response, after a comma, in parts; empty where the request includes nothing. */
export function includedIn(ctx: Ctx, portions: Portions, query: string): AsyncGenerator<string> {
  const include = parse(query).include
  return includedParts(ctx, portions, { names: names.filter((name) => include.includes(name)), include })
}

/** The orders of a response, again at each call. */
type Portions = () => AsyncIterable<readonly OrderRow[]>

/** What to include. */
interface IncludeOptions {
  readonly names: readonly Name[]
  readonly include?: readonly string[]
  /** The contents of the orders, if the caller has them. */
  readonly known?: ReadonlyMap<string, OrderContents> | undefined
}

async function* includedParts(
  ctx: Ctx,
  portions: Portions,
  { names, include = names, known }: IncludeOptions,
): AsyncGenerator<string> {
  for (const [i, name] of names.entries()) {
    const texts = isRelated(name)
      ? relatedTexts(ctx, portions, name)
      : contentTexts(ctx, portions, known, (row, own) => show[name](row, own, ctx.baseUrl, include))
    yield `${i === 0 ? ',"included":{' : ','}"${isRelated(name) ? related[name] : name}":[`
    yield* joined(texts)
    yield ']'
  }
  if (names.length) yield '}'
}

/** The characters of all texts that a process remembers: those of 500 orders of 20 items. */
const charsMax = 16_777_216

const textsOf = perInstance(
  () => new Memory<string, string>(charsMax, { sizeOf: (key, text) => key.length + text.length }),
)

/**
 * As `includedIn`, for one order. What is made of its contents is remembered for each version of the order: they change
 * only with it, and were read after it. Accounts change by themselves.
 */
export async function includedWith(
  ctx: Ctx,
  row: OrderRow,
  query: string,
  accepted: readonly Name[] = names,
): Promise<string> {
  const include = parse(query).include
  const options = { names: accepted.filter((name) => include.includes(name)), include }
  if (!options.names.length || options.names.some(isRelated)) return includedText(ctx, row, options)
  const texts = textsOf(ctx.instance)
  const key = `${ctx.store.id} ${row.id} ${row.version} ${options.names} ${ctx.baseUrl}`
  const remembered = texts.get(key)
  if (remembered !== undefined) return remembered
  const made = await includedText(ctx, row, options)
  texts.set(key, made)
  return made
}

/** As `includedWith`, for these names. */
export function includedText(ctx: Ctx, row: OrderRow, options: IncludeOptions): Promise<string> {
  async function* portions() {
    yield [row]
  }
  return textOf(includedParts(ctx, portions, options))
}

type Show<N extends Content> = (
  row: OrderRow,
  contents: OrderContents,
  baseUrl: string,
  include: readonly string[],
) => NonNullable<ShownValue<typeof included>[N]>

const show: { readonly [N in Content]: Show<N> } = {
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

/** What a function shows of the contents of each order. */
async function* contentTexts(
  ctx: Ctx,
  portions: Portions,
  known: IncludeOptions['known'],
  showOne: (row: OrderRow, contents: OrderContents) => readonly object[],
): AsyncGenerator<readonly string[]> {
  for await (const rows of portions()) {
    const byId = new Map(rows.map((row) => [row.id, row]))
    for await (const [id, contents] of known ?? eachContents(ctx.store, [...byId.keys()])) {
      const row = byId.get(id)
      if (row) yield showOne(row, contents).map((one) => JSON.stringify(one))
    }
  }
}

/** The accounts or members of orders, each once. Shoppers see only what they may read at its own address. */
async function* relatedTexts(
  ctx: Ctx,
  portions: Portions,
  name: RelatedName,
): AsyncGenerator<readonly string[]> {
  const resource: Resource = name === 'account' ? accountResource : accountMembers
  const column = name === 'account' ? 'account_id' : 'account_member_id'
  const shown = new Set<string>()
  for await (const rows of portions()) {
    const ids = rows.flatMap(({ hidden }) => hidden[column] ?? []).filter((id) => !shown.has(id))
    for (const id of ids) shown.add(id)
    for await (const objects of portionsOf(await findListed(ctx, resource, ids)))
      yield objects.map((row) => objectText(resource, row, ctx, true))
  }
}
