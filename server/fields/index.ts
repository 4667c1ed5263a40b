export { extensions, fieldValues, flows } from './chapters.ts'
export { entriesOfApi } from './custom-apis/definition.ts'
export { type EntryRight, mayUseEntries } from './custom-apis/entry-operations.ts'
export { productsWhere } from './flows/entry-filters.ts'
export type { FieldValueType } from './flows/field-rules.ts'
export { flows as flowResource } from './flows/flows.ts'
export { withIncludedEntries } from './flows/include-entries.ts'
export { copyTemplateEntries, withExtensions } from './flows/template-entries.ts'
export {
  entryOf,
  findTemplates,
  holdEntries,
  keepTemplates,
  type Template,
  type Templates,
  writeEntries,
} from './flows/templates.ts'
export { matchingText } from './values/conditions.ts'
