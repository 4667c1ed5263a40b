/** One term of a filter: `eq(name,value)`. */
const term = /^\s*\w+\((?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^()"'])*\)\s*/

/** The terms of a filter that joins them by "and"; the whole filter as one if it is anything else. */
export function termsOf(filter: string): readonly string[] {
  const terms: string[] = []
  let rest = filter
  while (rest !== '') {
    const [match] = term.exec(rest) ?? []
    const after = match === undefined ? '' : rest.slice(match.length)
    if (match === undefined || !(after === '' || after.startsWith(':'))) return filter.trim() ? [filter] : []
    terms.push(match.trim())
    rest = after.slice(1)
  }
  return terms
}

export const joinTerms = (terms: readonly string[]): string => terms.join(':')

/** A term of a field, an operator and a value. Characters that would end the value are quoted. */
export function termOf(operator: string, field: string, value: string): string {
  if (operator === 'is_null') return `is_null(${field})`
  const values = ['in', 'contains_any', 'contains_all'].includes(operator) ? value.split(',') : [value]
  return `${operator}(${[field, ...values.map((one) => quoted(one.trim()))].join(',')})`
}

const quoted = (value: string) => (/[(),"']/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : value)
