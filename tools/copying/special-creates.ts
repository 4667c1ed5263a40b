import { valuesOf, withIds } from './body.ts'
import type { Copy } from './copier.ts'
import { type Answer, type Json, pathPartOf } from './read-answer.ts'
import type { Step } from './steps.ts'
import { createStock } from './stock.ts'

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
    const content = await copy.from.content(href)
    if (typeof content === 'string') return refused(`its content cannot be read at ${href}: ${content}`)
    form.append('file', content, String(object.file_name))
    form.append('public', 'true')
  }
  return copy.to.send('POST', to, form, { 'x-sutler-id': object.id })
}

/** The answer for an object that is not even sent. */
const refused = (detail: string): Answer => ({ status: 404, body: { errors: [{ detail }] } })

/**
 * A code begins with the uses that are left. The response to its create may be the promotion, and a create that is
 * refused may have been one whose response was lost: so the code itself is read.
 */
async function createCode(copy: Copy, object: Json, to: string, { resource }: Step): Promise<Answer> {
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
