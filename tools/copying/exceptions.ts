import { valuesOf, withIds } from './body.ts'
import type { Copy } from './copier.ts'
import { type Json, pathPartOf, type RemoteAnswer } from './read-answer.ts'
import type { CopyStep } from './steps.ts'
import { createStock } from './stock.ts'

/** What is listed and not copied, and why. The report repeats the reasons. */
export const skipReasons: Readonly<Record<string, string>> = {
  'application-keys': 'their secrets cannot be read: create keys on the new server',
  'account-members': 'the users of a realm, in another form: they are copied there',
  'pim-jobs': 'a record of what the other server did',
  'pim-job-errors': 'a record of what the other server did',
  tags: 'they follow from the tags of products',
  'catalog-releases': 'published contents: publish the catalogs on the new server',
  'promotion-versions': 'the history of the other server',
  'promotion-jobs': 'a record of what the other server did',
  'promotion-usages': 'they belong to orders',
  'rule-promotion-jobs': 'a record of what the other server did',
  'rule-promotion-usages': 'they belong to orders',
  carts: 'shoppers fill them anew; they expire within days',
  orders: 'no operation creates an order as it was: `sutler export` moves them from a Sutler to another',
  transactions: 'they belong to orders',
  'order-jobs': 'a record of what the other server did',
  'hierarchy-children': 'nodes, in another form',
  'component-products': 'they follow from the components of bundles',
  'stock-transactions': 'stock is copied as it is, without its history',
}

/** Objects that every store has from its first day: which one of the new server stands for which of the other. */
export const matchKeyOf: Readonly<Record<string, (object: Json) => string>> = {
  'authentication-realms': (realm) => String(realm.relationships?.origin?.data?.type),
}

/** What else must be there before the objects of a list, beside what their fields refer to. */
export const needsToo: Readonly<Record<string, readonly string[]>> = {
  stocks: ['products', 'inventory-locations'],
  // What builds need.
  products: ['product-variation-options', 'product-variation-modifiers'],
  // A code may be for some customers.
  'promotion-codes': ['customers'],
  'rule-promotion-codes': ['customers'],
}

/** Objects of a list that are not created by themselves: see `children.ts`. */
export const isChild = (step: string, { meta }: Json): boolean =>
  step === 'products' && Array.isArray(meta?.product_types) && meta.product_types.includes('child')

/** Lists of links that actions change: their owners, and the paths below one. */
export const actionLinks: readonly {
  readonly name: string
  readonly owner: string
  readonly list: string
  readonly change: string
  readonly type: string
  readonly changesAs: string
}[] = [
  {
    name: 'products of nodes',
    owner: 'nodes',
    list: '/products',
    change: '/relationships/products',
    type: 'product',
    changesAs: 'node-product',
  },
]

/** What nobody can read of objects. */
interface Unreadable {
  /** What the report says about it. */
  readonly remark: string
  /** Which objects have it. Default: all of the list. */
  readonly isIn?: (object: Json) => boolean
  /** What a create needs in its place. */
  readonly values?: () => Json
}

export const unreadable: Readonly<Record<string, Unreadable>> = {
  'user-authentication-password-profile-infos': {
    values: () => ({ password: randomPassword() }),
    remark:
      'passwords cannot be read: their users have to request a one-time password, or be given a new one',
  },
  customers: {
    remark: 'passwords cannot be read: customers who have one need a new one (PUT /v2/customers/{id})',
  },
  'flow-fields': {
    isIn: ({ field_type }) => field_type === 'relationship',
    remark:
      'links of fields of the type relationship are not copied and not compared: set them again ' +
      '(PUT /v2/flows/{slug}/entries/{id}/relationships/{field})',
  },
  'oidc-profiles': {
    values: () => ({ client_secret: 'not copied' }),
    remark: 'client secrets cannot be read: set `client_secret` of each profile again',
  },
  integrations: {
    remark: 'secret keys cannot be read: set those of the integrations that have one again',
  },
}

const randomPassword = () => `${crypto.randomUUID()}-Aa1!`

/** Creates what its list does not create by itself. Undefined for all other objects. */
export async function createSpecially(
  copy: Copy,
  step: CopyStep,
  object: Json,
  to: string,
): Promise<RemoteAnswer | undefined> {
  return specialCreates[step.name]?.(copy, object, to, step)
}

/** Lists whose objects an action creates, in a form of its own. */
export const specialCreates: Readonly<
  Record<string, (copy: Copy, object: Json, to: string, step: CopyStep) => Promise<RemoteAnswer>>
> = {
  files: createFile,
  stocks: createStock,
  'promotion-codes': createCode,
  'rule-promotion-codes': createCode,
}

/** The content of a file, or the address of a file that is hosted elsewhere. */
async function createFile(copy: Copy, object: Json, to: string): Promise<RemoteAnswer> {
  const form = new FormData()
  const href = object.link?.href
  if (object.file_name === undefined || object.file_name === null || object.file_size === 0) {
    form.append('file_location', String(href))
  } else {
    const content = await copy.from.content(href)
    if (typeof content === 'string') return refused(`its content cannot be read at ${href}: ${content}`)
    form.append('file', content, String(object.file_name))
    form.append('public', 'true')
  }
  return copy.to.send('POST', to, form, { 'x-sutler-id': object.id })
}

/** The answer for an object that is not even sent. */
const refused = (detail: string): RemoteAnswer => ({ status: 404, body: { errors: [{ detail }] } })

/**
 * A code begins with the uses that are left. The response to its create may be the promotion, and a create that is
 * refused may have been one whose response was lost: so the code itself is read.
 */
async function createCode(
  copy: Copy,
  object: Json,
  to: string,
  { resource }: CopyStep,
): Promise<RemoteAnswer> {
  const { uses } = object
  const code = pathPartOf(object.code)
  if (code === undefined) return refused('no path can have its code')
  const values = { ...valuesOf(resource, object), ...(typeof uses === 'number' && { uses }) }
  const body = { data: { type: resource.type, codes: [withIds(values, copy.state.ids)] } }
  const answer = await copy.to.send('POST', to, body)
  const created = await copy.to.get(`${to}/${code}`)
  if (created.status !== 200) return answer.status < 300 ? created : answer
  copy.report.remarks.add(
    'codes of promotions have the uses that are left; who has used them, and how often, is not copied',
  )
  return created
}
