/**
 * What names of the API are called on the screen. A name is made readable by its spaces and a capital; these are the
 * words that people write in another way, or that they do not know.
 */
const exceptions: readonly (readonly [name: string, label: string])[] = [
  ['user authentication info', 'user'],
  ['user authentication infos', 'users'],
  ['user authentication oidc profile info', 'OIDC sign-in of user'],
  ['user authentication oidc profile infos', 'OIDC sign-ins of user'],
  ['user authentication password profile info', 'password of user'],
  ['user authentication password profile infos', 'passwords of user'],
  ['account memberships of member', 'account memberships'],
  ['rule promotion', 'promotion by rules'],
  ['rule promotions', 'promotions by rules'],
  ['rule promotion code', 'code'],
  ['rule promotion codes', 'codes'],
  ['rule promotion job', 'code job'],
  ['rule promotion jobs', 'code jobs'],
  ['rule promotion usages', 'usages'],
  ['rule promotion code usages', 'usages of code'],
  ['all nodes', 'nodes of all hierarchies'],
  ['all prices', 'prices of all books'],
  ['nodes of product', 'nodes'],
  ['product variation option', 'option'],
  ['product variation options', 'options'],
  ['product variation modifier', 'modifier'],
  ['product variation modifiers', 'modifiers'],
  ['product variation', 'variation'],
  ['product variations', 'variations'],
  ['build child products', 'build children'],
  ['order job', 'order export'],
  ['order jobs', 'order exports'],
  ['logs ttl', 'log retention'],
  ['stock', 'stock level'],
  ['stocks', 'stock levels'],
  ['catalog release', 'release'],
  ['catalog releases', 'releases'],
  ['order item', 'item'],
  ['order items', 'items'],
  ['order shipping groups', 'shipping groups'],
  ['cart items', 'items'],
  ['cart shipping groups', 'shipping groups'],
  ['with tax', 'total'],
  ['one time password token', 'one-time password'],
  ['built in role', 'built-in role'],
  ['built in roles', 'built-in roles'],
]

/** Single words, inside of any name. */
const spellings: Readonly<Record<string, string>> = {
  api: 'API',
  apis: 'APIs',
  aws: 'AWS',
  csv: 'CSV',
  ean: 'EAN',
  id: 'ID',
  ids: 'IDs',
  json: 'JSON',
  lat: 'latitude',
  lon: 'longitude',
  mime: 'MIME',
  mpn: 'manufacturer part number',
  num: 'number',
  oidc: 'OIDC',
  pim: 'product',
  pricebook: 'price book',
  pricebooks: 'price books',
  ref: 'reference',
  secs: '(seconds)',
  sku: 'SKU',
  skus: 'SKUs',
  ttl: 'retention',
  upc: 'UPC or',
  uri: 'URI',
  uris: 'URIs',
  url: 'URL',
}

const wholes = new Map(exceptions)

/** A name of the API as it stands inside of a sentence: `pricebook_id` is "price book ID". */
export function nounOf(name: string): string {
  const plain = name
    .replaceAll(/[._-]+/g, ' ')
    .trim()
    .toLowerCase()
  const whole = wholes.get(plain)
  if (whole !== undefined) return whole
  return plain
    .split(/\s+/)
    .map((word) => (Object.hasOwn(spellings, word) ? spellings[word] : word))
    .join(' ')
}

/** A name of the API as it stands alone: `created_at` is "Created at". */
export function labelOf(name: string): string {
  const text = nounOf(name)
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const silent = ['attributes', 'meta', 'timestamps', 'relationships', 'data', 'display_price', 'schema']

/** The label of a field by the last parts of its path. That of a reference names what it shows, which is no id. */
export function fieldLabel(path: string, isReference = false): string {
  const names = path.split('.').filter((name) => !silent.includes(name))
  const text = (names.length ? names : [path]).join(' ')
  if (!isReference) return labelOf(text)
  return labelOf(
    text
      .replace(/y[ _]ids$/, 'ies')
      .replace(/[ _]ids$/, 's')
      .replace(/[ _]id$/, ''),
  )
}

/** One of the words that a field may have. What is no word, such as the code of a language, stays as it is. */
export const choiceLabel = (choice: string): string =>
  /^([A-Za-z]{3,}|[A-Za-z]+(_[A-Za-z]+)+|[a-z]+(-[a-z]+)+)$/.test(choice) ? labelOf(choice) : choice
