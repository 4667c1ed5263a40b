import { Problem } from '../../kernel/errors.ts'
import { isField } from '../matching/filter-syntax.ts'

/** How many facets a search may have. */
const facetsMax = 30

const badFacet = (source: string, detail: string) =>
  new Problem('bad_request', `Invalid facet field specified. ${detail}`, { title: 'Invalid Facet', source })

/** Parses `facet_by`: names of fields, separated by commas. Commas in parentheses belong to a name. */
export function parseFacets(text: string, source: string): readonly string[] {
  if (!text.trim()) return []
  const names = [...new Set(splitList(text))]
  if (names.length > facetsMax) throw badFacet(source, `A search must have at most ${facetsMax} facets.`)
  const wrong = names.find((name) => !isField(name))
  if (wrong === undefined) return names
  throw badFacet(source, `${JSON.stringify(wrong.slice(0, 40))} is not a valid field name.`)
}

/** Limits a facet to values in which a word begins with the text. */
export interface FacetQuery {
  readonly field: string
  readonly text: string
}

/** Parses `facet_query`: a field, a colon and the beginning of a value. Anything else is ignored. */
export function parseFacetQuery(text: string): FacetQuery | undefined {
  const colon = text.indexOf(':')
  const field = text.slice(0, Math.max(0, colon)).trim()
  return isField(field) ? { field, text: text.slice(colon + 1).trim() } : undefined
}

/** Splits a list at its commas, except those in parentheses. */
export function splitList(text: string): readonly string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++
    if (text[at] === ')') depth--
    if (text[at] !== ',' || depth !== 0) continue
    parts.push(text.slice(from, at).trim())
    from = at + 1
  }
  return [...parts, text.slice(from).trim()]
}
