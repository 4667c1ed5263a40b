import { Problem } from '../../kernel/errors.ts'
import { parseBody } from '../../kernel/http/reading/body.ts'
import { isId } from '../../kernel/ids.ts'

/** A line of a file: a price book, or a price in one. */
export interface ImportLine {
  readonly about: 'pricebook' | 'product-price'
  readonly id: string | undefined
  readonly externalRef: string | undefined
  /** For a price: the price book that it is in. */
  readonly pricebook: { readonly id?: string; readonly externalRef?: string }
  readonly attributes: JsonMembers
}

type JsonMembers = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is JsonMembers =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const refuse = (detail: string) => new Problem('unprocessable', detail)

/** Throws a Problem if the line is neither. The object may be inside `data`, as in a request. */
export function parseLine(text: string): ImportLine {
  const read = parseJson(text)
  const data = isObject(read) && isObject(read.data) ? read.data : read
  if (!isObject(data)) throw refuse('the line must be a JSON object.')
  const { type: about } = data
  if (about !== 'pricebook' && about !== 'product-price') {
    throw refuse(`type must be "pricebook" or "product-price", not ${JSON.stringify(about) ?? 'left out'}.`)
  }
  const noun = about === 'pricebook' ? 'price book' : 'price'
  if (!isObject(data.attributes)) throw refuse(`missing attributes for ${noun}`)
  const { pricebook_id, pricebook_external_ref, ...attributes } = data.attributes
  const one = (name: string, value: unknown) => readText(value, name, noun)
  const line: ImportLine = {
    about,
    id: readId(one('id', data.id), noun),
    externalRef: one('external_ref', attributes.external_ref),
    pricebook: about === 'pricebook' ? {} : readPricebook(data, { pricebook_id, pricebook_external_ref }),
    attributes,
  }
  if (!line.id && !line.externalRef) throw refuse(`the ${noun} needs an id or an external_ref.`)
  if (about === 'product-price') mustNamePricebook(line, one('sku', attributes.sku))
  return line
}

function parseJson(text: string): unknown {
  try {
    return parseBody(text, 'application/json')
  } catch (error) {
    if (error instanceof Problem && error.code === 'malformed_json') throw refuse('invalid json provided')
    throw error
  }
}

/** Undefined if the value is empty. */
function readText(value: unknown, name: string, called: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw refuse(`invalid type for ${name} for ${called}`)
  return value
}

function readId(id: string | undefined, called: string): string | undefined {
  if (id !== undefined && !isId(id)) throw refuse(`${id} is not the id of a ${called}.`)
  return id?.toLowerCase()
}

/** Clients send the price book beside the attributes, among them, or in `meta`, where responses show it. */
function readPricebook(data: JsonMembers, among: JsonMembers): ImportLine['pricebook'] {
  const meta = isObject(data.meta) ? data.meta : {}
  const readRef = (name: string) => readText(data[name] ?? among[name] ?? meta[name], name, 'price')
  const id = readId(readRef('pricebook_id'), 'price book')
  const externalRef = readRef('pricebook_external_ref')
  // The id is enough.
  return id ? { id } : externalRef ? { externalRef } : {}
}

function mustNamePricebook({ id, pricebook }: ImportLine, sku: string | undefined): void {
  if (sku === undefined) throw refuse('missing sku for price')
  if (!id && !pricebook.id && !pricebook.externalRef) {
    throw refuse('missing pricebook_id/pricebook_external_ref for price')
  }
}

type LineName = Pick<ImportLine, 'about' | 'id' | 'externalRef' | 'pricebook'>

/** The object that the line names. No two lines may have the same target. */
export function toTarget({ about, id, externalRef, pricebook }: LineName): string {
  return JSON.stringify(id ? [about, id] : [about, pricebook.id, pricebook.externalRef, externalRef])
}
