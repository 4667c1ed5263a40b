import { text } from '../kernel/fields.ts'
import { dataEntryTypes } from './data-entries.ts'

/** The query of a list about one entry: see `askAboutEntry`. */
export const entryQuery = {
  filter: text({
    required: true,
    about: `Names the object, and says nothing else. \`resource_type\` is one of ${dataEntryTypes.join(', ')}.`,
    example: 'eq(resource_type,customer):eq(resource_id,<id>)',
  }),
}
