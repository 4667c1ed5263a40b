import { valuesOf, withIds } from './body.ts'
import type { Copy } from './copier.ts'
import type { Answer, Json } from './remote.ts'
import type { Step } from './steps.ts'

/** Creates what its list does not create by itself. Undefined for all other objects. */
export async function createSpecially(
  copy: Copy,
  step: Step,
  object: Json,
  to: string,
): Promise<Answer | undefined> {
  const create = special[step.name]
  return create?.(copy, object, to, step)
}

const special: Readonly<
  Record<string, (copy: Copy, object: Json, to: string, step: Step) => Promise<Answer>>
> = {
  files: createFile,
  stocks: createStock,
  'promotion-codes': createCode,
  'rule-promotion-codes': createCode,
}

/** The content of a file, or the address of a file that is hosted elsewhere. */
async function createFile(copy: Copy, object: Json, to: string): Promise<Answer> {
  const form = new FormData()
  const href = object.link?.href
  if (object.file_name === undefined || object.file_name === null || object.file_size === 0) {
    form.append('file_location', String(href))
  } else {
    const content = await copy.from.content(String(href))
    if (!content)
      return { status: 404, body: { errors: [{ detail: `its content cannot be read at ${href}` }] } }
    form.append('file', content, String(object.file_name))
    form.append('public', 'true')
  }
  return copy.to.send('POST', to, form, { 'x-sutler-id': object.id })
}

/** A stock has the id of its product, and begins with what is available in each location. */
async function createStock(copy: Copy, object: Json, to: string): Promise<Answer> {
  // A server may not know locations.
  const { available, locations = {} } = object.attributes ?? object
  const places: Record<string, Json> = {}
  let inPlaces = 0
  for (const [slug, level] of Object.entries<Json>(locations)) {
    places[slug] = { available: level.available }
    inPlaces += level.available
  }
  const id = copy.state.ids.get(object.id) ?? object.id
  const attributes = {
    ...(Object.keys(places).length > 0 ? { locations: places } : { available }),
    ...(Object.keys(places).length > 0 && available > inPlaces && { available: available - inPlaces }),
  }
  copy.report.remarks.add('stock is what was available when the copy read it: later sales are not copied')
  return copy.to.send('POST', `${to}/${id}`, { data: { type: 'stock', attributes } })
}

/**
 * A code begins with the uses that are left. The response to its create may be the promotion, and a create that is
 * refused may have been one whose response was lost: so the code itself is read.
 */
async function createCode(copy: Copy, object: Json, to: string, { resource }: Step): Promise<Answer> {
  const { uses, code } = object
  const values = { ...valuesOf(resource, object), ...(typeof uses === 'number' && { uses }) }
  const body = { data: { type: resource.type, codes: [withIds(values, copy.state.ids)] } }
  const answer = await copy.to.send('POST', to, body)
  const created = await copy.to.get(`${to}/${encodeURIComponent(String(code))}`)
  if (created.status !== 200) return answer.status < 300 ? created : answer
  copy.report.remarks.add(
    'codes of promotions have the uses that are left; who has used them, and how often, is not copied',
  )
  return created
}
