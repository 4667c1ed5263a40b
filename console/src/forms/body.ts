import type { Body, FieldFacts } from '../api/document.ts'
import { type Item, objectOf, valueAt } from '../api/objects.ts'
import { readText, textOf, textWithIds } from '../fields/values.ts'

/** The texts of a form by the paths of their fields. */
export type Texts = Readonly<Record<string, string>>

/** A body that the document does not describe field by field is edited as a whole. */
export const wholePath = ''

const wholeField: FieldFacts = { path: wholePath, kind: 'json', required: true }

/** The fields of a form: those that are required come first. */
export const fieldsOfForm = ({ fields }: Body): readonly FieldFacts[] =>
  fields.length
    ? fields.toSorted((one, other) => Number(other.required ?? false) - Number(one.required ?? false))
    : [wholeField]

/** The texts that a form begins with: those of the object, or the defaults of a new one. */
export function startTexts(
  body: Body,
  item: Item | undefined,
  preset?: { readonly path: string; readonly value: string },
): Texts {
  if (!body.fields.length) return { [wholePath]: JSON.stringify(item ?? body.example ?? {}, null, 2) }
  return Object.fromEntries(
    body.fields.map((field) => {
      if (!item && preset?.path === field.path) return [field.path, presetText(field, preset.value)]
      const value = item ? valueAt(item, field.path) : field.required ? field.default : undefined
      return [field.path, textOf(field, value)]
    }),
  )
}

const presetText = (field: FieldFacts, value: string): string =>
  field.kind === 'references' ? textWithIds(field, '', [value], '') : value

/** The fields whose texts differ. */
export const changedFields = (body: Body, start: Texts, texts: Texts): readonly FieldFacts[] =>
  fieldsOfForm(body).filter(({ path }) => start[path] !== texts[path])

/**
 * The body of a request. A new object has all values that were typed; an update only those that changed, and those
 * that each update must repeat.
 */
export function bodyOf(body: Body, start: Texts, texts: Texts, item: Item | undefined): Item {
  const [only] = fieldsOfForm(body)
  if (only?.path === wholePath) return { data: readText(only, texts[wholePath] || '{}') }
  const changed = new Set(changedFields(body, start, texts))
  const sent = fieldsOfForm(body).filter((field) =>
    item ? changed.has(field) || field.required : texts[field.path] !== '',
  )
  const values = sent.flatMap((field): (readonly [string, unknown])[] => {
    const value = readText(field, texts[field.path] ?? '')
    if (value === undefined) return []
    const { kind, linkType, path } = field
    // The type of a reference stands beside its id.
    return kind === 'reference' && linkType !== undefined && path.endsWith('.id')
      ? [
          [path.replace(/id$/, 'type'), linkType],
          [path, value],
        ]
      : [[path, value]]
  })
  const type = item?.type ?? body.type
  return { data: objectOf([...(type === undefined ? [] : [['type', type] as const]), ...values]) }
}

/** The fields that a refusal is about, by the `source` of its faults: `data.name` or `/data/name`. */
export const pathOfSource = (
  source: string | undefined,
  fields: readonly FieldFacts[],
): string | undefined => {
  const path = (source ?? '')
    .replace(/^\//, '')
    .replaceAll('/', '.')
    .replace(/^data\.?/, '')
  return fields
    .map((field) => field.path)
    .filter((one) => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}[`))
    .toSorted((one, other) => other.length - one.length)[0]
}
