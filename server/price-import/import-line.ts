import { Problem } from '../kernel/errors.ts'
import { parseBody } from '../kernel/http/body.ts'
import { isId } from '../kernel/ids.ts'

/** What a line of a file says: of a price book, or of a price in one. */
export interface ImportLine {
  readonly about: 'pricebook' | 'product-price'
  readonly id: string | undefined
  readonly externalRef: string | undefined
  /** Of a price: the price book that it is in. */
  readonly pricebook: { readonly id?: string; readonly externalRef?: string }
  readonly attributes: Bag
}

type Bag = Readonly<Record<string, unknown>>

const isBag = (value: unknown): value is Bag =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const refuse = (detail: string) => new Problem('unprocessable', detail)

/** A Problem where it says neither. It may be wrapped in `data`, as a request is. */
export function importLine(text: string): ImportLine {
  const read = parsed(text)
  const data = isBag(read) && isBag(read.data) ? read.data : read
  if (!isBag(data)) throw refuse('the line must be a JSON object.')
  const { type: about } = data
  if (about !== 'pricebook' && about !== 'product-price') {
    throw refuse(`type must be "pricebook" or "product-price", not ${JSON.stringify(about) ?? 'left out'}.`)
  }
  const called = about === 'pricebook' ? 'price book' : 'price'
  if (!isBag(data.attributes)) throw refuse(`missing attributes for ${called}`)
  const { pricebook_id, pricebook_external_ref, ...attributes } = data.attributes
  const one = (name: string, value: unknown) => textOf(value, name, called)
  const line: ImportLine = {
    about,
    id: idOf(one('id', data.id), called),
    externalRef: one('external_ref', attributes.external_ref),
    pricebook: about === 'pricebook' ? {} : bookOf(data, { pricebook_id, pricebook_external_ref }),
    attributes,
  }
  if (!line.id && !line.externalRef) throw refuse(`the ${called} needs an id or an external_ref.`)
  if (about === 'product-price') mustSayWhose(line, one('sku', attributes.sku))
  return line
}

function parsed(text: string): unknown {
  try {
    return parseBody(text, 'application/json')
  } catch (error) {
    if (error instanceof Problem && error.code === 'malformed_json') throw refuse('invalid json provided')
    throw error
  }
}

/** Undefined where it says nothing. */
function textOf(value: unknown, name: string, called: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw refuse(`invalid type for ${name} for ${called}`)
  return value
}

function idOf(id: string | undefined, called: string): string | undefined {
  if (id !== undefined && !isId(id)) throw refuse(`${id} is not the id of a ${called}.`)
  return id?.toLowerCase()
}

/** Clients say it beside the attributes, among them, or where an answer shows it. */
function bookOf(data: Bag, among: Bag): ImportLine['pricebook'] {
  const meta = isBag(data.meta) ? data.meta : {}
  const said = (name: string) => textOf(data[name] ?? among[name] ?? meta[name], name, 'price')
  const id = idOf(said('pricebook_id'), 'price book')
  const externalRef = said('pricebook_external_ref')
  // The id says it all.
  return id ? { id } : externalRef ? { externalRef } : {}
}

function mustSayWhose({ id, pricebook }: ImportLine, sku: string | undefined): void {
  if (sku === undefined) throw refuse('missing sku for price')
  if (!id && !pricebook.id && !pricebook.externalRef) {
    throw refuse('missing pricebook_id/pricebook_external_ref for price')
  }
}

type Named = Pick<ImportLine, 'about' | 'id' | 'externalRef' | 'pricebook'>

/** What no two lines may be about, as the line itself names it. */
export function targetOf({ about, id, externalRef, pricebook }: Named): string {
  return JSON.stringify(id ? [about, id] : [about, pricebook.id, pricebook.externalRef, externalRef])
}
