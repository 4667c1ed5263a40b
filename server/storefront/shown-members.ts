import { choice, type Field, type FieldOptions, group, text } from '../kernel/shape/fields.ts'

/** Members that products and nodes are shown with. */

/** Where something is read. */
export const linked = (member: 'self' | 'related', about: string) =>
  group({ links: group({ [member]: text({ required: true }) }, { required: true }) }, { about })

/** A link to an object, and where it is read. */
export const held = <const O extends FieldOptions>(type: string, options: O) =>
  group(
    {
      data: group(
        { type: choice([type], { required: true }), id: text({ required: true, format: 'uuid' }) },
        { required: true },
      ),
      links: group({ related: text({ required: true }) }, {}),
    },
    options,
  )

/** A field of the merchant's as others see it: it is left out where it is null. */
export function present<T>({
  schema,
  options,
  ...inside
}: Field<T, unknown, unknown>): Field<Exclude<T, null>> {
  const { required, about } = options
  const types = [schema.type].flat().filter((type) => type !== 'null')
  return {
    ...(inside as Pick<Field, 'members'>),
    schema: { ...schema, type: types.length > 1 ? types : types[0] },
    options: { ...(required && { required }), ...(about && { about }) },
  }
}
