import { choice, type Field, type FieldOptions, group, text } from '../../kernel/shape/fields.ts'

/** Members that products and nodes share. */

export const linkField = (member: 'self' | 'related', about: string) =>
  group({ links: group({ [member]: text({ required: true }) }, { required: true }) }, { about })

/** A reference to an object, with a link to it. */
export const referenceField = <const O extends FieldOptions>(type: string, options: O) =>
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

/** A field of the merchant as shoppers see it: absent instead of null. */
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
