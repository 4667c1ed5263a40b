import { Problem } from '../kernel/errors.ts'
import { isField } from './filter-syntax.ts'

/** More facets of one search are not counted. */
const facetsMax = 30

/** The fields that `facet_by` names. Commas in parentheses belong to a name. */
export function parseFacets(text: string, source: string): readonly string[] {
  if (!text.trim()) return []
  const names = [...new Set(split(text).map((name) => name.trim()))]
  if (names.length > facetsMax || names.some((name) => !isField(name))) {
    throw new Problem('bad_request', 'Invalid facet field specified.', { title: 'Invalid Facet', source })
  }
  return names
}

function split(text: string): readonly string[] {
  const names = ['']
  let depth = 0
  for (const character of text) {
    if (character === '(') depth++
    if (character === ')') depth--
    if (character === ',' && depth === 0) names.push('')
    else names.push(names.pop() + character)
  }
  return names
}
