import { Problem } from '../../kernel/errors.ts'
import { text } from '../../kernel/shape/fields.ts'
import { shopperHeaders } from '../../shop/index.ts'

const { 'EP-Channel': channel, 'EP-Context-Tag': tags } = shopperHeaders

/** For the API document. */
export const contextHeaders = { 'EP-Channel': channel, 'EP-Context-Tag': tags }

/** For the API document. */
export const currencyHeader = {
  'X-Moltin-Currency': text({
    about:
      'The code of the currency of the cart. Default: the one that the cart has, or that of the store. A cart has one currency as long as there is an amount in it.',
  }),
}

/** For the API document. */
export const cartHeaders = { ...contextHeaders, ...currencyHeader }

type Headers = Readonly<Record<string, string | string[] | undefined>>

const first = (value: string | string[] | undefined) =>
  (Array.isArray(value) ? value[0] : value)?.trim() || undefined

/** What the headers of a request say about the shopper and the currency. */
export function shopperIn(headers: Headers) {
  const channel = first(headers['ep-channel'])
  const tags = first(headers['ep-context-tag'])
  const hasContext = channel !== undefined || tags !== undefined
  return {
    currency: first(headers['x-moltin-currency'])?.toUpperCase(),
    ...(hasContext && {
      shopper: { channel, tags: tags?.split(',').flatMap((tag) => tag.trim() || []) ?? [] },
    }),
  }
}

/** Whether a request is about many items: its `data` is a list. */
export const isList = (body: unknown): boolean =>
  Array.isArray((body as { readonly data?: unknown } | undefined)?.data)

/** An option of a request on many items: `{ "options": { "add_all_or_nothing": true } }`. */
export function allOrNothing(body: unknown, name: string, fallback: boolean): boolean {
  const { options } = body as { readonly options?: unknown }
  if (options === undefined || options === null) return fallback
  if (typeof options !== 'object' || Array.isArray(options)) {
    throw new Problem('invalid_field', 'options must be an object.', { source: 'options' })
  }
  const value = (options as Readonly<Record<string, unknown>>)[name]
  if (value === undefined) return fallback
  if (typeof value === 'boolean') return value
  throw new Problem('invalid_field', `options.${name} must be true or false.`, { source: `options.${name}` })
}
