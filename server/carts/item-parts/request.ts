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
