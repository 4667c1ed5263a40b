import { module } from '../kernel/module.ts'

export {
  eraseValues,
  hideValues,
  renameValues,
  setUnique,
  unindexValues,
  type ValueField,
  type ValueRows,
} from './changes.ts'
export { matchingNumber, matchingText } from './conditions.ts'
export {
  bit,
  entriesWhere,
  isNull,
  isNullValue,
  matching,
  type NumberForm,
  ruleOf,
  type ValueFilter,
} from './filters.ts'
export { partOfRow } from './part-of-row.ts'

export const fieldValues = module({
  name: 'field-values',
  about: 'The values of fields that a store defines: how lists find them, and how they follow their field.',
})
