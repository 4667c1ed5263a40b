import { Problem } from '../errors.ts'

/** Whether a request is about many objects: its `data` is a list. */
export const isList = (body: unknown): boolean =>
  Array.isArray((body as { readonly data?: unknown } | undefined)?.data)

/** An option of a request on many objects: `{ "options": { "add_all_or_nothing": true } }`. */
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
