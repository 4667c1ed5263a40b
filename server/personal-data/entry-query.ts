import { text } from '../kernel/shape/fields.ts'
import type { Register } from './register.ts'

/** The query of a list about one entry: see `parseEntryQuery`. */
export const entryQuery = ({ types }: Register) => ({
  filter: text({
    required: true,
    about: `Names one object by two terms: \`eq(resource_type,…):eq(resource_id,…)\`. \`resource_type\` is one of ${types.join(', ')}.`,
    example: 'eq(resource_type,customer):eq(resource_id,00000000-0000-4000-8000-000000000000)',
  }),
})
